import type { ChannelRef, OpId, Progress } from "../../contract/ids.ts";
import { isObject, type Json, listIn, NOTHING, textIn } from "../kit/json.ts";
import { channelRef, opIdAgain, progressAt } from "./ids.ts";
import { isLaterTs, isTs } from "./model.ts";

/** An op, a part of which may have been done without our hearing of it. */
export interface SlackDoubt {
  readonly channel: ChannelRef;
  /** Where in the history it would be: behind this, and not behind that. */
  readonly floor: string;
  readonly until: string;
  /** What it would say of itself, as made by `markOf`. */
  readonly mark: Progress;
  /** The ids of its files: some messages are nothing else. */
  readonly files: readonly string[];
}

/** Each lane has one at most. More are of ops that nobody tries any more. */
const KEPT_MAX = 200;

/**
 * What is in doubt, and where in the history of its channel that would be. A part of the cursor: what happens moves the
 * cursor on, however long nobody can look into the history.
 */
export class KeptDoubts {
  /** The newest ones last. */
  readonly #open = new Map<OpId, SlackDoubt>();
  /** Done, as far as we know: the core may not have that on disk yet. */
  readonly #ended = new Set<OpId>();
  #moved = false;

  /** `cursor`: the whole of it. */
  constructor(cursor: Json = NOTHING) {
    for (const raw of listIn(cursor, "doubts")) {
      const [op, doubt] = doubtIn(raw) ?? [];
      if (op !== undefined && doubt !== undefined) this.#open.set(op, doubt);
    }
  }

  get moved(): boolean {
    return this.#moved;
  }

  get all(): ReadonlyMap<OpId, SlackDoubt> {
    return this.#open;
  }

  /** Of an op that is tried more than once: wherever any of these may have left something. */
  add(op: OpId, doubt: SlackDoubt): SlackDoubt {
    const before = this.#open.get(op);
    const isFirst = before === undefined || isLaterTs(before.floor, doubt.floor);
    const whole = { ...doubt, floor: isFirst ? doubt.floor : before.floor };
    this.#open.delete(op);
    this.#open.set(op, whole);
    const [oldest] = this.#open.keys();
    if (this.#open.size > KEPT_MAX && oldest !== undefined) this.#open.delete(oldest);
    this.#moved = true;
    return whole;
  }

  /** It is done, or given up. It is kept until the next one of the channel has ended. */
  end(op: OpId, channel: ChannelRef): void {
    for (const other of this.#ended) {
      if (other === op || this.#open.get(other)?.channel !== channel) continue;
      this.#ended.delete(other);
      this.#open.delete(other);
      this.#moved = true;
    }
    if (this.#open.has(op)) this.#ended.add(op);
  }

  /** Their part of a cursor, which is up to date then. */
  write(): Json {
    this.#moved = false;
    const doubts = Array.from(this.#open, ([op, doubt]) => ({ op, ...doubt }));
    return doubts.length === 0 ? {} : { doubts };
  }
}

function doubtIn(raw: unknown): readonly [OpId, SlackDoubt] | null {
  if (!isObject(raw)) return null;
  const [op, channel, mark] = [textIn(raw, "op"), textIn(raw, "channel"), textIn(raw, "mark")];
  const [floor, until] = [textIn(raw, "floor") ?? "", textIn(raw, "until") ?? ""];
  if (op === null || channel === null || mark === null || !isTs(floor) || !isTs(until)) return null;
  const files = listIn(raw, "files").filter((one) => typeof one === "string");
  return [opIdAgain(op), { channel: channelRef(channel), floor, until, mark: progressAt(mark), files }];
}
