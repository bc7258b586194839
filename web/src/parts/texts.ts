import { textsOf } from "../lib/texts.ts";

export const partTexts = textsOf({
  close: "Close",
  cancel: "Cancel",
  copy: "Copy",
  copied: "Copied",
  sortBy: (column: string) => `Sort by ${column}`,
  nothingFits: "Nothing fits the filter.",
  ok: "without trouble",
  degraded: "degraded",
  down: "down",
  none: "not known",
  bar: (ok: string, span: string) => `${ok} without trouble in the last ${span}`,
  barNothing: (span: string) => `nothing known of the last ${span}`,
  worst: (what: string, when: string) => `${what} at ${when}`,
});
