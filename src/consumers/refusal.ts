import type { Seq } from "../log/log.ts";
import type { AckRequest } from "./consumers.ts";
import type { AckRefusal, Pending } from "./saved.ts";

/** Positions above the cursor that may be settled on their own. */
const APART_MAX = 2000;
/** Positions that a refusal names in its sentence; its list has all of them. */
const NAMED_MAX = 10;

/** What a consumer's state tells about itself, to decide whether it takes an ack. */
export interface AckView {
  readonly cursor: Seq;
  /** The highest position that was handed out since the start. */
  readonly top: Seq;
  /** The highest position that can have been handed out, including before a restart. */
  readonly bound: Seq;
  readonly ackAll: boolean;
  readonly pending: ReadonlyMap<Seq, Pending>;
  /** Ranges that are settled above the cursor. */
  readonly apart: number;
}

/**
 * Up to which position a request acknowledges everything; 0: it acknowledges single events only. With `ack: "all"`, an
 * event from before a restart counts only for itself until the events before it have been handed out again.
 */
export function throughOf({ upto = 0, ack = [] }: AckRequest, { ackAll, top }: Pick<AckView, "ackAll" | "top">): Seq {
  return ackAll ? ack.reduce((most, seq) => (seq <= top ? Math.max(most, seq) : most), upto) : upto;
}

/** Why the whole request is refused; null: it is not. */
export function refusalOf(request: AckRequest, view: AckView): AckRefusal | null {
  const { upto = 0, ack = [], nack = [], release = [], extend = [], drop = [] } = request;
  const { cursor, top, bound, apart } = view;
  const named = [upto, ...ack, ...nack.map(({ seq }) => seq), ...release, ...extend, ...drop];
  const tooHigh = named.find((seq) => seq > bound);
  if (tooHigh !== undefined) {
    return { code: "unprocessable", why: `${tooHigh} was not delivered: the highest that can have been is ${bound}` };
  }
  if (upto > top) {
    const why = `${upto} was not delivered since the service started: pull again, or acknowledge single events (ack)`;
    return { code: "unprocessable", why };
  }
  const held = heldByOthers(request, view);
  if (held.length > 0) return { code: "events_held", why: heldWords(held), held };
  const added = [...ack, ...drop].filter((seq) => seq > cursor).length;
  if (added > 0 && apart + added > APART_MAX) {
    const why = "too many are acknowledged out of turn: pull those that were delivered before the restart first";
    return { code: "unprocessable", why };
  }
  return null;
}

/**
 * What the request would acknowledge although the holder of its last event may never have received it. A number does
 * not say who sends it, so each holder of the last event must have received all others, and not have refused them.
 */
function heldByOthers(request: AckRequest, view: AckView): readonly Seq[] {
  const { pending } = view;
  const through = throughOf(request, view);
  const named = new Set([...(request.ack ?? []), ...(request.drop ?? [])]);
  const holders = pending.get(through)?.holders ?? [];
  const held: Seq[] = [];
  for (const [seq, other] of pending) {
    if (seq > through) break;
    const isShared = holders.length > 0 && holders.every((holder) => other.takers.includes(holder));
    if (!isShared && !named.has(seq)) held.push(seq);
  }
  return held;
}

function heldWords(held: readonly Seq[]): string {
  const more = held.length - NAMED_MAX;
  const list = held.slice(0, NAMED_MAX).join(", ") + (more > 0 ? ` and ${more} more` : "");
  return `not all of this was handed out by one pull or one connection: another one holds ${list}`;
}
