import { accessSync, constants, existsSync } from "node:fs";
import path from "node:path";
import { describe, test } from "vitest";

/** Programs of others that tests talk to. `.ci/run` installs all of them; nothing else of the project needs them. */
export type Program =
  | "ngircd"
  | "inspircd"
  | "ircd-hybrid"
  | "ii"
  | "weechat-headless"
  | "python3-irc"
  | "openssl"
  | "chromium"
  | "nats-server"
  | "nats-server of stable"
  | "prosody"
  | "ejabberdctl"
  | "python3-slixmpp"
  | "python3-matrix-nio"
  | "synapse"
  | "@mattermost/client"
  | "discord.js"
  | "oceanic.js"
  | "@slack/web-api"
  | "@slack/socket-mode"
  | "emulate"
  | "grammy"
  | "openapi-typescript"
  | "openapi-fetch"
  | "@hey-api/openapi-ts"
  | "typescript of the generators"
  | "python3-python-telegram-bot";

/** Where ircd-hybrid is unpacked: it conflicts with ngircd, so that both cannot be installed. */
const HYBRID = process.env["IRCD_HYBRID"] ?? "/usr/local/lib/ircd-hybrid";
/** Compiled into it; a link leads from here to where it is unpacked. */
const HYBRID_MODULES = "/usr/lib/ircd-hybrid/modules";

/** Where the newer of two is unpacked; that of Debian stable is installed. */
const NATS = path.join(process.env["NATS_HOME"] ?? "/usr/local/lib/nats-server", "usr/sbin");

/** The folder that holds Synapse with all it needs: it is in no stable Debian. */
export const SYNAPSE_ROOT = process.env["SYNAPSE_ROOT"] ?? "/usr/local/lib/synapse";

/** The folder that holds Mattermost's client library: it wants another TypeScript than this tree has. */
const MATTERMOST_CLIENT = process.env["MATTERMOST_CLIENT"] ?? "/usr/local/lib/mattermost-client";

/** The folder that holds two client libraries for Discord: nothing of this tree may depend on them. */
const DISCORD_CLIENTS = process.env["DISCORD_CLIENTS"] ?? "/usr/local/lib/discord-clients";

/** The folder that holds Slack's own client libraries, and a server of others: nothing of this tree may need them. */
const SLACK_CLIENTS = process.env["SLACK_CLIENTS"] ?? "/usr/local/lib/slack-clients";

/** The folder that holds a client library for Telegram; another one is in the folder of Synapse. */
const TELEGRAM_CLIENTS = process.env["TELEGRAM_CLIENTS"] ?? "/usr/local/lib/telegram-clients";

/** The folder that holds two generators of clients, and the compiler for what they make. */
export const OPENAPI_CLIENTS = process.env["OPENAPI_CLIENTS"] ?? "/usr/local/lib/openapi-clients";

const LIBRARIES: Readonly<Partial<Record<Program, string>>> = {
  "@mattermost/client": path.join(MATTERMOST_CLIENT, "node_modules/@mattermost/client/lib/index.js"),
  "discord.js": path.join(DISCORD_CLIENTS, "node_modules/discord.js/src/index.js"),
  "oceanic.js": path.join(DISCORD_CLIENTS, "node_modules/oceanic.js/dist/lib/index.js"),
  "@slack/web-api": path.join(SLACK_CLIENTS, "node_modules/@slack/web-api/dist/index.js"),
  "@slack/socket-mode": path.join(SLACK_CLIENTS, "node_modules/@slack/socket-mode/dist/src/index.js"),
  emulate: path.join(SLACK_CLIENTS, "node_modules/emulate/dist/api.js"),
  grammy: path.join(TELEGRAM_CLIENTS, "node_modules/grammy/out/mod.js"),
  "openapi-typescript": path.join(OPENAPI_CLIENTS, "node_modules/openapi-typescript/bin/cli.js"),
  "openapi-fetch": path.join(OPENAPI_CLIENTS, "node_modules/openapi-fetch/package.json"),
  "@hey-api/openapi-ts": path.join(OPENAPI_CLIENTS, "node_modules/@hey-api/openapi-ts/bin/index.cjs"),
  "typescript of the generators": path.join(OPENAPI_CLIENTS, "node_modules/typescript/bin/tsc"),
};

/** Variables that name another program instead. */
const NAMED: Readonly<Partial<Record<Program, string>>> = { chromium: "CHROMIUM", "nats-server": "NATS_SERVER" };

/** The interpreter that Debian's Python packages are for, whatever else is on the PATH. */
export const PYTHON = "/usr/bin/python3";

/** Path of a program, or null when it is not there. */
function find(program: Program): string | null {
  if (program === "ircd-hybrid") {
    const unpacked = path.join(HYBRID, "usr/sbin/ircd-hybrid");
    return existsSync(HYBRID_MODULES) && isProgram(unpacked) ? unpacked : null;
  }
  if (program === "python3-irc") {
    return existsSync("/usr/lib/python3/dist-packages/irc/client.py") && isProgram(PYTHON) ? PYTHON : null;
  }
  if (program === "python3-slixmpp") {
    return existsSync("/usr/lib/python3/dist-packages/slixmpp/clientxmpp.py") && isProgram(PYTHON) ? PYTHON : null;
  }
  if (program === "python3-matrix-nio") {
    return existsSync("/usr/lib/python3/dist-packages/nio/client/async_client.py") && isProgram(PYTHON) ? PYTHON : null;
  }
  if (program === "synapse") {
    // Its path once that folder is the root.
    return existsSync(path.join(SYNAPSE_ROOT, "usr/lib/python3/dist-packages/synapse/app/homeserver.py"))
      ? PYTHON
      : null;
  }
  if (program === "python3-python-telegram-bot") {
    return existsSync(path.join(SYNAPSE_ROOT, "usr/lib/python3/dist-packages/telegram/_bot.py")) ? PYTHON : null;
  }
  const variable = NAMED[program];
  const named = variable === undefined ? undefined : process.env[variable];
  if (named !== undefined) return isProgram(named) ? named : null;
  const library = LIBRARIES[program];
  if (library !== undefined) return existsSync(library) ? library : null;
  if (program === "nats-server of stable") return onPath("nats-server", []);
  return onPath(program, program === "nats-server" ? [NATS] : []);
}

/** `first`: folders that come before those of the PATH. */
function onPath(program: string, first: readonly string[]): string | null {
  const folders = [...first, ...(process.env["PATH"] ?? "").split(":"), "/usr/sbin", "/usr/local/sbin"];
  return folders.map((folder) => path.join(folder, program)).find(isProgram) ?? null;
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Path of a program. Throws when it is not installed. */
export function pathOf(program: Program): string {
  const found = find(program);
  if (found === null) throw new Error(`${program} is not installed; .ci/run installs it`);
  return found;
}

/**
 * Tests that need these programs. On a machine that lacks one they are left out, and the summary counts them as
 * skipped, under a title that says why; where CI is set that is a failure.
 */
export function needs(programs: readonly Program[], tests: () => void): void {
  const missing = programs.filter((program) => find(program) === null);
  const group = missing.length === 0 ? present : process.env["CI"] ? demanded : leftOut;
  group(`not installed: ${missing.join(", ")} (.ci/run installs it)`, tests);
}

function present(_: string, tests: () => void): void {
  tests();
}

function demanded(why: string): void {
  test(why, () => {
    throw new Error(`${why}; under CI no test is left out`);
  });
}

function leftOut(why: string, tests: () => void): void {
  console.warn(`${why}: tests are left out`);
  describe.skipIf(true)(why, () => {
    tests();
  });
}
