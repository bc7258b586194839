import type { RemoteFile, Style } from "../../src/contract/content.ts";
import type { Author, Event, SaidBody } from "../../src/contract/events.ts";
import type { ChannelRef, EventKey, FileRef, MessageRef, OpId, UserRef } from "../../src/contract/ids.ts";
import type { FakeFile, FakeMessage, Happening } from "./fake-room.ts";

type Common = Pick<Event, "channel" | "atMs" | "key" | "echoOf">;

interface Scene {
  readonly channel: ChannelRef;
  /** Whether a session of ours had this name at any time. */
  readonly isOurs: (name: string) => boolean;
  readonly atMs: number;
  /** Its place in the room's history. */
  readonly nth: number;
}

/** What happened in a room, as the core hears of it. */
export function eventOf(happening: Exclude<Happening, { is: "kicked" }>, { channel, isOurs, atMs, nth }: Scene): Event {
  const common: Common = { channel, atMs, key: `${channel} ${nth}` as EventKey, echoOf: null };
  const echoOf = (by: string): "self" | null => (isOurs(by) ? "self" : null);
  switch (happening.is) {
    case "said":
      return said(common, happening.message);
    case "edited": {
      const { message, by, text, checked } = happening;
      const body = bodyOf(text, message.style, filesOf(message));
      const edit = { message: refOf(message), aliases: [], author: authorOf(by), vouched: checked, body };
      return { ...common, kind: "edited", echoOf: echoOf(by), ...edit };
    }
    case "erased": {
      const { message, by } = happening;
      return {
        ...common,
        kind: "deleted",
        echoOf: echoOf(by),
        message: refOf(message),
        by: authorOf(by),
        vouched: true,
      };
    }
    case "reacted": {
      const { message, by, emoji, on } = happening;
      return {
        ...common,
        kind: "reacted",
        echoOf: echoOf(by),
        message: refOf(message),
        author: authorOf(by),
        emoji,
        on,
      };
    }
    case "topic": {
      const { by, topic } = happening;
      const text = `${by} changes the topic to: ${topic}`;
      return { ...common, kind: "topic", echoOf: echoOf(by), author: authorOf(by), topic, text };
    }
    case "joined":
      return member(common, happening.name, "join", `${happening.name} joins`);
    case "renamed":
      return member(common, happening.to, "rename", `${happening.from} is now ${happening.to}`);
    case "left": {
      const { name, by, reason } = happening;
      return member(
        common,
        name,
        "leave",
        by === null ? `${name} leaves` : `${name} is kicked by ${by} (${reason ?? ""})`,
      );
    }
  }
}

function refOf({ ref }: FakeMessage): MessageRef {
  return ref as MessageRef;
}

function authorOf(name: string): Author {
  return { id: name as UserRef, identity: null, name, avatar: null };
}

function member(
  common: Common,
  name: string,
  change: "join" | "leave" | "rename",
  text: string,
): Event & { kind: "member" } {
  return { ...common, kind: "member", author: authorOf(name), change, text };
}

function bodyOf(text: string, style: Style, files: readonly RemoteFile[]): SaidBody {
  return { style, source: { format: "plain", text }, files };
}

function said(common: Common, message: FakeMessage): Event {
  const { ref, by, text, style, key, reply, thread, file } = message;
  const echoOf = key === null ? null : (key.slice(0, key.lastIndexOf("/")) as OpId);
  return {
    ...common,
    kind: "posted",
    echoOf,
    messages: [ref as MessageRef],
    author: authorOf(by),
    body: bodyOf(file === null ? text : "", style, filesOf(message)),
    replyTo: reply as MessageRef | null,
    thread: thread as MessageRef | null,
  };
}

function filesOf({ ref, file, text }: { ref: string; file: FakeFile | null; text: string }): readonly RemoteFile[] {
  if (file === null) return [];
  const { name, mime, content } = file;
  return [{ name, comment: text, mime, bytes: content.length, url: null, ref: ref as FileRef }];
}
