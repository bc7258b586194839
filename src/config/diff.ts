import type { SettingsSchema } from "../contract/manifest.ts";
import type { Account, Config, GeneralSettings } from "./config.ts";
import { fingerprint } from "../lib/fingerprint.ts";
import { generalSchema } from "./schema.ts";

/**
 * What another configuration changes. Names as their configuration spells them, in its order; removed ones as the old
 * one does.
 */
export interface ConfigDiff {
  readonly accounts: Sides & {
    /** Their own settings have changed: what they have open is opened again. */
    readonly changed: readonly string[];
    /** Only how messages look, or which pass. */
    readonly restyled: readonly string[];
  };
  readonly gateways: Sides & { readonly changed: readonly string[] };
  /** Settings of `[general]` that take effect now. */
  readonly general: readonly string[];
  /** Settings of `[general]` that have changed, and keep their old value until the program is started again. */
  readonly needsRestart: readonly string[];
}

interface Sides {
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** Pure. */
export function diffConfig(old: Config, next: Config): ConfigDiff {
  const kept = [...next.accounts.values()].filter(({ key }) => old.accounts.has(key));
  const change = (account: Account): AccountChange => changeOf(old.accounts.get(account.key), account);
  const namesOf = (wanted: AccountChange): string[] =>
    kept.filter((account) => change(account) === wanted).map(({ name }) => name);
  const settings = changedSettings(old.general, next.general);
  return {
    accounts: {
      added: missingFrom(old, next.accounts.values()),
      removed: missingFrom(next, old.accounts.values()),
      changed: namesOf("reopen"),
      restyled: namesOf("restyle"),
    },
    gateways: diffGateways(old, next),
    general: settings.filter((name) => !needsRestart(name)),
    needsRestart: settings.filter(needsRestart),
  };
}

export type AccountChange = "none" | "restyle" | "reopen";

/** What has to be done about an account that is in both configurations. */
export function changeOf(old: Account | undefined, next: Account): AccountChange {
  if (old === undefined || old.name !== next.name || old.protocol !== next.protocol) return "reopen";
  if (fingerprint([old.settings, old.down]) !== fingerprint([next.settings, next.down])) return "reopen";
  return fingerprint(old.presentation) === fingerprint(next.presentation) ? "none" : "restyle";
}

/** Whether nothing is to be done, but to say what needs a restart. */
export function isUnchanged({ accounts, gateways, general }: ConfigDiff): boolean {
  const { added, removed, changed, restyled } = accounts;
  const all = [added, removed, changed, restyled, gateways.added, gateways.removed, gateways.changed, general];
  return all.every((names) => names.length === 0);
}

/** The configuration to run with: the next one, in which what needs a restart keeps its old value. */
export function effectiveConfig(old: Config, next: Config): Config {
  const { maxAgeMs, outageNoticeMs, proxy, allowedHosts, allowPrivate, dashboardUrl, values } = next.general;
  const kept = Object.entries(old.general.values).filter(([name]) => needsRestart(name));
  const merged = { ...values, ...Object.fromEntries(kept) };
  const moving = { maxAgeMs, outageNoticeMs, proxy, allowedHosts, allowPrivate, dashboardUrl };
  return { ...next, general: { ...old.general, ...moving, values: merged } };
}

function diffGateways(old: Config, next: Config): ConfigDiff["gateways"] {
  const [before, after] = [configHashes(old), configHashes(next)];
  const names = [...after.keys()];
  return {
    added: names.filter((name) => !before.has(name)),
    removed: [...before.keys()].filter((name) => !after.has(name)),
    changed: names.filter((name) => before.has(name) && before.get(name) !== after.get(name)),
  };
}

/** By name; a gateway and a samechannelgateway may share one. */
function configHashes({ gateways }: Config): ReadonlyMap<string, string> {
  return new Map(
    Array.from(
      Map.groupBy(gateways, ({ name }) => name),
      ([name, all]) => [name, fingerprint(all)],
    ),
  );
}

const missingFrom = ({ accounts }: Config, all: Iterable<Account>): string[] =>
  [...all].filter(({ key }) => !accounts.has(key)).map(({ name }) => name);

function changedSettings(old: GeneralSettings, next: GeneralSettings): string[] {
  const names = new Set([...Object.keys(next.values), ...Object.keys(old.values)]);
  return [...names].filter((name) => fingerprint(old.values[name]) !== fingerprint(next.values[name]));
}

function needsRestart(name: string): boolean {
  const { properties }: SettingsSchema = generalSchema;
  return properties[name]?.restart === true;
}
