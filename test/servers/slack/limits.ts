interface Rule {
  /** So many at once. */
  readonly burst: number;
  /** And one more each. */
  readonly ms: number;
}

/** Requests a minute by the tier that the network gives a method; it tolerates bursts and does not say how large. */
const tier = (perMinute: number): Rule => ({ burst: perMinute, ms: 60_000 / perMinute });

const TIERS: Readonly<Record<string, Rule>> = {
  "apps.connections.open": tier(20),
  "conversations.list": tier(20),
  "emoji.list": tier(20),
  "usergroups.list": tier(20),
  "reactions.remove": tier(20),
  "users.list": tier(20),
  "conversations.setTopic": tier(20),
  "conversations.setPurpose": tier(20),
  "conversations.members": tier(100),
  "users.info": tier(100),
  "auth.test": tier(200),
  "chat.getPermalink": tier(200),
  "files.completeUploadExternal": tier(100),
};
const OTHERS = tier(50);

/** One a second for each channel, and a burst on top. */
const POSTING: Rule = { burst: 30, ms: 1000 };

/** How many requests the server takes: by method and app, posts also by channel. */
export class Limits {
  readonly #now: () => number;
  /** For each bucket, when it is empty again. */
  readonly #full = new Map<string, number>();
  /** Until when whoever was refused is refused at any rate. */
  readonly #shut = new Map<string, number>();
  readonly #rules = new Map<string, Rule>();
  /** For measurements: there are none. */
  off = false;
  /** Requests that came while they were forbidden. */
  impatient = 0;
  /** Requests that were refused, those among them. */
  refused = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Another rule for a method. */
  set(method: string, burst: number, ms: number): void {
    this.#rules.set(method, { burst, ms });
  }

  /** The seconds to wait, or null where the request may be made. */
  take(method: string, app: string, channel: string): number | null {
    if (this.off) return null;
    const now = this.#now();
    const posting = method === "chat.postMessage" || method === "chat.meMessage" || method === "hook";
    const rule = this.#rules.get(method) ?? (posting ? POSTING : (TIERS[method] ?? OTHERS));
    const key = `${method} ${app} ${posting ? channel : ""}`;
    const shut = this.#shut.get(key) ?? 0;
    if (now < shut) {
      this.refused += 1;
      this.impatient += 1;
      return Math.ceil((shut - now) / 1000);
    }
    const free = Math.max(now, this.#full.get(key) ?? 0) + rule.ms;
    const wait = free - rule.burst * rule.ms - now;
    if (wait <= 0) {
      this.#full.set(key, free);
      return null;
    }
    const seconds = Math.max(1, Math.ceil(wait / 1000));
    this.refused += 1;
    this.#shut.set(key, now + wait);
    return seconds;
  }
}
