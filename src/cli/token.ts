import { randomBytes } from "node:crypto";
import { operateTokens, type TokenOrder, type TokenResult } from "../access/operate.ts";
import type { TokenJson } from "../access/token-json.ts";
import { Tokens } from "../access/tokens.ts";
import { openLog, startErrorOf } from "../app/open.ts";
import { findConfigFile } from "../config/example.ts";
import { formatProblems } from "../config/problem-lines.ts";
import { systemClock } from "../delivery/clock.ts";
import { START_ERRORS, StartError } from "../errors.ts";
import { socketPath } from "../http/admin/socket.ts";
import { printable } from "../lib/printable.ts";
import { isObject, listOf, parseAs } from "../lib/shapes.ts";
import { LogError } from "../log/errors.ts";
import type { TokenCommand } from "./args.ts";
import { ask, NotRunning } from "./client.ts";
import type { Terminal } from "./control.ts";
import { findDataPath } from "./data-path.ts";
import { reportFailure } from "./failure.ts";
import { load } from "./load.ts";
import { table } from "./table.ts";

/** `rialto token …`: asks the running Rialto, or without one does it in the log. Resolves with the exit code. */
export async function tokenCommand(command: TokenCommand, terminal: Terminal): Promise<number> {
  const order: TokenOrder = { action: command.action, id: command.id, asked: askedOf(command) };
  try {
    const done = (await throughSocket(order, command, terminal)) ?? (await inTheLog(order, command, terminal));
    if (typeof done === "number") return done;
    if (!done.ok) {
      await reportFailure(printable(done.message), command.json, terminal);
      return 1;
    }
    await terminal.write(command.json ? `${JSON.stringify(jsonOf(done))}\n` : textOf(done, command, terminal));
    if (done.is === "made" && !command.json && !command.quiet) terminal.tell(noteOf(done.made));
    return 0;
  } catch (error) {
    const why = error instanceof LogError ? startErrorOf(error) : error;
    if (!(why instanceof StartError)) throw error;
    await reportFailure(why.message, command.json, terminal);
    return START_ERRORS[why.code].exit;
  }
}

/** As the access code reads it. */
function askedOf({ asked }: TokenCommand): Readonly<Record<string, unknown>> {
  const listed = (text: string | null): string[] | null =>
    text === null ? null : text.split(",").map((each) => each.trim());
  const { account, gateways, scopes, name, expires, "posts-per-minute": posts } = asked;
  return {
    account,
    gateways: listed(gateways),
    ...(scopes !== null && { scopes: listed(scopes) }),
    ...(name !== null && { name }),
    expires,
    posts_per_minute: posts === null ? null : Number(posts),
  };
}

/** Null: none runs. */
async function throughSocket(
  order: TokenOrder,
  command: TokenCommand,
  terminal: Terminal,
): Promise<TokenResult | number | null> {
  const socket = command.socket ?? socketPath(findDataPath(command, terminal));
  try {
    const question = { method: "POST", path: "/api/v1/tokens", body: order } as const;
    const { status, body } = await ask(socket, question, terminal.signal);
    if (status === 200) return parseAs(body, isResult);
    const { message } = parseAs(body, isObject);
    return { ok: false, message: typeof message === "string" ? message : `the running Rialto answered ${status}` };
  } catch (error) {
    if (!(error instanceof NotRunning)) throw error;
    if (command.socket === null) return null;
    await reportFailure(error.message, command.json, terminal);
    return START_ERRORS.not_running.exit;
  }
}

async function inTheLog(order: TokenOrder, command: TokenCommand, terminal: Terminal): Promise<TokenResult | number> {
  const { env, cwd } = terminal;
  const path = command.conf ?? findConfigFile(cwd);
  if (path === null) {
    await reportFailure("there is no configuration here; name the file with -conf", command.json, terminal);
    return START_ERRORS.usage.exit;
  }
  const loaded = load({ path }, { env, cwd });
  if (!loaded.ok) throw new StartError("config", formatProblems(loaded.problems).trimEnd());
  const { config } = loaded;
  const dataPath = findDataPath(command, terminal);
  const silent = { appended: () => undefined, refused: () => undefined };
  const log = await openLog({ ...config, general: { ...config.general, dataPath } }, silent);
  try {
    // What is done by hand is told to who does it.
    const logger = { info: () => undefined, warn: () => undefined };
    const tokens = await Tokens.open({ log, clock: systemClock, bytes: randomBytes, logger });
    return await operateTokens(order, { tokens, config, nowMs: systemClock.nowMs() });
  } finally {
    await log.close();
  }
}

type Done = Extract<TokenResult, { ok: true }>;

function jsonOf(done: Done): object {
  switch (done.is) {
    case "made":
      return { token: done.token, ...done.made };
    case "list":
      return { tokens: done.tokens };
    case "revoked":
      return { id: done.id, revoked: true };
  }
}

function textOf(done: Done, { quiet }: TokenCommand, terminal: Terminal): string {
  switch (done.is) {
    case "made":
      return `${done.token}\n`;
    case "list":
      return quiet ? done.tokens.map(({ id }) => `${id}\n`).join("") : listText(done.tokens, terminal);
    case "revoked":
      return quiet ? "" : `${done.id} is revoked\n`;
  }
}

function listText(tokens: readonly TokenJson[], terminal: Terminal): string {
  if (tokens.length === 0) return "there are no tokens\n";
  const head = ["ID", "ACCOUNT", "SCOPES", "GATEWAYS", "EXPIRES", "LAST USED", "NAME"];
  const rows = tokens.map((token) => [
    token.id,
    token.account,
    token.scopes.join(","),
    token.gateways?.join(",") ?? "all",
    token.expires ?? "never",
    token.last_used ?? "never",
    token.name,
  ]);
  const cells = [head, ...rows].map((row) => row.map((text) => ({ text })));
  return table(cells, terminal.screen());
}

function noteOf({ id, account, scopes, gateways, expires, old_until: oldUntil }: TokenJson): string {
  const sees = gateways === null ? "all gateways" : gateways.join(", ");
  const until = expires === null ? "until it is revoked" : `until ${expires}`;
  const old = oldUntil === null ? "" : ` The old one works until ${oldUntil}.`;
  const what = `${id}: ${scopes.join(", ")} in ${sees} of ${account}, ${until}.`;
  return printable(`${what}${old} Keep the token now: it is not shown again.`) + "\n";
}

/** What a Rialto of this version answers is not looked into further. */
const isResult = (value: unknown): value is TokenResult =>
  isObject(value) && value["ok"] === true && (value["is"] !== "list" || listOf(value["tokens"]) === value["tokens"]);
