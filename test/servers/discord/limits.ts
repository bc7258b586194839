import type { Answer } from "./requests.ts";
import { tooMany } from "./faults.ts";
import { hashOf } from "./wire.ts";

interface Rule {
  readonly limit: number;
  readonly ms: number;
}

const EXECUTE = "POST /webhooks/:webhook/:token";

/** Of what is limited more narrowly than most. The network publishes none of these, only what it says in headers. */
const RULES: Readonly<Record<string, Rule>> = {
  "POST /channels/:channel/messages": { limit: 5, ms: 5000 },
  "PATCH /channels/:channel/messages/:message": { limit: 5, ms: 5000 },
  "DELETE /channels/:channel/messages/:message": { limit: 5, ms: 1000 },
  reactions: { limit: 1, ms: 250 },
  [EXECUTE]: { limit: 5, ms: 2000 },
};
const OTHERS: Rule = { limit: 50, ms: 1000 };

/** Of all requests with one token; webhooks are not counted. */
const GLOBAL: Rule = { limit: 50, ms: 1000 };

/** Of all webhooks of a channel together; a test names it to set it, because the network says nothing of it. */
export const CHANNEL_WEBHOOKS = "webhooks of a channel";

/** Refusals count for so long. */
const INVALID_MS = 600_000;

interface Window {
  left: number;
  until: number;
}

/** How many requests the server takes. */
export class Limits {
  readonly #now: () => number;
  readonly #windows = new Map<string, Window>();
  readonly #rules = new Map<string, Rule>();
  /** For measurements: there are none. */
  off = false;
  /** Whoever is refused as often as this in ten minutes is shut out. */
  invalidMost = 10_000;
  /** Refused requests in the window that counts: what leads to a ban of the address. */
  invalid = 0;
  /** How many requests were refused as too many. */
  refused = 0;
  #invalidUntil = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Another rule for a route, named as in `Call.route`; for `reactions`, `global` or `CHANNEL_WEBHOOKS`. */
  set(route: string, limit: number, ms: number): void {
    this.#rules.set(route, { limit, ms });
  }

  /** Says whether the request may be made; the headers go on its answer. `hookChannel`: where a webhook writes. */
  take(route: string, params: Readonly<Record<string, string>>, token: string, hookChannel = ""): Taken {
    if (this.off) return { refused: null, headers: {} };
    const now = this.#now();
    const name = bucketOf(route);
    const rule = this.#rules.get(name) ?? RULES[name] ?? OTHERS;
    const whose = params["channel"] ?? params["guild"] ?? params["webhook"] ?? "";
    const bucket = this.#window(`${name} ${whose} ${params["token"] ?? token}`, rule, now);
    const seconds = (bucket.until - now) / 1000;
    const refused = bucket.left === 0;
    if (!refused && params["token"] === undefined) {
      const all = this.#window(`global ${token}`, this.#rules.get("global") ?? GLOBAL, now);
      if (all.left === 0) return { refused: tooMany((all.until - now) / 1000, "global"), headers: {} };
      all.left -= 1;
    }
    const ofChannel = this.#rules.get(CHANNEL_WEBHOOKS);
    if (!refused && ofChannel !== undefined && name === EXECUTE) {
      const shared = this.#window(`${CHANNEL_WEBHOOKS} ${hookChannel}`, ofChannel, now);
      if (shared.left === 0) return { refused: tooMany((shared.until - now) / 1000, "shared"), headers: {} };
      shared.left -= 1;
    }
    if (!refused) bucket.left -= 1;
    const headers = {
      "X-RateLimit-Limit": String(rule.limit),
      "X-RateLimit-Remaining": String(bucket.left),
      "X-RateLimit-Reset": (bucket.until / 1000).toFixed(3),
      "X-RateLimit-Reset-After": seconds.toFixed(3),
      "X-RateLimit-Bucket": hashOf(name),
    };
    return { refused: refused ? tooMany(seconds, "user", headers) : null, headers };
  }

  /** Counts refusals; as invalid, those for what is shared with others do not count. */
  note({ status = 200, headers = {} }: Answer): void {
    if (status === 429) this.refused += 1;
    if (![401, 403, 429].includes(status) || headers["X-RateLimit-Scope"] === "shared") return;
    const now = this.#now();
    if (now >= this.#invalidUntil) {
      this.invalid = 0;
      this.#invalidUntil = now + INVALID_MS;
    }
    this.invalid += 1;
  }

  /** What stands before the servers says to an address that is shut out. */
  banned(): Answer | null {
    if (this.off || this.invalid < this.invalidMost || this.#now() >= this.#invalidUntil) return null;
    const retry = String(Math.ceil((this.#invalidUntil - this.#now()) / 1000));
    return { status: 429, headers: { "Retry-After": retry, "content-type": "text/html" }, bytes: "error code: 1015" };
  }

  #window(key: string, rule: Rule, now: number): Window {
    const old = this.#windows.get(key);
    if (old !== undefined && old.until > now) return old;
    const made = { left: rule.limit, until: now + rule.ms };
    this.#windows.set(key, made);
    return made;
  }
}

interface Taken {
  readonly refused: Answer | null;
  readonly headers: Readonly<Record<string, string>>;
}

/** Adding and removing reactions is one bucket. */
function bucketOf(route: string): string {
  return /^(PUT|DELETE) .*\/reactions\//.test(route) ? "reactions" : route;
}
