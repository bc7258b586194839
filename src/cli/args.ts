import { parseArgs } from "node:util";

export type Command =
  | { readonly is: "run"; readonly conf: string | null; readonly debug: boolean }
  | { readonly is: "check"; readonly file: string | null }
  /** What an adapter offers beside the bridge, for one account. */
  | {
      readonly is: "account";
      readonly protocol: string;
      readonly name: string;
      readonly account: string;
      readonly conf: string | null;
    }
  | ControlCommand
  | { readonly is: "version" }
  /** `of`: a command of its own; null: the program. */
  | { readonly is: "help"; readonly of: ControlName | null }
  | { readonly is: "usage"; readonly message: string };

/** What is asked of a Rialto that runs. */
export interface ControlCommand {
  readonly is: "control";
  readonly name: ControlName;
  /** The words behind the command. */
  readonly words: readonly string[];
  readonly conf: string | null;
  /** Path of the socket, instead of the one of the configuration. */
  readonly socket: string | null;
  readonly watch: boolean;
  readonly json: boolean;
  /** The name to speak under. */
  readonly as: string;
}

/** By name: how many words belong to it, least and most. */
const CONTROL = {
  status: [0, 0],
  explain: [1, Infinity],
  tail: [0, 1],
  send: [2, Infinity],
  reload: [0, 0],
} as const;
export type ControlName = keyof typeof CONTROL;

/** The reference writes long options with one dash; both are taken. */
const LONG = /^-(conf|debug|version|help)(=.*)?$/;

/** Reads the command line, without the program's own name. `DEBUG=1` in the environment counts as `-debug`. */
export function parseCommand(argv: readonly string[], env: Readonly<Record<string, string | undefined>>): Command {
  const args = argv.map((arg) => (LONG.test(arg) ? `-${arg}` : arg));
  let parsed: ReturnType<typeof parse>;
  try {
    parsed = parse(args);
  } catch (error) {
    return { is: "usage", message: error instanceof Error ? error.message : String(error) };
  }
  const { values, positionals } = parsed;
  const [first, ...words] = positionals;
  if (values.help === true) return { is: "help", of: first !== undefined && isControl(first) ? first : null };
  if (values.version === true) return { is: "version" };
  const conf = values.conf ?? null;
  if (first !== undefined && isControl(first)) return control(first, words, { ...values, conf });
  const alien = (["watch", "json", "as", "socket"] as const).find((option) => values[option] !== undefined);
  if (alien !== undefined) return { is: "usage", message: `--${alien} does not belong here` };
  const [name = "run", ...rest] = positionals;
  const [action, account, ...more] = rest;
  if (!OWN.has(name) && action !== undefined && account !== undefined && more.length === 0) {
    return { is: "account", protocol: name, name: action, account, conf };
  }
  const surplus = rest.slice(name === "check" || name === "help" ? 1 : 0);
  if (OWN.has(name) && surplus.length > 0)
    return { is: "usage", message: `"${surplus.join(" ")}" was not expected here` };
  switch (name) {
    case "run":
      return { is: "run", conf, debug: values.debug === true || env["DEBUG"] === "1" };
    case "check":
      return { is: "check", file: rest[0] ?? conf };
    case "help":
      return { is: "help", of: rest[0] !== undefined && isControl(rest[0]) ? rest[0] : null };
    case "version":
      return { is: "version" };
    default:
      return { is: "usage", message: unknown(name, rest) };
  }
}

const isControl = (name: string): name is ControlName => Object.hasOwn(CONTROL, name);

/** Which options belong to which command, beside `--conf` and `--socket`. */
const OPTIONS: Readonly<Record<ControlName, readonly string[]>> = {
  status: ["watch", "json"],
  explain: ["json"],
  tail: ["json"],
  send: ["as", "json"],
  reload: ["json"],
};

function control(name: ControlName, words: readonly string[], values: Values): Command {
  const [least, most] = CONTROL[name];
  if (words.length < least) return { is: "usage", message: `"${name}" needs more words: see rialto ${name} --help` };
  if (words.length > most) return { is: "usage", message: `"${words.slice(most).join(" ")}" was not expected here` };
  const { conf, socket = null, watch = false, json = false, as = "" } = values;
  for (const option of ["watch", "json", "as"] as const) {
    if (values[option] !== undefined && !OPTIONS[name].includes(option))
      return { is: "usage", message: `--${option} does not belong to "${name}"` };
  }
  return { is: "control", name, words, conf, socket, watch, json, as };
}

interface Values {
  readonly conf: string | null;
  readonly socket?: string | undefined;
  readonly watch?: boolean | undefined;
  readonly json?: boolean | undefined;
  readonly as?: string | undefined;
}

/** All other names are those of protocols. */
const OWN: ReadonlySet<string> = new Set(["run", "check", "help", "version"]);

/** The commands of an account have three words: the protocol, the command and the account. */
function unknown(name: string, [action, ...more]: readonly string[]): string {
  if (action === undefined) return `there is no command "${name}"`;
  if (more.length === 0) return `"${name} ${action}" needs the name of an account`;
  return `"${more.slice(1).join(" ")}" was not expected here`;
}

const parse = (args: string[]) =>
  parseArgs({
    args,
    allowPositionals: true,
    options: {
      conf: { type: "string", short: "c" },
      debug: { type: "boolean", short: "d" },
      version: { type: "boolean", short: "v" },
      help: { type: "boolean", short: "h" },
      socket: { type: "string" },
      watch: { type: "boolean", short: "w" },
      json: { type: "boolean" },
      as: { type: "string" },
    },
  });
