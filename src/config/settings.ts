import { resolve } from "node:path";
import {
  type IgnoredSetting,
  type SettingSchema,
  settingsBy,
  type SettingsOf,
  type SettingsSchema,
} from "../contract/manifest.ts";
import { suggest } from "../lib/suggest.ts";
import { coerce } from "./coerce.ts";
import type { Context } from "./context.ts";
import { variableOf } from "./environment.ts";
import type { ProblemEffect, ProblemText, Where } from "./problems.ts";
import { showsNothing, warnOfPlaceholders } from "./placeholders.ts";
import { isTable } from "./section.ts";
import type { Section, Setting } from "./section.ts";
import { placeholderIn } from "./unfilled.ts";

/** Where the values of one table's settings are looked up, nearest first, with the name of each table for people. */
export type Chain = readonly { readonly label: string; readonly section: Section }[];

interface Wanted<S extends SettingsSchema> {
  readonly schema: S;
  /** Defaults that count before those of the schema. */
  readonly defaults?: Readonly<Record<string, unknown>>;
  readonly chain: Chain;
  /** Where the table is, for what is missing from it. */
  readonly where: Where;
  readonly effect: EffectOf;
}

/** What follows from a setting that cannot be read. `label`: of the table that sets it. Null: nothing can run. */
export type EffectOf = (name: string, setting: SettingSchema, label: string) => ProblemEffect | null;

interface Settled<S extends SettingsSchema> {
  /** Of a schema with a setting that must be written and is not: without it. */
  readonly values: SettingsOf<S>;
  /** Settings that could not be read, and were reported: their default is used, if there is one. */
  readonly faults: ReadonlySet<string>;
}

/** Values of all settings of a schema, coerced, with defaults. */
export function settle<S extends SettingsSchema>(wanted: Wanted<S>, context: Context): Settled<S> {
  const { schema, defaults = {}, chain, where, effect } = wanted;
  const values: Record<string, unknown> = {};
  const faults = new Set<string>();
  for (const [name, setting] of Object.entries(schema.properties)) {
    const found = lookUp(name, chain);
    const read = found === null ? undefined : readFound(name, setting, { ...found, effect }, context);
    if (found !== null && read === undefined) faults.add(name);
    const value = read ?? defaults[name] ?? setting.default;
    if (value !== undefined) values[name] = inPlace(value, setting, context);
    else if (found === null) {
      faults.add(name);
      const label = chain[0]?.label ?? "";
      const add = `add ${name} = "…". ${setting.description ?? ""}`.trimEnd();
      const effects = effect(name, setting, label);
      reportFault("missing-setting", where, [`${label} needs the setting ${name}`, add], effects, context);
    }
  }
  return { values: settingsBy(schema, values), faults };
}

/** Undefined when it cannot be read, which is reported. */
function readFound(
  name: string,
  schema: SettingSchema,
  { setting, label, effect }: { readonly setting: Setting; readonly label: string; readonly effect: EffectOf },
  context: Context,
): unknown {
  const { broken, value, where } = setting;
  if (broken !== undefined) {
    reportFault(broken.code, broken.where, broken.said, effect(name, schema, label), context, broken.other);
    return undefined;
  }
  const unfilled = typeof value === "string" && isCredential(schema) ? placeholderIn(value) : null;
  if (unfilled !== null) {
    const variable = variableOf(label.replaceAll(/[[\]]/gu, ""), name);
    const variables = schema.secret === true ? `${variable} or ${variable}_FILE` : variable;
    const remedy = `write the value itself, or use ${variables}`;
    if (unfilled === "sure") {
      const said = [`${name} of ${label} is a placeholder: nothing fills it in`, remedy] as const;
      reportFault("placeholder", where, said, effect(name, schema, label), context);
      return undefined;
    }
    context.report.warning("placeholder", where, [
      `${name} of ${label} may be a placeholder: nothing fills it in`,
      remedy,
    ]);
  }
  const result = coerce(value, schema, context.rules.checkPattern);
  if (result.ok) {
    const place = { name: `${name} of ${label}`, where };
    warnOfPlaceholders(result.value, schema, place, context);
    return showsNothing(result.value, schema, place, context) ? undefined : result.value;
  }
  for (const misfit of result.misfits) {
    const said = `${name} of ${label} ${misfit.message}`;
    reportFault("bad-value", inside(where, misfit.path), said, effect(name, schema, label), context);
  }
  return undefined;
}

export function reportFault(
  code: string,
  where: Where,
  said: ProblemText,
  effect: ProblemEffect | null,
  { report }: Context,
  other?: Where,
): void {
  if (effect === null) report.fatal(code, where, said, other);
  else report.error(code, where, said, effect, other);
}

/** Whether nothing may run without what this setting says. */
export function protects({ protects: marked, secret, format, default: value }: SettingSchema): boolean {
  return marked === true || secret === true || value === undefined || ADDRESSES.has(format ?? "");
}

/** Whether it is a login, a secret or an address, which templates leave open. A required nick is none of them. */
const isCredential = ({ type, secret, protects: marked, format }: SettingSchema): boolean =>
  type === "string" && (secret === true || marked === true || ADDRESSES.has(format ?? ""));

const ADDRESSES: ReadonlySet<string> = new Set(["bind-address", "host-port"]);

function inPlace(value: unknown, { format }: SettingSchema, { folder }: Context): unknown {
  return format === "path" && typeof value === "string" && value !== "" ? resolve(folder, value) : value;
}

/** The nearest table that sets it decides. */
export function lookUp(name: string, chain: Chain): { readonly setting: Setting; readonly label: string } | null {
  for (const { label, section } of chain) {
    const setting = section.get(name.toLowerCase());
    if (setting !== undefined) return { setting, label };
  }
  return null;
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
  const what = WHAT_OF[state];
  return `${name} of ${label} ${what}: ${why}`;
}

const WHAT_OF: Readonly<Record<IgnoredSetting["state"], string>> = {
  later: "is not supported yet",
  unneeded: "is not needed",
  replaced: "has no effect",
};

function warnOfUnknown(setting: Setting, vocabulary: Vocabulary, context: Context): void {
  const { key, keyWhere, value } = setting;
  const elsewhere = vocabulary.elsewhere(key.toLowerCase());
  const remedy = (): string => {
    if (elsewhere !== null) return `it is ignored: ${elsewhere}`;
    // A setting that is not needed is no better than the one that is written.
    const others = vocabulary.ignored.filter(({ state }) => state !== "unneeded").map(({ name }) => name);
    const hint = suggest(key, [...vocabulary.names, ...others]);
    if (hint !== null) return `did you mean ${hint}?`;
    return isTable(value)
      ? "it is ignored; the name of an account has exactly two parts, <protocol>.<name>"
      : "it is ignored";
  };
  context.report.warning("unknown-setting", keyWhere, [`${vocabulary.label} has no setting "${key}"`, remedy]);
}
