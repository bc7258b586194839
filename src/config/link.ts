import { suggest } from "../lib/suggest.ts";
import { follows } from "./coerce.ts";
import type { Bridge, Gateway } from "./config.ts";
import type { Context } from "./context.ts";
import { missingByName } from "./declare.ts";
import type { Declared } from "./declare.ts";
import type { WrittenBridge, WrittenGateway } from "./gateways.ts";
import { keepsDown, leavesOut } from "./problems.ts";

/** A gateway whose accounts are known. */
export interface LinkedGateway {
  readonly written: WrittenGateway;
  /** With every bridge, also those of protocols that Rialto does not have yet. */
  readonly whole: Gateway;
  /** With the bridges that this version can run. */
  readonly running: Gateway;
  /** How many bridges it would have if nothing were wrong with it. */
  readonly meant: number;
}

const bridgeOut = leavesOut("bridge");

/** Looks up the accounts of each gateway and merges repeated bridges; what does not fit is reported. */
export function linkGateways(
  written: readonly WrittenGateway[],
  accounts: ReadonlyMap<string, Declared>,
  context: Context,
): LinkedGateway[] {
  reportDuplicates(written);
  const linked = written.map((gateway) => link(gateway, accounts, context));
  return linked.filter(({ written: { enabled, isOut } }) => enabled && !isOut);
}

function link(written: WrittenGateway, accounts: ReadonlyMap<string, Declared>, context: Context): LinkedGateway {
  const { name, label, where, sameChannel, entries, report } = written;
  if (entries.length === 0) {
    const lacking = sameChannel
      ? `accounts = ["…"] and channels = ["…"]`
      : "[[gateway.inout]] entries with account and channel";
    report.error("gateway-empty", where, [`${label} has no bridges`, `add ${lacking}`], leavesOut("gateway"));
  }
  const all = new Map<string, Bridge>();
  const running = new Map<string, Bridge>();
  let dropped = 0;
  for (const entry of entries) {
    const account = find(entry, written, accounts, context);
    const channel = account === null ? null : channelOf(entry, account, written);
    if (account === null || channel === null) {
      dropped += 1;
      continue;
    }
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
  return { written, whole: gatewayOf(all), running: gatewayOf(running), meant: all.size + dropped };
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
    const what = `"${account}" in ${label} is not an account`;
    report.fatal("bad-account", where, [what, 'it must have two parts, as in "api.left"']);
    return null;
  }
  if (!rules.protocols.has(protocol) && !missingByName.has(protocol)) {
    const remedy = (): string => {
      const known = [...rules.protocols.keys()];
      const hint = suggest(protocol, [...known, ...missingByName.keys()]);
      return hint === null ? `this version supports ${known.join(", ")}` : `did you mean "${hint}"?`;
    };
    const what = `"${account}" in ${label} has the unknown protocol "${protocol}"`;
    report.fatal("unknown-protocol", where, [what, remedy]);
    return null;
  }
  const remedy = (): string => {
    const hint = suggest(
      account,
      [...accounts.values()].map((known) => known.name),
    );
    return hint === null
      ? `add a section [${account}]`
      : `did you mean "${hint}"? Otherwise add a section [${account}]`;
  };
  report.fatal("unknown-account", where, [`the account "${account}" in ${label} is not configured`, remedy]);
  return null;
}

function channelOf(entry: WrittenBridge, { name, manifest }: Declared, { label, report, sameChannel }: WrittenGateway) {
  const { channel, channelWhere } = entry;
  const only = manifest?.onlyChannel;
  if (only !== undefined) {
    if (channel !== null && channel !== only && !sameChannel) {
      const what = `the channel ${JSON.stringify(channel)} of ${name} in ${label} has no effect: ${name} has one channel`;
      report.warning("only-channel", channelWhere, [what, `write channel = "${only}"`]);
    }
    return only;
  }
  if (channel === null || channel === "") {
    const what = `the entry for ${name} in ${label} has no channel`;
    report.error(
      "channel-missing",
      entry.where,
      [what, 'add channel = "…", with the quotes: without them # begins a comment'],
      bridgeOut,
    );
    return null;
  }
  const rule = manifest?.channel;
  if (rule === undefined) return channel;
  if (!follows(rule, channel)) {
    const message = `the channel ${JSON.stringify(channel)} of ${name} in ${label} ${rule.hint}`;
    report.error("bad-channel", channelWhere, message, bridgeOut);
    return null;
  }
  return rule.lowerCase ? channel.replaceAll(/[A-Z]/gu, (letter) => letter.toLowerCase()) : channel;
}

/** All options as written; those that a protocol does not know are reported, and do no harm. */
function optionsOf(
  entry: WrittenBridge,
  { key, name: account, manifest }: Declared,
  { label, report }: WrittenGateway,
) {
  const known = manifest?.options ?? {};
  for (const { name, key: of, value, where } of manifest === null ? [] : entry.options) {
    const option = Object.hasOwn(known, of) ? known[of] : undefined;
    if (option === undefined) {
      const remedy = (): string => {
        const hint = suggest(of, Object.keys(known));
        return hint === null ? "" : `did you mean ${hint}?`;
      };
      const what = `option "${name}" has no effect on ${account} in ${label}`;
      report.warning("ignored-option", where, [what, remedy]);
    } else if (option.rule !== undefined && !follows(option.rule, value)) {
      // It is a password: the account must not join a room without it.
      const effect = keepsDown({ key, name: account }, `option "${name}" in ${label}`);
      report.error("bad-option", where, `option "${name}" of ${account} in ${label} ${option.rule.hint}`, effect);
    }
  }
  return Object.fromEntries(entry.options.map((option) => [option.key, option.value]));
}

function warnOfSkipped(account: Declared, entry: WrittenBridge, { label, report }: WrittenGateway): void {
  const title = missingByName.get(account.protocol)?.title ?? account.protocol;
  const message = `${label} runs without ${account.name}: this version does not support ${title} yet`;
  report.warning("bridge-skipped", entry.where, message);
}

function reportDuplicates(written: readonly WrittenGateway[]): void {
  const first = new Map<string, WrittenGateway>();
  // Enabled ones first: a copy that is not enabled harms nobody and must not make its twin look wrong.
  for (const gateway of [...written].sort((a, b) => Number(b.enabled) - Number(a.enabled))) {
    const duplicate = first.get(gateway.name);
    if (duplicate === undefined) first.set(gateway.name, gateway);
    else if (gateway.name !== "") {
      const what = `there is another gateway named "${gateway.name}"`;
      gateway.report.fatal(
        "duplicate-gateway",
        gateway.nameWhere,
        [what, "give one of them another name"],
        duplicate.nameWhere,
      );
    }
  }
}
