import type { ControlName } from "./args.ts";

const COMMON = `  -conf FILE      the configuration of the Rialto that is meant (default: as for the start)
  --socket PATH   its socket, instead of the one in the data folder of the configuration
`;

/** What each command that asks a running Rialto says of itself. */
export const CONTROL_HELP: Readonly<Record<ControlName, string>> = {
  status: `rialto status [--watch] [--json]

Accounts, their rooms and what waits for them, with the reason and what to do about it.

  --watch, -w     again every two seconds, until Ctrl-C
  --json          as GET /api/v1/status answers
${COMMON}
Exit code: 0 all is well, 1 something is not, 69 no Rialto runs there.
`,
  explain: `rialto explain TEXT|ID [--json]

The way of one message: by words of it or of its sender's name, by an id that any network gave it, or by its number.

  --json          as GET /api/v1/explain answers
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
