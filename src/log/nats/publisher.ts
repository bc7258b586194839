import { headersOf } from "./headers.ts";
import { LogError } from "../errors.ts";
import { idText, type MessageId } from "./codec.ts";
import type { CommitStream } from "./stream.ts";

/** So long may a commit wait to be published; then it is refused, and is never stored. In ms. */
const PATIENCE_MS = 15_000;
/** So long may it be unknown whether the servers have it, until those who wait are told so, in ms. */
const DOUBT_MS = 60_000;
/** The same when the log is closing. */
const LAST_MS = 3000;
/** Pauses between attempts, in ms. */
const PAUSE_MS = 100;
const PAUSE_MAX_MS = 400;
/** Room for the headers in a message, in bytes. */
const HEADER_BYTES = 4096;
/** What the servers answer to a message that they have not stored, for want of room. */
const NOT_STORED = new Set([10023, 10047, 10077]);

export interface Publishing {
  /** False once it has come back by the stream. */
  readonly isWanted: () => boolean;
  /** Nobody knows whether it is stored; it is published again all the same. */
  readonly doubt: (error: LogError) => void;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Publishes until the servers have it; the same id makes a repeat of what they have no second one. */
export class Publisher {
  readonly #stream: CommitStream;
  readonly #doubtMs: number;
  #isUp = true;
  /** Ends the attempt that waits for an answer: none comes over a connection that is lost. */
  #lose: (() => void) | null = null;
  /** When the log began to close. */
  #endsMs: number | null = null;
  #reason = "they do not answer";
  /** Nothing that was not published yet may wait any longer. */
  isCutOff: () => boolean = () => false;
  /** The last that the servers have acknowledged, and since when. */
  stored: { readonly seq: number; readonly sinceMs: number } | null = null;

  constructor(stream: CommitStream, doubtMs: number = DOUBT_MS) {
    this.#stream = stream;
    this.#doubtMs = doubtMs;
    void this.#follow();
  }

  get patienceMs(): number {
    if (this.#endsMs !== null) return LAST_MS;
    return this.isCutOff() ? 0 : PATIENCE_MS;
  }

  end(): void {
    this.#endsMs = performance.now();
  }

  /** The log is closing, and what is under way has had its time. */
  get isOver(): boolean {
    return this.#endsMs !== null && performance.now() - this.#endsMs > LAST_MS;
  }

  unreachable(): LogError {
    return new LogError(
      "unreachable",
      `The servers that carry the log cannot be reached, or are too few: ${this.#reason}. Nothing was stored; try again in a moment.`,
    );
  }

  /**
   * The place of its last part when the servers have all of it; null when it is no longer wanted; else why it was never
   * published.
   */
  async publish(
    id: Omit<MessageId, "part" | "parts">,
    body: Buffer,
    how: Publishing,
  ): Promise<LogError | number | null> {
    const size = (this.#stream.nc.info?.max_payload ?? 1024 * 1024) - HEADER_BYTES;
    const parts = Math.max(1, Math.ceil(body.length / size));
    const state = { sinceMs: performance.now(), isDoubtful: false, isTold: false };
    // Nothing is in doubt that was never tried.
    if (this.isCutOff()) return this.unreachable();
    let place: number | null = null;
    for (let part = 1; part <= parts; part += 1) {
      const text = idText({ ...id, part, parts });
      const slice = body.subarray((part - 1) * size, part * size);
      for (let pause = PAUSE_MS; how.isWanted(); pause = Math.min(2 * pause, PAUSE_MAX_MS)) {
        const outcome = await this.#attempt(text, slice, how.headers);
        if (typeof outcome === "number") {
          place = outcome;
          break;
        }
        if (outcome === "unsure") state.isDoubtful = true;
        const error = this.#giveUp(state, how, part > 1);
        if (error !== null) return error;
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
      // A part that is stored must be followed by the others.
      state.isDoubtful ||= parts > 1;
    }
    return how.isWanted() ? place : null;
  }

  /** Null: another attempt is due. */
  #giveUp(
    state: { readonly sinceMs: number; readonly isDoubtful: boolean; isTold: boolean },
    { doubt }: Publishing,
    isBegun: boolean,
  ): LogError | null {
    const isLast = this.isOver;
    const age = performance.now() - state.sinceMs;
    if (!state.isDoubtful && !isBegun) {
      return isLast || this.isCutOff() || age > PATIENCE_MS ? this.unreachable() : null;
    }
    if (!isLast && age <= this.#doubtMs) return null;
    const error = new LogError(
      "unknown",
      "The servers that carry the log have not said whether they have stored what they were given: it is not known whether it is stored.",
    );
    if (!state.isTold) doubt(error);
    state.isTold = true;
    return isLast ? error : null;
  }

  /** Its place when the servers have it. */
  async #attempt(msgID: string, body: Buffer, fields: Publishing["headers"]): Promise<number | "absent" | "unsure"> {
    const { js, subject, name } = this.#stream;
    if (!this.#isUp) return "absent";
    try {
      const lost = new Promise<null>((resolve) => (this.#lose = () => resolve(null)));
      const headers = fields && (await headersOf(fields));
      const options = { msgID, timeout: 2000, expect: { streamName: name }, ...(headers && { headers }) };
      const publishing = js.publish(subject, body, options);
      const answer = await Promise.race([publishing, lost]);
      if (answer === null) {
        publishing.catch(() => undefined);
        return "unsure";
      }
      this.stored = { seq: answer.seq, sinceMs: performance.now() };
      return answer.seq;
    } catch (error) {
      if (!(error instanceof Error)) return "unsure";
      this.#reason = error.message;
      if (error.name === "JetStreamNotEnabled") return "absent";
      return "code" in error && typeof error.code === "number" && NOT_STORED.has(error.code) ? "absent" : "unsure";
    }
  }

  async #follow(): Promise<void> {
    for await (const { type } of this.#stream.nc.status()) {
      if (type === "disconnect") {
        this.#isUp = false;
        this.#reason = "the connection is lost";
        this.#lose?.();
      } else if (type === "reconnect") this.#isUp = true;
    }
  }
}
