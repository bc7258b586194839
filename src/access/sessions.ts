import type { Clock } from "../contract/host.ts";
import { printable } from "../lib/printable.ts";
import type { Log, Mark } from "../log/log.ts";
import type { Logger } from "../logger.ts";
import { type Access, SCOPES } from "./access.ts";
import { readSessionMarks, SESSION_STEM, sessionMark, type SessionRecord, sessionUsedMark } from "./session-marks.ts";
import { digestOf, newTokenId } from "./token-text.ts";

/** A session as people are shown it: never its secret. Moments are Unix ms. */
export interface SessionView {
  readonly id: string;
  readonly createdMs: number;
  /** The hour of its last use. */
  readonly usedMs: number;
  readonly expiresMs: number;
  /** What its browser called itself. */
  readonly agent: string;
}

/** `secret`: for the cookie, and nowhere else. */
export interface NewSession {
  readonly secret: string;
  readonly view: SessionView;
}

export interface SessionsOptions {
  readonly log: Pick<Log, "mark" | "unmark" | "marks">;
  readonly clock: Clock;
  /** So many of a good source of chance. */
  readonly bytes: (count: number) => Buffer;
  readonly logger: Pick<Logger, "info">;
}

/** One that somebody uses. */
interface Holder {
  readonly access: Access;
  readonly controller: AbortController;
}

/** Since its last use. */
export const SESSION_MS = 30 * 24 * 60 * 60 * 1000;
/** One more ends the one that was used longest ago. */
const SESSIONS_MAX = 100;
/** What has run out ends what it holds open within the first of them; when the calendar was set, within the other. */
const SWEEP_MS = { least: 1_000, most: 60 * 60 * 1000 };
const HOUR_MS = 60 * 60 * 1000;
const SECRET_BYTES = 32;
const AGENT_CHARS = 200;

/** The browsers that operators are signed in with. All that waits rejects with the log's LogError. */
export class Sessions {
  readonly #options: SessionsOptions;
  readonly #records = new Map<string, SessionRecord>();
  readonly #used = new Map<string, number>();
  /** Ids, by digest in base64url. */
  readonly #ids = new Map<string, string>();
  readonly #holders = new Map<string, Holder>();
  #cancelSweep: (() => void) | null = null;
  #isClosed = false;

  /** Reads them from the log. */
  static async open(options: SessionsOptions): Promise<Sessions> {
    const sessions = new Sessions(options);
    await sessions.#read();
    return sessions;
  }

  private constructor(options: SessionsOptions) {
    this.#options = options;
  }

  /** Durable when it resolves. */
  async create(agent: string): Promise<NewSession> {
    await this.#makeRoom();
    const { log, clock, bytes, logger } = this.#options;
    let id = newTokenId(bytes);
    while (this.#records.has(id)) id = newTokenId(bytes);
    const secret = bytes(SECRET_BYTES).toString("base64url");
    const createdMs = clock.nowMs();
    const record = { sha256: sha256Of(secret), createdMs, agent: printable(agent.slice(0, AGENT_CHARS)) };
    await log.mark([{ name: sessionMark(id), value: JSON.stringify(record) }]);
    this.#put(id, record);
    logger.info({ session: id }, "an operator has signed in to the dashboard");
    return { secret, view: this.#viewOf(id, record) };
  }

  /** Who that is; null: nobody, or nobody any more. */
  verify(secret: string): Access | null {
    const id = this.#ids.get(sha256Of(secret));
    const record = id === undefined ? undefined : this.#records.get(id);
    if (id === undefined || record === undefined || this.#hasEnded(id, record)) return null;
    this.#noteUse(id);
    const { access } = this.#holderOf(id);
    this.#sweepLater();
    return access;
  }

  /** The one that was used last first. */
  list(): readonly SessionView[] {
    const views = Array.from(this.#records, ([id, record]) => this.#viewOf(id, record));
    return views
      .filter(({ expiresMs }) => expiresMs > this.#options.clock.nowMs())
      .toSorted((one, other) => other.usedMs - one.usedMs || other.createdMs - one.createdMs);
  }

  get(id: string): SessionView | null {
    const record = this.#records.get(id);
    return record === undefined || this.#hasEnded(id, record) ? null : this.#viewOf(id, record);
  }

  /** False: there is none. What it holds open ends at once. */
  async revoke(id: string): Promise<boolean> {
    if (!this.#records.has(id)) return false;
    await this.#options.log.unmark([sessionMark(id), sessionUsedMark(id)]);
    if (!this.#drop(id)) return false;
    this.#options.logger.info({ session: id }, "a session of the dashboard was ended");
    return true;
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelSweep?.();
  }

  async #read(): Promise<void> {
    const { log } = this.#options;
    const { records, used, stale } = readSessionMarks(await log.marks(SESSION_STEM));
    for (const [id, record] of records) this.#put(id, record);
    for (const [id, ms] of used) this.#used.set(id, ms);
    const ended = [...records].filter(([id, record]) => this.#hasEnded(id, record)).map(([id]) => id);
    for (const id of ended) this.#drop(id);
    const gone = [...stale, ...ended.flatMap((id) => [sessionMark(id), sessionUsedMark(id)])];
    if (gone.length > 0) await log.unmark(gone);
  }

  async #makeRoom(): Promise<void> {
    const views = Array.from(this.#records, ([id, record]) => this.#viewOf(id, record));
    const byUse = views.toSorted((one, other) => one.usedMs - other.usedMs || one.createdMs - other.createdMs);
    for (const { id } of byUse.slice(0, Math.max(0, byUse.length - SESSIONS_MAX + 1))) await this.revoke(id);
  }

  #put(id: string, record: SessionRecord): void {
    this.#records.set(id, record);
    this.#ids.set(record.sha256, id);
  }

  /** Ends what it holds open. False: there is none. */
  #drop(id: string): boolean {
    const record = this.#records.get(id);
    if (record === undefined) return false;
    this.#records.delete(id);
    this.#ids.delete(record.sha256);
    this.#used.delete(id);
    this.#holders.get(id)?.controller.abort();
    this.#holders.delete(id);
    return true;
  }

  #holderOf(id: string): Holder {
    const known = this.#holders.get(id);
    if (known !== undefined) return known;
    const controller = new AbortController();
    const access: Access = {
      account: "",
      scopes: new Set(SCOPES),
      gateways: null,
      by: "session",
      token: null,
      session: id,
      name: "operator",
      ended: controller.signal,
    };
    const holder = { access, controller };
    this.#holders.set(id, holder);
    return holder;
  }

  #hasEnded(id: string, record: SessionRecord): boolean {
    return this.#endOf(id, record) <= this.#options.clock.nowMs();
  }

  #endOf(id: string, { createdMs }: SessionRecord): number {
    return Math.max(createdMs, this.#used.get(id) ?? 0) + SESSION_MS;
  }

  #noteUse(id: string): void {
    const now = this.#options.clock.nowMs();
    const hour = now - (now % HOUR_MS);
    if (this.#used.get(id) === hour) return;
    this.#used.set(id, hour);
    const mark: Mark = { name: sessionUsedMark(id), value: String(hour) };
    // The next hour brings another one.
    this.#options.log.mark([mark], { rides: true }).catch(() => undefined);
  }

  /** From the first request with a session on, while any is in use. */
  #sweepLater(): void {
    if (this.#cancelSweep !== null || this.#isClosed || this.#holders.size === 0) return;
    const ends = Array.from(this.#holders.keys(), (id) => this.get(id)?.expiresMs ?? 0);
    const waitMs = Math.min(...ends) - this.#options.clock.nowMs();
    this.#cancelSweep = this.#options.clock.after(Math.min(Math.max(waitMs, SWEEP_MS.least), SWEEP_MS.most), () => {
      this.#cancelSweep = null;
      this.#endHolders();
      this.#sweepLater();
    });
  }

  #endHolders(): void {
    for (const id of this.#holders.keys()) {
      const record = this.#records.get(id);
      if (record === undefined || !this.#hasEnded(id, record)) continue;
      this.#holders.get(id)?.controller.abort();
      this.#holders.delete(id);
    }
  }

  #viewOf(id: string, record: SessionRecord): SessionView {
    const { createdMs, agent } = record;
    const usedMs = Math.max(createdMs, this.#used.get(id) ?? 0);
    return { id, createdMs, usedMs, expiresMs: this.#endOf(id, record), agent };
  }
}

const sha256Of = (secret: string): string => digestOf(secret).toString("base64url");
