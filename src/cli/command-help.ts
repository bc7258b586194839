import type { HelpTopic } from "./args.ts";

const CONF = `  -conf FILE      the configuration of the Rialto that is meant (default: as for the start)
  --data DIR      its data folder, instead of the one of the configuration
`;
const COMMON = `${CONF}  --socket PATH   its socket, instead of the one in the data folder
`;

/** What each command says of itself. */
export const COMMAND_HELP: Readonly<Record<HelpTopic, string>> = {
  run: `rialto [run] [-conf FILE] [-debug]

Starts the bridge. It runs until Ctrl-C or SIGTERM; SIGHUP makes it read the configuration again.

  -conf FILE      the configuration (default: rialto.toml, .yaml, .yml or .json, then the same of matterbridge; on a terminal without
                  any of them, the example)
  -debug, -d      log more; DEBUG=1 in the environment does the same
  --or-example    without a configuration, run the example also where there is no terminal, as "npm start" does

Exit code: 0 when it was told to stop; the others are listed by "rialto help" and in docs/errors.md.
`,
  example: `rialto example

Runs two API accounts that are linked, and prints the address of a page that shows both, and two lines to paste into another shell.
It listens on 127.0.0.1:4242 and 127.0.0.1:4243, or on free ports if these are taken.

Exit code: 0 when it was told to stop; the others are listed by "rialto help" and in docs/errors.md.
`,
  check: `rialto check [FILE] [--json]

Says everything that is wrong with a configuration and what it links, and starts nothing.

  -conf FILE      the same as FILE (default: as for the start)
  --json          the problems and the gateways as JSON

Exit code: 0 no errors, 64 there is no file to check, 78 it has errors.
`,
  init: `rialto init [FILE]

Asks which rooms to link, writes a configuration with comments, and checks it. An existing file is never changed.

  -conf FILE      the same as FILE (default: rialto.toml)

It needs a terminal. Exit code: 0 the file is written and right, 64 no terminal or the file exists, 78 the file is written and has errors.
`,
  log: `rialto log check|repair|backup

Looks after log.sqlite, the log in the data folder.

  rialto log check           reads all of it and says what is damaged; changes nothing. Rialto must not run.
  rialto log repair          makes a new log of all that can be read, puts it in place of the damaged one, and keeps that one beside it.
                             Rialto must not run.
  rialto log backup [FILE]   copies it, also while Rialto runs (default: a new file in the data folder)

${CONF}  --json          the result as JSON

Exit code: 0, 65 the log is damaged or nothing of it can be read, 73 it cannot be read or written, 75 a Rialto is using it.
`,
  help: `rialto help [COMMAND]

Prints what the program can do, or what a command says of itself.

Exit code: 0, 64 there is no such command.
`,
  version: `rialto version

Prints the version.

Exit code: 0.
`,
  status: `rialto status [--watch] [--json]

Accounts, their rooms and what waits for them, with the reason and what to do about it.

  --watch, -w     again every two seconds, until Ctrl-C
  --json          as GET /api/v1/status answers
${COMMON}
Exit code: 0 all is well, 1 something is not, 69 no Rialto runs there.
`,
  explain: `rialto explain [--ids] TEXT|ID [--json]

The way of one message: by words of it or of its sender's name, by an id that any network gave it, or by its number.

  --ids           also the ids that networks gave it and its copies
  --json          as GET /api/v1/explain answers, with all ids
${COMMON}
Exit code: 0, 1 nothing was found, 69 no Rialto runs there.
`,
  tail: `rialto tail [GATEWAY] [--json]

What is accepted from now on, a line for each message, until Ctrl-C; of one gateway, or of all.

  --json          one JSON object per line
${COMMON}
Exit code: 0, 69 no Rialto runs there.
`,
  send: `rialto send [--as NAME] GATEWAY TEXT

Says something in every room of a gateway, and to the readers of its HTTP API.

  --as NAME       under this name (default: operator)
  --json          as POST /api/v1/send answers
${COMMON}
Exit code: 0 once the message is safe on the disk, 1 it was refused, 69 no Rialto runs there.
`,
  reload: `rialto reload [--json]

Reads the configuration again and applies what has changed; a file with mistakes changes nothing.

  --json          as POST /api/v1/reload answers
${COMMON}
Exit code: 0, 1 it was refused, 69 no Rialto runs there.
`,
};
