import { type Json, objectIn } from "../kit/json.ts";
import { isLaterTs, isTs, type SlackReactions } from "./model.ts";

/** The newest of each channel, and of all channels together. */
const PER_CHANNEL = 20;
const ALL_MAX = 256;
/** Reactions of one message, and of all of them; a message with more is not compared. */
const REACTIONS_PER_MESSAGE = 50;
const REACTIONS_MAX = 1_000;

/** A message as it was told last. */
export interface KeptMessage {
  readonly ts: string;
  /** The root of its thread; empty: it stands in the channel. */
  readonly root: string;
  /** The edit that it was told with; empty: none. */
  readonly editedTs: string;
  /** What an edited one says, see `saidDigestOf`, and when the event of that was; empty: nobody has said it. */
  readonly digest: string;
  readonly changedTs: string;
  /** Each as `name user`; null: too many. */
  readonly reactions: ReadonlySet<string> | null;
}

/**
 * The newest messages that were told, also in earlier sessions, and how they were then: what of them has changed or is
 * gone after a gap is found by these. A part of the cursor.
 */
export class KeptMessages {
  /** Oldest first; the channel used last is the last one. */
  readonly #channels = new Map<string, readonly KeptMessage[]>();
  #count = 0;
  #reactions = 0;
  #moved = false;

  /** `cursor`: the whole of it. */
  constructor(cursor: Json) {
    for (const [channel, raws] of Object.entries(objectIn(cursor, "kept"))) {
      if (!Array.isArray(raws)) continue;
      for (const raw of raws) {
        const message = keptIn(raw);
        if (message !== null) this.keep(channel, message);
      }
    }
    this.#moved = false;
  }

  /** They are other than when they were written last. */
  get moved(): boolean {
    return this.#moved;
  }

  /** Oldest first. */
  of(channel: string): readonly KeptMessage[] {
    return this.#channels.get(channel) ?? [];
  }

  find(channel: string, ts: string): KeptMessage | null {
    return this.of(channel).find((one) => one.ts === ts) ?? null;
  }

  /** It was told like this. One that is older than all that are kept is not. */
  keep(channel: string, message: KeptMessage): void {
    const others = this.of(channel).filter(({ ts }) => ts !== message.ts);
    const all = [...others, bounded(message)].toSorted((one, other) => (isLaterTs(one.ts, other.ts) ? 1 : -1));
    this.#set(channel, all.slice(-PER_CHANNEL));
    while (this.#count > ALL_MAX || this.#reactions > REACTIONS_MAX) {
      const [oldest] = this.#channels.keys();
      if (oldest === undefined || oldest === channel) break;
      this.#set(oldest, []);
    }
  }

  /** It is gone. */
  drop(channel: string, ts: string): void {
    const messages = this.of(channel);
    const others = messages.filter((one) => one.ts !== ts);
    if (others.length < messages.length) this.#set(channel, others);
  }

  /** Somebody reacts, or no longer. False: that was told before. */
  react(channel: string, { ts, user, name, on }: Reaction): boolean {
    const message = this.find(channel, ts);
    if (message === null || message.reactions === null) return true;
    const mark = reactionMark(name, user);
    if (message.reactions.has(mark) === on) return false;
    const reactions = new Set(message.reactions);
    if (on) reactions.add(mark);
    else reactions.delete(mark);
    this.keep(channel, { ...message, reactions });
    return true;
  }

  /** As if the channel had never been read. */
  forget(channel: string): void {
    this.#set(channel, []);
  }

  /** Their part of a cursor, which is up to date then. */
  write(): Json {
    this.#moved = false;
    const channels = Array.from(this.#channels, ([channel, messages]) => [channel, messages.map(written)]);
    return channels.length === 0 ? {} : { kept: Object.fromEntries(channels) };
  }

  #set(channel: string, messages: readonly KeptMessage[]): void {
    const before = this.of(channel);
    this.#count += messages.length - before.length;
    this.#reactions += reactionsIn(messages) - reactionsIn(before);
    this.#channels.delete(channel);
    if (messages.length > 0) this.#channels.set(channel, messages);
    this.#moved = true;
  }
}

interface Reaction {
  readonly ts: string;
  readonly user: string;
  readonly name: string;
  readonly on: boolean;
}

export const reactionMark = (name: string, user: string): string => `${name} ${user}`;

/** All that are named. */
export function reactionMarks(reactions: readonly SlackReactions[]): ReadonlySet<string> {
  return new Set(reactions.flatMap(({ name, users }) => users.map((user) => reactionMark(name, user))));
}

const reactionsIn = (messages: readonly KeptMessage[]): number =>
  messages.reduce((count, { reactions }) => count + (reactions?.size ?? 0), 0);

const bounded = (message: KeptMessage): KeptMessage =>
  (message.reactions?.size ?? 0) > REACTIONS_PER_MESSAGE ? { ...message, reactions: null } : message;

/** Short: most have neither a thread nor an edit nor a reaction. */
function written({ ts, root, editedTs, digest, changedTs, reactions }: KeptMessage): unknown {
  const marks = reactions === null ? null : [...reactions];
  if (digest !== "") return [ts, root, editedTs, marks, digest, changedTs];
  return marks !== null && marks.length === 0 && editedTs === "" && root === "" ? ts : [ts, root, editedTs, marks];
}

function keptIn(raw: unknown): KeptMessage | null {
  const parts: readonly unknown[] = Array.isArray(raw) ? raw : [raw];
  const [ts, root = "", editedTs = "", marks = [], digest = "", changedTs = ""] = parts;
  if (typeof ts !== "string" || !isTs(ts) || typeof root !== "string" || typeof editedTs !== "string") return null;
  if (typeof digest !== "string" || typeof changedTs !== "string") return null;
  const reactions = Array.isArray(marks) ? new Set(marks.filter((one) => typeof one === "string")) : null;
  return { ts, root, editedTs, digest, changedTs, reactions };
}
