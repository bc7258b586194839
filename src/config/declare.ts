import type { Manifest } from "../contract/manifest.ts";
import { suggest } from "../lib/suggest.ts";
import type { Context } from "./context.ts";
import { type EnvironmentSetting, type EnvironmentTable, ignoredInEnvironment } from "./environment.ts";
import { keepsDown, type Where } from "./problems.ts";
import { ignoredGeneral, ignoredShared, missingProtocols, sectionlessAccounts } from "./reference.ts";
import type { MissingProtocol } from "./reference.ts";
import { sharedSchema } from "./presentation.ts";
import { generalSchema } from "./schema.ts";
import { lowerCaseKeys, isTable, keyAt, settingsIn } from "./section.ts";
import type { Section } from "./section.ts";

/** An account that has a section in the file, or variables in the environment. */
export interface Declared {
  readonly key: string;
  readonly name: string;
  readonly protocol: string;
  readonly section: Section;
  /** Its header in the file, or the gateway that names it. */
  readonly where: Where;
  readonly inFile: boolean;
  /** Null when the protocol is one of the reference that Rialto does not have yet. */
  readonly manifest: Manifest | null;
}

export const missingByName: ReadonlyMap<string, MissingProtocol> = new Map(
  missingProtocols.map((missing) => [missing.protocol, missing]),
);

const tables = ["general", "tengo", "gateway", "samechannelgateway"];

/** The accounts of the file, by key. Tables that are no protocol's are reported. */
export function declareAccounts(root: Section, context: Context): Map<string, Declared> {
  const accounts = new Map<string, Declared>();
  for (const [protocol, table] of root) {
    if (tables.includes(protocol)) continue;
    const manifest = context.rules.protocols.get(protocol) ?? null;
    if (manifest === null && !missingByName.has(protocol)) {
      warnOfTable(table.key, isTable(table.value), table.keyWhere, context);
      continue;
    }
    if (!isTable(table.value)) {
      const what = `"${table.key}" is not a setting`;
      context.report.warning("misplaced", table.keyWhere, [what, `accounts are tables, as in [${protocol}.name]`]);
      continue;
    }
    for (const entry of lowerCaseKeys(table.value, [table.key]).values()) {
      if (!isTable(entry.value)) {
        const what = `"${entry.key}" directly under [${table.key}] is ignored`;
        const remedy = `put it under an account, as in [${protocol}.name]`;
        context.report.warning("misplaced", entry.keyWhere, [what, remedy]);
        continue;
      }
      const path = [table.key, entry.key];
      const name = `${protocol}.${entry.key}`;
      const section = settingsIn(entry.value, path);
      const key = name.toLowerCase();
      if (entry.broken !== undefined) {
        const { code, where, said, other } = entry.broken;
        context.report.error(code, where, said, keepsDown({ key, name }, "the name"), other);
      }
      accounts.set(key, { key, name, protocol, section, where: keyAt(path), inFile: true, manifest });
    }
  }
  return accounts;
}

interface NamedAccount {
  readonly account: string;
  readonly where: Where;
}

/** Adds the accounts that gateways name and the file does not have: the environment may. */
export function declareNamed(named: Iterable<NamedAccount>, accounts: Map<string, Declared>, context: Context): void {
  for (const { account: name, where } of named) {
    const key = name.toLowerCase();
    const [protocol = "", ...rest] = key.split(".");
    const manifest = context.rules.protocols.get(protocol) ?? null;
    if (rest.length !== 1 || rest[0] === "" || accounts.has(key)) continue;
    if (manifest === null && !sectionlessAccounts.has(key)) continue;
    const shown = `${protocol}${name.slice(protocol.length)}`;
    accounts.set(key, { key, name: shown, protocol, section: new Map(), where, inFile: false, manifest });
  }
}

/** Drops those that the environment knows nothing about either. */
export function forgetUnknown(accounts: Map<string, Declared>): void {
  for (const [key, { section, inFile }] of accounts) {
    if (!inFile && section.size === 0 && !sectionlessAccounts.has(key)) accounts.delete(key);
  }
}

/** What the environment may set of each account; accounts of one protocol share the names of its settings. */
export function scopesOf(accounts: Iterable<Declared>): EnvironmentTable[] {
  const byProtocol = new Map<string, EnvironmentTable["settings"]>();
  return Array.from(accounts, ({ key, protocol, section, manifest }) => {
    const settings = byProtocol.get(protocol) ?? settingsOf(protocol, manifest);
    byProtocol.set(protocol, settings);
    return { table: key, section, settings };
  });
}

function settingsOf(protocol: string, manifest: Manifest | null): EnvironmentTable["settings"] {
  const own = manifest?.schema.properties ?? {};
  const names = [
    ...Object.keys(own),
    ...(missingByName.get(protocol)?.settings ?? []),
    ...Object.keys(sharedSchema.properties),
  ];
  const ignored = [...(manifest?.ignored ?? []), ...ignoredShared];
  return new Map<string, EnvironmentSetting>([
    ...ignoredInEnvironment(ignored),
    ...names.map((name) => [name.toLowerCase(), { name, secret: own[name]?.secret === true }] as const),
  ]);
}

const generalOnly = new Set(
  [...Object.keys(generalSchema.properties), ...ignoredGeneral.map(({ name }) => name)].map((name) =>
    name.toLowerCase(),
  ),
);

/** A sentence for a setting that only `[general]` has, or null. `key` in lower case. */
export function onlyGeneral(key: string): string | null {
  return generalOnly.has(key) ? "it belongs under [general]" : null;
}

function warnOfTable(key: string, holdsTable: boolean, where: Where, context: Context): void {
  const general = onlyGeneral(key.toLowerCase());
  const remedy = (): string => {
    if (general !== null) return `it is ignored: ${general}`;
    const hint = suggest(key, [...tables, ...context.rules.protocols.keys(), ...missingByName.keys()]);
    return hint === null ? "it is ignored" : `did you mean "${hint}"?`;
  };
  const what = holdsTable
    ? `"${key}" is neither a protocol nor a table that Rialto knows`
    : `there is no setting "${key}" outside the tables`;
  context.report.warning("unknown-table", where, [what, remedy]);
}
