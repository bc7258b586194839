import type { Message } from "../../src/contract/message.ts";
import type { ApiClient, Fields } from "../support/client.ts";
import type { ApiStream } from "../support/stream.ts";
import { NAMES, type Place, type Shared, type Sight, type SightKind, type Style } from "./place.ts";
import { download } from "./xmpp-place.ts";

const LABELS: Readonly<Record<Style, string>> = { normal: "", action: "user_action", notice: "notice_irc" };

/** A program that posts by one account and reads by another, both with FullEvents. What is said is Markdown. */
export function apiPlace(writer: ApiClient, stream: ApiStream, gateway: string): Place {
  const name = NAMES.api;
  const post = async (fields: Fields): Promise<string> =>
    (await writer.say({ gateway, username: name, userid: name, ...fields })).id;
  const shareAll = async (files: readonly Shared[], text: string): Promise<void> => {
    const items = files.map(({ name: Name, content }) => ({ Name, Data: Buffer.from(content).toString("base64") }));
    await post({ text, Extra: { file: items } });
  };
  return {
    network: "api",
    name,
    sights: () => sightsOf(stream),
    say: async (text, style) => await post({ text, event: LABELS[style] }),
    reply: async (text, to) => void (await post({ text, parent_id: to })),
    thread: null,
    edit: async (id, text) => void (await post({ id, text, event: "msg_edit" })),
    erase: async (id) => void (await post({ id, event: "msg_delete" })),
    react: async (id, emoji, on) =>
      void (await post({ id, text: emoji, event: on ? "msg_reaction" : "msg_reaction_removed" })),
    share: async (file) => await shareAll([file], ""),
    caption: async ({ name: Name, content }, Comment) => {
      await post({ text: "", Extra: { file: [{ Name, Comment, Data: Buffer.from(content).toString("base64") }] } });
    },
    hide: async ({ name: Name, content }) => {
      const file = { Name, Data: Buffer.from(content).toString("base64"), Spoiler: true };
      await post({ text: "", Extra: { file: [file] } });
    },
    shareAll,
    setTopic: null,
    visit: null,
    quit: async () => await stream.close(),
  };
}

/** All that a stream has brought. */
export function sightsOf(stream: ApiStream): readonly Sight[] {
  return stream.lines.flatMap((line) => fromMessage(JSON.parse(line) as Message));
}

const KINDS: Readonly<Record<string, SightKind>> = {
  user_action: "action",
  notice_irc: "notice",
  msg_edit: "edit",
  msg_delete: "delete",
  msg_reaction: "reaction",
  msg_reaction_removed: "unreaction",
  join: "join",
  leave: "leave",
  topic_change: "topic",
};

/** Each file is seen by itself. */
function fromMessage({ event, text, id, parent_id: parent, Extra }: Message): readonly Sight[] {
  const kind = KINDS[event] ?? "normal";
  const acts = kind === "edit" || kind === "delete" || kind === "reaction" || kind === "unreaction";
  const target = acts ? id : parent;
  const bare = {
    kind,
    text,
    ids: id === "" ? [] : [id],
    target: target === "" ? null : target,
    alerts: false,
    file: null,
  };
  if (Extra === null) return [bare];
  return Extra.file.map(({ Name, Comment, Data, URL, Spoiler }, at) => {
    const fetch = async (): Promise<Uint8Array> => (URL === "" ? Buffer.from(Data, "base64") : await download(URL));
    const hidden = Spoiler !== undefined && Data === "";
    const words = at === 0 ? [text, Comment] : [Comment];
    return { ...bare, text: words.filter((one) => one !== "").join("\n"), file: { name: Name, fetch, hidden } };
  });
}
