import { fingerprint } from "../lib/fingerprint.ts";
import type { Account, Bridge, Config, Gateway } from "./config.ts";
import { changeOf, diffConfig } from "./diff.ts";

/** So many are told; the last line says that there are more. */
const LINES_MAX = 200;

/** What another configuration changes, a sentence each, for people: names, and no values of settings. Pure. */
export function changesOf(old: Config, next: Config): readonly string[] {
  const { accounts, gateways, general, needsRestart } = diffConfig(old, next);
  const of = (config: Config, name: string): Account | undefined => config.accounts.get(name.toLowerCase());
  const lines = [
    ...accounts.added.map((name) => `${name} is added.`),
    ...accounts.removed.map((name) => `${name} is removed.`),
    ...accounts.changed.map((name) => reopened(name, of(old, name), of(next, name))),
    ...accounts.restyled.map((name) => {
      const names = changedNames(of(old, name)?.presentation ?? {}, of(next, name)?.presentation ?? {}).map(asWritten);
      return `${name} goes on with another ${listed(names)}.`;
    }),
    ...gateways.added.flatMap((name) => [`The gateway ${name} is added.`, ...moved(name, old, next)]),
    ...gateways.removed.map((name) => `The gateway ${name} is removed.`),
    ...gateways.changed.flatMap((name) => {
      const lines = moved(name, old, next);
      return lines.length === 0 ? [`The gateway ${name} has other settings.`] : lines;
    }),
    ...general.map((name) => `${name} of [general] changes.`),
    ...needsRestart.map((name) => `${name} of [general] changes when Rialto is started again.`),
  ];
  if (lines.length <= LINES_MAX) return lines;
  return [...lines.slice(0, LINES_MAX), `And ${lines.length - LINES_MAX} more changes.`];
}

function reopened(name: string, old: Account | undefined, next: Account | undefined): string {
  if (old === undefined || next === undefined || changeOf(old, next) !== "reopen") return `${name} is opened again.`;
  const names = changedNames(old.settings, next.settings);
  if (names.length > 0) return `${name} is opened again with another ${listed(names)}.`;
  if (next.down !== null) return `${name} stays down.`;
  return old.down === null ? `${name} is opened again.` : `${name} is started.`;
}

/** The bridges that come and go. */
function moved(name: string, old: Config, next: Config): readonly string[] {
  const [before, after] = [bridgesOf(name, old), bridgesOf(name, next)];
  const missing = (from: ReadonlyMap<string, string>, of: ReadonlyMap<string, string>): string[] =>
    [...of].filter(([key]) => !from.has(key)).map(([, words]) => words);
  return [
    ...missing(before, after).map((bridge) => `${bridge} joins the gateway ${name}.`),
    ...missing(after, before).map((bridge) => `${bridge} leaves the gateway ${name}.`),
  ];
}

function bridgesOf(name: string, { gateways, accounts }: Config): ReadonlyMap<string, string> {
  const all = gateways.filter((gateway: Gateway) => gateway.name === name).flatMap(({ bridges }) => bridges);
  return new Map(
    all.map(({ account, channel, direction }: Bridge) => [
      JSON.stringify([account, channel, direction]),
      `${accounts.get(account)?.name ?? account} ${channel}${direction === "inout" ? "" : ` (${direction})`}`,
    ]),
  );
}

function changedNames(old: object, next: object): string[] {
  const [before, after] = [new Map(Object.entries(old)), new Map(Object.entries(next))];
  const names = new Set([...after.keys(), ...before.keys()]);
  return [...names].filter((name) => fingerprint(before.get(name)) !== fingerprint(after.get(name)));
}

/** `RemoteNickFormat` for `remoteNickFormat`. */
const asWritten = (name: string): string => name.slice(0, 1).toUpperCase() + name.slice(1);

const listed = (names: readonly string[]): string =>
  names.length < 2 ? (names[0] ?? "look") : `${names.slice(0, -1).join(", ")} and ${names.at(-1) ?? ""}`;
