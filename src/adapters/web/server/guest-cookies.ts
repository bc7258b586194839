import { hash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { cookiesNamed, cookiesWhere } from "../../../lib/cookies.ts";
import { digestOf } from "../guests.ts";
import type { People } from "../store/people.ts";
import type { StoredGuest } from "../store/rows.ts";

/** A guest session: one person in one room. */
export interface GuestSession {
  readonly guest: StoredGuest;
  /** What the cookie holds. */
  readonly secret: string;
}

/**
 * Each room has a cookie of its own, so that a person who joins another room stays in the first. Before that, one
 * cookie without a room was used: it still counts, after those with one.
 */
export class GuestCookies {
  readonly #base: string;
  readonly #ageS: number;

  /** `url`: the address that guests open. */
  constructor(url: string, guestTimeMs: number) {
    this.#base = url.startsWith("https:") ? "__Host-guest" : `guest-${new URL(url).port || "80"}`;
    this.#ageS = Math.floor(guestTimeMs / 1000);
  }

  /** The session in a room, or the first one of any room; null: there is none. */
  session(people: People, request: IncomingMessage, room: string | null): GuestSession | null {
    if (room === null) return this.sessions(people, request)[0] ?? null;
    const { cookie } = request.headers;
    const secrets = [...cookiesNamed(this.#nameOf(room), cookie), ...cookiesNamed(this.#base, cookie)];
    return sessionsBy(people, secrets).find(({ guest }) => guest.room === room) ?? null;
  }

  /** One session for each room. */
  sessions(people: People, request: IncomingMessage): readonly GuestSession[] {
    const { cookie } = request.headers;
    const named = cookiesWhere((name) => name.startsWith(`${this.#base}.`), cookie);
    const all = sessionsBy(people, [...named, ...cookiesNamed(this.#base, cookie)]);
    return all.filter(({ guest }, at) => all.findIndex((each) => each.guest.room === guest.room) === at);
  }

  cookieOf({ guest, secret }: GuestSession): string {
    return this.#cookie(this.#nameOf(guest.room), secret, this.#ageS);
  }

  /** Ends the cookie of a room in the browser. */
  endOf(room: string): string {
    return this.#cookie(this.#nameOf(room), "", 0);
  }

  /** All sessions under the names of their rooms; the cookie without a room ends. */
  renewed(sessions: readonly GuestSession[], { headers }: IncomingMessage): readonly string[] {
    const isOld = cookiesNamed(this.#base, headers.cookie).length > 0;
    return [...sessions.map((each) => this.cookieOf(each)), ...(isOld ? [this.#cookie(this.#base, "", 0)] : [])];
  }

  /** Names of rooms have letters that names of cookies cannot have. */
  #nameOf(room: string): string {
    return `${this.#base}.${hash("sha256", room, "hex").slice(0, 16)}`;
  }

  #cookie(name: string, value: string, ageS: number): string {
    const secure = this.#base.startsWith("__Host-") ? "; Secure" : "";
    return `${name}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${ageS}${secure}`;
  }
}

const sessionsBy = (people: People, secrets: readonly string[]): readonly GuestSession[] =>
  secrets.flatMap((secret) => {
    const guest = people.by(digestOf(secret));
    return guest === null ? [] : [{ guest, secret }];
  });
