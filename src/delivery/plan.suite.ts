/** A plan of tests: what is planned can be read off the payload, and there is no configuration behind it. */
import type { Body, SharedFile } from "../contract/content.ts";
import type { FileId, MessageRef } from "../contract/ids.ts";
import { EventLabel, type FileItem } from "../contract/message.ts";
import type { OpAuthor, PostDraft } from "../contract/ops.ts";
import { type About, type Again, decodeStored, encodeStored, type Stored } from "../gateway/codec.ts";
import type { Plan } from "../gateway/plan.ts";
import type { Needs, Planned } from "../gateway/planned.ts";
import { aMessage } from "../gateway/samples.suite.ts";

const ANNA: OpAuthor = { id: "anna", name: "anna", shown: "", avatar: null, account: "net" };

function storedOf(text: string, more: Partial<Stored> = {}): Stored {
  return { message: aMessage({ text }), source: null, about: null, files: [], avatar: null, topic: null, ...more };
}

export function aboutOf(is: About["is"], seq: number, more: Partial<About> = {}): About {
  return { is, seq, name: "bob", excerpt: "", thread: null, author: null, emoji: "👍", on: true, ...more };
}

/** The payload of an entry that acts on the message `seq`. */
export function payloadOf(
  is: About["is"],
  seq: number,
  text: string,
  more: Partial<About> = {},
  username = "anna",
): string {
  const message = aMessage({ text, username, userid: username });
  return encodeStored(storedOf(text, { message, about: aboutOf(is, seq, more) }));
}

/** The payload of an entry that has the message `of` sent again. */
export function againPayload(text: string, of: number, more: Partial<Again> = {}): string {
  return encodeStored(storedOf(text, { again: { of, from: null, messages: [], ...more } }));
}

/** The payload of a new topic. */
export function topicPayload(topic: string): string {
  const text = `the topic is now: ${topic}`;
  return encodeStored(storedOf(text, { message: aMessage({ text, event: EventLabel.topic }), topic }));
}

/** The payload of a message with these files. */
export function withFiles(text: string, ...names: readonly string[]): string {
  const file = names.map((Name): FileItem => {
    return { Name, Data: "", Comment: `${Name}!`, URL: "", Size: 0, Avatar: false, SHA: "", NativeID: "" };
  });
  const message = aMessage({ text, Extra: { file } });
  return encodeStored(storedOf(text, { message, files: names.map((name) => name as FileId) }));
}

function draft(text: string, files: readonly SharedFile[] = []): PostDraft {
  const body: Body = { style: "normal", source: { format: "plain", text }, blocks: [], files };
  return { author: null, body, reply: null, thread: null, mayPing: { users: false, everyone: false } };
}

/** Can do all of it, but for what the join goes without: that is said in words that begin with `*`. */
export const PLAN: Plan = {
  admits: (label) => label !== "unwanted",
  read: (payload) => {
    if (payload === "garbage") throw new Error("cannot be read");
    return payload.startsWith("{") ? decodeStored(payload) : storedOf(payload);
  },
  setsTopic: ({ topic }, { without }) => topic !== null && !without.includes("topic"),
  needs: ({ about, files, message }): Needs => ({
    about: about?.seq ?? null,
    thread: about?.thread ?? null,
    standing: about?.is === "reaction",
    line: null,
    quoting: null,
    files: files.map((id, at) => {
      return id === null ? null : { id, name: message.Extra?.file[at]?.Name ?? "", mime: null, bytes: null };
    }),
    avatar: null,
  }),
  op: ({ message: { text }, about, topic }, _gateway, here): Planned => {
    const is = (op: (Planned & { is: "op" })["op"]): Planned => ({ is: "op", op, losses: [] });
    const said = draft(text, here.files);
    if (topic !== null && !here.without.includes("topic")) return is({ kind: "topic", topic });
    if (about === null) return is({ kind: "post", ...said });
    const [target] = here.about;
    const kind = about.is === "reaction" ? "react" : about.is;
    if (kind === "reply") {
      const reply = target === undefined ? null : { target, name: about.name, excerpt: about.excerpt };
      return is({ kind: "post", ...said, reply, thread: here.thread[0] ?? null });
    }
    if (target === undefined || here.without.includes(kind)) {
      if (kind === "edit") return is({ kind: "post", ...draft(`* ${text}`) });
      return { is: "omitted", losses: [{ what: kind === "react" ? "reaction" : kind, note: "not shown here" }] };
    }
    if (kind === "edit") return is({ kind, ...said, target: here.about });
    if (kind === "delete") return is({ kind, target: here.about, author: null });
    return is({ kind, target, author: ANNA, emoji: about.emoji, on: about.on, standing: here.standing });
  },
  expired: ({ count, fromMs, toMs }) => draft(`${count} expired in ${(toMs - fromMs) / 1_000} s`),
};

export function refs(...names: readonly string[]): readonly MessageRef[] {
  return names as readonly MessageRef[];
}
