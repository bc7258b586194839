import type { Path, Report, Where } from "./problems.ts";

/** One value as it was written, and where. */
export interface Setting {
  /** As spelled there; for an environment variable as the schema spells it, or lower case. */
  readonly key: string;
  readonly value: unknown;
  readonly where: Where;
  /** Where the key stands; differs from `where` only in files. */
  readonly keyWhere: Where;
}

/** The settings of one table by lower-case key. */
export type Section = Map<string, Setting>;

export type Table = Readonly<Record<string, unknown>>;

export function isTable(value: unknown): value is Table {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

export const keyAt = (path: Path): Where => ({ in: "file", path, at: "key" });
export const valueAt = (path: Path): Where => ({ in: "file", path, at: "value" });

/** The keys of a table without regard to case. Two that differ in case only are an error: the reader cannot know which one counts. */
export function fold(table: Table, path: Path, report: Report): Section {
  const section: Section = new Map();
  for (const [key, value] of Object.entries(table)) {
    // An empty value is no value, as in the reference: the fallback applies.
    if (value === null) continue;
    const below = [...path, key];
    const setting = { key, value, where: valueAt(below), keyWhere: keyAt(below) };
    const twin = section.get(key.toLowerCase());
    if (twin === undefined) {
      section.set(key.toLowerCase(), setting);
    } else {
      const message = `"${key}" and "${twin.key}" differ only in upper and lower case; keep one of them`;
      report.error("duplicate-key", setting.keyWhere, message, twin.keyWhere);
    }
  }
  return section;
}
