import { timingSafeEqual } from "node:crypto";
import type { Clock } from "../contract/host.ts";
import { LogError } from "../log/errors.ts";
import type { Log } from "../log/log.ts";
import type { Logger } from "../logger.ts";
import type { Access } from "./access.ts";
import {
  markOf,
  readTokenMarks,
  TOKEN_STEM,
  type TokenKey,
  type TokenRecord,
  type TokenSpec,
  usedMarkOf,
  writeRecord,
} from "./token-marks.ts";
import { newTokenId, newTokenText, digestOf, readToken } from "./token-text.ts";

/** A token as people are shown it: never its text. Moments are Unix ms. */
export interface TokenView extends TokenSpec {
  readonly id: string;
  readonly createdMs: number;
  /** The hour of its last use; null: it was not used yet. */
  readonly usedMs: number | null;
  /** Until when the text before the last rotation counts; null: there is none. */
  readonly oldUntilMs: number | null;
}

/** `token`: its text, which nobody can ask for again. */
export interface NewToken {
  readonly token: string;
  readonly view: TokenView;
}

export interface TokensOptions {
  readonly log: Pick<Log, "mark" | "unmark" | "marks">;
  readonly clock: Clock;
  /** So many of a good source of chance. */
  readonly bytes: (count: number) => Buffer;
  readonly logger: Pick<Logger, "info" | "warn">;
}

/** One text that counts, while it does. */
interface Holder {
  readonly access: Access;
  readonly controller: AbortController;
  readonly untilMs: number | null;
}

/** How long the text before a rotation goes on counting. */
export const ROTATION_MS = 24 * 60 * 60 * 1000;
/** More than anybody looks after; each costs a look at every sweep. */
const TOKENS_MAX = 10_000;
/** What has ended, here or through another process on the same log, ends what it holds open within this time. */
const SWEEP_MS = 2_000;
const HOUR_MS = 60 * 60 * 1000;

/** The tokens of `rialto token create`. All that waits rejects with the log's LogError. */
export class Tokens {
  readonly #options: TokensOptions;
  #records: ReadonlyMap<string, TokenRecord> = new Map();
  /** Ids of marks that are no token: they count for nobody, and can be revoked. */
  #unreadable: ReadonlySet<string> = new Set();
  readonly #used = new Map<string, number>();
  /** By digest in base64url. */
  readonly #holders = new Map<string, Holder>();
  /** Changes made here: what was read before one of them is not taken. */
  #changes = 0;
  #cancelSweep: (() => void) | null = null;
  #isClosed = false;
  /** Revoked ones stay revoked, whatever else is being done to them: changes take turns. */
  #turn: Promise<unknown> = Promise.resolve();

  /** Reads them from the log. */
  static async open(options: TokensOptions): Promise<Tokens> {
    const tokens = new Tokens(options);
    await tokens.refresh();
    return tokens;
  }

  private constructor(options: TokensOptions) {
    this.#options = options;
  }

  /** Durable when it resolves. */
  async create(spec: TokenSpec): Promise<NewToken> {
    if (this.#records.size >= TOKENS_MAX) throw new LogError("overloaded", `there are ${TOKENS_MAX} tokens already`);
    const { clock, bytes, logger } = this.#options;
    let id = newTokenId(bytes);
    while (this.#records.has(id)) id = newTokenId(bytes);
    const token = newTokenText(id, bytes);
    await this.#put(id, { ...spec, createdMs: clock.nowMs(), keys: [{ sha256: sha256Of(token), untilMs: null }] });
    const { account, scopes, gateways, name } = spec;
    logger.info({ token: id, account, name, scopes, gateways }, "a token was created");
    return { token, view: this.#viewOf(id) };
  }

  /** The oldest first. */
  list(): readonly TokenView[] {
    const ids = [...this.#records.keys()];
    return ids.map((id) => this.#viewOf(id)).toSorted((one, other) => one.createdMs - other.createdMs);
  }

  get(id: string): TokenView | null {
    return this.#records.has(id) ? this.#viewOf(id) : null;
  }

  /** False: there is none. What it holds open ends at once. */
  async revoke(id: string): Promise<boolean> {
    return await this.#inTurn(async () => await this.#revoke(id));
  }

  /** A new text under the same name; the one before counts for another day. Null: there is no such token. */
  async rotate(id: string): Promise<NewToken | null> {
    return await this.#inTurn(async () => await this.#rotate(id));
  }

  async #revoke(id: string): Promise<boolean> {
    const record = this.#records.get(id);
    if (record === undefined && !this.#unreadable.has(id)) return false;
    await this.#options.log.unmark([markOf(id), usedMarkOf(id)]);
    const records = new Map(this.#records);
    records.delete(id);
    this.#changed(records);
    this.#unreadable = new Set([...this.#unreadable].filter((each) => each !== id));
    const { account = null, name = null } = record ?? {};
    this.#options.logger.info({ token: id, account, name }, "a token was revoked");
    return true;
  }

  async #rotate(id: string): Promise<NewToken | null> {
    const record = this.#records.get(id);
    if (record === undefined) return null;
    const { clock, bytes, logger } = this.#options;
    const token = newTokenText(id, bytes);
    const untilMs = clock.nowMs() + ROTATION_MS;
    const [newest] = record.keys;
    const old = newest === undefined ? [] : [{ sha256: newest.sha256, untilMs }];
    await this.#put(id, { ...record, keys: [{ sha256: sha256Of(token), untilMs: null }, ...old] });
    logger.info({ token: id, account: record.account, name: record.name }, "a token was rotated");
    return { token, view: this.#viewOf(id) };
  }

  /** Who that is; null: nobody, or nobody any more. The time that it takes tells nothing about the tokens there are. */
  verify(text: string): Access | null {
    this.#sweepLater();
    const read = readToken(text);
    const record = read === null ? undefined : this.#records.get(read.id);
    if (read === null || record === undefined) return null;
    const key = record.keys.find(({ sha256 }) => isSame(sha256, read.digest));
    const now = this.#options.clock.nowMs();
    if (key === undefined || hasEnded(record, key, now)) return null;
    this.#noteUse(read.id, now);
    return this.#holderOf(read.id, record, key).access;
  }

  /** Takes over what another process has made of them, and ends what has expired. */
  async refresh(): Promise<void> {
    const changes = this.#changes;
    const { records, used, unreadable } = readTokenMarks(await this.#options.log.marks(TOKEN_STEM));
    if (changes !== this.#changes) return;
    for (const id of unreadable) {
      if (!this.#unreadable.has(id)) this.#options.logger.warn({ token: id }, UNREADABLE);
    }
    this.#unreadable = unreadable;
    for (const [id, ms] of used) this.#used.set(id, Math.max(ms, this.#used.get(id) ?? 0));
    this.#records = records;
    this.#endHolders();
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelSweep?.();
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(work, work);
    this.#turn = mine.catch(() => undefined);
    return mine;
  }

  async #put(id: string, record: TokenRecord): Promise<void> {
    await this.#options.log.mark([{ name: markOf(id), value: writeRecord(record) }]);
    this.#changed(new Map(this.#records).set(id, record));
  }

  #changed(records: ReadonlyMap<string, TokenRecord>): void {
    this.#changes += 1;
    this.#records = records;
    this.#endHolders();
  }

  #holderOf(id: string, record: TokenRecord, { sha256, untilMs }: TokenKey): Holder {
    const known = this.#holders.get(sha256);
    if (known !== undefined) return known;
    const controller = new AbortController();
    const { account, scopes, gateways, name, postsPerMinute } = record;
    const access: Access = {
      account,
      scopes: new Set(scopes),
      gateways: gateways === null ? null : new Set(gateways),
      by: "token",
      token: id,
      name,
      ...(postsPerMinute !== null && { postsPerMinute }),
      ended: controller.signal,
    };
    const holder = { access, controller, untilMs };
    this.#holders.set(sha256, holder);
    return holder;
  }

  /** Of what was taken away, has expired, or is another now. */
  #endHolders(): void {
    const now = this.#options.clock.nowMs();
    for (const [sha256, { access, controller }] of this.#holders) {
      const record = this.#records.get(access.token ?? "");
      const key = record?.keys.find((each) => each.sha256 === sha256);
      if (record !== undefined && key !== undefined && !hasEnded(record, key, now)) continue;
      this.#holders.delete(sha256);
      controller.abort();
    }
  }

  #noteUse(id: string, now: number): void {
    const hour = now - (now % HOUR_MS);
    if (this.#used.get(id) === hour) return;
    this.#used.set(id, hour);
    const mark = { name: usedMarkOf(id), value: String(hour) };
    // The next hour brings another one.
    this.#options.log.mark([mark], { rides: true }).catch(() => undefined);
  }

  /** From the first request with a token on. */
  #sweepLater(): void {
    if (this.#cancelSweep !== null || this.#isClosed) return;
    this.#cancelSweep = this.#options.clock.after(SWEEP_MS, () => void this.#sweep());
  }

  async #sweep(): Promise<void> {
    this.#endHolders();
    try {
      await this.refresh();
    } catch (error) {
      if (!(error instanceof LogError)) throw error;
    }
    this.#cancelSweep = null;
    this.#sweepLater();
  }

  #viewOf(id: string): TokenView {
    const record = this.#records.get(id);
    if (record === undefined) throw new Error(`there is no token ${id}`);
    const { keys, ...spec } = record;
    const { untilMs = null } = keys[1] ?? {};
    const oldUntilMs = untilMs !== null && untilMs > this.#options.clock.nowMs() ? untilMs : null;
    return { ...spec, id, usedMs: this.#used.get(id) ?? null, oldUntilMs };
  }
}

const UNREADABLE =
  "a token cannot be read from the log and counts for nobody; `rialto token revoke` with its eight characters clears it away";

const hasEnded = ({ expiresMs }: TokenRecord, { untilMs }: TokenKey, now: number): boolean =>
  (expiresMs !== null && expiresMs <= now) || (untilMs !== null && untilMs <= now);

const sha256Of = (token: string): string => digestOf(token).toString("base64url");

function isSame(sha256: string, digest: Buffer): boolean {
  const expected = Buffer.from(sha256, "base64url");
  return expected.length === digest.length && timingSafeEqual(expected, digest);
}
