import type { Event } from "../contract/events.ts";
import type { Accepted, Host } from "../contract/host.ts";
import type { Cursor } from "../contract/ids.ts";
import type { NameOf } from "./names.ts";

/** What one call of `Host.accept` hands over. */
export type EventBatch = Parameters<Host["accept"]>[0];

/** A call of `Host.accept`, until all its events are answered. */
export class AcceptCall {
  readonly batch: EventBatch;
  readonly nameOf: NameOf;
  /** When it came, by `Clock.monoMs`. */
  readonly atMs: number;
  /** Of its events, by index. */
  readonly answers: Accepted[] = [];
  /** Indexes of the events that are not answered, in order. */
  left: number[];
  /** What is durable with the rest of it: its own cursor, or that of a later call that is stored already. */
  cursor: Cursor | null;
  readonly #answer: (accepted: readonly Accepted[]) => void;

  constructor(batch: EventBatch, nameOf: NameOf, atMs: number, answer: (accepted: readonly Accepted[]) => void) {
    this.batch = batch;
    this.nameOf = nameOf;
    this.atMs = atMs;
    this.left = batch.events.map((_, index) => index);
    this.cursor = batch.cursor;
    this.#answer = answer;
  }

  /** Whether nothing is left of it but events of these channels. */
  waitsWhole(channels: ReadonlySet<string>): boolean {
    return channels.size > 0 && this.left.length > 0 && this.left.every((index) => this.#isIn(index, channels));
  }

  /** Whether it has events of these channels. */
  waitsPartly(channels: ReadonlySet<string>): boolean {
    return channels.size > 0 && this.left.some((index) => this.#isIn(index, channels));
  }

  finish(): void {
    this.#answer(this.answers);
  }

  /** What is not answered is ignored. */
  giveUp(): void {
    this.#answer(ignored(this.batch).map((none, index) => this.answers[index] ?? none));
  }

  #isIn(index: number, channels: ReadonlySet<string>): boolean {
    const event = this.batch.events[index];
    const channel = event === undefined ? null : channelOf(event, this.nameOf);
    return channel !== null && channels.has(channel);
  }
}

/** The name of its channel; null: none that is known. */
export function channelOf({ channel }: Event, nameOf: NameOf): string | null {
  const name = nameOf(channel);
  return typeof name === "string" ? name : null;
}

export const ignored = ({ events }: EventBatch): readonly Accepted[] => events.map(() => "ignored");
