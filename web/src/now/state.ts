import { computed, signal } from "@preact/signals";
import type { ApiProblem } from "../lib/api.ts";
import { status } from "../lib/live.ts";
import { fits } from "../parts/filter.ts";
import { accountsOf, type Picked, rowsOf, wordsOf } from "./rows.ts";

/** Of the one box, for everything on the page. */
export const filter = signal("");
export const picked = signal<Picked | null>(null);

/** Why the last thing that was asked for was refused. */
export const problem = signal<ApiProblem | null>(null);

export const accounts = computed(() => (status.value === null ? [] : accountsOf(status.value)));
export const rows = computed(() => (status.value === null ? [] : rowsOf(status.value)));
/** Rows that fit the filter. */
export const fitting = computed(() => {
  const wanted = filter.value;
  return wanted.trim() === "" ? rows.value : rows.value.filter((row) => fits(wordsOf(row), wanted));
});

/** Once more takes it back. */
export function pick(side: Picked["side"], key: string): void {
  const same = picked.value?.side === side && picked.value.key === key;
  picked.value = same ? null : { side, key };
}
