import { EventLabel } from "../contract/message.ts";
import { decodeStored } from "../gateway/codec.ts";
import type { Routes } from "../gateway/routes.ts";
import type { Entry, Seq } from "../log/log.ts";
import type { TailLine } from "./views.ts";

/** Somebody who is shown what is accepted. */
export interface Follower {
  /** Who comes by the one leaves room for who comes by the other. */
  readonly by: "socket" | "address" | "page";
  /** Null: all. */
  readonly gateway: string | null;
  /** Bytes that it has not taken. */
  readonly unsent: () => number;
  readonly write: (line: string) => void;
  readonly end: () => void;
  /** It does not keep up. */
  readonly cut: () => void;
}

/** By each way in. */
const FOLLOWERS_MAX = 16;
const UNSENT_MAX = 1024 * 1024;

type OnBad = (seq: Seq, error: unknown) => void;

/** All who follow the log. Only what is accepted from now on: for the past there is `explain`. */
export class Followers {
  readonly #routes: Routes;
  readonly #onBad: OnBad;
  readonly #all = new Set<Follower>();

  /** `onBad`: an entry that cannot be shown, and is passed over. */
  constructor(routes: Routes, onBad: OnBad) {
    this.#routes = routes;
    this.#onBad = onBad;
  }

  get size(): number {
    return this.#all.size;
  }

  /** Null when there are too many already that came the same way; otherwise the function that ends it. */
  add(follower: Follower): (() => void) | null {
    const others = [...this.#all].filter(({ by }) => by === follower.by);
    if (others.length >= FOLLOWERS_MAX) return null;
    this.#all.add(follower);
    return () => void this.#all.delete(follower);
  }

  /** For `Log.tail`. */
  readonly show = (entries: readonly Entry[]): void => {
    if (this.#all.size === 0) return;
    for (const entry of entries) {
      // The tail lets go of a text after its listeners have seen it.
      if (entry.payload === null) continue;
      // The same words as those of the message that it stands for; the same deletion.
      if (entry.label === EventLabel.again || entry.label === EventLabel.withdrawal) continue;
      try {
        this.#showOne(entry, entry.payload);
      } catch (error) {
        this.#onBad(entry.seq, error);
      }
    }
  };

  endAll(): void {
    for (const follower of this.#all) follower.end();
    this.#all.clear();
  }

  #showOne({ seq, at, subject, label }: Entry, payload: string): void {
    const gateways = [...new Set(this.#routes.targets(subject).map(({ gateway }) => gateway))];
    let line: string | null = null;
    for (const follower of this.#all) {
      if (follower.gateway !== null && !gateways.includes(follower.gateway)) continue;
      if (follower.unsent() > UNSENT_MAX) {
        this.#all.delete(follower);
        follower.cut();
        continue;
      }
      if (line === null) {
        const { account, channel, username, text } = decodeStored(payload).message;
        const shown: TailLine = { seq, atMs: at, account, channel, gateways, by: username, event: label, text };
        line = `${JSON.stringify(shown)}\n`;
      }
      follower.write(line);
    }
  }
}
