import { onTestFinished } from "vitest";
import { bodyOf, doOp, postOf, type Tried } from "../../../test/contract/ops.ts";
import { CountingClock, RecordingHost } from "../../../test/contract/recording-host.ts";
import { aSharedFile, fileIdOf, someBytes } from "../../../test/contract/shared-file.ts";
import { addPerson, type Folk, install, standing } from "../../../test/servers/telegram/people.ts";
import { FakeTelegram } from "../../../test/servers/telegram/server.ts";
import type { BotRow, ChatRow, MediaKind, MessageRow } from "../../../test/servers/telegram/wire.ts";
import type { SharedFile } from "../../contract/content.ts";
import { type ChannelRef, END } from "../../contract/ids.ts";
import type { Op } from "../../contract/ops.ts";
import type { Outcome } from "../../contract/outcome.ts";
import type { Handlers, TypingDisplay } from "../../contract/session.ts";
import { Http } from "../kit/http.ts";
import { ALL_REACTIONS } from "./allowed-reactions.ts";
import { TelegramApi } from "./api.ts";
import type { capabilities } from "./capabilities.ts";
import { doersOf } from "./handlers.ts";
import { channelRef } from "./ids.ts";
import type { TelegramLink } from "./link.ts";
import type { TelegramRoom } from "./room.ts";
import { telegramSettings } from "./settings.suite.ts";
import type { TelegramSettings } from "./settings.ts";

/** Ours and the server's, which tests move on together. */
class MovedClock extends CountingClock {
  readonly #server: FakeTelegram;
  #aheadMs = 0;

  constructor(server: FakeTelegram) {
    super();
    this.#server = server;
  }

  override nowMs(): number {
    return super.nowMs() + this.#aheadMs;
  }

  override monoMs(): number {
    return super.monoMs() + this.#aheadMs;
  }

  pass(ms: number): void {
    this.#aheadMs += ms;
    this.#server.world.clock.pass(ms);
  }
}

/** Chats of all kinds, a person, and our bot in all of them. */
export interface TelegramSendingTown {
  readonly server: FakeTelegram;
  readonly clock: MovedClock;
  readonly alice: Folk;
  readonly bot: BotRow;
  readonly dock: ChatRow;
  readonly pier: ChatRow;
  /** A basic group. */
  readonly crew: ChatRow;
  /** With topics. */
  readonly forum: ChatRow;
}

export async function sendingTown(options: { readonly isLocal?: boolean } = {}): Promise<TelegramSendingTown> {
  const server = await FakeTelegram.start(options);
  onTestFinished(async () => await server.stop());
  const alice = addPerson(server, "Alice", { username: "alice" });
  const dock = server.world.addSupergroup("Dock", alice.user);
  const pier = server.world.addSupergroup("Pier", alice.user);
  const crew = server.world.addGroup("Crew", alice.user);
  const forum = server.world.addSupergroup("Forum", alice.user, { is_forum: true });
  const bot = install(server, "Rialto", [dock, pier, crew, forum]);
  return { server, clock: new MovedClock(server), alice, bot, dock, pier, crew, forum };
}

/** One life of an account, as far as it sends. */
export interface TelegramSendingLife {
  readonly host: RecordingHost;
  readonly link: TelegramLink;
  readonly typing: TypingDisplay;
  readonly handlers: Handlers<typeof capabilities>;
  /** A room of a chat, or of one of its topics. */
  in(chat: ChatRow, topic?: number): ChannelRef;
}

export function sending(
  { server, clock, bot, alice }: TelegramSendingTown,
  more: { readonly settings?: Partial<TelegramSettings>; readonly uploadMax?: number } = {},
): TelegramSendingLife {
  const host = new RecordingHost(clock);
  const http = new Http(clock);
  onTestFinished(() => http.close());
  const settings = telegramSettings({ Token: bot.token, ApiURL: server.url, ...more.settings });
  const api = new TelegramApi({ http, clock, base: new URL(server.url), token: bot.token, isHere: false });
  const rooms = new Map<ChannelRef, TelegramRoom>();
  const link: TelegramLink = {
    api,
    host,
    settings,
    me: { id: bot.user.id, username: bot.user.username, name: "Rialto", readsAll: false },
    people: { idOf: (_chat, name) => (name === "alice" ? alice.id : null) },
    uploadMax: more.uploadMax ?? server.files.maxUpload,
    room: (channel) => rooms.get(channel) ?? null,
    lose: (channel, why, retryInMs) => host.lost(channel, why, retryInMs),
    migrated: (from, to) => {
      for (const room of rooms.values()) if (room.chat === from) Object.assign(room, { chat: to, type: "supergroup" });
    },
  };
  const enter = (chat: ChatRow, topic: number | null = null): ChannelRef => {
    const ref = channelRef({ chat: chat.id, topic });
    const reactions = chat.reactions ?? ALL_REACTIONS;
    if (!rooms.has(ref)) rooms.set(ref, { ref, chat: chat.id, topic, type: chat.wire.type, reactions, joined: true });
    return ref;
  };
  return { host, link, ...doersOf(link), in: enter };
}

/** Tried again and again as the core does it, until it has ended, at the times that the outcomes ask for. */
export async function doWhole(
  life: TelegramSendingLife,
  { clock }: TelegramSendingTown,
  op: Op,
): Promise<readonly Tried[]> {
  const all: Tried[] = [];
  let resume = op.kind === "post" ? op.resume : null;
  for (let tries = 1; tries <= 20; tries += 1) {
    const tried = await doOp(life, op.kind === "post" ? { ...op, resume, attempt: tries } : { ...op, attempt: tries });
    const { outcome, attempt } = tried;
    all.push(tried);
    const allowed = outcome.is === "unknown" ? attempt.allowed : attempt.confirmed;
    resume = allowed.at(-1) ?? resume;
    const isOver = outcome.is === "unknown" && (resume === END || (op.kind !== "post" && attempt.allowed.length > 0));
    if (isOver || outcome.is === "delivered" || outcome.is === "rejected") return all;
    if (outcome.is === "deferred") clock.pass(outcome.retryInMs);
  }
  return all;
}

export const kindsOf = (tries: readonly Tried[]): readonly Outcome["is"][] => tries.map(({ outcome }) => outcome.is);

/** What our bot has said there and still stands, the oldest first. */
export const ours = ({ bot }: TelegramSendingTown, chat: ChatRow): readonly MessageRow[] =>
  standing(chat).filter(({ by }) => by === bot.user.id);

const MEDIA = ["photo", "video", "animation", "audio", "voice", "document"] as const satisfies readonly MediaKind[];

/** As `words [kind name]`. */
function shown({ wire }: MessageRow): string {
  const kind = MEDIA.find((one) => wire[one] !== undefined);
  const name = wire.document?.file_name ?? wire.video?.file_name ?? wire.audio?.file_name;
  const file = kind === undefined ? "" : `[${[kind, name].filter((one) => one !== undefined).join(" ")}]`;
  return [wire.text ?? wire.caption ?? "", file].filter((one) => one !== "").join(" ");
}

export const textsOf = (town: TelegramSendingTown, chat: ChatRow): readonly string[] => ours(town, chat).map(shown);

export function aFile({ host }: TelegramSendingLife, name: string, content: Uint8Array = someBytes(2_500)): SharedFile {
  host.files.set(fileIdOf(name), content);
  return aSharedFile({ name, id: fileIdOf(name), bytes: content.length });
}

/** What servers take for a picture of this size. */
export function aPicture(width = 90, height = 60, bytes = 3_000): Uint8Array {
  const content = Buffer.from(someBytes(bytes));
  content.writeUInt32BE(0x89_50_4e_47, 0);
  content.writeUInt32BE(width, 16);
  content.writeUInt32BE(height, 20);
  return new Uint8Array(content);
}

/** By nobody who has a name. */
export async function postFiles(
  town: TelegramSendingTown,
  life: TelegramSendingLife,
  files: readonly SharedFile[],
  text = "look",
): Promise<Outcome> {
  const body = bodyOf(text, files);
  return (await doOp(life, postOf(life.in(town.dock), "", { body, author: null }))).outcome;
}

export const lossesOf = (outcome: Outcome): readonly string[] =>
  outcome.is === "delivered" ? outcome.receipt.losses.map(({ note }) => note) : [];
