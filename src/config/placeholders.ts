import type { SettingSchema } from "../contract/manifest.ts";
import { suggest } from "../lib/suggest.ts";
import type { Context } from "./context.ts";
import type { Where } from "./problems.ts";

interface Place {
  /** For people, as in `RemoteNickFormat of irc.libera`. */
  readonly name: string;
  readonly where: Where;
}

/** Warns of words in braces that are misspelt placeholders. */
export function warnOfPlaceholders(
  value: unknown,
  { placeholders }: SettingSchema,
  { name, where }: Place,
  { report }: Context,
): void {
  if (placeholders === undefined || typeof value !== "string") return;
  for (const [whole, word = ""] of value.matchAll(/\{( *[A-Za-z]+ *)\}/gu)) {
    if (placeholders.includes(word)) continue;
    const meant = word.trim().toUpperCase();
    // Other words in small letters may be meant as they are.
    if (word !== meant && !placeholders.includes(meant)) continue;
    const remedy = (): string => {
      const hint = suggest(meant, placeholders);
      const known = placeholders.map((each) => `{${each}}`).join(" ");
      return hint === null ? `use one of ${known}` : `did you mean {${hint}}?`;
    };
    report.warning("unknown-placeholder", where, [`${name} contains ${whole}, which is not a placeholder`, remedy]);
  }
}
