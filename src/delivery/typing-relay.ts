import type { Account } from "../config/config.ts";
import type { Clock, Hint } from "../contract/host.ts";
import { decodeStored } from "../gateway/codec.ts";
import type { Routes } from "../gateway/routes.ts";
import { subjectOf } from "../gateway/subject.ts";
import type { Entry, Subject } from "../log/log.ts";
import { type PlaceDisplay, TypingPlace } from "./typing.ts";

/** A hint of a network, or of a program that uses the API. */
export interface TypingHint extends Pick<Hint, "kind" | "on" | "forMs"> {
  readonly author: { readonly id: string; readonly name: string; readonly bot?: boolean };
}

interface RelayOptions {
  readonly routes: Pick<Routes, "targets">;
  readonly clock: Pick<Clock, "monoMs" | "after">;
  /** As the configuration has them now. */
  readonly accounts: () => ReadonlyMap<string, Pick<Account, "presentation">>;
  /** What shows typing in a channel now; null: nothing can. */
  readonly displayOf: (accountKey: string, channel: string) => PlaceDisplay | null;
}

/** Channels in which typing is shown at a time. */
const PLACES_MAX = 10_000;

/** Shows that people type in the channels to which their messages would go. In memory only. */
export class TypingRelay {
  readonly #options: RelayOptions;
  /** By the subject of the channel in which typing is shown. */
  readonly #places = new Map<Subject, TypingPlace>();
  #isClosed = false;

  constructor(options: RelayOptions) {
    this.#options = options;
  }

  /** `channel`: its name in the configuration, or that of the gateway for an account of the API. */
  hint(accountKey: string, channel: string, { kind, author, on, forMs }: TypingHint): void {
    const { routes, accounts } = this.#options;
    // Programs do not type; and what they show may be what we show.
    if (kind !== "typing" || author.bot === true || this.#isClosed) return;
    if (accounts().get(accountKey)?.presentation.showUserTyping !== true) return;
    const subject = subjectOf(accountKey, channel);
    const typist = { who: whoOf(subject, author.id, author.name), on, ...(forMs !== undefined && { forMs }) };
    for (const target of routes.targets(subject)) {
      if (!target.account.presentation.showUserTyping) continue;
      this.#placeOf(target.account.key, target.channel, on)?.take(typist);
    }
  }

  /** Whoever has said something types no longer. To be called with what was committed. */
  heard(entries: readonly Pick<Entry, "subject" | "payload">[]): void {
    if (this.#places.size === 0) return;
    for (const { subject, payload } of entries) {
      const targets = this.#options.routes.targets(subject);
      const places = targets.flatMap(({ account, channel }) => this.#places.get(subjectOf(account.key, channel)) ?? []);
      const who = places.length === 0 || payload === null ? null : authorOf(subject, payload);
      if (who !== null) for (const place of places) place.take({ who, on: false });
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const place of this.#places.values()) place.close();
    this.#places.clear();
  }

  /** Null: there is nothing to show or to end. */
  #placeOf(accountKey: string, channel: string, on: boolean): TypingPlace | null {
    const { clock, displayOf } = this.#options;
    const key = subjectOf(accountKey, channel);
    const known = this.#places.get(key);
    if (known !== undefined || !on || this.#places.size >= PLACES_MAX) return known ?? null;
    const display = (): PlaceDisplay | null => displayOf(accountKey, channel);
    if (display() === null) return null;
    const place = new TypingPlace(clock, display, () => this.#places.delete(key));
    this.#places.set(key, place);
    return place;
  }
}

const whoOf = (subject: Subject, id: string, name: string): string => `${subject}\n${id === "" ? name : id}`;

function authorOf(subject: Subject, payload: string): string | null {
  try {
    const { userid, username } = decodeStored(payload).message;
    return whoOf(subject, userid, username);
  } catch {
    // Whoever is to write it says what is wrong with it.
    return null;
  }
}
