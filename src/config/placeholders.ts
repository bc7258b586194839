import type { SettingSchema } from "../contract/manifest.ts";
import { suggest } from "../lib/suggest.ts";
import type { Context } from "./context.ts";
import type { Where } from "./problems.ts";

interface Place {
  /** For people, as in `RemoteNickFormat of irc.libera`. */
  readonly name: string;
  readonly where: Where;
}

/** Whether people see nothing of a text. */
export const isBlank = (text: string): boolean =>
  !/[[\p{L}\p{N}\p{P}\p{S}]--[\u2800\u3164\uffa0\u115f\u1160]]/v.test(text);

/** Warns of words in braces that are misspelt placeholders. */
export function warnOfPlaceholders(
  value: unknown,
  { placeholders, emptyPlaceholders }: SettingSchema,
  { name, where }: Place,
  { report }: Context,
): void {
  if (placeholders === undefined || typeof value !== "string") return;
  const accepted = new Set([...placeholders, ...(emptyPlaceholders?.names ?? [])]);
  for (const [whole, word = ""] of value.matchAll(/\{( *[A-Za-z]+ *)\}/gu)) {
    if (accepted.has(word)) continue;
    const meant = word.trim().toUpperCase();
    // Other words in small letters may be meant as they are.
    if (word !== meant && !accepted.has(meant)) continue;
    const remedy = (): string => {
      const hint = suggest(meant, placeholders);
      const known = placeholders.map((each) => `{${each}}`).join(" ");
      return hint === null ? `use one of ${known}` : `did you mean {${hint}}?`;
    };
    report.warning("unknown-placeholder", where, [`${name} contains ${whole}, which is not a placeholder`, remedy]);
  }
}

/**
 * Warns of a name that nothing can be seen of, and of placeholders that stay empty. Returns whether the value shows no
 * name because of that, so that the default must be used.
 */
export function showsNothing(
  value: unknown,
  { emptyPlaceholders }: SettingSchema,
  { name, where }: Place,
  { report }: Context,
): boolean {
  if (emptyPlaceholders === undefined || typeof value !== "string") return false;
  const { names, why, needed } = emptyPlaceholders;
  if (isBlank(value)) {
    const what = `${name} shows no name; the default is used`;
    report.warning("empty-placeholder", where, [what, `write {${needed[0] ?? ""}}, or remove the setting`]);
    return true;
  }
  const empty = names.find((word) => value.includes(`{${word}}`));
  if (empty === undefined) return false;
  const isShown = needed.some((word) => value.includes(`{${word}}`));
  const what = `{${empty}} in ${name} stays empty: ${why}`;
  const said = isShown
    ? ([what, `remove {${empty}}`] as const)
    : ([`${what}; the default is used, because no name would be shown`, `write {${needed[0] ?? ""}} instead`] as const);
  report.warning("empty-placeholder", where, said);
  return !isShown;
}
