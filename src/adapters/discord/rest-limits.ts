import type { IncomingHttpHeaders } from "node:http";
import type { Clock } from "../../contract/host.ts";
import { secondsIn } from "../kit/rest.ts";
import { retryWithin } from "../kit/outcomes.ts";
import { isObject, numberIn } from "../kit/json.ts";

export type DiscordLimitScope = "user" | "shared" | "global";

/** Requests of one kind to one place, which the network counts together as far as we know before it says so. */
export interface DiscordRoute {
  /** Method and path with `:id` in it. */
  readonly name: string;
  /** The channel, guild or webhook. */
  readonly major: string;
}

/** Until when nothing of its kind is to be asked. */
export interface DiscordBan {
  readonly leftMs: number;
  readonly scope: DiscordLimitScope;
}

/** After so many refusals in ten minutes, nothing is asked until these are over: at 10 000 the address is banned. */
const INVALID_MAX = 1_000;
const INVALID_MS = 600_000;
const KEPT_MAX = 2_000;
const UNSAID_MS = 5_000;

interface Until {
  readonly untilMs: number;
  readonly scope: DiscordLimitScope;
}

/** What the network has said of how much may be asked. */
export class DiscordLimits {
  readonly #clock: Pick<Clock, "monoMs">;
  /** Buckets by the names of routes. */
  readonly #hashes = new Map<string, string>();
  readonly #bans = new Map<string, Until>();
  #global: Until | null = null;
  #invalid = { count: 0, sinceMs: 0 };

  constructor(clock: Pick<Clock, "monoMs">) {
    this.#clock = clock;
  }

  /** Null: it may be asked. */
  ban(route: DiscordRoute): DiscordBan | null {
    const nowMs = this.#clock.monoMs();
    const longest = [this.#global, this.#bans.get(this.#key(route))]
      .filter((one) => one !== null && one !== undefined)
      .filter(({ untilMs }) => untilMs > nowMs)
      .toSorted((a, b) => b.untilMs - a.untilMs)[0];
    return longest === undefined ? null : { leftMs: Math.ceil(longest.untilMs - nowMs), scope: longest.scope };
  }

  /** In how many milliseconds so many refusals are over that asking is safe again; null: it is now. */
  refusedTooOftenMs(): number | null {
    const leftMs = this.#invalid.sinceMs + INVALID_MS - this.#clock.monoMs();
    return this.#invalid.count >= INVALID_MAX && leftMs > 0 ? Math.ceil(leftMs) : null;
  }

  /** An answer came. What it says of its limit; null unless it is a refusal for it. */
  note(route: DiscordRoute, status: number, headers: IncomingHttpHeaders, body: unknown): DiscordBan | null {
    const hash = headers["x-ratelimit-bucket"];
    if (typeof hash === "string") this.#remember(route.name, hash);
    const scope = status === 429 ? scopeOf(headers, body) : null;
    if (status === 401 || status === 403 || (status === 429 && scope !== "shared")) this.#count();
    if (scope === null) {
      const leftMs = headers["x-ratelimit-remaining"] === "0" ? secondsIn(headers["x-ratelimit-reset-after"]) : null;
      if (leftMs !== null)
        this.#put(this.#key(route), { untilMs: this.#clock.monoMs() + retryWithin(leftMs), scope: "user" });
      return null;
    }
    const leftMs = retryWithin(waitMs(headers, body));
    const until = { untilMs: this.#clock.monoMs() + leftMs, scope };
    if (scope === "global") this.#global = until;
    else this.#put(this.#key(route), until);
    return { leftMs, scope };
  }

  #key({ name, major }: DiscordRoute): string {
    return `${this.#hashes.get(name) ?? name} ${major}`;
  }

  #remember(name: string, hash: string): void {
    if (this.#hashes.size >= KEPT_MAX) this.#hashes.clear();
    this.#hashes.set(name, hash);
  }

  #put(key: string, until: Until): void {
    const nowMs = this.#clock.monoMs();
    if (this.#bans.size >= KEPT_MAX)
      for (const [old, { untilMs }] of this.#bans) if (untilMs <= nowMs) this.#bans.delete(old);
    this.#bans.set(key, until);
  }

  #count(): void {
    const nowMs = this.#clock.monoMs();
    if (nowMs - this.#invalid.sinceMs >= INVALID_MS) this.#invalid = { count: 0, sinceMs: nowMs };
    this.#invalid.count += 1;
  }
}

function scopeOf(headers: IncomingHttpHeaders, body: unknown): DiscordLimitScope {
  const said = headers["x-ratelimit-scope"];
  if (said === "global" || headers["x-ratelimit-global"] !== undefined) return "global";
  if (isObject(body)) return body["global"] === true ? "global" : said === "shared" ? "shared" : "user";
  // What stands before the servers, and shuts out an address, speaks no JSON.
  return "global";
}

function waitMs(headers: IncomingHttpHeaders, body: unknown): number {
  const seconds = isObject(body) ? numberIn(body, "retry_after") : null;
  if (seconds !== null) return Math.ceil(seconds * 1000);
  return secondsIn(headers["retry-after"]) ?? UNSAID_MS;
}
