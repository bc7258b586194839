import type { Manifest } from "../contract/manifest.ts";
import type { HelpTopic } from "./args.ts";
import { row, wrap } from "./wrap.ts";

const CONF = `  -conf FILE      the configuration that Rialto runs with
                  (default: as for "rialto run")
  --data DIR      its data folder, instead of the one in the configuration
`;
const COMMON = `${CONF}  --socket PATH   its socket, instead of the one in the data folder
`;

/** The help of each command. */
export const COMMAND_HELP: Readonly<Record<HelpTopic, string>> = {
  run: `rialto [run] [-conf FILE] [-debug]

Starts the bridge. It runs until Ctrl-C or SIGTERM. SIGHUP makes it read the
configuration again.

  -conf FILE      the configuration (default: rialto.toml, .yaml, .yml or .json,
                  then matterbridge.toml, .yaml, .yml or .json; then those of
                  /etc/rialto and /etc/matterbridge; on a terminal without any
                  of them, the example)
  -debug, -d      log more; DEBUG=1 in the environment does the same
  --or-example    without a configuration, run the example even if there is no
                  terminal, as "npm start" does

matterbridge's -config FILE and -debug=true work as well. Its -gops and -nocolor
are accepted and have no effect.

Exit code: 0 after a normal stop. "rialto help" and docs/errors.md list the
others.
`,
  example: `rialto example

Runs two API accounts that are linked. It prints the address of a page that
shows both, and two lines to paste into another shell. It listens on
127.0.0.1:4242 and 127.0.0.1:4243, or on free ports if these are taken.

Exit code: 0 after a normal stop. "rialto help" and docs/errors.md list the
others.
`,
  check: `rialto check [FILE] [--online] [--json]

Shows everything that is wrong with a configuration, and what it links. It
starts nothing.

  -conf FILE      the same as FILE (default: as for "rialto run")
  --online        also tries each account: connects, logs in, lists rooms, joins
                  its channels, and leaves. Nothing is sent, and what waits
                  there stays for the start. An account that runs already is not
                  disturbed: its state is shown.
  --json          the problems and the gateways as JSON

Exit code: 0 no errors, 1 an account does not work (--online), 64 there is no
file to check, 78 the file has errors.
`,
  init: `rialto init [FILE]

Asks which rooms to link, writes a configuration with comments, and checks it.
Passwords and tokens are not shown while you type them. An existing file is
never changed.

  -conf FILE      the same as FILE (default: rialto.toml)

It needs a terminal. Exit code: 0 the file is written and has no errors, 64
there is no terminal or the file exists, 78 the file is written and has errors.
`,
  log: `rialto log check|repair|backup|export|import

Checks, repairs, copies or moves log.sqlite, the log in the data folder.

  rialto log check
      reads the whole log and shows what is damaged. Changes nothing. Rialto
      must not run.
  rialto log repair
      makes a new log from everything that can be read, and puts it in place of
      the damaged one, which is kept beside it. Rialto must not run.
  rialto log backup [FILE]
      copies the log, even while Rialto runs (default: to a new file in the data
      folder)
  rialto log export FILE
      copies the log, checked, to a new file that another machine, or the
      servers of several, can begin with. Rialto must not run. With Log in
      [general], what the servers have is read first, and no machine may run.
  rialto log import FILE
      begins with such a file: in the data folder, which has no log, or, with
      Log in [general], on the servers, for all machines. What was interrupted
      can be repeated with the same file.

${CONF}  --local         of an export: what the data folder has, without asking the
                  servers in Log
  --json          the result as JSON

Moving from one machine to several, and back: docs/cluster.md.

Exit code: 0 done, 65 the log or the file is damaged or nothing in it can be
read, 69 the servers in Log cannot be reached, 73 a file cannot be read or
written, is no log, is the log of a newer version, or is in the way of an
import, 75 Rialto is running, 78 the configuration has errors.
`,
  token: `rialto token create|list|revoke|rotate

Tokens for programs that use the HTTP API below /v1.

  rialto token create --account ACCOUNT [options]
      issues a token and prints it, this once
  rialto token list
      shows all of them, without their secrets
  rialto token revoke ID
      the token stops working, and its open streams are closed
  rialto token rotate ID
      issues a new secret with the same ID; the old one works for 24 more hours

  --account ACCOUNT     the account of the HTTP API that it is for, such as
                        api.game
  --gateways A,B        the gateways that it may use (default: all gateways of
                        the account, also those that are added later)
  --scopes A,B          what it may do: read, write, moderate, admin; none
                        includes another (default: read,write)
  --name NAME           its purpose, for the list and the log
  --expires DURATION    how long it works, such as 12h or 90d (default: until it
                        is revoked)
  --posts-per-minute N  how many requests a minute may say something (default:
                        60000)
  --quiet, -q           print the token alone
  --json                print it as JSON
${COMMON}
ID is what follows "rlt_" in the token. Without a running Rialto the tokens are
changed in the log itself.

Exit code: 0 done, 1 refused, 73 the log cannot be read or written, 78 the
configuration has errors.
`,
  help: `rialto help [COMMAND]

Prints the list of commands, or the help of one command: "rialto help log",
"rialto help log check".

Exit code: 0, or 64 if there is no such command.
`,
  version: `rialto version [--json]

Prints the version.

  --json          as JSON: version

Exit code: 0.
`,
  status: `rialto status [--watch] [--json]

Shows accounts, their rooms and what waits for them, with the reason and what to
do about it.

  --watch, -w     repeat every two seconds, until Ctrl-C
  --json          the answer of GET /api/v1/status
${COMMON}
Exit code: 0 all is well, 1 there is a problem, 69 no Rialto is running there.
`,
  explain: `rialto explain [--ids] TEXT|ID [--json]

Shows the path of one message. Find it by some of its words, by its sender's
name, by an id that any network gave it, or by its number.

  --ids           show also the ids that networks gave to it and to its copies
  --json          the answer of GET /api/v1/explain, with all ids
${COMMON}
Exit code: 0 found, 1 nothing was found, 69 no Rialto is running there.
`,
  tail: `rialto tail [GATEWAY] [--json]

Shows what is accepted from now on, one line for each message, until Ctrl-C: in
one gateway, or in all.

  --json          one JSON object per line
${COMMON}
Exit code: 0, or 69 if no Rialto is running there.
`,
  send: `rialto send [--as NAME] GATEWAY TEXT

Says something in every room of a gateway, and to the readers of its HTTP API.

  --as NAME       under this name (default: operator)
  --json          the answer of POST /api/v1/send
${COMMON}
A word that begins with "-" must follow "--": rialto send lobby -- -5

Exit code: 0 the message is safe on the disk, 1 it was refused, 69 no Rialto is
running there.
`,
  resend: `rialto resend SEQ DESTINATION [GATEWAY] [--may-double] [--json]

Sends a message again to a destination where it failed, expired or is
unconfirmed. It is sent as it reads now, without parts that arrived. SEQ is its
number and DESTINATION the account, or account/channel, as "rialto explain"
shows them. GATEWAY is needed where one room is in several gateways.

  --may-double    send one that is unconfirmed, although it may be there already
  --json          what was taken as JSON: seq, gateway, account, channel
${COMMON}
Exit code: 0 the request is safe on the disk, 1 it was refused, 69 no Rialto is
running there.
`,
  dashboard: `rialto dashboard [--json]

Prints a link that opens the dashboard in a browser and signs it in. The link
works once and expires after 10 minutes. The dashboard listens on
AdminBindAddress of [general].

  --json          the link as JSON: url, and expiresMs in Unix ms
${COMMON}
Exit code: 0, 1 AdminBindAddress is not set, 69 no Rialto is running there.
`,
  invite: `rialto invite GATEWAY [--uses N] [--expires SPAN] [--hold] [--json]

Prints a link by which people join the gateway's web chat from a browser,
without an account. Rialto keeps no copy of it: the link is shown this once.

  --uses N        how many people may join by it, 1 to 100000 (default: 1)
  --expires SPAN  for how long, such as 2h or 30d, a year at most (default: 7d)
  --hold          the first message of each person waits until an operator
                  approves it
  --json          the link as JSON: url, id, gateway, account, channel, uses,
                  used, hold, and createdMs and expiresMs in Unix ms
${COMMON}
Exit code: 0, 1 the gateway has no web chat, or it is not open, 69 no Rialto is
running there.
`,
  cluster: `rialto cluster status [--json]

Shows the machines that share a log, as this one hears them, and which of them
runs each account.

  --json          the same as JSON: node, hasVoice, nodes and accounts; null
                  where the log is of one machine
${COMMON}
Exit code: 0, 1 this machine does not take part, as the servers of the log do
not answer it or its disk is full, 69 no Rialto is running there.
`,
  reload: `rialto reload [--json]

Reads the configuration again and applies what has changed. A file with errors
changes nothing.

  --json          the answer of POST /api/v1/reload
${COMMON}
Exit code: 0 done, 1 refused, 69 no Rialto is running there.
`,
};

/** The help of what one protocol offers in addition to the bridge. Pure. */
export function accountHelp({ protocol, title, commands = [] }: Manifest): string {
  const usages = commands.map(({ name }) => `rialto ${protocol} ${name} ACCOUNT [-conf FILE]\n`);
  const rows = commands.map(({ name, summary }) => row(name, summary, 18));
  return `${usages.join("")}
${wrap(`Prints or gets what ${title} needs, by the settings of an account in the configuration.`)}
${rows.join("")}
  -conf FILE      the configuration (default: as for "rialto run")

Exit code: 0, 1 it failed, 64 there is no such account, 78 the configuration
has errors.
`;
}
