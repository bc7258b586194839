import { END } from "../../contract/ids.ts";
import type { Reason } from "../../contract/outcome.ts";
import type { Again } from "../../gateway/codec.ts";
import type { Receipt, Seq, Subject } from "../../log/log.ts";
import { type Checkpoint, type Intent, nextOf, type PartlySent } from "./checkpoint.ts";
import { receiptOf } from "./settle.ts";

/**
 * What a lane makes of its marks after a restart. The intent says up to where something may have been sent, the
 * checkpoint up to where that is known. What lies between was under way when the program ended, and is not sent again:
 * *unconfirmed*, but for those messages of which the checkpoint says better: they had ended before one that came first,
 * or waited to be tried again.
 */
export interface Recovered {
  readonly checkpoint: Checkpoint;
  /** Unconfirmed messages, oldest first. */
  readonly receipts: readonly Receipt[];
}

interface RecoveredLane {
  readonly lane: string;
  readonly place: Subject;
  readonly agains?: ReadonlyMap<Seq, Again>;
}

const NONE: ReadonlyMap<Seq, Again> = new Map();
const NOTHING = { messages: [], unconfirmed: null, progress: null } as const;

export const RESTARTED: Reason = {
  code: "stopping",
  message: "Rialto ended while it was sending this, so it may or may not have arrived; it is not sent again.",
};

/**
 * Pure. `between`: the messages of the lane with `checkpoint.after` < seq <= `intent.seq`, oldest first; `place`: its
 * destination; `agains`: those of them that send another one again.
 */
export function recover(
  { lane, place, agains = NONE }: RecoveredLane,
  checkpoint: Checkpoint,
  intent: Intent | null,
  between: readonly Seq[],
): Recovered {
  const { next, later: others = [] } = checkpoint;
  if (intent === null || intent.seq <= checkpoint.after) return { checkpoint, receipts: [] };
  // The checkpoint has one of those that were begun; of what is sent again, the entry says what was there before.
  const partOf = (of: Seq): PartlySent | null => (next?.seq === of ? next : fromBefore(of, agains.get(of)));
  const known = partOf(intent.seq);
  const last = known?.progress === intent.progress ? known : null;
  const { done: ended = [], unsent: waiting = [] } = checkpoint;
  const isAlone = intent.alone === true;
  const unsent = between.filter(
    (seq) => waiting.includes(seq) || (isAlone && seq !== intent.seq && !ended.includes(seq)),
  );
  const settled = new Set([...ended, ...unsent]);
  const receipts = between.flatMap((seq) => {
    if (settled.has(seq)) return [];
    const partly = partOf(seq);
    const again = agains.get(seq) ?? null;
    const isSent = partly?.progress === END;
    // Of one that is sent again, the receipt from before has to go.
    if (isSent ? again === null : seq === intent.seq && last !== null) return [];
    const of = again?.of ?? seq;
    const { messages, unconfirmed, progress: from } = partly ?? NOTHING;
    const copies = messages.length > 0 ? { of, place, refs: messages } : null;
    const known = { messages, losses: [], copies, replaces: again !== null };
    if (isSent && unconfirmed === null) return receiptOf(lane, of, { ...known, state: "sent", why: null }) ?? [];
    const reach = { from: isSent ? null : from, gap: unconfirmed !== null };
    return (
      receiptOf(lane, of, { ...known, ...reach, state: "unconfirmed", why: isSent ? unconfirmed : RESTARTED }) ?? []
    );
  });
  const { seq, progress } = intent;
  const resumed = last ?? { seq, progress, messages: known?.messages ?? [], unconfirmed: RESTARTED };
  // What an earlier run has left after the intent of this one stays as it is.
  const left = [...(next === null ? [] : [next]), ...others].filter((each) => each.seq > seq);
  const begun = progress === END ? left : [resumed, ...left];
  const rest = progress === END ? seq + 1 : seq;
  const after = Math.min(unsent[0] ?? rest, rest) - 1;
  const done = [
    ...between.filter((other) => other > after && other < rest && !unsent.includes(other)),
    ...ended.filter((other) => other > seq),
  ];
  return { checkpoint: { after, ...nextOf(begun), ...(done.length > 0 && { done }) }, receipts };
}

/** What was there of one before it was sent again. */
function fromBefore(seq: Seq, again: Again | undefined): PartlySent | null {
  if (again === undefined || again.from === null) return null;
  return { seq, progress: again.from, messages: again.messages, unconfirmed: null };
}
