import type { JSX } from "preact";
import { type Beat, worstOf } from "./beats.ts";
import { duration, moment } from "../lib/format.ts";
import { partTexts } from "./texts.ts";

interface BarProps {
  /** Of what; stands before the words that are read aloud. */
  readonly of: string;
  /** Oldest first; the last one is now. */
  readonly beats: readonly Beat[];
  readonly stepMs: number;
  readonly nowMs: number;
  /** How much of the time it was up, for people; null: nobody knows. */
  readonly share: string | null;
  /** Marks, at most: several beats become one, and the worst counts. */
  readonly marks?: number;
}

interface Mark {
  readonly state: Beat;
  readonly fromMs: number;
}

/** A heartbeat bar: one mark for each stretch, with its words as title, and one sentence for all. */
export function Bar({ of, beats, stepMs, nowMs, share, marks = 48 }: BarProps): JSX.Element {
  const each = Math.max(1, Math.ceil(beats.length / marks));
  const shown: Mark[] = [];
  for (let at = 0; at < beats.length; at += each) {
    shown.push({ state: worstOf(beats.slice(at, at + each)), fromMs: nowMs - (beats.length - at) * stepMs });
  }
  const words = wordsOf(beats, stepMs, nowMs, share);
  return (
    <svg
      class="bar"
      role="img"
      aria-label={`${of}: ${words}`}
      viewBox={`0 0 ${shown.length * 5} 16`}
      preserveAspectRatio="none"
    >
      {shown.map(({ state, fromMs }, index) => (
        // A mark is not only of another colour but also of another height.
        <rect key={index} class={state} x={index * 5} width={4} {...HEIGHTS[state]}>
          <title>{partTexts.worst(partTexts[state], moment(fromMs, nowMs))}</title>
        </rect>
      ))}
    </svg>
  );
}

const HEIGHTS: Readonly<Record<Beat, { readonly y: number; readonly height: number }>> = {
  ok: { y: 3, height: 10 },
  degraded: { y: 1.5, height: 13 },
  down: { y: 0, height: 16 },
  none: { y: 6, height: 4 },
};

function wordsOf(beats: readonly Beat[], stepMs: number, nowMs: number, share: string | null): string {
  const span = duration(beats.length * stepMs);
  if (share === null) return partTexts.barNothing(span);
  const down = beats.lastIndexOf("down");
  const last =
    down === -1 ? "" : `; ${partTexts.worst(partTexts.down, moment(nowMs - (beats.length - down) * stepMs))}`;
  return `${partTexts.bar(share, span)}${last}`;
}
