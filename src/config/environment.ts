import type { IgnoredSetting } from "../contract/manifest.ts";
import { suggest } from "../lib/suggest.ts";
import type { ProblemReport, ProblemText, Where } from "./problems.ts";
import { readBounded } from "./read-file.ts";
import { type Section, type Setting, settingKey } from "./section.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** A table of the configuration as the environment can override it. */
export interface EnvironmentTable {
  /** `general` or `<protocol>.<name>`. */
  readonly table: string;
  readonly section: Section;
  /** Its settings by lower-case name. */
  readonly settings: ReadonlyMap<string, EnvironmentSetting>;
}

export interface EnvironmentSetting {
  readonly name: string;
  readonly secret: boolean;
  /** It is accepted, and does nothing: no misspelt name is taken for it. */
  readonly isUnneeded?: boolean;
}

const prefixes = ["MATTERBRIDGE_", "RIALTO_"] as const;
const maxSecretBytes = 64 * 1024;

/**
 * Puts what the environment says over what the file says: `RIALTO_API_LEFT_TOKEN`, then `MATTERBRIDGE_API_LEFT_TOKEN`,
 * then the file. `…_FILE` names a file that holds the secret. An empty variable counts as unset, as in the reference.
 */
export function overlay(env: Environment, scopes: readonly EnvironmentTable[], report: ProblemReport): void {
  for (const prefix of prefixes) {
    const names = Object.keys(env).filter((name) => name.startsWith(prefix) && (env[name] ?? "") !== "");
    for (const name of names.sort()) {
      if (!assign(env, name, prefix, scopes)) reportUnknown(name, prefix, scopes, report);
    }
  }
}

function assign(env: Environment, name: string, prefix: string, scopes: readonly EnvironmentTable[]): boolean {
  let known = false;
  for (const scope of scopes) {
    const start = `${prefix}${variablePart(scope.table)}_`;
    if (!name.startsWith(start)) continue;
    const key = name.slice(start.length).toLowerCase();
    const plain = scope.settings.get(settingKey(key));
    const secret = key.endsWith("_file") ? scope.settings.get(settingKey(key.slice(0, -"_file".length))) : undefined;
    const setting = plain ?? (secret?.secret === true ? secret : undefined);
    if (setting === undefined) continue;
    known = true;
    const where: Where = { in: "env", name };
    const read = plain === undefined ? secretFrom(env, name) : { value: env[name] };
    scope.section.set(setting.name.toLowerCase(), { ...read, key: setting.name, where, keyWhere: where });
  }
  return known;
}

/** The content of the file that `name` names, or why it is of no use. */
function secretFrom(env: Environment, name: string): Pick<Setting, "value" | "broken"> {
  const broken = (code: string, said: ProblemText) => ({
    value: "",
    broken: { code, where: { in: "env", name } as const, said },
  });
  const plain = name.slice(0, -"_FILE".length);
  if (env[plain] !== undefined && env[plain] !== "")
    return broken("ambiguous-secret", [`${plain} is set as well`, "set only one of the two"]);
  const path = env[name] ?? "";
  const read = readBounded(path, maxSecretBytes);
  if ("bytes" in read) return { value: read.bytes.toString("utf8").replace(/\r?\n$/u, "") };
  return broken("unreadable-secret", [
    `"${path}" ${read.error}`,
    read.remedy ?? "it must be a file that contains the secret",
  ]);
}

/** Others may have variables that begin with the name of the reference: only those that look misspelled are named. */
function reportUnknown(name: string, prefix: string, scopes: readonly EnvironmentTable[], report: ProblemReport): void {
  const hint = suggest(name, namesOf(prefix, scopes));
  if (hint === null && prefix !== "RIALTO_") return;
  const remedy = hint === null ? "it is ignored; write RIALTO_<PROTOCOL>_<NAME>_<SETTING>" : `did you mean ${hint}?`;
  report.warning("unknown-variable", { in: "env", name }, ["no setting of this configuration has that name", remedy]);
}

function* namesOf(prefix: string, scopes: readonly EnvironmentTable[]): Generator<string> {
  for (const { table, settings } of scopes) {
    for (const [key, { secret, isUnneeded = false }] of settings) {
      if (isUnneeded) continue;
      const name = `${prefix}${variablePart(table)}_${key.toUpperCase()}`;
      yield name;
      if (secret) yield `${name}_FILE`;
    }
  }
}

/** What the environment may set, and nothing comes of it. */
export const ignoredInEnvironment = (
  ignored: readonly IgnoredSetting[],
): readonly (readonly [key: string, setting: EnvironmentSetting])[] =>
  ignored.map(({ name, state }) => [name.toLowerCase(), { name, secret: false, isUnneeded: state === "unneeded" }]);

/** The variable that sets a setting; `table` as in `EnvironmentTable`. */
export const variableOf = (table: string, setting: string): string =>
  `RIALTO_${variablePart(table)}_${setting.toUpperCase()}`;

/** `api.my-left` → `API_MY_LEFT`. */
function variablePart(table: string): string {
  return table.toUpperCase().replaceAll(/[.-]/gu, "_");
}
