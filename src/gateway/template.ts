/** A replacement template cut into literal text and group numbers. */
export type TemplatePart = string | number;

/**
 * Cuts a replacement template as Go's regexp.Expand reads it: a name is the longest run of letters, digits and
 * underscores, so `$1x` is the group named `1x`; a group that does not exist is empty; a `$` without a name stays.
 */
export function compileTemplate(
  template: string,
  groups: number,
  names: Readonly<Record<string, number>>,
): readonly TemplatePart[] {
  const parts: TemplatePart[] = [];
  let literalStart = 0;
  for (const match of template.matchAll(REFERENCE)) {
    parts.push(template.slice(literalStart, match.index));
    literalStart = match.index + match[0].length;
    const name = match[1] ?? match[2];
    if (name === undefined) {
      parts.push("$");
      continue;
    }
    const group = groupNumber(name, names);
    if (group !== null && group <= groups) parts.push(group);
  }
  parts.push(template.slice(literalStart));
  return parts.filter((part) => part !== "");
}

/** Puts a template together; `group` gives the text of a group, "" when it took no part in the match. */
export function expand(parts: readonly TemplatePart[], group: (index: number) => string): string {
  let out = "";
  for (const part of parts) out += typeof part === "number" ? group(part) : part;
  return out;
}

const REFERENCE = /\$(?:([\p{L}\p{Nd}_]+)|\{([\p{L}\p{Nd}_]+)\}|\$)/gu;

function groupNumber(name: string, names: Readonly<Record<string, number>>): number | null {
  // A leading zero makes it a name, and so does a number that no pattern can have groups for.
  if (/^(?:0|[1-9][0-9]{0,8})$/.test(name)) return Number(name);
  return Object.hasOwn(names, name) ? (names[name] ?? null) : null;
}
