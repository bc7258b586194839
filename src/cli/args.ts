import type { TokenAction } from "../access/operate.ts";
import { suggest } from "../lib/suggest.ts";
import { type OptionName, readOptions, type Values } from "./options.ts";

export type Command =
  | {
      readonly is: "run";
      readonly conf: string | null;
      /** Without a configuration, the example runs even where there is no terminal. */
      readonly orExample: boolean;
      readonly debug: boolean;
      /** Options of the reference that have no effect here, as `-gops`. */
      readonly ignored: readonly string[];
    }
  /** The built-in configuration, whatever is in the folder. */
  | { readonly is: "example"; readonly debug: boolean }
  | { readonly is: "check"; readonly file: string | null; readonly json: boolean; readonly online: boolean }
  | { readonly is: "init"; readonly file: string | null }
  /** What an adapter offers in addition to the bridge, for one account. */
  | {
      readonly is: "account";
      readonly protocol: string;
      readonly name: string;
      readonly account: string;
      readonly conf: string | null;
    }
  | LogCommand
  | TokenCommand
  | ControlCommand
  | { readonly is: "version"; readonly json: boolean }
  /** `of`: one command, or the commands of the accounts of one protocol; null: the program. */
  | { readonly is: "help"; readonly of: HelpTopic | { readonly protocol: string } | null }
  | { readonly is: "usage"; readonly message: string; readonly json: boolean };

/** What is done with a log on the disk. */
export interface LogCommand {
  readonly is: "log";
  readonly action: LogAction;
  /** Of a backup and an export: the new file; of an import: what is imported. */
  readonly file: string | null;
  /** Of an export: what the data folder has, without asking the servers of several machines. */
  readonly local: boolean;
  readonly conf: string | null;
  readonly data: string | null;
  readonly json: boolean;
}

/** What is done with the tokens of the HTTP API. */
export interface TokenCommand {
  readonly is: "token";
  readonly action: TokenAction;
  /** The eight characters of the token; empty: it is about none. */
  readonly id: string;
  /** Of a new one, as they were written; null: not at all. */
  readonly asked: Readonly<Record<TokenOption, string | null>>;
  readonly conf: string | null;
  readonly data: string | null;
  readonly socket: string | null;
  readonly json: boolean;
  /** Prints the token alone. */
  readonly quiet: boolean;
}

/** What is asked of a Rialto that runs. */
export interface ControlCommand {
  readonly is: "control";
  readonly name: ControlName;
  /** The words after the command. */
  readonly words: readonly string[];
  readonly conf: string | null;
  /** The data folder, instead of the one of the configuration. */
  readonly data: string | null;
  /** Path of the socket, instead of the one in the data folder. */
  readonly socket: string | null;
  readonly watch: boolean;
  readonly json: boolean;
  /** Also shows the ids of networks. */
  readonly ids: boolean;
  /** The name to speak under. */
  readonly as: string;
  /** Of an invite, as they were written; null: not at all. */
  readonly uses: string | null;
  readonly expires: string | null;
  readonly hold: boolean;
  /** Of a message that may be there already: it is sent again nevertheless. */
  readonly mayDouble: boolean;
}

const TOKEN_OPTIONS = ["account", "gateways", "scopes", "name", "expires", "posts-per-minute"] as const;
type TokenOption = (typeof TOKEN_OPTIONS)[number];

/** Options of the reference that have no effect here. A service file that has them still starts Rialto. */
const IGNORED_OPTIONS = ["gops", "nocolor"] as const;

/** Every command takes these, so that a wrapper such as "npm start" can put them before any command. */
const COMMON_OPTIONS: ReadonlySet<string> = new Set([
  "conf",
  "debug",
  "help",
  "version",
  "or-example",
  ...IGNORED_OPTIONS,
]);

interface Rule {
  /** How many words belong to it, least and most. */
  readonly words: readonly [number, number];
  /** In addition to the common ones. */
  readonly options: readonly OptionName[];
}

const CONTROL = {
  status: { words: [0, 0], options: ["data", "socket", "watch", "json"] },
  explain: { words: [1, Infinity], options: ["data", "socket", "json", "ids"] },
  tail: { words: [0, 1], options: ["data", "socket", "json"] },
  send: { words: [2, Infinity], options: ["data", "socket", "as", "json"] },
  resend: { words: [2, 3], options: ["data", "socket", "json", "may-double"] },
  reload: { words: [0, 0], options: ["data", "socket", "json"] },
  cluster: { words: [0, 1], options: ["data", "socket", "json"] },
  dashboard: { words: [0, 0], options: ["data", "socket", "json"] },
  invite: { words: [1, 1], options: ["data", "socket", "json", "uses", "expires", "hold"] },
} as const satisfies Record<string, Rule>;
type ControlName = keyof typeof CONTROL;

const COMMANDS = {
  run: { words: [0, 0], options: IGNORED_OPTIONS },
  example: { words: [0, 0], options: [] },
  check: { words: [0, 1], options: ["json", "online"] },
  init: { words: [0, 1], options: [] },
  log: { words: [0, 2], options: ["data", "json", "local"] },
  token: { words: [0, 2], options: ["data", "socket", "json", "quiet", ...TOKEN_OPTIONS] },
  help: { words: [0, Infinity], options: [] },
  version: { words: [0, 0], options: ["json"] },
  ...CONTROL,
} as const satisfies Record<string, Rule>;
export type HelpTopic = keyof typeof COMMANDS;

const LOG_ACTIONS = ["check", "repair", "backup", "export", "import"] as const;
type LogAction = (typeof LOG_ACTIONS)[number];
const TOKEN_ACTIONS = ["create", "list", "revoke", "rotate"] as const satisfies readonly TokenAction[];
const CLUSTER_ACTIONS = ["status"];
/** What has to follow a command. */
const ACTIONS: Readonly<Partial<Record<HelpTopic, readonly string[]>>> = {
  log: LOG_ACTIONS,
  token: TOKEN_ACTIONS,
  cluster: CLUSTER_ACTIONS,
};

/** What the command line is read by, beside itself. */
export interface Reading {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The commands of accounts, by protocol. */
  readonly protocols: ReadonlyMap<string, { readonly commands?: readonly { readonly name: string }[] }>;
}

/** Reads the command line, without the program's own name. `DEBUG=1` in the environment counts as `-debug`. Pure. */
export function parseCommand(argv: readonly string[], reading: Reading): Command {
  const { values, words: all, problem } = readOptions(argv);
  const [name = "run", ...words] = all;
  const command =
    problem === null ? commandFor(name, { all, words, values, reading }) : usage(problem + dashHint(name));
  if (command.is !== "usage") return command;
  const { json = false } = values;
  return { ...command, json };
}

interface Line {
  /** Everything that is not an option. */
  readonly all: readonly string[];
  /** The same without the command. */
  readonly words: readonly string[];
  readonly values: Values;
  readonly reading: Reading;
}

function commandFor(name: string, line: Line): Command {
  const { all, words, values, reading } = line;
  if (values.help === true) return helpOf(all.slice(0, 1), reading);
  if (values.version === true) return { is: "version", json: values.json === true };
  if (!isCommand(name)) return ofAccount(name, line);
  const {
    words: [least, most],
    options,
  }: Rule = COMMANDS[name];
  if (words.length < least) return usage(`"${name}" needs more words: see rialto ${name} --help`);
  if (words.length > most) return unexpected(words.slice(most), most === 0 ? `rialto ${name}` : null);
  const alien = alienIn(values, options);
  if (alien !== undefined) return usage(`"${name}" has no option --${alien}`);
  return commandOf(name, words, values, reading);
}

function commandOf(name: HelpTopic, words: readonly string[], values: Values, reading: Reading): Command {
  const { conf = null, data = null, socket = null, watch = false, json = false, ids = false, as = "" } = values;
  const debug = values.debug === true || reading.env["DEBUG"] === "1";
  const [first = null] = words;
  switch (name) {
    case "run": {
      const ignored = IGNORED_OPTIONS.filter((option) => values[option] === true).map((option) => `-${option}`);
      return { is: "run", conf, orExample: values["or-example"] === true, debug, ignored };
    }
    case "example":
      return { is: "example", debug };
    case "check":
      return { is: "check", file: first ?? conf, json, online: values.online === true };
    case "init":
      return { is: "init", file: first ?? conf };
    case "log":
      return ofLog(words, { conf, data, json, local: values.local === true });
    case "token":
      return ofToken(words, values);
    case "help":
      return helpOf(words, reading);
    case "version":
      return { is: "version", json };
    case "status":
    case "explain":
    case "tail":
    case "send":
    case "resend":
    case "reload":
    case "cluster":
    case "dashboard":
    case "invite": {
      const { uses = null, expires = null, hold = false } = values;
      const mayDouble = values["may-double"] === true;
      if (name === "cluster" && first !== "status") return missingAction(name, first, CLUSTER_ACTIONS);
      if (name === "resend" && !/^\d{1,15}$/u.test(first ?? ""))
        return usage(`"resend" needs the number of a message, as "rialto explain" shows it, not "${first}"`);
      return { is: "control", name, words, conf, data, socket, watch, json, ids, as, uses, expires, hold, mayDouble };
    }
  }
}

/** The words are a command, and perhaps its action, as in `log check`. */
function helpOf(words: readonly string[], { protocols }: Reading): Command {
  const [name, action, ...more] = words;
  if (name === undefined) return { is: "help", of: null };
  const commands = protocols.get(name)?.commands;
  if (!isCommand(name) && commands === undefined) return noCommand(name, protocols);
  const actions = isCommand(name) ? (ACTIONS[name] ?? []) : (commands ?? []).map((each) => each.name);
  if (action !== undefined && !actions.includes(action)) {
    return actions.length === 0 ? unexpected([action, ...more], null) : missingAction(name, action, actions);
  }
  if (more.length > 0) return unexpected(more, null);
  return { is: "help", of: isCommand(name) ? name : { protocol: name } };
}

function ofLog(
  [first = null, file = null]: readonly (string | null)[],
  rest: Pick<LogCommand, "conf" | "data" | "json" | "local">,
): Command {
  const action = LOG_ACTIONS.find((each) => each === first);
  if (action === undefined) return missingAction("log", first, LOG_ACTIONS);
  if (file !== null && (action === "check" || action === "repair")) return unexpected([file], `rialto log ${action}`);
  if (file === null && action === "export") return usage('"log export" needs the name of the new file');
  if (file === null && action === "import") return usage('"log import" needs a file that "rialto log export" has made');
  if (rest.local && action !== "export") return usage(`"log ${action}" has no option --local`);
  return { is: "log", action, file, ...rest };
}

function ofToken([first, id = ""]: readonly string[], values: Values): Command {
  const action = TOKEN_ACTIONS.find((each) => each === first);
  if (action === undefined) return missingAction("token", first ?? null, TOKEN_ACTIONS);
  const isOfOne = action === "revoke" || action === "rotate";
  if (isOfOne && id === "") return usage(`"token ${action}" needs the eight characters of a token`);
  if (!isOfOne && id !== "") return unexpected([id], `rialto token ${action}`);
  const alien = action === "create" ? undefined : TOKEN_OPTIONS.find((option) => values[option] !== undefined);
  if (alien !== undefined) return usage(`"token ${action}" has no option --${alien}`);
  if (action === "create" && values.account === undefined)
    return usage('"token create" needs --account, the account of the HTTP API that the token is for');
  const { conf = null, data = null, socket = null, json = false, quiet = false } = values;
  const asked = {
    account: values.account ?? null,
    gateways: values.gateways ?? null,
    scopes: values.scopes ?? null,
    name: values.name ?? null,
    expires: values.expires ?? null,
    "posts-per-minute": values["posts-per-minute"] ?? null,
  };
  return { is: "token", action, id, asked, conf, data, socket, json, quiet };
}

/** The commands of an account have three words: the protocol, the command and the account. */
function ofAccount(protocol: string, { words, values, reading: { protocols } }: Line): Command {
  const [name, account, ...more] = words;
  const commands = protocols.get(protocol)?.commands?.map((each) => each.name);
  if (commands === undefined) return noCommand(protocol, protocols);
  if (name === undefined || !commands.includes(name)) return missingAction(protocol, name ?? null, commands);
  const alien = alienIn(values, []);
  if (alien !== undefined) return usage(`"${protocol} ${name}" has no option --${alien}`);
  if (account === undefined) return usage(`"${protocol} ${name}" needs the name of an account`);
  if (more.length > 0) return unexpected(more, null);
  return { is: "account", protocol, name, account, conf: values.conf ?? null };
}

/** A text that is searched or sent may begin with a dash. */
const dashHint = (name: string): string =>
  name === "explain" || name === "send" ? `; words that begin with "-" must follow "--"` : "";

const usage = (message: string): Extract<Command, { is: "usage" }> => ({ is: "usage", message, json: false });

function noCommand(word: string, protocols: Reading["protocols"]): Command {
  const what = `there is no command "${word}"`;
  if (CONFIGURATION.test(word)) return usage(`${what}; to start with that file: rialto -conf ${word}`);
  const ofAccounts = [...protocols].flatMap(([name, { commands }]) => (commands === undefined ? [] : [name]));
  return usage(`${what}${hint(word, [...Object.keys(COMMANDS), ...ofAccounts])}`);
}

/** `before`: the command that may be meant when a configuration stands where none is expected; null: unknown. */
function unexpected(words: readonly string[], before: string | null): Command {
  const what = `"${words.join(" ")}" was not expected here`;
  const file = words.find((word) => CONFIGURATION.test(word));
  return usage(file === undefined || before === null ? what : `${what}; did you mean: ${before} -conf ${file}?`);
}

function missingAction(name: string, found: string | null, actions: readonly string[]): Command {
  const what = `"${name}" must be followed by ${actions.join(", ")}`;
  return usage(found === null ? what : `${what}, not "${found}"${hint(found, actions)}`);
}

const CONFIGURATION = /\.(?:toml|ya?ml|json)$/iu;

const isCommand = (name: string): name is HelpTopic => Object.hasOwn(COMMANDS, name);

function hint(word: string, of: readonly string[]): string {
  const near = suggest(word, of);
  return near === null ? "" : `; did you mean "${near}"?`;
}

const alienIn = (values: Values, options: readonly OptionName[]): string | undefined =>
  Object.keys(values).find((name) => !COMMON_OPTIONS.has(name) && !options.some((option) => option === name));
