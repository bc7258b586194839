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
  bar: (up: string, span: string) => `up for ${up} of the last ${span}`,
  barNothing: (span: string) => `nothing known of the last ${span}`,
  theme: "Theme",
  auto: "As the system",
  light: "Light",
  dark: "Dark",
  worst: (what: string, when: string) => `${what} at ${when}`,
});
