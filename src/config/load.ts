import { dirname, resolve } from "node:path";
import { positionAt } from "../lib/position.ts";
import { resolveAccount, warnOfMissingProtocol } from "./accounts.ts";
import type { Account, Config } from "./config.ts";
import type { Context, Rules } from "./context.ts";
import { reportNothingToRun, warnOfSameRooms } from "./crossing.ts";
import { declareAccounts, declareNamed, forgetUnknown, scopesOf } from "./declare.ts";
import type { Declared } from "./declare.ts";
import { overlay } from "./environment.ts";
import type { Environment } from "./environment.ts";
import { formatOf, locator, parseText } from "./formats/pick.ts";
import type { FormatName } from "./formats/pick.ts";
import { readGateways, type WrittenGateway } from "./gateways.ts";
import { generalScope, resolveGeneral, tableOf, tengoScope, warnOfTengo } from "./general.ts";
import { warnOfIdleSettings } from "./idle.ts";
import { warnOfLabels } from "./labels.ts";
import { linkGateways } from "./link.ts";
import type { LinkedGateway } from "./link.ts";
import { checkListeners } from "./listeners.ts";
import { warnOfSharedLogins } from "./logins.ts";
import { reportModeration } from "./moderators.ts";
import { byPlace, ProblemReport } from "./problems.ts";
import type { ConfigProblem } from "./problems.ts";
import { readBounded } from "./read-file.ts";
import { warnOfLoops, warnOfDuplicates } from "./rooms.ts";
import { lowerCaseKeys, isTable, reportBroken, valueAt } from "./section.ts";
import type { Section } from "./section.ts";

export const CONFIG_BYTES_MAX = 32 * 1024 * 1024;

export interface LoadRequest {
  readonly source:
    | { readonly path: string }
    /** `name` stands in for the file name in problems; relative paths then count from `cwd`. */
    | { readonly text: string; readonly format: FormatName; readonly name: string };
  readonly env: Environment;
  readonly cwd: string;
  readonly rules: Rules;
}

/**
 * Problems come in the order of the file. With `ok` it can be started, without the parts that have errors; only one
 * without errors is reloaded.
 */
export type Loaded =
  | { readonly ok: true; readonly config: Config; readonly problems: readonly ConfigProblem[] }
  | { readonly ok: false; readonly problems: readonly ConfigProblem[] };

/** Reads, checks and resolves a configuration. Everything that is wrong is in `problems`; nothing is thrown for it. */
export function loadConfig(request: LoadRequest): Loaded {
  const { source } = request;
  if ("text" in source) return loadText(source.text, source.format, source.name, null, request);
  const path = resolve(request.cwd, source.path);
  const text = readText(path, source.path);
  if (typeof text !== "string") return { ok: false, problems: [text] };
  return loadText(text, formatOf(path), source.path, path, request);
}

function readText(path: string, file: string): string | ConfigProblem {
  const problem = (message: string, remedy = "", line = 0, column = 0): ConfigProblem => {
    return { severity: "error", code: "unreadable", file, line, column, message, remedy };
  };
  const read = readBounded(path, CONFIG_BYTES_MAX);
  if ("error" in read) {
    const what = read.missing ? "there is no such file" : `it ${read.error}`;
    return problem(what, read.remedy ?? `check the path (folder: ${dirname(path)})`);
  }
  const text = read.bytes.toString("utf8").replace(/^\uFEFF/u, "");
  const bad = text.indexOf("\uFFFD");
  if (bad === -1 || read.bytes.includes("\uFFFD")) return text;
  const { line, column } = positionAt(text, bad);
  return problem("the file is not UTF-8 here", "save it as UTF-8", line, column);
}

function loadText(
  text: string,
  formatName: FormatName,
  file: string,
  path: string | null,
  request: LoadRequest,
): Loaded {
  const parsed = parseText(formatName, text);
  if (!parsed.ok) {
    const problems: ConfigProblem[] = [];
    for (const { line, column, message, remedy = "" } of parsed.problems) {
      problems.push({ severity: "error", code: "syntax", file, line, column, message, remedy });
    }
    return { ok: false, problems: problems.sort(byPlace) };
  }
  const report = new ProblemReport();
  const folder = path === null ? request.cwd : dirname(path);
  const config = build(parsed.root, path, request, { rules: request.rules, report, folder });
  const problems = report.isEmpty ? [] : report.problems(file, locator(parsed));
  if (report.failed) return { ok: false, problems };
  return { ok: true, config: { ...config, errors: problems.filter(({ severity }) => severity === "error") }, problems };
}

/** The steps of a load, in order. The result is only good when the report has not failed. */
function build(parsed: unknown, path: string | null, request: LoadRequest, context: Context): Omit<Config, "errors"> {
  const root = rootOf(parsed, context);
  const general = tableOf(root, "general", context);
  const tengo = tableOf(root, "tengo", context);
  const written = readGateways(root, context);
  const accounts = declareAccounts(root, context);
  declareNamed(
    written.flatMap(({ entries }) => entries),
    accounts,
    context,
  );
  const scopes = [generalScope(general, context), tengoScope(tengo), ...scopesOf(accounts.values())];
  overlay(request.env, scopes, context.report);
  forgetUnknown(accounts);

  const own = resolveGeneral(general, context);
  warnOfTengo(tengo, context);
  const linked = linkGateways(written, accounts, context);
  const used = resolveAccounts(accounts, { written, linked }, general, context);
  const isAdminClosed = checkListeners(used, accounts, general, context);
  warnOfSharedLogins(used, accounts, general, context);
  warnOfIdleSettings(used, accounts, general, context);
  warnOfLabels(linked, used, accounts, general, context);
  warnOfDuplicates(linked, accounts, general, context);
  warnOfLoops(linked, accounts, general, context);
  warnOfSameRooms(linked, accounts, context);
  reportModeration(linked, used, accounts, context);
  const isServed = own.admin !== null && !isAdminClosed;
  reportNothingToRun(written, linked, accounts, { ...context, isServed });
  const gateways = linked.map(({ running }) => running).filter(({ bridges }) => bridges.length > 0);
  const { downs } = context.report;
  return {
    path,
    general: isAdminClosed ? { ...own, admin: null } : own,
    accounts: new Map(Array.from(used, ([key, account]) => [key, { ...account, down: downs.get(key) ?? null }])),
    gateways,
  };
}

function rootOf(parsed: unknown, { report }: Context): Section {
  if (isTable(parsed)) {
    const root = lowerCaseKeys(parsed, []);
    reportBroken(root, null, report);
    return root;
  }
  // An empty YAML file is an empty configuration; the missing gateway is what there is to say.
  if (parsed !== null && parsed !== undefined) {
    report.fatal("bad-value", valueAt([]), "the file must contain a table of settings");
  }
  return new Map();
}

/** The accounts of the bridges. Those that no enabled gateway names are checked as well; their errors are warnings. */
function resolveAccounts(
  accounts: ReadonlyMap<string, Declared>,
  { written, linked }: { readonly written: readonly WrittenGateway[]; readonly linked: readonly LinkedGateway[] },
  general: Section,
  context: Context,
): Map<string, Account> {
  const entries = written.flatMap((gateway) => (gateway.enabled ? gateway.entries : []));
  const named = new Set(entries.map(({ account }) => account.toLowerCase()));
  const inUse = new Set(linked.flatMap(({ running }) => running.bridges.map(({ account }) => account)));
  const idle = { ...context, report: context.report.lenient("no enabled gateway uses this account") };
  const used = new Map<string, Account>();
  for (const declared of accounts.values()) {
    if (declared.manifest === null && declared.inFile) warnOfMissingProtocol(declared, context);
    else if (!named.has(declared.key) && declared.inFile) {
      const what = `no enabled gateway uses ${declared.name}`;
      context.report.warning("unused-account", declared.where, [what, "it is not started"]);
    }
    const account = resolveAccount(declared, general, named.has(declared.key) ? context : idle);
    if (account !== null && inUse.has(declared.key)) used.set(declared.key, account);
  }
  return used;
}
