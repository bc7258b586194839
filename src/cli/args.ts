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
  | { readonly is: "version" }
  | { readonly is: "help" }
  | { readonly is: "usage"; readonly message: string };

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
  if (values.help === true) return { is: "help" };
  if (values.version === true) return { is: "version" };
  const [name = "run", ...rest] = positionals;
  const conf = values.conf ?? null;
  const [action, account, ...more] = rest;
  if (!OWN.has(name) && action !== undefined && account !== undefined && more.length === 0) {
    return { is: "account", protocol: name, name: action, account, conf };
  }
  const surplus = rest.slice(name === "check" ? 1 : 0);
  if (OWN.has(name) && surplus.length > 0)
    return { is: "usage", message: `"${surplus.join(" ")}" was not expected here` };
  switch (name) {
    case "run":
      return { is: "run", conf, debug: values.debug === true || env["DEBUG"] === "1" };
    case "check":
      return { is: "check", file: rest[0] ?? conf };
    case "help":
    case "version":
      return { is: name };
    default:
      return { is: "usage", message: unknown(name, rest) };
  }
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
    },
  });
