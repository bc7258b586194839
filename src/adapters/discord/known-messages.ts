import { Lru } from "../../lib/lru.ts";

/** So many messages are known by what was told of them. */
const KNOWN_MAX = 5_000;
const GONE_MAX = 2_000;
/** Reactions of so many messages are known by name, and so many of each. */
const REACTED_MAX = 1_000;
const REACTIONS_MAX = 200;

/** What was told of a message. */
export interface KnownMessage {
  readonly channel: string;
  /** The edit that it was told with; 0: none. */
  readonly editedMs: number;
  /** Of what it said. */
  readonly digest: string;
  /** A program has yet to say it. */
  readonly loading: boolean;
}

/** Somebody's reaction. */
export interface KnownReaction {
  readonly user: string;
  /** As it was told. */
  readonly emoji: string;
  readonly emojiId: string | null;
  readonly emojiName: string;
}

/** What this process has told of messages, so that what changes nothing is no edit, and what is gone is missed. */
export class KnownMessages {
  readonly #told = new Lru<string, KnownMessage>(KNOWN_MAX);
  /** Ids of those, by channel. */
  readonly #channels = new Map<string, Set<string>>();
  readonly #gone = new Lru<string, true>(GONE_MAX);
  readonly #reactions = new Lru<string, readonly KnownReaction[]>(REACTED_MAX);
  #count = 0;

  told(id: string, message: KnownMessage): void {
    const ids = this.#channels.get(message.channel) ?? new Set();
    this.#channels.set(message.channel, ids);
    if (!ids.has(id)) {
      ids.add(id);
      this.#count += 1;
    }
    this.#told.set(id, message);
    // Those that the list has dropped are dropped here as well, now and then.
    if (this.#count > 2 * KNOWN_MAX) this.#sweep();
  }

  get(id: string): KnownMessage | null {
    return this.#told.get(id) ?? null;
  }

  gone(id: string): void {
    const known = this.#told.get(id);
    if (known !== undefined && this.#channels.get(known.channel)?.delete(id) === true) this.#count -= 1;
    this.#told.delete(id);
    this.#reactions.delete(id);
    this.#gone.set(id, true);
  }

  isGone(id: string): boolean {
    return this.#gone.get(id) === true;
  }

  /** The ids of those of a channel or thread. */
  of(channel: string): readonly string[] {
    return [...(this.#channels.get(channel) ?? [])].filter((id) => this.#told.get(id) !== undefined);
  }

  reacted(message: string, reaction: KnownReaction, on: boolean): void {
    const others = (this.#reactions.get(message) ?? []).filter(
      ({ user, emoji }) => user !== reaction.user || emoji !== reaction.emoji,
    );
    if (on && others.length >= REACTIONS_MAX) return;
    this.#reactions.set(message, on ? [...others, reaction] : others);
  }

  /** The reactions to a message that were told; of one emoji, if it is named. */
  reactionsTo(message: string, emoji: string | null): readonly KnownReaction[] {
    return (this.#reactions.get(message) ?? []).filter((one) => emoji === null || one.emoji === emoji);
  }

  #sweep(): void {
    this.#count = 0;
    for (const [channel, ids] of this.#channels) {
      for (const id of ids) if (this.#told.get(id) === undefined) ids.delete(id);
      this.#count += ids.size;
      if (ids.size === 0) this.#channels.delete(channel);
    }
  }
}
