import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

let names: Set<string> | null = null;

/** The names of the network's own emoji, which are those of the emoji-data project. */
export function systemEmoji(): ReadonlySet<string> {
  if (names !== null) return names;
  const file = createRequire(import.meta.url).resolve("emojibase-data/en/shortcodes/iamcal.json");
  const codes = JSON.parse(readFileSync(file, "utf8")) as Record<string, string | string[]>;
  names = new Set(Object.values(codes).flat());
  return names;
}
