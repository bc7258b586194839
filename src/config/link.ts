import { suggest } from "../lib/suggest.ts";
import { follows } from "./coerce.ts";
import type { Bridge, Gateway } from "./config.ts";
import type { Context } from "./context.ts";
import { missingByName } from "./declare.ts";
import type { Declared } from "./declare.ts";
import type { WrittenBridge, WrittenGateway } from "./gateways.ts";

/** A gateway whose accounts are known. */
export interface LinkedGateway {
  readonly written: WrittenGateway;
  /** With every bridge, also those of protocols that Rialto does not have yet. */
  readonly whole: Gateway;
  /** With the bridges that can run. */
  readonly running: Gateway;
}

/** Looks up the accounts of each gateway and merges repeated bridges; what does not fit is reported. */
export function linkGateways(
  written: readonly WrittenGateway[],
  accounts: ReadonlyMap<string, Declared>,
  context: Context,
): LinkedGateway[] {
  reportDuplicates(written);
  const linked = written.map((gateway) => link(gateway, accounts, context));
  const enabled = linked.filter((gateway) => gateway.written.enabled);
  reportNothingToRun(written, enabled, context);
  return enabled;
}

function link(written: WrittenGateway, accounts: ReadonlyMap<string, Declared>, context: Context): LinkedGateway {
  const { name, label, where, sameChannel, entries, report } = written;
  if (entries.length === 0) {
    const mend = sameChannel
      ? `accounts = ["…"] and channels = ["…"]`
      : "[[gateway.inout]] entries with account and channel";
    report.error("gateway-empty", where, `${label} has no bridges; add ${mend}`);
  }
  const all = new Map<string, Bridge>();
  const running = new Map<string, Bridge>();
  for (const entry of entries) {
    const account = find(entry, written, accounts, context);
    if (account === null) continue;
    const channel = channelOf(entry, account, written);
    if (channel === null) continue;
    const { direction } = entry;
    const options = optionsOf(entry, account, written);
    const bridge = { account: account.key, channel, direction, options };
    merge(all, bridge);
    if (account.manifest !== null) merge(running, bridge);
    else if (written.enabled) warnOfSkipped(account, entry, written);
  }
  const gatewayOf = (bridges: ReadonlyMap<string, Bridge>) => ({
    name,
    sameChannel,
    ...written.settings,
    bridges: [...bridges.values()],
  });
  return { written, whole: gatewayOf(all), running: gatewayOf(running) };
}

/** One room is one bridge: listed as in and as out it is inout; the options that come first count. */
function merge(bridges: Map<string, Bridge>, bridge: Bridge): void {
  const id = JSON.stringify([bridge.account, bridge.channel]);
  const before = bridges.get(id);
  if (before === undefined) bridges.set(id, bridge);
  else if (before.direction !== bridge.direction) bridges.set(id, { ...before, direction: "inout" });
}

function find(
  { account, where }: WrittenBridge,
  { label, report }: WrittenGateway,
  accounts: ReadonlyMap<string, Declared>,
  { rules }: Context,
): Declared | null {
  const key = account.toLowerCase();
  const declared = accounts.get(key);
  if (declared !== undefined) return declared;
  const [protocol = "", name = "", ...more] = key.split(".");
  if (protocol === "" || name === "" || more.length > 0) {
    report.error(
      "bad-account",
      where,
      `"${account}" in ${label} is not an account; it must have two parts, as in "api.left"`,
    );
    return null;
  }
  if (!rules.protocols.has(protocol) && !missingByName.has(protocol)) {
    const known = [...rules.protocols.keys()];
    const hint = suggest(protocol, [...known, ...missingByName.keys()]);
    const mend = hint === null ? `this version has ${known.join(", ")}` : `did you mean "${hint}"?`;
    report.error("unknown-protocol", where, `"${account}" in ${label} has the unknown protocol "${protocol}"; ${mend}`);
    return null;
  }
  const hint = suggest(
    account,
    [...accounts.values()].map((known) => known.name),
  );
  const mend =
    hint === null ? `add a section [${account}]` : `did you mean "${hint}"? Otherwise add a section [${account}]`;
  report.error("unknown-account", where, `the account "${account}" in ${label} is not configured; ${mend}`);
  return null;
}

function channelOf(entry: WrittenBridge, { name, manifest }: Declared, { label, report }: WrittenGateway) {
  if (manifest?.onlyChannel !== undefined) return manifest.onlyChannel;
  const { channel, channelWhere } = entry;
  if (channel === null || channel === "") {
    const message = `the entry for ${name} in ${label} has no channel; add channel = "…"`;
    report.error("channel-missing", entry.where, message);
    return null;
  }
  const rule = manifest?.channel;
  if (rule === undefined) return channel;
  if (!follows(rule, channel)) {
    const message = `the channel ${JSON.stringify(channel)} of ${name} in ${label} ${rule.hint}`;
    report.error("bad-channel", channelWhere, message);
    // The load fails, or this gateway is not enabled: the rest is checked as if the channel were right.
    return channel;
  }
  return rule.lowerCase ? channel.replaceAll(/[A-Z]/gu, (letter) => letter.toLowerCase()) : channel;
}

/** All options as written; those that a protocol does not know are reported, and do no harm. */
function optionsOf(entry: WrittenBridge, { name: account, manifest }: Declared, { label, report }: WrittenGateway) {
  const known = manifest?.options ?? {};
  for (const { name, key, value, where } of manifest === null ? [] : entry.options) {
    const option = Object.hasOwn(known, key) ? known[key] : undefined;
    if (option === undefined) {
      const hint = suggest(key, Object.keys(known));
      const mend = hint === null ? "" : `; did you mean ${hint}?`;
      report.warning("ignored-option", where, `option "${name}" has no effect on ${account} in ${label}${mend}`);
    } else if (option.rule !== undefined && !follows(option.rule, value)) {
      report.error("bad-option", where, `option "${name}" of ${account} in ${label} ${option.rule.hint}`);
    }
  }
  return Object.fromEntries(entry.options.map(({ key, value }) => [key, value]));
}

function warnOfSkipped(account: Declared, entry: WrittenBridge, { label, report }: WrittenGateway): void {
  const title = missingByName.get(account.protocol)?.title ?? account.protocol;
  const message = `${label} leaves out ${account.name}: this version has no ${title} yet`;
  report.warning("bridge-skipped", entry.where, message);
}

function reportDuplicates(written: readonly WrittenGateway[]): void {
  const first = new Map<string, WrittenGateway>();
  // Enabled ones first: a copy that is not enabled harms nobody and must not make its twin look wrong.
  for (const gateway of [...written].sort((a, b) => Number(b.enabled) - Number(a.enabled))) {
    const twin = first.get(gateway.name);
    if (twin === undefined) first.set(gateway.name, gateway);
    else if (gateway.name !== "") {
      const message = `there is another gateway named "${gateway.name}"; names must differ`;
      gateway.report.error("duplicate-gateway", gateway.nameWhere, message, twin.nameWhere);
    }
  }
}

function reportNothingToRun(
  written: readonly WrittenGateway[],
  enabled: readonly LinkedGateway[],
  { report }: Context,
): void {
  if (enabled.length === 0) {
    const first = written[0];
    if (first === undefined) {
      const mend = "add a [[gateway]] with a name, enable = true and [[gateway.inout]] entries";
      report.error("no-gateway", { in: "file", path: [], at: "key" }, `no gateway is configured; ${mend}`);
    } else {
      report.error(
        "no-gateway",
        first.where,
        `no gateway is enabled; set enable = true in one, such as ${first.label}`,
      );
    }
    return;
  }
  const idle = enabled.filter(({ whole, running }) => whole.bridges.length > 0 && running.bridges.length === 0);
  const someRun = enabled.some(({ running }) => running.bridges.length > 0);
  for (const { written: gateway } of idle) {
    const message = `${gateway.label} is not started: this version can run none of its bridges`;
    if (someRun) report.warning("gateway-skipped", gateway.where, message);
    else
      report.error(
        "nothing-to-run",
        gateway.where,
        `${message}, and no other gateway can run; add a bridge to an account it has`,
      );
  }
}
