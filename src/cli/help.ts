import { protocols } from "../adapters/registry.ts";
import { START_ERRORS } from "../errors.ts";
import { row, wrap } from "./wrap.ts";

/** The columns of a row before its text. */
const LEFT = 38;

const lines = (rows: readonly (readonly [term: string, text: string])[]): string =>
  rows.map(([term, text]) => row(term, text, LEFT)).join("");

export const HELP = `rialto: a chat bridge

Usage
${lines([
  ["rialto [run] [-conf FILE] [-debug]", "start the bridge"],
  ["rialto example", "run two API accounts that are linked, to see a message cross"],
  ["rialto init [FILE]", "ask a few questions and write a configuration"],
  ["rialto check [FILE] [--json]", "show what is wrong with a configuration and what it links; start nothing"],
  ["rialto log check|repair|backup", "check, repair or copy the log in the data folder"],
  ["rialto log export|import FILE", "move the log to several machines, and back"],
  ["rialto token create|list|revoke|rotate", "manage the tokens of programs that use the HTTP API below /v1"],
  ...accountCommands(),
  ["rialto status [--watch] [--json]", "show what is connected, what waits, what has failed, and why"],
  ["rialto explain TEXT|ID", "show the path of one message: where it went, or why not"],
  ["rialto tail [GATEWAY]", "show messages as they are accepted"],
  ["rialto send [--as NAME] GATEWAY TEXT", "say something in a gateway"],
  ["rialto resend SEQ DESTINATION", "send a message again where it failed, expired or is unconfirmed"],
  ["rialto reload", "read the configuration again"],
  ["rialto cluster status", "show the machines that share a log, and what each of them runs"],
  ["rialto dashboard", "print a link that opens the dashboard in a browser, once"],
  ["rialto invite GATEWAY [--uses N]", "print a link by which people join the web chat of a gateway"],
  ["rialto version [--json]", "print the version"],
  ["rialto help [COMMAND]", "print this, or the help of one command"],
])}
Options
${lines([
  [
    "-conf FILE, --conf FILE, -c FILE",
    "the configuration file: TOML, or JSON or YAML if its name says so (default: rialto.toml, rialto.yaml or .yml, rialto.json, matterbridge.toml, matterbridge.yaml or .yml, matterbridge.json; then the same names in /etc/rialto and /etc/matterbridge; on a terminal without any of them, the example)",
  ],
  ["--data DIR", "the data folder, instead of the one in the configuration"],
  ["--socket PATH", "where the running Rialto listens (default: rialto.sock in its data folder)"],
  ["-debug, --debug, -d", "log more; DEBUG=1 in the environment does the same"],
  ["-version, --version, -v", "print the version"],
  ["-help, --help, -h", "print this, or the help of a command"],
])}
Environment
${lines([
  [
    "RIALTO_<PROTOCOL>_<NAME>_<SETTING>",
    "overrides a setting of the file, such as RIALTO_API_LOCAL_TOKEN; MATTERBRIDGE_… works as well",
  ],
  ["RIALTO_…_<SETTING>_FILE", "reads a secret from a file"],
])}
Exit codes
${exitCodes()}
Settings: docs/settings.md   The HTTP API: docs/api.md
What happens when…: docs/operating.md
`;

/** What protocols offer in addition to the bridge. */
function accountCommands(): readonly [string, string][] {
  return [...protocols.values()].flatMap(({ protocol, commands = [] }) =>
    commands.map(({ name, summary }): [string, string] => [`rialto ${protocol} ${name} ACCOUNT`, summary]),
  );
}

function exitCodes(): string {
  const rows = Object.values(START_ERRORS).map(({ exit, what }) => wrap(what, `  ${exit}  `));
  return [wrap("Stopped as requested.", "   0  "), ...rows].join("");
}
