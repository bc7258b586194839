import type { RichTextBlock, RichTextElement } from "@slack/types";
import { manifestText } from "../../src/adapters/slack/town.suite.ts";
import { emojiName, emojiOf } from "../servers/slack/emoji.ts";
import type { Told } from "../servers/slack/hub.ts";
import { addPerson, type Folk, install } from "../servers/slack/people.ts";
import { called, isAction } from "../servers/slack/seen.ts";
import { FakeSlack } from "../servers/slack/server.ts";
import { isRecord, type MessageRow, textOf, type WireBlock, type WireMessage } from "../servers/slack/wire.ts";
import { NAMES, type Place, type Shared, type Sight } from "./place.ts";

export const SLACK_CHANNEL = "square";

export interface SlackAccount {
  readonly ApiURL: string;
  readonly Token: string;
  readonly AppToken: string;
}

/** Somebody on a server of our own, which the network's own client libraries take for the real one. */
export async function slackPlace(): Promise<{ readonly place: Place; readonly account: SlackAccount }> {
  const server = await FakeSlack.start();
  server.limits.off = true;
  const { world } = server;
  const team = world.addTeam("Town");
  const name = NAMES.slack;
  const folk = addPerson(server, team, name);
  const channel = world.addChannel(team.id, SLACK_CHANNEL, folk.id);
  const app = install(server, team, "rialto", [channel], manifestText());
  const happened: Told[] = [];
  server.hub.watch((event, where) => void (where === channel.id && happened.push(event)));
  const row = (ts: string): MessageRow => world.message(channel.id, ts);
  const send = (files: readonly Shared[], words: string): void => {
    folk.say(channel, words, { files: files.map((file) => folk.upload(file)) });
  };
  const done = async (_what: unknown): Promise<void> => await Promise.resolve();
  const answer = async (text: string, to: string): Promise<void> =>
    await done(folk.say(channel, text, { thread: rootOf(to) }));
  const rootOf = (ts: string): MessageRow => row(row(ts).wire.thread_ts ?? ts);
  const place: Place = {
    network: "slack",
    name,
    sights: () => happened.flatMap((event) => sightsOf(server, event, folk)),
    say: async (text, style) =>
      await Promise.resolve((style === "action" ? folk.act(channel, text) : folk.say(channel, text)).wire.ts),
    reply: answer,
    thread: answer,
    edit: async (message, text) => await done(folk.edit(row(message), text)),
    erase: async (message) => await done(folk.erase(row(message))),
    react: async (message, emoji, on) => {
      if (on) folk.react(row(message), emojiName(emoji));
      else folk.unreact(row(message), emojiName(emoji));
      await Promise.resolve();
    },
    share: async (file) => await done(send([file], "")),
    caption: async (file, words) => await done(send([file], words)),
    shareAll: async (files, words) => await done(send(files, words)),
    setTopic: async (topic) => await done(folk.setTopic(channel, topic)),
    visit: async (visitor) => {
      const guest = addPerson(server, team, visitor);
      guest.enter(channel);
      await Promise.resolve(guest.leave(channel));
    },
    quit: async () => await server.stop(),
  };
  return { place, account: { ApiURL: server.url, Token: app.token, AppToken: app.appToken } };
}

function sightsOf(server: FakeSlack, event: Told, { id: me }: Folk): readonly Sight[] {
  if (event.type === "reaction_added" || event.type === "reaction_removed") {
    if (event["user"] === me) return [];
    const kind = event.type === "reaction_added" ? "reaction" : "unreaction";
    const item = isRecord(event["item"]) ? event["item"] : {};
    return [{ ...NOTHING, kind, text: emojiOf(textOf(event["reaction"])), target: textOf(item["ts"]) }];
  }
  if (event.type !== "message") return [];
  const { message } = event as { readonly message?: WireMessage };
  switch (event["subtype"]) {
    case "message_deleted":
      return [{ ...NOTHING, kind: "delete", target: textOf(event["deleted_ts"]) }];
    case "message_changed":
      return message === undefined || message.user === me ? [] : changed(message);
    case "channel_topic":
      return [{ ...NOTHING, kind: "topic", text: textOf(event["topic"]) }];
    case undefined:
    case "bot_message":
    case "file_share":
    case "me_message":
      return event["user"] === me ? [] : posted(server, event as unknown as WireMessage, me);
    default:
      return [];
  }
}

const NOTHING: Sight = { kind: "normal", text: "", ids: [], target: null, alerts: false, file: null };

/** Of a root a stone is left; where nobody has edited, the server has added something. */
function changed(message: WireMessage): readonly Sight[] {
  if (message.subtype === "tombstone") return [{ ...NOTHING, kind: "delete", target: message.ts }];
  if (message.edited === undefined) return [];
  return [{ ...NOTHING, kind: "edit", text: written(message), target: message.ts }];
}

/** Each file is seen by itself. */
function posted(server: FakeSlack, message: WireMessage, me: string): readonly Sight[] {
  const root = message.thread_ts ?? null;
  const said: Sight = {
    kind: isAction(message) ? "action" : "normal",
    text: isAction(message) ? written(message).replaceAll(/^_|_$/gu, "") : written(message),
    ids: [message.ts],
    target: root,
    thread: root,
    alerts: called(message).some((whom) => [me, "here", "channel", "everyone"].includes(whom)),
    file: null,
  };
  const files = (message.files ?? []).flatMap(({ id }) => server.world.files.get(id) ?? []);
  if (files.length === 0) return [said];
  return files.map(({ wire, content }, at): Sight => {
    const file = { name: wire.name ?? "", fetch: async () => await Promise.resolve(content) };
    return Object.assign({}, said, { text: at === 0 ? said.text : "", file });
  });
}

/** A message as somebody would write it who wants it to look so. */
function written({ blocks = [], text = "" }: WireMessage): string {
  const rich = blocks.filter((block): block is RichTextBlock & WireBlock => block.type === "rich_text");
  if (rich.length === 0) return text;
  return rich
    .flatMap(({ elements }) => elements)
    .map(partWritten)
    .join("")
    .replace(/\n$/u, "");
}

function partWritten(part: RichTextBlock["elements"][number]): string {
  switch (part.type) {
    case "rich_text_section":
      return part.elements.map(pieceWritten).join("");
    case "rich_text_preformatted":
      return `\`\`\`\n${part.elements.map(pieceWritten).join("")}\n\`\`\`\n`;
    case "rich_text_quote":
      return `> ${part.elements.map(pieceWritten).join("").replaceAll("\n", "\n> ")}\n`;
    case "rich_text_list":
      return part.elements
        .map(({ elements }, at) => {
          const bullet = part.style === "ordered" ? `${at + 1}.` : "•";
          return `${bullet} ${elements.map(pieceWritten).join("")}\n`;
        })
        .join("");
  }
}

const MARKS = [
  ["code", "`"],
  ["strike", "~"],
  ["italic", "_"],
  ["bold", "*"],
] as const;

function pieceWritten(piece: RichTextElement): string {
  if (piece.type === "emoji") return emojiOf(piece.name);
  if (piece.type === "user") return `@${piece.user_id}`;
  if (piece.type === "link") return piece.text === undefined ? piece.url : `<${piece.url}|${piece.text}>`;
  if (piece.type !== "text") return `(${piece.type})`;
  const { text, style = {} } = piece;
  return MARKS.reduce(
    (whole, [name, mark]) => (name in style && style[name] === true ? mark + whole + mark : whole),
    text,
  );
}
