import { readFileSync, statSync } from "node:fs";
import { suggest } from "../lib/suggest.ts";
import type { Report, Where } from "./problems.ts";
import type { Section } from "./section.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** A table of the configuration as the environment can override it. */
export interface Scope {
  /** `general` or `<protocol>.<name>`. */
  readonly table: string;
  readonly section: Section;
  /** Its settings by lower-case name. */
  readonly settings: ReadonlyMap<string, { readonly name: string; readonly secret: boolean }>;
}

const prefixes = ["MATTERBRIDGE_", "RIALTO_"] as const;
const maxSecretBytes = 64 * 1024;

/**
 * Puts what the environment says over what the file says: `RIALTO_API_LEFT_TOKEN`, then `MATTERBRIDGE_API_LEFT_TOKEN`,
 * then the file. `…_FILE` names a file that holds the secret. An empty variable counts as unset, as in the reference.
 */
export function overlay(env: Environment, scopes: readonly Scope[], report: Report): void {
  for (const prefix of prefixes) {
    const names = Object.keys(env).filter((name) => name.startsWith(prefix) && env[name] !== "");
    for (const name of names.sort()) {
      const known = assign(env, name, prefix, scopes, report);
      if (!known && prefix === "RIALTO_") reportUnknown(name, scopes, report);
    }
  }
}

function assign(env: Environment, name: string, prefix: string, scopes: readonly Scope[], report: Report): boolean {
  let known = false;
  for (const scope of scopes) {
    const start = `${prefix}${variablePart(scope.table)}_`;
    if (!name.startsWith(start)) continue;
    const key = name.slice(start.length).toLowerCase();
    const plain = scope.settings.get(key);
    const secret = key.endsWith("_file") ? scope.settings.get(key.slice(0, -"_file".length)) : undefined;
    const setting = plain ?? (secret?.secret === true ? secret : undefined);
    if (setting === undefined) continue;
    known = true;
    const where: Where = { in: "env", name };
    const value = plain === undefined ? secretFrom(env, name, report) : env[name];
    if (value === undefined) continue;
    scope.section.set(setting.name.toLowerCase(), { key: setting.name, value, where, keyWhere: where });
  }
  return known;
}

function secretFrom(env: Environment, name: string, report: Report): string | undefined {
  const where: Where = { in: "env", name };
  const plain = name.slice(0, -"_FILE".length);
  if (env[plain] !== undefined && env[plain] !== "") {
    report.error("ambiguous-secret", where, `${plain} is set as well; set only one of the two`);
    return undefined;
  }
  const path = env[name] ?? "";
  try {
    if (statSync(path).size > maxSecretBytes) {
      report.error(
        "unreadable-secret",
        where,
        `"${path}" is too large for a secret; the limit is ${maxSecretBytes} bytes`,
      );
      return undefined;
    }
    return readFileSync(path, "utf8").replace(/\r?\n$/u, "");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
    report.error(
      "unreadable-secret",
      where,
      `cannot read "${path}" (${code}); it must be a file that holds the secret`,
    );
    return undefined;
  }
}

function reportUnknown(name: string, scopes: readonly Scope[], report: Report): void {
  const hint = suggest(name, namesOf(scopes));
  const mend = hint === null ? "it is ignored; names are RIALTO_<PROTOCOL>_<NAME>_<SETTING>" : `did you mean ${hint}?`;
  report.warning("unknown-variable", { in: "env", name }, `no setting of this configuration has that name; ${mend}`);
}

function* namesOf(scopes: readonly Scope[]): Generator<string> {
  for (const { table, settings } of scopes) {
    for (const [key, { secret }] of settings) {
      const name = `RIALTO_${variablePart(table)}_${key.toUpperCase()}`;
      yield name;
      if (secret) yield `${name}_FILE`;
    }
  }
}

/** `api.my-left` → `API_MY_LEFT`. */
function variablePart(table: string): string {
  return table.toUpperCase().replaceAll(/[.-]/gu, "_");
}
