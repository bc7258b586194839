import { signal } from "@preact/signals";
import type { Picked } from "./rows.ts";

/** Of the one box, for everything on the page. */
export const filter = signal("");
export const picked = signal<Picked | null>(null);

/** Once more takes it back. */
export function pick(side: Picked["side"], key: string): void {
  const same = picked.value?.side === side && picked.value.key === key;
  picked.value = same ? null : { side, key };
}
