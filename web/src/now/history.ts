import { signal } from "@preact/signals";
import type { StateRun } from "../../../src/admin/state-ring.ts";
import type { HistoryView } from "../../../src/admin/views.ts";
import { get } from "../lib/api.ts";
import type { Beat } from "../parts/beats.ts";

/** Null until the first answer. */
export const history = signal<HistoryView | null>(null);

const EACH_MS = 60_000;

/** Asks now, and every minute while the page is looked at. */
export function watchHistory(): () => void {
  const ask = async (): Promise<void> => {
    if (document.hidden) return;
    const answer = await get<HistoryView>("/v1/admin/history");
    if (answer.ok) history.value = answer.value;
  };
  void ask();
  const timer = setInterval(() => void ask(), EACH_MS);
  return () => clearInterval(timer);
}

export const beatsOf = (runs: readonly StateRun[]): readonly Beat[] =>
  runs.flatMap(([state, count]) => Array.from({ length: count }, () => state));
