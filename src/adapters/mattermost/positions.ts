import type { Cursor } from "../../contract/ids.ts";
import { ChannelPositions, type PositionScale } from "../kit/channel-positions.ts";
import { isObject, NOTHING, numberIn, parsed, textIn } from "../kit/json.ts";
import { cursorOf } from "./ids.ts";

/** Where a stream of events can be taken up again. */
export interface StreamPosition {
  readonly connection: string;
  /** The number of the event that comes next. */
  readonly next: number;
}

/** The stream alone is worth a new cursor when it has gone on by so many events. */
const STREAM_STEP = 50;

/** Milliseconds of the server's clock. */
const SERVER_TIMES: PositionScale<number> = {
  none: 0,
  read: (raw) => (typeof raw === "number" && Number.isFinite(raw) ? raw : null),
  isLater: (one, than) => one > than,
  msOf: (atMs) => atMs,
};

/**
 * What the cursor holds: up to which moment of the server everything was told, the channels that are not as far, and
 * where the stream of events can be taken up.
 */
export class MattermostPositions {
  /** By the server's time. */
  readonly channels: ChannelPositions<number>;
  #stream: StreamPosition | null;
  readonly #by: string | null;
  #takenAt = 0;
  #moved = false;

  /**
   * `by`: names the login without telling it, because the stream of one that was ended or revoked keeps nothing: taken
   * up by another login, it would hide a gap. Null: of this login no stream can be taken up, ever.
   */
  constructor(since: Cursor | null, by: string | null) {
    const read = parsed(since ?? "");
    const json = isObject(read) ? read : NOTHING;
    this.channels = new ChannelPositions(json, SERVER_TIMES);
    const [connection, next] = [textIn(json, "connection"), numberIn(json, "next")];
    this.#by = by;
    const isOurs = by !== null && textIn(json, "by") === by;
    this.#stream = !isOurs || connection === null || next === null ? null : { connection, next };
  }

  /** Null: it cannot be taken up. */
  get stream(): StreamPosition | null {
    return this.#stream;
  }

  /** Everything of the stream before this event was handed over. */
  followed(stream: StreamPosition | null): void {
    if (this.#by === null) return;
    if (stream?.connection !== this.#stream?.connection) this.#moved = true;
    this.#stream = stream;
  }

  get moved(): boolean {
    const hasGoneOn = this.#stream !== null && this.#stream.next - this.#takenAt >= STREAM_STEP;
    return this.#moved || this.channels.moved || hasGoneOn;
  }

  take(): Cursor | null {
    if (!this.moved) return null;
    this.#moved = false;
    this.#takenAt = this.#stream?.next ?? 0;
    return cursorOf({
      ...this.channels.write(),
      ...(this.#stream !== null && { ...this.#stream, by: this.#by }),
    });
  }
}
