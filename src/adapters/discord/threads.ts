import type { MessageRef } from "../../contract/ids.ts";
import type { PostOp } from "../../contract/ops.ts";
import type { Loss, Outcome } from "../../contract/outcome.ts";
import { excerpt } from "../../content/length.ts";
import { hiddenText } from "../../content/hidden.ts";
import { Lru } from "../../lib/lru.ts";
import { isGone, isRefused, readingFailed, THREAD_EXISTS, THREADING } from "./failure.ts";
import { type DiscordPlace, messageRef, readMessageRef } from "./ids.ts";
import type { DiscordLink } from "./link.ts";
import type { DiscordFailure } from "./rest-result.ts";
import type { DiscordRoom } from "./room.ts";

/** Units of UTF-16 of a thread's name. */
const NAME_MAX = 100;
const THREADS_MAX = 2_000;

/** `ChannelType`: of text and of announcements; forums and galleries. */
const BEGINNING: ReadonlySet<number> = new Set([0, 5]);
const FORUMS: ReadonlySet<number> = new Set([15, 16]);

/** Where a post goes. */
export interface DiscordSpot {
  /** The channel or thread that takes it; of a forum where it begins a post, the forum. */
  readonly channel: string;
  /** The thread of the room that this is; null: it is the room itself. */
  readonly thread: string | null;
  /** The name of the forum's post that it begins; null: it begins none. */
  readonly begins: string | null;
  /** The message that it answers; null: none, or the thread says so already. */
  readonly answers: DiscordAnswered | null;
}

interface DiscordAnswered {
  readonly channel: string;
  readonly id: string;
}

type Found =
  | { readonly ok: true; readonly spot: DiscordSpot; readonly losses: readonly Loss[] }
  | { readonly ok: false; readonly outcome: Outcome };

const isForum = ({ type }: Pick<DiscordRoom, "type">): boolean => FORUMS.has(type);

/** The channel or thread in which a message of a room is. */
export function channelOf({ thread, id }: DiscordPlace, room: Pick<DiscordRoom, "id" | "type">): string {
  // What begins a forum's post is in the thread that has its id.
  return thread ?? (isForum(room) ? id : room.id);
}

/** A message that was posted there. `channel`: where it came to be. */
export function refIn(room: Pick<DiscordRoom, "id">, channel: string, id: string): MessageRef {
  return messageRef({ thread: channel === room.id || channel === id ? null : channel, id });
}

/** Where a post goes that cannot go where it belongs: to the room itself, which is a post of its own in a forum. */
export function fallBackSpot(op: PostOp, room: DiscordRoom, { answers }: DiscordSpot): DiscordSpot {
  return { channel: room.id, thread: null, begins: isForum(room) ? threadName(op) : null, answers };
}

/** Finds and begins threads. */
export class DiscordThreads {
  readonly #link: Pick<DiscordLink, "api" | "lose">;
  /** By the first message: the thread is known to be there. */
  readonly #known = new Lru<string, string>(THREADS_MAX);

  constructor(link: Pick<DiscordLink, "api" | "lose">) {
    this.#link = link;
  }

  async spotFor(op: PostOp, room: DiscordRoom, signal: AbortSignal): Promise<Found> {
    const reply = op.reply === null ? null : readMessageRef(op.reply.target);
    const first = op.thread === null ? null : readMessageRef(op.thread);
    if (isForum(room)) return found(forumSpot(op, room, { first, reply }));
    if (first === null || first.thread !== null) {
      const thread = first?.thread ?? reply?.thread ?? null;
      return found(inThread(room, thread, reply));
    }
    if (!BEGINNING.has(room.type)) return found(inThread(room, null, reply ?? first), NO_THREADS);
    return await this.#under(op, { room, first: first.id, reply }, signal);
  }

  /** It has turned out to be gone. */
  forget(thread: string): void {
    this.#known.delete(thread);
  }

  /** The thread of a message of the channel, which is begun if there is none. */
  async #under(op: PostOp, { room, first, reply }: Under, signal: AbortSignal): Promise<Found> {
    const { api } = this.#link;
    const known = this.#known.get(first);
    if (known !== undefined) return found(inThread(room, known, reply));
    // Such a thread has the id of the message, and outlives it.
    const there = await api.channel(first, signal);
    if (there.ok) return this.#at(first, room, reply);
    if (!isGone(there.failure) && !isRefused(there.failure)) return this.#failed(there.failure, op, first);
    const begun = await api.startThread(room.id, first, threadName(op), signal);
    if (begun.ok) return this.#at(first, room, reply);
    if (begun.failure.code === THREAD_EXISTS) return this.#at(first, room, reply);
    const { failure } = begun;
    if (!failure.certain || failure.status === 429 || failure.status === 0) return this.#failed(failure, op, room.id);
    const answers = reply ?? { thread: null, id: first };
    const why = isGone(failure)
      ? "the message that it begins with is gone"
      : isRefused(failure)
        ? "the bot lacks Create Public Threads (Edit Channel > Permissions)"
        : failure.message;
    return found(inThread(room, null, answers), [{ what: "thread", note: `no thread could be begun: ${why}` }]);
  }

  #at(first: string, room: DiscordRoom, reply: DiscordPlace | null): Found {
    this.#known.set(first, first);
    return found(inThread(room, first, reply));
  }

  /** A thread that was begun without our hearing of it is found by the next try. */
  #failed(failure: DiscordFailure, { channel }: PostOp, at: string): Found {
    return { ok: false, outcome: readingFailed(failure, { link: this.#link, channel, at, doing: THREADING }) };
  }
}

interface Under {
  readonly room: DiscordRoom;
  readonly first: string;
  readonly reply: DiscordPlace | null;
}

interface ForumFirst {
  readonly first: DiscordPlace | null;
}

const NO_THREADS: readonly Loss[] = [{ what: "thread", note: "no threads can be begun here" }];

const found = (spot: DiscordSpot, losses: readonly Loss[] = []): Found => ({ ok: true, spot, losses });

function inThread(room: DiscordRoom, thread: string | null, reply: DiscordPlace | null): DiscordSpot {
  const isFirst = reply !== null && reply.thread === null && reply.id === thread;
  const answers = reply === null || isFirst ? null : { channel: channelOf(reply, room), id: reply.id };
  return { channel: thread ?? room.id, thread, begins: null, answers };
}

function forumSpot(op: PostOp, room: DiscordRoom, { first, reply }: Pick<Under, "reply"> & ForumFirst): DiscordSpot {
  const about = first ?? reply;
  if (about === null) return { channel: room.id, thread: null, begins: threadName(op), answers: null };
  return inThread(room, about.thread ?? about.id, reply);
}

/** What it answers, or says. */
function threadName({ reply, body }: PostOp): string {
  const words = reply?.excerpt || hiddenText(body.blocks) || body.files[0]?.name || "";
  const name = excerpt(words, NAME_MAX).slice(0, NAME_MAX).toWellFormed().trim();
  return name === "" ? "Thread" : name;
}
