import type { Host } from "../../contract/host.ts";
import { cursorAt } from "./ids.ts";
import type { Event } from "../../contract/events.ts";
import type { Cursor } from "../../contract/ids.ts";
import type { Ended } from "../../contract/session.ts";
import { isAborted } from "../../lib/abort.ts";
import type { Client, Result } from "./client.ts";
import { type MatrixFailure, refused } from "./failure.ts";
import { isOnlyTyping } from "./hints.ts";
import { inTime } from "../kit/in-time.ts";
import { type Json, textIn } from "../kit/json.ts";

/** How long the server holds a request back while it has nothing to tell. */
const POLL_MS = 30_000;
/** … and how much later we still wait: longer for the first answer, which may hold a long outage. */
const PATIENCE_MS = 60_000;
const FIRST_PATIENCE_MS = 300_000;
/** So long without an answer that was due, and the connection is in doubt. */
const DOUBT_MS = 15_000;
/** Most events handed over at once. */
const HANDED_MAX = 500;
/** With more than this not stored yet, nothing more is asked for. */
const WAITING_MAX = 1_000;

/**
 * Most events of one room in an answer; fewer when an answer was too large to be read: the rest is fetched in pages.
 */
const TIMELINE_MAX = 100;
/** An answer that tells nothing, and came sooner than this, was not waited for: the next question waits instead. */
const SOON_MS = 1_000;

const quiet = { types: [] };
/** Everything said in rooms, with who says it, and who types there; nothing else. */
function filterOf(limit: number): string {
  return JSON.stringify({
    presence: quiet,
    account_data: quiet,
    room: {
      account_data: quiet,
      ephemeral: { types: ["m.typing"] },
      state: { lazy_load_members: true, include_redundant_members: true },
      timeline: { limit, lazy_load_members: true, include_redundant_members: true },
    },
  });
}

/** The position from which everything is news. */
export async function positionNow(
  client: Client,
  { clock }: Pick<Host, "clock">,
  signal: AbortSignal,
): Promise<Result<Cursor>> {
  // Synapse answers what it was asked less than two minutes ago as it did then: a room that is none makes it a new
  // question.
  const rooms = [`!none-${clock.nowMs()}:rialto.invalid`];
  const filter = JSON.stringify({ presence: quiet, account_data: quiet, room: { rooms } });
  const answer = await client.sync({ since: null, filter, timeoutMs: 0, patienceMs: PATIENCE_MS, signal });
  if (!answer.ok) return answer;
  const position = textIn(answer.value, "next_batch");
  return position === null ? { ok: false, failure: NO_POSITION } : { ok: true, value: cursorAt(position) };
}

/** Asking again at once would never end. */
const NO_POSITION = refused(502, { error: "an answer to /sync without a position" }, undefined);

interface SyncOptions {
  readonly client: Client;
  readonly host: Host;
  readonly since: Cursor;
  /** What an answer tells, oldest first, all of it or why not. */
  readonly read: (response: Json, since: string, signal: AbortSignal) => Promise<Result<readonly Event[]>>;
  /** What a failure means for the session. */
  readonly judge: (failure: MatrixFailure) => Ended;
}

/**
 * Long-polls for what happens: ask from the position, read, hand over together with the next position, and ask from
 * there. What is stored is stored in this order, so the stored position never moves past what is not. One that is due
 * and does not come puts the connection in doubt; one that does not come at all ends the session.
 */
export class Sync {
  readonly #options: SyncOptions;
  readonly #stop = new AbortController();
  #since: Cursor;
  #isFirst = true;
  #isAnew = false;
  #limit = TIMELINE_MAX;
  #inDoubt = false;
  /** Events handed over that are not stored yet, and when the last of them are. */
  #waiting = 0;
  #stored: Promise<void> = Promise.resolve();

  constructor(options: SyncOptions) {
    this.#options = options;
    this.#since = options.since;
  }

  /** Nothing is handed over any more. */
  stop(): void {
    this.#stop.abort();
  }

  /** Runs until it is stopped (null) or the connection fails. Never rejects. */
  async run(): Promise<Ended | null> {
    try {
      return await this.#rounds();
    } catch (error) {
      this.#options.host.log.warn({ error: String(error) }, "an answer to /sync could not be read: this is a bug");
      return { cause: "lost", why: { code: "bug", message: "an answer from the homeserver cannot be read" } };
    }
  }

  async #rounds(): Promise<Ended | null> {
    const { host } = this.#options;
    while (!this.#stop.signal.aborted) {
      const failure = await this.#round();
      if (isAborted(this.#stop.signal)) return null;
      if (failure === null) continue;
      if (this.#isFirst && failure.status === 400 && (await this.#startAnew(failure))) continue;
      if (failure.why.code === "too_large" && failure.status === 0 && this.#limit > 1) {
        this.#limit = Math.floor(this.#limit / 10);
        continue;
      }
      if (failure.retryInMs === null) return this.#options.judge(failure);
      host.degraded(failure.why);
      this.#inDoubt = true;
      await this.#pause(failure.retryInMs);
    }
    return null;
  }

  async #round(): Promise<MatrixFailure | null> {
    const { read, host } = this.#options;
    const askedMs = host.clock.monoMs();
    const answer = await this.#ask();
    if (!answer.ok) return answer.failure;
    if (this.#inDoubt) host.degraded(null);
    this.#inDoubt = false;
    const next = textIn(answer.value, "next_batch");
    if (next === null) return NO_POSITION;
    const found = await read(answer.value, this.#since, this.#stop.signal);
    if (!found.ok) return found.failure;
    if (this.#stop.signal.aborted) return null;
    // Nothing is missing after a start from the position before.
    if (!isOnlyTyping(answer.value)) await this.#hand(found.value, cursorAt(next));
    const isIdle = !this.#isFirst && next === this.#since && host.clock.monoMs() - askedMs < SOON_MS;
    this.#since = cursorAt(next);
    this.#isFirst = false;
    if (isIdle) await this.#pause(SOON_MS);
    return null;
  }

  /** The server no longer knows our position, as after it was set up again. */
  async #startAnew({ why }: MatrixFailure): Promise<boolean> {
    const { client, host } = this.#options;
    if (this.#isAnew) return false;
    this.#isAnew = true;
    const position = await positionNow(client, host, this.#stop.signal);
    if (!position.ok || position.value === this.#since) return false;
    host.log.warn({ why: why.message }, "the homeserver no longer knows Rialto's position: missed messages are lost");
    this.#since = position.value;
    return true;
  }

  async #ask(): Promise<Result<Json>> {
    const { client, host } = this.#options;
    const timeoutMs = this.#isFirst ? 0 : POLL_MS;
    const patienceMs = this.#isFirst ? FIRST_PATIENCE_MS : PATIENCE_MS;
    const doubt = host.clock.after(timeoutMs + DOUBT_MS, () => {
      this.#inDoubt = true;
      host.degraded({ code: "timeout", message: "the homeserver has not answered for a while" });
    });
    const answer = await client.sync({
      since: this.#since,
      filter: filterOf(this.#limit),
      timeoutMs,
      patienceMs,
      signal: this.#stop.signal,
    });
    doubt();
    return answer;
  }

  /** The position counts once all before it is stored. Resolves when there is room for more. */
  async #hand(events: readonly Event[], cursor: Cursor): Promise<void> {
    for (let at = 0; !this.#stop.signal.aborted; at += HANDED_MAX) {
      const isLast = at + HANDED_MAX >= events.length;
      this.#give(events.slice(at, at + HANDED_MAX), isLast ? cursor : null);
      while (this.#waiting > WAITING_MAX) await this.#stored;
      if (isLast) return;
    }
  }

  #give(events: readonly Event[], cursor: Cursor | null): void {
    const count = Math.max(events.length, 1);
    this.#waiting += count;
    this.#stored = this.#options.host.accept({ events, cursor }).then(() => void (this.#waiting -= count));
  }

  async #pause(ms: number): Promise<void> {
    const { clock } = this.#options.host;
    const forever = new Promise<never>(() => undefined);
    await inTime(forever, { clock, ms, signal: this.#stop.signal }, () => undefined);
  }
}
