import { parseArgs } from "node:util";
import type { TokenAction } from "../access/operate.ts";
import { suggest } from "../lib/suggest.ts";

export type Command =
  /** `orExample`: without a configuration the example runs, whoever starts it. */
  | { readonly is: "run"; readonly conf: string | null; readonly orExample: boolean; readonly debug: boolean }
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
  | { readonly is: "version" }
  /** `of`: one command; null: the program. */
  | { readonly is: "help"; readonly of: HelpTopic | null }
  | { readonly is: "usage"; readonly message: string };

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

/**
 * The options that only some commands take, in addition to `--conf`, `--debug`, `--help`, `--version` and
 * `--or-example`, which all of them do.
 */
type Option =
  | "online"
  | "data"
  | "socket"
  | "watch"
  | "json"
  | "ids"
  | "as"
  | "quiet"
  | "uses"
  | "hold"
  | "local"
  | "may-double"
  | TokenOption;
const TOKEN_OPTIONS = ["account", "gateways", "scopes", "name", "expires", "posts-per-minute"] as const;
type TokenOption = (typeof TOKEN_OPTIONS)[number];

const OWN_OPTIONS = [
  ...([
    "online",
    "data",
    "socket",
    "watch",
    "json",
    "ids",
    "as",
    "quiet",
    "uses",
    "hold",
    "local",
    "may-double",
  ] as const),
  ...TOKEN_OPTIONS,
] as const;

interface Rule {
  /** How many words belong to it, least and most. */
  readonly words: readonly [number, number];
  readonly options: readonly Option[];
}

const CONTROL = {
  status: { words: [0, 0], options: ["data", "socket", "watch", "json"] },
  explain: { words: [1, Infinity], options: ["data", "socket", "json", "ids"] },
  tail: { words: [0, 1], options: ["data", "socket", "json"] },
  send: { words: [2, Infinity], options: ["data", "socket", "as", "json"] },
  resend: { words: [2, 3], options: ["data", "socket", "json", "may-double"] },
  reload: { words: [0, 0], options: ["data", "socket", "json"] },
  cluster: { words: [1, 1], options: ["data", "socket", "json"] },
  dashboard: { words: [0, 0], options: ["data", "socket", "json"] },
  invite: { words: [1, 1], options: ["data", "socket", "json", "uses", "expires", "hold"] },
} as const satisfies Record<string, Rule>;
type ControlName = keyof typeof CONTROL;

const COMMANDS = {
  run: { words: [0, 0], options: [] },
  example: { words: [0, 0], options: [] },
  check: { words: [0, 1], options: ["json", "online"] },
  init: { words: [0, 1], options: [] },
  log: { words: [1, 2], options: ["data", "json", "local"] },
  token: { words: [1, 2], options: ["data", "socket", "json", "quiet", ...TOKEN_OPTIONS] },
  help: { words: [0, 1], options: [] },
  version: { words: [0, 0], options: [] },
  ...CONTROL,
} as const satisfies Record<string, Rule>;
export type HelpTopic = keyof typeof COMMANDS;

const LOG_ACTIONS = ["check", "repair", "backup", "export", "import"] as const;
type LogAction = (typeof LOG_ACTIONS)[number];
const TOKEN_ACTIONS = ["create", "list", "revoke", "rotate"] as const satisfies readonly TokenAction[];

/** The reference writes long options with one dash; both are taken. */
const LONG = /^-(conf|debug|version|help)(=.*)?$/;

/** Reads the command line, without the program's own name. `DEBUG=1` in the environment counts as `-debug`. */
export function parseCommand(argv: readonly string[], env: Readonly<Record<string, string | undefined>>): Command {
  const args = argv.map((arg) => (LONG.test(arg) ? `-${arg}` : arg));
  let parsed: ReturnType<typeof parse>;
  try {
    parsed = parse(args);
  } catch (error) {
    return usage(error instanceof Error ? error.message : String(error));
  }
  const { values, positionals } = parsed;
  const [name = "run", ...words] = positionals;
  if (values.help === true) return { is: "help", of: isCommand(name) && positionals.length > 0 ? name : null };
  if (values.version === true) return { is: "version" };
  if (!isCommand(name)) return ofAccount(name, words, values);
  const {
    words: [least, most],
    options,
  }: Rule = COMMANDS[name];
  if (words.length < least) return usage(`"${name}" needs more words: see rialto ${name} --help`);
  if (words.length > most) return usage(`"${words.slice(most).join(" ")}" was not expected here`);
  const alien = alienIn(values, options);
  if (alien !== undefined) return usage(`"${name}" has no option --${alien}`);
  return commandOf(name, words, values, env);
}

function commandOf(
  name: HelpTopic,
  words: readonly string[],
  values: Values,
  env: Readonly<Record<string, string | undefined>>,
): Command {
  const { conf = null, data = null, socket = null, watch = false, json = false, ids = false, as = "" } = values;
  const debug = values.debug === true || env["DEBUG"] === "1";
  const [first = null] = words;
  switch (name) {
    case "run":
      return { is: "run", conf, orExample: values["or-example"] === true, debug };
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
      if (first === null || isCommand(first)) return { is: "help", of: first };
      return usage(`there is no command "${first}"${hint(first)}`);
    case "version":
      return { is: "version" };
    case "status":
    case "explain":
    case "tail":
    case "send":
    case "resend":
    case "reload":
    case "cluster":
    case "dashboard":
    case "invite": {
      if (name === "cluster" && first !== "status")
        return usage(`"cluster" must be followed by status, not "${first ?? ""}"`);
      const { uses = null, expires = null, hold = false } = values;
      const mayDouble = values["may-double"] === true;
      if (name === "resend" && !/^\d{1,15}$/u.test(first ?? ""))
        return usage(`"resend" needs the number of a message, as "rialto explain" shows it, not "${first}"`);
      return { is: "control", name, words, conf, data, socket, watch, json, ids, as, uses, expires, hold, mayDouble };
    }
  }
}

function ofLog(
  [first = "", file = null]: readonly (string | null)[],
  rest: Pick<LogCommand, "conf" | "data" | "json" | "local">,
): Command {
  const action = LOG_ACTIONS.find((each) => each === first);
  if (action === undefined) {
    return usage(
      `"log" must be followed by ${LOG_ACTIONS.join(", ")}, not "${first}"${hint(first ?? "", LOG_ACTIONS)}`,
    );
  }
  if (file !== null && (action === "check" || action === "repair")) return usage(`"${file}" was not expected here`);
  if (file === null && action === "export") return usage('"log export" needs the name of the new file');
  if (file === null && action === "import") return usage('"log import" needs a file that "rialto log export" has made');
  if (rest.local && action !== "export") return usage(`"log ${action}" has no option --local`);
  return { is: "log", action, file, ...rest };
}

function ofToken([first = "", id = ""]: readonly string[], values: Values): Command {
  const action = TOKEN_ACTIONS.find((each) => each === first);
  if (action === undefined) {
    const actions = TOKEN_ACTIONS.join(", ");
    return usage(`"token" must be followed by ${actions}, not "${first}"${hint(first, TOKEN_ACTIONS)}`);
  }
  const isOfOne = action === "revoke" || action === "rotate";
  if (isOfOne && id === "") return usage(`"token ${action}" needs the eight characters of a token`);
  if (!isOfOne && id !== "") return usage(`"${id}" was not expected here`);
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
function ofAccount(protocol: string, words: readonly string[], values: Values): Command {
  const [name, account, ...more] = words;
  if (name === undefined) return usage(`there is no command "${protocol}"${hint(protocol)}`);
  if (account === undefined) return usage(`"${protocol} ${name}" needs the name of an account${hint(protocol)}`);
  if (more.length > 0) return usage(`"${more.join(" ")}" was not expected here`);
  const alien = alienIn(values, []);
  if (alien !== undefined) return usage(`"${protocol} ${name}" has no option --${alien}`);
  return { is: "account", protocol, name, account, conf: values.conf ?? null };
}

const usage = (message: string): Command => ({ is: "usage", message });

const isCommand = (name: string): name is HelpTopic => Object.hasOwn(COMMANDS, name);

function hint(word: string, of: readonly string[] = Object.keys(COMMANDS)): string {
  const near = suggest(word, of);
  return near === null ? "" : `; did you mean "${near}"?`;
}

const alienIn = (values: Values, options: readonly Option[]): Option | undefined =>
  OWN_OPTIONS.find((option) => values[option] !== undefined && !options.includes(option));

type Values = ReturnType<typeof parse>["values"];

const parse = (args: string[]) =>
  parseArgs({
    args,
    allowPositionals: true,
    options: {
      conf: { type: "string", short: "c" },
      data: { type: "string" },
      debug: { type: "boolean", short: "d" },
      version: { type: "boolean", short: "v" },
      help: { type: "boolean", short: "h" },
      socket: { type: "string" },
      watch: { type: "boolean", short: "w" },
      json: { type: "boolean" },
      online: { type: "boolean" },
      ids: { type: "boolean" },
      as: { type: "string" },
      quiet: { type: "boolean", short: "q" },
      account: { type: "string" },
      gateways: { type: "string" },
      scopes: { type: "string" },
      name: { type: "string" },
      expires: { type: "string" },
      "posts-per-minute": { type: "string" },
      uses: { type: "string" },
      hold: { type: "boolean" },
      local: { type: "boolean" },
      "may-double": { type: "boolean" },
      "or-example": { type: "boolean" },
    },
  });
