import { resolve } from "node:path";
import type { IgnoredSetting, SettingSchema, SettingsSchema } from "../contract/manifest.ts";
import { suggest } from "../lib/suggest.ts";
import { coerce } from "./coerce.ts";
import type { Context } from "./context.ts";
import type { Where } from "./problems.ts";
import { isTable } from "./section.ts";
import type { Section, Setting } from "./section.ts";

/** Where the values of one table's settings are looked up, nearest first, with the name of each table for people. */
export type Chain = readonly { readonly label: string; readonly section: Section }[];

interface Wanted {
  readonly schema: SettingsSchema;
  /** Defaults that count before those of the schema. */
  readonly defaults?: Readonly<Record<string, unknown>>;
  readonly chain: Chain;
  /** Where the table stands, for what is missing from it. */
  readonly where: Where;
}

/** Values of all settings of a schema, coerced, with defaults. What does not fit is reported and left out. */
export function settle({ schema, defaults = {}, chain, where }: Wanted, context: Context): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries(schema.properties)) {
    const found = lookUp(name, chain);
    if (found === null) {
      const value = defaults[name] ?? setting.default;
      if (value !== undefined) values[name] = inPlace(value, setting, context);
      else if (schema.required?.includes(name) === true)
        reportMissing(name, setting.description, chain, where, context);
      continue;
    }
    const result = coerce(found.setting.value, setting, context.rules.checkPattern);
    if (result.ok) {
      values[name] = inPlace(result.value, setting, context);
      continue;
    }
    for (const misfit of result.misfits) {
      const place = inside(found.setting.where, misfit.path);
      context.report.error("bad-value", place, `${name} of ${found.label} ${misfit.message}`);
    }
  }
  return values;
}

function inPlace(value: unknown, { format }: SettingSchema, { folder }: Context): unknown {
  return format === "path" && typeof value === "string" && value !== "" ? resolve(folder, value) : value;
}

/** The nearest table that sets it decides, whatever it says. */
export function lookUp(name: string, chain: Chain): { readonly setting: Setting; readonly label: string } | null {
  for (const { label, section } of chain) {
    const setting = section.get(name.toLowerCase());
    if (setting !== undefined) return { setting, label };
  }
  return null;
}

function reportMissing(
  name: string,
  description: string | undefined,
  chain: Chain,
  where: Where,
  context: Context,
): void {
  const label = chain[0]?.label ?? "";
  const message = `${label} has no ${name}, which it needs; add ${name} = "…". ${description ?? ""}`;
  context.report.error("missing-setting", where, message.trimEnd());
}

function inside(where: Where, path: readonly (string | number)[]): Where {
  return where.in === "env" ? where : { in: "file", path: [...where.path, ...path], at: "value" };
}

/** What the settings of a table mean to it. */
export interface Vocabulary {
  /** For people: `api.left` or `[general]`. */
  readonly label: string;
  /** Names it understands. */
  readonly names: readonly string[];
  readonly ignored: readonly IgnoredSetting[];
  /** A sentence about a name that means something elsewhere, or null. */
  readonly elsewhere: (key: string) => string | null;
}

/** Warns of every setting that has no effect: an old file still runs, but nothing is ignored in silence. */
export function warnOfIdle(section: Section, vocabulary: Vocabulary, context: Context): void {
  const names = new Set(vocabulary.names.map((name) => name.toLowerCase()));
  for (const [key, setting] of section) {
    if (names.has(key)) continue;
    const ignored = vocabulary.ignored.find((known) => known.name.toLowerCase() === key);
    if (ignored === undefined) warnOfUnknown(setting, vocabulary, context);
    else context.report.warning("ignored-setting", setting.keyWhere, describeIgnored(ignored, vocabulary.label));
  }
}

function describeIgnored({ name, state, why }: IgnoredSetting, label: string): string {
  const what = state === "later" ? "is accepted, but not supported yet" : "is accepted, and not needed";
  return `${name} of ${label} ${what}: ${why}`;
}

function warnOfUnknown(setting: Setting, vocabulary: Vocabulary, context: Context): void {
  const { key, keyWhere, value } = setting;
  const elsewhere = vocabulary.elsewhere(key.toLowerCase());
  const hint = suggest(key, [...vocabulary.names, ...vocabulary.ignored.map(({ name }) => name)]);
  let mend = "it is ignored";
  if (elsewhere !== null) mend = `it is ignored: ${elsewhere}`;
  else if (hint !== null) mend = `did you mean ${hint}?`;
  else if (isTable(value)) mend = "it is ignored; the name of an account has exactly two parts, <protocol>.<name>";
  context.report.warning("unknown-setting", keyWhere, `${vocabulary.label} has no setting "${key}"; ${mend}`);
}
