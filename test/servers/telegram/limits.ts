/** So many messages in so much time. */
export interface Rule {
  readonly count: number;
  readonly ms: number;
}

/** What the documentation says of groups, of single chats, and of all chats together. */
const REAL = {
  group: { count: 20, ms: 60_000 },
  chat: { count: 20, ms: 20_000 },
  overall: { count: 30, ms: 1000 },
} as const;

/**
 * How fast a bot may write. Nothing is limited before a test says so. Real servers tolerate more at times, and do not
 * say when; here the window is exact: the next message passes when the oldest in the window has left it.
 */
export class Limits {
  readonly #now: () => number;
  readonly #sent = new Map<string, number[]>();
  readonly #shut = new Map<string, number>();
  /** To one group, supergroup or channel. */
  group: Rule | null = null;
  /** To one private chat. */
  chat: Rule | null = null;
  /** To all chats. */
  overall: Rule | null = null;
  /** Messages that came while they were forbidden. */
  impatient = 0;
  /** Messages that were refused. */
  refused = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** As the real server has it. */
  on(): void {
    Object.assign(this, REAL);
  }

  off(): void {
    Object.assign(this, { group: null, chat: null, overall: null });
  }

  /** The seconds to wait, or null where `weight` messages may be written. */
  take(bot: number, chat: number, what: "post" | "edit", weight = 1): number | null {
    const rules = [
      { rule: chat < 0 ? this.group : this.chat, key: `${bot} ${chat} ${what}` },
      { rule: this.overall, key: `${bot}` },
    ];
    const now = this.#now();
    let wait = 0;
    for (const { rule, key } of rules) {
      if (rule === null) continue;
      const shut = this.#shut.get(key) ?? 0;
      if (now < shut) this.impatient += 1;
      const recent = (this.#sent.get(key) ?? []).filter((at) => now - at < rule.ms);
      this.#sent.set(key, recent);
      // Of an album that is larger than the window nothing is kept back when the window is empty.
      const over = recent.length + Math.min(weight, rule.count) - rule.count;
      const blocking = recent[over - 1];
      if (blocking === undefined) continue;
      const free = blocking + rule.ms;
      this.#shut.set(key, free);
      wait = Math.max(wait, free - now);
    }
    if (wait > 0) {
      this.refused += 1;
      return Math.max(1, Math.ceil(wait / 1000));
    }
    for (const { rule, key } of rules) {
      if (rule !== null) this.#sent.get(key)?.push(...Array.from({ length: weight }, () => now));
    }
    return null;
  }
}
