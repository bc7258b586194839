import type { ReactionType } from "@grammyjs/types";
import { isAction } from "../servers/telegram/guest.ts";
import { type Shown, textOf } from "../servers/telegram/messages.ts";
import { addPerson, type Folk, install, seat } from "../servers/telegram/people.ts";
import { FakeTelegram } from "../servers/telegram/server.ts";
import { readTags, withTags } from "../servers/telegram/tags.ts";
import type { MessageRow, WireMessage } from "../servers/telegram/wire.ts";
import { USUAL_RIGHTS } from "../servers/telegram/world.ts";
import { NAMES, type Place, type Shared, type Sight } from "./place.ts";

/** A server of our own counts them, so that the first one is always this. */
export const TELEGRAM_CHANNEL = "-1000100000202";

export interface TelegramAccount {
  readonly ApiURL: string;
  readonly Token: string;
}

/** Somebody on a server of our own, which the network's own client libraries take for the real one. */
export async function telegramPlace(): Promise<{ readonly place: Place; readonly account: TelegramAccount }> {
  const server = await FakeTelegram.start();
  const { world } = server;
  const name = NAMES.telegram;
  const folk = addPerson(server, name, { username: name });
  const chat = world.addSupergroup("Square", folk.user);
  if (String(chat.id) !== TELEGRAM_CHANNEL) throw new Error(`the first chat is ${chat.id}`);
  const bot = install(server, "rialto", [chat]);
  seat(chat, bot, USUAL_RIGHTS);
  const happened: Sight[] = [];
  server.messages.watch((shown) => void happened.push(...sightsOf(server, shown, folk)));
  const row = (id: string): MessageRow => world.message(chat, Number(id));
  const say = async (written: string, how: { readonly reply?: MessageRow } = {}): Promise<string> => {
    const { text, entities } = readTags(written);
    return await Promise.resolve(String(folk.say(chat, text, { ...how, entities }).id));
  };
  const done = async (_what: unknown): Promise<void> => await Promise.resolve();
  const place: Place = {
    network: "telegram",
    name,
    sights: () => happened,
    say: async (text) => await say(text),
    reply: async (text, to) => await done(await say(text, { reply: row(to) })),
    thread: null,
    edit: async (message, text) => await done(folk.edit(row(message), text)),
    // Nobody is told of it.
    erase: null,
    react: async (message, emoji, on) => await done(folk.react(row(message), ...(on ? [emoji] : []))),
    share: async (file) => await done(folk.send(chat, "document", file)),
    caption: async (file, caption) => await done(folk.send(chat, "document", file, { caption })),
    hide: async (file) => await done(folk.send(chat, "video", file, { more: { has_media_spoiler: true } })),
    shareAll: async (files, words) => await done(folk.album(chat, albumOf(files, words))),
    setTopic: null,
    visit: async (visitor) => {
      const guest = addPerson(server, visitor);
      guest.enter(chat);
      await done(guest.leave(chat));
    },
    quit: async () => await server.stop(),
  };
  return { place, account: { ApiURL: server.url, Token: bot.token } };
}

/** The words stand under the first. */
function albumOf(files: readonly Shared[], words: string): Parameters<Folk["album"]>[1] {
  return files.map((file, at) => ({ kind: "document", file, ...(at === 0 && { caption: words }) }));
}

const NOTHING: Sight = { kind: "normal", text: "", ids: [], target: null, alerts: false, file: null };

/** What others did. */
function sightsOf(server: FakeTelegram, shown: Shown, me: Folk): readonly Sight[] {
  const { row } = shown;
  const target = String(row.id);
  if (shown.is === "reacted") {
    if (shown.by === me.id) return [];
    const now = row.reactions.get(shown.by) ?? [];
    const sight =
      (kind: Sight["kind"]) =>
      (text: string): Sight =>
        Object.assign({}, NOTHING, { kind, text, target });
    return [
      ...without(shown.before, now).map(sight("unreaction")),
      ...without(now, shown.before).map(sight("reaction")),
    ];
  }
  if (row.isService || row.by === me.id) return [];
  if (shown.is === "erased") return [{ ...NOTHING, kind: "delete", target }];
  const sight = sightOf(server, row, me);
  return [shown.is === "new" ? sight : { ...sight, kind: "edit", ids: [], target }];
}

/** What others spell otherwise. */
const SPELLINGS: Readonly<Record<string, string>> = { "❤": "❤️" };

function without(some: readonly ReactionType[], others: readonly ReactionType[]): readonly string[] {
  const emoji = (all: readonly ReactionType[]): readonly string[] =>
    all.flatMap((one) => (one.type === "emoji" ? [SPELLINGS[one.emoji] ?? one.emoji] : []));
  return emoji(some).filter((one) => !emoji(others).includes(one));
}

function sightOf(server: FakeTelegram, { id, wire }: MessageRow, { user }: Folk): Sight {
  const { text, entities } = textOf(wire);
  const acts = isAction(text, entities);
  const alerts = entities.some((one) => {
    if (one.type === "text_mention") return one.user.id === user.id;
    return one.type === "mention" && text.slice(one.offset, one.offset + one.length) === `@${user.username}`;
  });
  const shown = withTags({ text, entities: acts ? entities.filter(({ type }) => type !== "italic") : entities });
  return {
    kind: acts ? "action" : "normal",
    text: shown,
    ids: [String(id)],
    target: wire.reply_to_message === undefined ? null : String(wire.reply_to_message.message_id),
    alerts,
    file: fileOf(server, wire),
  };
}

/** A photo has no name there; what the bot called it is as good. */
function fileOf(server: FakeTelegram, wire: WireMessage): Sight["file"] {
  const { document, photo, video, audio, animation, has_media_spoiler: hidden = false } = wire;
  const media = document ?? photo?.at(-1) ?? video ?? audio ?? animation;
  const file = media === undefined ? undefined : server.files.get(media.file_id);
  if (file === undefined) return null;
  return { name: file.name, fetch: async () => await Promise.resolve(file.content), hidden };
}
