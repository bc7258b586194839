import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { isRecord } from "./wire.ts";

/** The names of the emoji that every team has. */
export const STANDARD: ReadonlySet<string> = new Set(
  Object.values(listed()).flatMap((names) =>
    typeof names === "string" ? [names] : Array.isArray(names) ? names.map(String) : [],
  ),
);

function listed(): Record<string, unknown> {
  const file = createRequire(import.meta.url).resolve("emojibase-data/en/shortcodes/iamcal.json");
  const value = JSON.parse(readFileSync(file, "utf8")) as unknown;
  return isRecord(value) ? value : {};
}
