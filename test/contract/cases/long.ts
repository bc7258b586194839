import type { Stage } from "../stage.ts";
import { longText } from "../texts.ts";

/** A text that needs at least three parts. */
export function longFor({ capabilities: { limits } }: Stage): string {
  return longText(Math.min(limits.textMax * 3, 20_000), limits.textUnit);
}
