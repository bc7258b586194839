import { suggest } from "../lib/suggest.ts";
import { asText, coerce } from "./coerce.ts";
import type { Bridge } from "./config.ts";
import type { Context } from "./context.ts";
import { type ProblemEffect, keepsDown, leavesOut, type ProblemReport, type Where } from "./problems.ts";
import { type GatewaySettings, gatewaySettingKeys, readGatewaySettings } from "./gateway-settings.ts";
import { lowerCaseKeys, isTable, keyAt, reportBroken, valueAt } from "./section.ts";
import type { Section, Setting } from "./section.ts";
import { listOf } from "../lib/shapes.ts";

/** A gateway as written, before its accounts are looked up. */
export interface WrittenGateway {
  readonly name: string;
  /** For people: `gateway "main"`. */
  readonly label: string;
  readonly where: Where;
  readonly nameWhere: Where;
  readonly enabled: boolean;
  /** It cannot run as it is written, which is reported. */
  readonly isOut: boolean;
  readonly sameChannel: boolean;
  readonly entries: readonly WrittenBridge[];
  readonly settings: GatewaySettings;
  /** Errors are warnings when the gateway is not enabled. */
  readonly report: ProblemReport;
}

/** One entry: an account in a channel. */
export interface WrittenBridge {
  readonly account: string;
  /** Of the account's name. */
  readonly where: Where;
  /** Null when it is not written. */
  readonly channel: string | null;
  /** Of the channel, or of the account's name. */
  readonly channelWhere: Where;
  readonly direction: Bridge["direction"];
  readonly options: readonly WrittenOption[];
}

interface WrittenOption {
  /** As written. */
  readonly name: string;
  /** Lower case. */
  readonly key: string;
  /** It may be a channel's password, and is never shown. */
  readonly value: string;
  readonly where: Where;
}

const directions = ["in", "out", "inout"] as const;
const gatewayKeys = ["name", "enable", ...directions, ...gatewaySettingKeys];
const sameChannelKeys = ["name", "enable", "accounts", "channels", ...gatewaySettingKeys];
const bridgeExample = `[{ account = "…", channel = "…" }]`;
const bridgeKeys = ["account", "channel", "options"];

const gatewayOut = leavesOut("gateway");
const bridgeOut = leavesOut("bridge");

/** Every gateway of the file, in its order; the samechannel ones last, as in the reference. */
export function readGateways(root: Section, context: Context): WrittenGateway[] {
  const items = (kind: string): Item[] =>
    itemsOf(root.get(kind), { label: kind, example: `[[${kind}]]`, effect: gatewayOut }, context.report);
  const [plain, same] = [items("gateway"), items("samechannelgateway")];
  return [
    ...plain.map((item) => readGateway(item, false, context)),
    ...same.map((item) => readGateway(item, true, context)),
  ];
}

interface Item {
  readonly section: Section;
  readonly where: Where;
}

/** The tables of a list; a single table counts as a list of one. */
function itemsOf(
  setting: Setting | undefined,
  { label, example, effect }: { readonly label: string; readonly example: string; readonly effect: ProblemEffect },
  report: ProblemReport,
): Item[] {
  if (setting === undefined || setting.where.in === "env") return [];
  const { value, where } = setting;
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  const items: Item[] = [];
  for (const [index, item] of values.entries()) {
    const path = Array.isArray(value) ? [...where.path, index] : where.path;
    if (isTable(item)) items.push({ section: lowerCaseKeys(item, path), where: keyAt(path) });
    else report.error("bad-value", valueAt(path), `${label} must contain tables, as in ${example}`, effect);
  }
  return items;
}

function readGateway({ section, where }: Item, sameChannel: boolean, context: Context): WrittenGateway {
  const kind = sameChannel ? "samechannelgateway" : "gateway";
  const written = section.get("name");
  const name = written === undefined ? "" : (textOf(written, `name of a ${kind}`, gatewayOut, context.report) ?? "");
  const label = name === "" ? `a ${kind} without a name` : `${kind} "${name}"`;
  const enable = readEnable(section, label, context);
  const enabled = enable !== false;
  const report = enabled ? context.report : context.report.lenient("this gateway is not enabled");
  if (name === "") report.error("gateway-nameless", where, [`this ${kind} has no name`, 'add name = "…"'], gatewayOut);
  const isOut = reportBroken(section, gatewayOut, report) || name === "" || enable === null;
  warnOfUnknown(section, sameChannel ? sameChannelKeys : gatewayKeys, label, report);
  const scope = { label, report, context };
  const entries = sameChannel
    ? readProduct(section, scope)
    : directions.flatMap((way) => readBridges(section, way, scope));
  const settings = readGatewaySettings(section, scope);
  const nameWhere = written?.where ?? where;
  return { name, label, where, nameWhere, enabled, isOut, sameChannel, entries, settings, report };
}

interface Scope {
  readonly label: string;
  readonly report: ProblemReport;
  readonly context: Context;
}

/** Null when it cannot be read: the rest of the gateway is checked as if it were enabled. */
function readEnable(section: Section, label: string, context: Context): boolean | null {
  const setting = section.get("enable");
  if (setting === undefined) return false;
  const result = coerce(setting.value, { type: "boolean" }, context.rules.checkPattern);
  if (result.ok) return result.value === true;
  for (const { message } of result.misfits)
    context.report.error("bad-value", setting.where, `enable of ${label} ${message}`, gatewayOut);
  return null;
}

function readBridges(section: Section, direction: Bridge["direction"], { label, report }: Scope): WrittenBridge[] {
  const bridges: WrittenBridge[] = [];
  const list = { label: `${direction} of ${label}`, example: bridgeExample, effect: bridgeOut };
  for (const item of itemsOf(section.get(direction), list, report)) {
    if (reportBroken(item.section, bridgeOut, report)) continue;
    warnOfUnknown(item.section, bridgeKeys, `an entry of ${label}`, report);
    const account = item.section.get("account");
    const name = account === undefined ? "" : textOf(account, `account in ${label}`, null, report);
    if (name === "") {
      const what = `an entry of ${label} has no account`;
      report.fatal("account-missing", item.where, [what, 'add account = "<protocol>.<name>"']);
    }
    if (name === null || name === "") continue;
    const channel = item.section.get("channel");
    const where = account?.where ?? item.where;
    const text = channel === undefined ? null : textOf(channel, `channel in ${label}`, bridgeOut, report);
    if (channel !== undefined && text === null) continue;
    bridges.push({
      account: name,
      where,
      channel: text,
      channelWhere: channel?.where ?? where,
      direction,
      options: readOptions(item.section.get("options"), { label, report, account: name }),
    });
  }
  return bridges;
}

/**
 * Options may contain a password, and the account must not join a room without it: those that cannot be read keep their
 * account down.
 */
function readOptions(
  setting: Setting | undefined,
  { label, report, account }: Pick<Scope, "label" | "report"> & { readonly account: string },
): readonly WrittenOption[] {
  if (setting === undefined || setting.where.in === "env") return [];
  const effect = keepsDown({ key: account.toLowerCase(), name: account }, `the options in ${label}`);
  if (!isTable(setting.value)) {
    const said = `options in ${label} must be a table, as in options = { key = "…" }`;
    report.error("bad-value", setting.where, said, effect);
    return [];
  }
  const options: WrittenOption[] = [];
  const section = lowerCaseKeys(setting.value, setting.where.path);
  reportBroken(section, effect, report);
  for (const [key, option] of section) {
    const text = asText(option.value);
    if (typeof text === "string") options.push({ name: option.key, key, value: text, where: option.keyWhere });
    else report.error("bad-value", option.where, `option "${option.key}" in ${label} must be text in quotes`, effect);
  }
  return options;
}

/** Every account in every channel, both ways. */
function readProduct(section: Section, scope: Scope): WrittenBridge[] {
  const accounts = readList(section.get("accounts"), "accounts", scope);
  const channels = readList(section.get("channels"), "channels", scope);
  if (accounts.length > 0 && channels.length === 0) {
    const where = section.get("accounts")?.keyWhere ?? { in: "file", path: [], at: "key" };
    const said = [`${scope.label} has no channels`, 'add channels = ["…"]'] as const;
    scope.report.error("channel-missing", where, said, gatewayOut);
  }
  return accounts.flatMap(({ text: account, where }) =>
    channels.map(({ text: channel, where: channelWhere }): WrittenBridge => {
      return { account, where, channel, channelWhere, direction: "inout", options: [] };
    }),
  );
}

function readList(setting: Setting | undefined, name: string, { label, report, context }: Scope) {
  if (setting === undefined) return [];
  // Text is read as a list here too; names of accounts and channels contain neither spaces nor commas then.
  const value =
    typeof setting.value === "string" ? setting.value.split(/[\s,]+/u).filter((word) => word !== "") : setting.value;
  const result = coerce(value, { type: "array", items: { type: "string", minLength: 1 } }, context.rules.checkPattern);
  if (!result.ok) {
    for (const { path, message } of result.misfits) {
      report.error("bad-value", below(setting.where, path), `${name} of ${label} ${message}`, gatewayOut);
    }
    return [];
  }
  const texts = listOf(result.value).filter((text) => typeof text === "string");
  return texts.map((text, index) => ({
    text,
    where: below(setting.where, Array.isArray(setting.value) ? [index] : []),
  }));
}

function below(where: Where, path: readonly (string | number)[]): Where {
  return where.in === "env" ? where : valueAt([...where.path, ...path]);
}

/** `effect`: of an error; null: nothing can run. */
function textOf(setting: Setting, what: string, effect: ProblemEffect | null, report: ProblemReport): string | null {
  const text = asText(setting.value);
  if (typeof text === "string") return text;
  const said = `${what} ${text === null ? "must be text in quotes" : text.error}`;
  if (effect === null) report.fatal("bad-value", setting.where, said);
  else report.error("bad-value", setting.where, said, effect);
  return null;
}

function warnOfUnknown(section: Section, known: readonly string[], label: string, report: ProblemReport): void {
  for (const [key, setting] of section) {
    if (known.some((name) => name.toLowerCase() === key)) continue;
    const remedy = (): string => {
      const hint = suggest(key, known);
      return hint === null ? `it is ignored; known keys are ${known.join(", ")}` : `did you mean ${hint}?`;
    };
    report.warning("unknown-key", setting.keyWhere, [`${label} has no "${setting.key}"`, remedy]);
  }
}
