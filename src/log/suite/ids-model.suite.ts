import type { Copies, IdNote, Ids, Known, Reaction, Seq, Subject } from "../log.ts";

interface Message {
  known: Known;
  /** Null: the original. */
  readonly refs: Map<string | null, string[]>;
  readonly reactions: Reaction[];
}

/** What a log knows of ids, in the plainest way, without a disk. Logs of tests keep theirs in one. */
export class IdsModel {
  readonly #messages = new Map<Seq, Message>();
  /** Whose a ref is, by place and ref. */
  readonly #owners = new Map<string, { readonly seq: Seq; readonly lane: string | null }>();

  /** The entry `seq` of this place was stored with this note. */
  note(seq: Seq, place: Subject, at: number, note: IdNote): void {
    if (note.is === "said") {
      const { author, name, excerpt } = note;
      const known: Known = { seq, subject: place, at, author, name, excerpt, gone: false };
      this.#messages.set(seq, { known, refs: new Map(), reactions: [] });
      return this.#add(seq, null, place, note.refs);
    }
    const message = this.#messages.get(note.of);
    if (message === undefined) return;
    if (note.is === "gone") message.known = { ...message.known, gone: true };
    else if (note.is === "revised") {
      message.known = { ...message.known, excerpt: note.excerpt };
      this.#add(note.of, null, place, note.refs);
    } else {
      const { who, name, emoji, on } = note;
      const index = message.reactions.findIndex((reaction) => reaction.who === who && reaction.emoji === emoji);
      if (on && index === -1) message.reactions.push({ who, name, emoji });
      if (!on && index !== -1) message.reactions.splice(index, 1);
    }
  }

  /** A receipt of this lane came with these. */
  copies(lane: string, { of, place, refs }: Copies): void {
    const message = this.#messages.get(of);
    if (message === undefined) return;
    for (const [key, owner] of this.#owners) {
      if (owner.seq === of && owner.lane === lane) this.#owners.delete(key);
    }
    message.refs.delete(lane);
    this.#add(of, lane, place, refs);
  }

  find(place: Subject, refs: readonly string[]): Known | null {
    const owners = refs.map((ref) => this.#owners.get(keyOf(place, ref)));
    return this.get(owners.find((owner) => owner !== undefined)?.seq ?? 0);
  }

  get(seq: Seq): Known | null {
    return this.#messages.get(seq)?.known ?? null;
  }

  refs(seq: Seq, lane: string | null): readonly string[] {
    return this.#messages.get(seq)?.refs.get(lane) ?? [];
  }

  reactions(seq: Seq): readonly Reaction[] {
    return this.#messages.get(seq)?.reactions ?? [];
  }

  /** As a log answers. `before` may throw what the log rejects with. */
  answers(before: () => void = () => undefined): Ids {
    const answer = <T>(value: () => T): Promise<T> =>
      Promise.resolve().then(() => (before(), structuredClone(value())));
    return {
      find: (place, refs) => answer(() => this.find(place, refs)),
      get: (seq) => answer(() => this.get(seq)),
      refs: (seq, lane) => answer(() => this.refs(seq, lane)),
      reactions: (seq) => answer(() => this.reactions(seq)),
    };
  }

  #add(seq: Seq, lane: string | null, place: Subject, refs: readonly string[]): void {
    const own = this.#messages.get(seq)?.refs;
    if (own === undefined) return;
    for (const ref of refs) {
      const key = keyOf(place, ref);
      if (this.#owners.has(key)) continue;
      this.#owners.set(key, { seq, lane });
      own.set(lane, [...(own.get(lane) ?? []), ref]);
    }
  }
}

function keyOf(place: Subject, ref: string): string {
  return JSON.stringify([place, ref]);
}
