import type { Host } from "../../contract/host.ts";
import type { ChannelRef } from "../../contract/ids.ts";
import type { Reason, ReasonCode } from "../../contract/outcome.ts";
import type { ChannelRequest, Joined } from "../../contract/session.ts";
import { quote } from "../kit/ends.ts";
import { inTime } from "../kit/in-time.ts";
import { notJoined } from "../kit/joining.ts";
import { type Json, numberIn, objectIn, textIn } from "../kit/json.ts";
import { aboutPosting } from "../kit/shut-channels.ts";
import { ALL_REACTIONS } from "./allowed-reactions.ts";
import type { TelegramApi } from "./api.ts";
import { channelRef, readAddress, type TelegramAddress } from "./ids.ts";
import type { TelegramIdentity } from "./me.ts";
import { membershipIn, type TelegramChat, type TelegramMembership } from "./model-chats.ts";
import type { TelegramPositions } from "./positions.ts";
import { says, type TelegramFailure, type TelegramResult } from "./result.ts";
import { lacking, notIn, NOT_IN } from "./rights.ts";
import type { TelegramRoom } from "./room.ts";

/** Whoever lets us in is a person; an update says when. */
const PERSON_MS = 30 * 60_000;
/** Whoever removes us should not see us back at once. */
const REMOVED_MS = 60_000;
/** For so long polls wait at most for a room that trouble keeps us out of: Telegram keeps what is said for a day. */
const SETTLE_MS = 12 * 3_600_000;
/** … and say so after this. */
const WAITING_MS = 15_000;
/** When no room was asked for that long, all have been. */
const QUIET_MS = 2_000;
/** A chat's id changes once; a server may say anything. */
const MOVES_MAX = 3;

interface TelegramRoomsOptions {
  readonly api: Pick<TelegramApi, "chat" | "membership">;
  readonly host: Pick<Host, "clock" | "degraded" | "log" | "lost">;
  readonly me: TelegramIdentity;
  readonly positions: TelegramPositions;
  /** Bytes of one upload. */
  readonly uploadMax: number;
}

/** The chats and topics that the core has, and what we may do there. A bot cannot enter a chat by itself. */
export class TelegramRooms {
  readonly #options: TelegramRoomsOptions;
  readonly #rooms = new Map<ChannelRef, TelegramRoom>();
  /** Those that are asked for, or were by the last session: what is said there is told, joined or not. */
  readonly #wanted = new Map<ChannelRef, TelegramAddress>();
  /** Private chats of people who have blocked us: nothing but a post would show it. */
  readonly #blocked = new Set<number>();
  /** Those that this session was asked for, and of them those that are joined, or shut until a person opens them. */
  readonly #asked = new Set<ChannelRef>();
  readonly #settled = new Set<ChannelRef>();
  #joining = 0;
  #answeredMs: number;
  #answered = Promise.withResolvers<void>();

  constructor(options: TelegramRoomsOptions) {
    this.#options = options;
    this.#answeredMs = options.host.clock.monoMs();
    for (const ref of options.positions.rooms) this.#want(ref);
  }

  /** Null while it is not joined. */
  joined(ref: ChannelRef): TelegramRoom | null {
    const room = this.#rooms.get(ref);
    return room?.joined === true ? room : null;
  }

  /** The channel of a chat, by its id now or before, and of a topic there; null: nobody wants it. */
  refOf(chat: number, topic: number | null): ChannelRef | null {
    const refs = this.#wantedOf(chat).flatMap(([ref, address]) => (address.topic === topic ? [ref] : []));
    return refs.find((ref) => this.joined(ref) !== null) ?? refs[0] ?? null;
  }

  /** All channels of a chat. */
  refsOf(chat: number): readonly ChannelRef[] {
    return this.#wantedOf(chat).map(([ref]) => ref);
  }

  /** Whether we are in a chat, and so are told what is said there. */
  isJoined(chat: number): boolean {
    return this.#of(chat).length > 0;
  }

  /**
   * Until it is known of each room of the last session whether we are there: the core knows nothing of what is said in
   * one that it could not join yet, and Telegram keeps it. Those that nobody asks for any more are forgotten.
   */
  async settled(signal: AbortSignal): Promise<void> {
    const { positions, host } = this.#options;
    const { clock } = host;
    const known = [...positions.rooms];
    const begunMs = clock.monoMs();
    let isSaid = false;
    while (!signal.aborted && clock.monoMs() - begunMs < SETTLE_MS) {
      // Rooms are asked for one behind the other.
      const isAll = this.#joining === 0 && clock.monoMs() - this.#answeredMs >= QUIET_MS;
      const isOpen = (ref: ChannelRef): boolean => !this.#settled.has(ref) && (this.#asked.has(ref) || !isAll);
      if (!known.some(isOpen)) break;
      if (!isSaid && clock.monoMs() - begunMs > WAITING_MS) {
        isSaid = true;
        const message = `nothing is asked for until it is known whether ${known.filter(isOpen).join(", ")} can be joined`;
        host.degraded({ code: "remote_error", message: quote(message) }, "rooms");
      }
      await inTime<void, void>(this.#answered.promise, { clock, ms: QUIET_MS / 4, signal }, () => undefined);
    }
    if (isSaid) host.degraded(null, "rooms");
    if (!signal.aborted) for (const ref of known) if (!this.#asked.has(ref)) this.#forget(ref);
  }

  /** Nothing can be said anywhere any more. */
  end(): void {
    for (const room of this.#rooms.values()) room.joined = false;
  }

  /** It cannot be used any more. */
  lose(ref: ChannelRef, why: Reason, retryInMs: number): void {
    const room = this.#rooms.get(ref);
    this.#rooms.delete(ref);
    if (room?.joined !== true) return;
    room.joined = false;
    if (room.type === "private" && why.code === "forbidden") this.#blocked.add(room.chat);
    this.#options.host.degraded(null, aboutOf(ref));
    this.#options.host.lost(ref, why, retryInMs);
  }

  /** It is no longer wanted. We stay: nobody may be there to let us in again. */
  dismiss(ref: ChannelRef): void {
    const room = this.#rooms.get(ref);
    if (room !== undefined) room.joined = false;
    this.#rooms.delete(ref);
    this.#forget(ref);
    this.#options.host.degraded(null, aboutOf(ref));
    this.#options.host.degraded(null, aboutPosting(ref));
  }

  #forget(ref: ChannelRef): void {
    this.#wanted.delete(ref);
    this.#asked.delete(ref);
    this.#options.positions.forget(ref);
  }

  /** A group has become a supergroup. Its old id stays its name here. */
  moved(from: number, to: number): void {
    const { positions, host } = this.#options;
    // Of groups that nobody wants nothing is kept.
    if (this.#wantedOf(from).length === 0 || !positions.move(from, to)) return;
    for (const room of this.#rooms.values()) {
      const now = positions.now(room.chat);
      if (now === room.chat) continue;
      room.chat = now;
      room.type = "supergroup";
    }
    host.log.info({ from, to }, "a group has become a supergroup, and has another id: the old one still names it here");
  }

  async join({ name }: ChannelRequest, signal: AbortSignal): Promise<Joined> {
    const address = readAddress(name);
    if (address === null) return refused({ code: "config", message: `${quote(name)} is no id of a chat` }, null);
    const ref = channelRef(address);
    this.#want(ref);
    this.#asked.add(ref);
    this.#joining += 1;
    const joined = await this.#join(address, signal);
    this.#joining -= 1;
    this.#answeredMs = this.#options.host.clock.monoMs();
    // What may go well in a moment is waited for.
    if (joined.ok || !PASSING.has(joined.why.code)) this.#settled.add(ref);
    this.#answered.resolve();
    this.#answered = Promise.withResolvers();
    return signal.aborted ? GIVEN_UP : joined;
  }

  /** What Telegram tells of us: `my_chat_member`. */
  take(update: Json): void {
    const { positions } = this.#options;
    const told = objectIn(update, "my_chat_member");
    const chat = numberIn(objectIn(told, "chat"), "id");
    const now = membershipIn(told["new_chat_member"]);
    const before = membershipIn(told["old_chat_member"]);
    // Of a group that is a supergroup now we are out, and it says nothing.
    if (chat === null || now === null || positions.now(chat) !== chat) return;
    const isPrivate = textIn(objectIn(told, "chat"), "type") === "private";
    const out = notIn(now);
    if (out !== null) {
      const message = isPrivate ? this.#blockedWords : this.#outWords(out);
      for (const { ref } of this.#of(chat)) this.lose(ref, { code: "forbidden", message }, REMOVED_MS);
      return;
    }
    this.#blocked.delete(chat);
    if (!isPrivate) for (const room of this.#of(chat)) this.#judge(room, now);
    if (before === null || notIn(before) !== null) this.#added(chat);
  }

  #added(chat: number): void {
    const { host } = this.#options;
    host.log.info({ chat }, "Rialto was added to a chat");
    // Whatever waits to be joined is tried again.
    for (const ref of this.refsOf(chat)) if (this.joined(ref) === null) host.lost(ref, ADDED, 0);
  }

  #want(ref: ChannelRef): void {
    const address = readAddress(ref);
    if (address !== null) this.#wanted.set(ref, address);
  }

  async #join(address: TelegramAddress, signal: AbortSignal): Promise<Joined> {
    const { me, positions, uploadMax } = this.#options;
    const found = await this.#find(address.chat, signal);
    if (!found.ok) return this.#shut(found.failure);
    const chat = found.value;
    if (address.topic !== null && !chat.isForum) {
      return refused(
        { code: "config", message: `${quote(chat.title)} has no topics: leave out /${address.topic}` },
        PERSON_MS,
      );
    }
    if (this.#blocked.has(chat.id)) return refused({ code: "forbidden", message: this.#blockedWords }, PERSON_MS);
    const membership = chat.type === "private" ? ALONE : await this.#options.api.membership(chat.id, me.id, signal);
    if (!membership.ok) return this.#shut(membership.failure);
    const out = notIn(membership.value);
    if (out !== null) return refused({ code: "forbidden", message: this.#outWords(out) }, PERSON_MS);
    if (signal.aborted) return GIVEN_UP;
    const { reactions } = chat;
    // By its id now, and by the one before, it is one room.
    const twin = this.#of(chat.id).find(({ topic }) => topic === address.topic);
    const ref = twin?.ref ?? channelRef(address);
    for (const [other, { topic }] of this.#wantedOf(chat.id)) {
      if (other !== ref && topic === address.topic) this.#forget(other);
    }
    if (this.joined(ref) === null) {
      const room = { ref, chat: chat.id, topic: address.topic, type: chat.type, reactions: reactions ?? ALL_REACTIONS };
      this.#rooms.set(ref, { ...room, joined: true });
      positions.keep(ref);
    }
    const room = this.#rooms.get(ref);
    if (room !== undefined) this.#judge(room, membership.value);
    const limits = { fileBytesMax: uploadMax, reactions: reactions ?? ALL_REACTIONS };
    return { ok: true, ref, without: limits.reactions.length === 0 ? ["react"] : [], limits };
  }

  async #find(configured: number, signal: AbortSignal): Promise<TelegramResult<TelegramChat>> {
    const { api, positions } = this.#options;
    for (let moves = 0; ; moves += 1) {
      const chat = positions.now(configured);
      const found = await api.chat(chat, signal);
      const to = found.ok ? null : found.failure.migrateTo;
      if (to === null || moves >= MOVES_MAX) return found;
      this.moved(chat, to);
    }
  }

  #shut(failure: TelegramFailure): Joined {
    const { username } = this.#options.me;
    const { code, message, retryAfterMs } = failure;
    // A page of something on the way says nothing of the chat.
    if (failure.status > 0 && failure.description === "") return refused({ code: "network", message }, retryAfterMs);
    if (says(failure, "chat not found")) {
      const words = `there is no chat with this id, or @${username} is not in it: add it there, and check the id (write /chatId to it)`;
      return refused({ code: "not_found", message: words }, PERSON_MS);
    }
    if (says(failure, "initiate conversation") || says(failure, "blocked by the user"))
      return refused({ code: "forbidden", message: this.#blockedWords }, PERSON_MS);
    if (failure.status === 403)
      return refused({ code: "forbidden", message: `${message}: ${NOT_IN(username)}` }, PERSON_MS);
    return refused({ code, message }, retryAfterMs);
  }

  get #blockedWords(): string {
    return `the person has blocked @${this.#options.me.username}, or never written to it: they must write to it first`;
  }

  #outWords(out: "left" | "kicked"): string {
    const { username } = this.#options.me;
    return out === "left"
      ? `@${username} is not in the chat: ${NOT_IN(username)}`
      : `@${username} was removed from the chat: ${NOT_IN(username)}`;
  }

  /** Says what we cannot do there. */
  #judge({ ref, type }: TelegramRoom, membership: TelegramMembership): void {
    const { me, host } = this.#options;
    const words = lacking(me, type, membership);
    host.degraded(words === null ? null : { code: "forbidden", message: `${ref}: ${words}` }, aboutOf(ref));
  }

  /** Joined ones. */
  #of(chat: number): readonly TelegramRoom[] {
    const now = this.#options.positions.now(chat);
    return [...this.#rooms.values()].filter((room) => room.joined && room.chat === now);
  }

  #wantedOf(chat: number): readonly (readonly [ChannelRef, TelegramAddress])[] {
    const { positions } = this.#options;
    const now = positions.now(chat);
    return [...this.#wanted].filter(([, address]) => positions.now(address.chat) === now);
  }
}

const ADDED: Reason = { code: "not_found", message: "Rialto was added to the chat" };

const ALONE: TelegramResult<TelegramMembership> = {
  ok: true,
  value: { status: "administrator", rights: {}, isMember: true },
};

/** Failures that say nothing of the room. */
const PASSING: ReadonlySet<ReasonCode> = new Set(["network", "rate_limited", "remote_error", "stopping", "timeout"]);

const GIVEN_UP = notJoined("stopping", "joining was cancelled");

const aboutOf = (ref: ChannelRef): string => `rights/${ref}`;

const refused = (why: Reason, retryInMs: number | null): Joined => ({ ok: false, why, retryInMs });
