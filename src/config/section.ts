import type { Path, ProblemReport, ProblemText, Where } from "./problems.ts";
import type { ProblemEffect } from "./problems.ts";
import { renamed } from "./reference.ts";

/** One value as it was written, and where. */
export interface Setting {
  /** As spelled there; for an environment variable as the schema spells it, or lower case. */
  readonly key: string;
  readonly value: unknown;
  readonly where: Where;
  /** Where the key is; differs from `where` only in files. */
  readonly keyWhere: Where;
  /** Why its value is unknown. */
  readonly broken?: Broken;
}

interface Broken {
  readonly code: string;
  readonly where: Where;
  readonly said: ProblemText;
  readonly other?: Where;
}

/** The settings of one table by lower-case key. */
export type Section = Map<string, Setting>;

export type Table = Readonly<Record<string, unknown>>;

export function isTable(value: unknown): value is Table {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

export const keyAt = (path: Path): Where => ({ in: "file", path, at: "key" });
export const valueAt = (path: Path): Where => ({ in: "file", path, at: "value" });

/** The name by which a setting is known, in lower case: it may have others. */
export function settingKey(name: string): string {
  const key = name.toLowerCase();
  return renamed.get(key) ?? key;
}

/** The settings of a table; otherwise as `lowerCaseKeys`. */
export const settingsIn = (table: Table, path: Path): Section => lowerCaseKeys(table, path, settingKey);

/**
 * The keys of a table without regard to case. Where two differ in case only and have two values, it is unknown which
 * one is meant.
 */
export function lowerCaseKeys(
  table: Table,
  path: Path,
  keyOf: (name: string) => string = (name) => name.toLowerCase(),
): Section {
  const section: Section = new Map();
  for (const [key, value] of Object.entries(table)) {
    // An empty value is no value, as in the reference: the fallback applies.
    if (value === null) continue;
    const below = [...path, key];
    const setting = { key, value, where: valueAt(below), keyWhere: keyAt(below) };
    const known = keyOf(key);
    const duplicate = section.get(known);
    if (duplicate === undefined) section.set(known, setting);
    else if (duplicate.value !== value) section.set(known, { ...duplicate, broken: twice(setting, duplicate) });
  }
  return section;
}

function twice({ key, keyWhere }: Setting, duplicate: Setting): Broken {
  const isSame = key.toLowerCase() === duplicate.key.toLowerCase();
  const what = `"${key}" and "${duplicate.key}" ${isSame ? "differ only in upper and lower case" : "are the same setting"}`;
  return { code: "duplicate-key", where: keyWhere, said: [what, "keep one of them"], other: duplicate.keyWhere };
}

/** Reports those whose value is unknown; null where nothing can run without them. Returns whether there were any. */
export function reportBroken(section: Section, effect: ProblemEffect | null, report: ProblemReport): boolean {
  const all = [...section.values()].flatMap(({ broken }) => (broken === undefined ? [] : [broken]));
  for (const { code, where, said, other } of all) {
    if (effect === null) report.fatal(code, where, said, other);
    else report.error(code, where, said, effect, other);
  }
  return all.length > 0;
}
