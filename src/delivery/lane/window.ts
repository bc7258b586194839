import { END, type MessageRef, type Progress } from "../../contract/ids.ts";
import { EventLabel } from "../../contract/message.ts";
import type { Reason } from "../../contract/outcome.ts";
import type { Again, Stored } from "../../gateway/codec.ts";
import type { Here, OpDraft } from "../../gateway/planned.ts";
import type { Seq, StoredEntry } from "../../log/log.ts";
import { type Checkpoint, type Doubt, type Intent, nextOf, type PartlySent } from "./checkpoint.ts";

/**
 * The messages a lane holds in memory: what it has read after its cursor, in order. Each is
 *
 *   ready ──start──▶ running ──finish──▶ done
 *     ◀──────────────retry───┘
 *
 * Done ones at the front move the cursor over themselves and are let go of; done ones after a gap are remembered until
 * it closes. A ready one starts only when nothing after it is running, so after a retry all begins again in order.
 */
export class WindowItem {
  readonly seq: Seq;
  /** When it was accepted, Unix ms. */
  readonly at: number;
  readonly label: string;
  readonly payload: string;
  /** The payload, read; null: it cannot be; undefined: nobody has tried. */
  stored: Stored | null | undefined;
  /** What was looked up for it; null: nothing yet. */
  here: Here | null = null;
  /** What was last asked of the network for it. */
  op: OpDraft | null = null;
  /** Later changes of it whose content goes out with it, and later reactions that are said with it; oldest first. */
  coalesced: readonly WindowItem[] = [];
  state: "ready" | "running" | "done" = "ready";
  /** Not for this lane. */
  passed = false;
  attempts = 0;
  /** Attempts in a row that threw. */
  throws = 0;
  /** Up to here it certainly was sent, or is given up: the next attempt begins after it. */
  confirmed: Progress | null = null;
  /** Up to here it may have been sent. */
  announced: Progress | null = null;
  /** What the intent on disk has to cover: `announced`, and what is about to be. */
  intended: Progress | null = null;
  /** Its attempt was told not to send on: the rest comes in another one. */
  held = false;
  /** Those that its tries have made. */
  messages: readonly MessageRef[] = [];
  /** Why a part of it is not confirmed. */
  unconfirmed: Reason | null = null;
  /** An attempt may have sent it, also one of an earlier run; only where trying again is safe. */
  doubt: TimedDoubt | null = null;
  /** The network did not let it be done: it is said in words. */
  inWords = false;
  /** How many messages of the lane it has read up to here, this one included. */
  nth = 0;

  /** The message that it is: another one where it sends that again. */
  get messageSeq(): Seq {
    return this.stored?.again?.of ?? this.seq;
  }

  constructor({ seq, at, label, payload }: Pick<StoredEntry, "seq" | "at" | "label" | "payload">) {
    this.seq = seq;
    this.at = at;
    this.label = label;
    this.payload = payload;
  }

  /** Nothing of it was sent, and no attempt left that in doubt. */
  get untouched(): boolean {
    return this.doubt === null && !this.isKnownInPart;
  }

  /** It is known what of it is there. */
  get isKnownInPart(): boolean {
    return this.confirmed !== null || this.messages.length > 0;
  }

  /** It is not done, and the network may show something of it by now. */
  get isUnderWay(): boolean {
    return this.state === "running" || (this.state === "ready" && !this.untouched);
  }

  /** Nothing before or in the next attempt is in doubt but what `unconfirmed` says. */
  resumeAt(progress: Progress | null): void {
    this.confirmed = progress;
    this.announced = progress;
    this.intended = progress;
  }

  /** Parts of it are there from before it is sent again. */
  goOnFrom({ from, messages }: Again): void {
    this.resumeAt(from);
    this.addMessages(messages);
  }

  /** Another attempt of it begins. */
  begin(op: OpDraft): void {
    this.attempts += 1;
    this.op = op;
    this.held = false;
    this.resumeAt(this.confirmed);
  }

  addMessages(messages: readonly MessageRef[]): void {
    this.messages = [...new Set([...this.messages, ...messages])];
  }
}

/** `monoMs`: the same moment as `sinceMs`, by `Clock.monoMs`. */
export interface TimedDoubt extends Doubt {
  readonly monoMs: number;
}

/** Labels of what acts on another message. */
export const CHANGES: ReadonlySet<string> = new Set([
  EventLabel.edit,
  EventLabel.delete,
  EventLabel.reaction,
  EventLabel.outageOver,
]);

/** And of what else may make up for a message that waits. */
const FOLDING: ReadonlySet<string> = new Set([...CHANGES, EventLabel.topic]);

export class LaneWindow {
  #items: WindowItem[] = [];
  #cursor: Seq;
  #readTo: Seq;
  /** Messages that are not read yet, and were sent in part. */
  #begun: readonly PartlySent[];
  /** Of those that are not read yet, these are done. */
  #done: readonly Seq[];
  /** Of those that are not read yet. */
  #doubts: readonly TimedDoubt[];
  /** Messages that were read, and those of them up to the cursor. */
  #taken = 0;
  #settled = 0;
  /** How many of the items are edits, deletions, reactions and topics. */
  #changes = 0;
  #running = 0;
  #waiting = 0;
  #waitingChars = 0;

  /** `doubts`: those that the checkpoint leaves. */
  constructor({ after, next, later = [], done = [] }: Checkpoint, doubts: readonly TimedDoubt[] = []) {
    this.#cursor = after;
    this.#readTo = after;
    this.#begun = next === null ? later : [next, ...later];
    this.#done = done;
    this.#doubts = doubts;
  }

  /** Everything up to here is settled. */
  get cursor(): Seq {
    return this.#cursor;
  }

  /** Everything up to here has been taken in. */
  get readTo(): Seq {
    return this.#readTo;
  }

  /** How many messages up to the cursor it has read. */
  get settled(): number {
    return this.#settled;
  }

  /** Messages that no attempt is under way for. */
  get waiting(): number {
    return this.#waiting;
  }

  /** All that is held, also what is done after one that is not. */
  get size(): number {
    return this.#items.length;
  }

  /** Characters of their payloads. */
  get waitingChars(): number {
    return this.#waitingChars;
  }

  /** Edits, deletions, reactions and topics that wait behind an item, in order. */
  changesBehind({ seq }: WindowItem): readonly WindowItem[] {
    if (this.#changes === 0) return [];
    return this.#items.filter((item) => item.seq > seq && item.state === "ready" && FOLDING.has(item.label));
  }

  /** Messages that wait behind an item, in order. */
  readyBehind({ seq }: WindowItem): readonly WindowItem[] {
    return this.#items.filter((item) => item.seq > seq && item.state === "ready");
  }

  /** The first message that is not done. */
  get oldest(): WindowItem | null {
    return this.#items[0] ?? null;
  }

  /** Of which the network may show something by now. */
  get underWay(): readonly WindowItem[] {
    return this.#items.filter(({ isUnderWay }) => isUnderWay);
  }

  /** Takes in what follows; what is not admitted is done. */
  take(entries: readonly StoredEntry[], admits: (entry: StoredEntry) => boolean): void {
    for (const entry of entries) {
      const admitted = admits(entry);
      const item = new WindowItem(admitted ? entry : { ...entry, payload: "" });
      item.passed = !admitted;
      if (admitted) this.#taken += 1;
      item.nth = this.#taken;
      item.doubt = this.#doubts.find(({ seq }) => seq === entry.seq) ?? null;
      const begun = this.#begun.find(({ seq }) => seq === entry.seq);
      if (!admitted || this.#done.includes(entry.seq)) item.state = "done";
      else if (begun !== undefined) {
        item.resumeAt(begun.progress);
        item.addMessages(begun.messages);
        item.unconfirmed = begun.unconfirmed;
      }
      this.#readTo = entry.seq;
      this.#items.push(item);
      this.#count(item, 1);
      if (FOLDING.has(item.label)) this.#changes += 1;
    }
    this.#done = this.#done.filter((seq) => seq > this.#readTo);
    this.#doubts = this.#doubts.filter(({ seq }) => seq > this.#readTo);
    this.#begun = this.#begun.filter(({ seq }) => seq > this.#readTo);
    this.#advance();
  }

  /** The next message to start; null when there is none, or when one after it is still running. */
  ready(): WindowItem | null {
    if (this.#waiting === 0) return null;
    let running = 0;
    for (const item of this.#items) {
      if (item.state === "ready") return running === this.#running ? item : null;
      if (item.state === "running") running += 1;
    }
    return null;
  }

  /**
   * Whether everything before it is on its way or done: otherwise, sending it would bring it before an older one, or
   * the rest of one.
   */
  isInTurn(item: WindowItem): boolean {
    for (const other of this.#items) {
      if (other.seq >= item.seq) return true;
      if (other.state === "ready" || (other.state === "running" && other.held)) return false;
    }
    return true;
  }

  /** Of an item that it holds. */
  move(item: WindowItem, state: WindowItem["state"]): void {
    this.#count(item, -1);
    item.state = state;
    this.#count(item, 1);
  }

  #count({ state, payload }: WindowItem, by: 1 | -1): void {
    if (state === "running") this.#running += by;
    if (state !== "ready") return;
    this.#waiting += by;
    this.#waitingChars += by * payload.length;
  }

  finish(item: WindowItem): void {
    this.move(item, "done");
    if (item.intended !== null) item.intended = END;
    this.#advance();
  }

  /** What the mark of the checkpoint has to say. */
  checkpoint(): Checkpoint {
    const intended = this.intent()?.seq ?? 0;
    const done: Seq[] = [];
    const unsent: Seq[] = [];
    for (const { seq, state, passed, intended: own } of this.#items) {
      if (state === "done" && !passed) done.push(seq);
      else if (state !== "done" && own === null && seq < intended) unsent.push(seq);
    }
    done.push(...this.#done);
    return {
      after: this.#cursor,
      ...nextOf(this.#partlySent()),
      ...(done.length > 0 && { done }),
      ...(unsent.length > 0 && { unsent }),
    };
  }

  /** Messages that are not done, and may have been sent. */
  doubts(): readonly Doubt[] {
    const open = this.#items.flatMap(({ state, doubt }) => (state === "done" || doubt === null ? [] : [doubt]));
    return [...open, ...this.#doubts].map(({ seq, sinceMs, why }) => ({ seq, sinceMs, why }));
  }

  /**
   * What the mark of the intent has to say: of the newest message that may have been sent, also when it is done after a
   * gap.
   */
  intent(): Intent | null {
    let newest: Intent | null = null;
    for (const { seq, intended: progress } of this.#items) {
      if (progress !== null) newest = newest === null ? { seq, progress, alone: true } : { seq, progress };
    }
    return newest;
  }

  /** Of those that are read, the first: the intent says enough of the others. */
  #partlySent(): readonly PartlySent[] {
    for (const { seq, state, confirmed: progress, messages, unconfirmed } of this.#items) {
      if (state !== "done" && progress !== null) return [{ seq, progress, messages, unconfirmed }, ...this.#begun];
    }
    return this.#begun;
  }

  #advance(): void {
    const live = this.#items.findIndex(({ state }) => state !== "done");
    if (live === 0) return;
    const gone = this.#items.splice(0, live === -1 ? this.#items.length : live);
    for (const { label } of gone) if (FOLDING.has(label)) this.#changes -= 1;
    const last = gone.at(-1);
    if (last === undefined) return;
    this.#cursor = last.seq;
    this.#settled = last.nth;
  }
}
