import { onTestFinished } from "vitest";
import { RecordingHost } from "../../../test/contract/recording-host.ts";
import { addPerson, type Folk, install, seat } from "../../../test/servers/telegram/people.ts";
import { FakeTelegram } from "../../../test/servers/telegram/server.ts";
import type { BotRow, ChatRow } from "../../../test/servers/telegram/wire.ts";
import { USUAL_RIGHTS } from "../../../test/servers/telegram/world.ts";
import { eventually } from "../../../test/support/wait.ts";
import type { Opened } from "../../contract/adapter.ts";
import type { ChannelRef, Cursor } from "../../contract/ids.ts";
import type { Session } from "../../contract/session.ts";
import { inWords } from "./event-words.suite.ts";
import { open } from "./session.ts";
import { telegramSettings } from "./settings.suite.ts";
import type { TelegramSettings } from "./settings.ts";
import type { StickerPainter } from "./stickers.ts";

const never = new AbortController().signal;

/** A supergroup with a person, and our bot in it as an administrator. */
export interface TelegramTown {
  readonly server: FakeTelegram;
  readonly alice: Folk;
  readonly bot: BotRow;
  readonly chat: ChatRow;
}

export async function telegramTown(more: { is_forum?: true } = {}): Promise<TelegramTown> {
  const server = await FakeTelegram.start();
  onTestFinished(async () => await server.stop());
  const alice = addPerson(server, "Alice");
  const chat = server.world.addSupergroup("Town", alice.user, more);
  const bot = install(server, "Rialto");
  seat(chat, bot, USUAL_RIGHTS);
  return { server, alice, bot, chat };
}

/** One life of an account: a session. */
export interface TelegramLife {
  readonly host: RecordingHost;
  readonly session: Session;
}

interface BeginOptions {
  /** The life that it continues, with what the core knows. */
  readonly before?: TelegramLife;
  readonly settings?: Partial<TelegramSettings>;
  /** What stands for the package that makes stickers PNG; null: it is not installed. */
  readonly painter?: StickerPainter | null;
  /** … and those that move a still picture. */
  readonly moving?: StickerPainter | null;
}

export async function begin(
  { server, bot }: TelegramTown,
  { before, settings = {}, painter = null, moving = null }: BeginOptions = {},
): Promise<TelegramLife> {
  const host = before?.host ?? new RecordingHost();
  const since: Cursor | null = host.cursors.at(-1) ?? null;
  const all = telegramSettings({ ApiURL: server.url, Token: bot.token, ...settings });
  const opened: Opened = await open(
    { settings: all, host, since, signal: never },
    async () => await Promise.resolve(painter),
    () => moving,
  );
  if (!opened.ok) throw new Error(opened.ended.why.message);
  onTestFinished(async () => await opened.session.close(never));
  return { host, session: opened.session };
}

export async function joinChat({ session }: TelegramLife, name: string | number): Promise<ChannelRef> {
  const joined = await session.join({ name: String(name), options: {} }, never);
  if (!joined.ok) throw new Error(joined.why.message);
  return joined.ref;
}

/** A session that is in the chat, and in these others. */
export async function live(
  town: TelegramTown,
  more: Parameters<typeof begin>[1] & { others?: readonly (string | number)[] } = {},
): Promise<TelegramLife> {
  const life = await begin(town, more);
  for (const name of [town.chat.id, ...(more.others ?? [])]) await joinChat(life, name);
  return life;
}

/** It ends as a stop of the program does. */
export async function stop({ session }: TelegramLife): Promise<void> {
  await session.quiesce();
  await session.close(never);
}

/** In words: what was handed over, but for what the core knows already. The channel stands before what is elsewhere. */
export function toldBy({ events }: RecordingHost, home: ChatRow): readonly string[] {
  const keys = new Set<string>();
  return events
    .filter(({ key }) => key === null || (!keys.has(key) && keys.add(key)))
    .map((event) => inWords(event))
    .map((words) => (words.startsWith(`${home.id} `) ? words.slice(String(home.id).length + 1) : words));
}

/** `what`: these words are told, or something else is so. */
export async function until(
  { host }: TelegramLife,
  { chat }: TelegramTown,
  what: string | (() => boolean),
): Promise<void> {
  await eventually(
    async () => await Promise.resolve(typeof what === "string" ? toldBy(host, chat).includes(what) : what()),
    (is) => is,
    () => `${typeof what === "string" ? what : "it"}; had ${JSON.stringify(toldBy(host, chat))}`,
  );
}
