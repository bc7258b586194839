import { setTimeout as sleep } from "node:timers/promises";
import type { ExplainView, StatusView, TailLine } from "../admin/views.ts";
import type { Reloaded } from "../app/reload.ts";
import type { Environment } from "../config/environment.ts";
import { START_ERRORS, StartError } from "../errors.ts";
import { socketPath } from "../http/admin/socket.ts";
import { localTimeOfDay } from "../lib/local-time.ts";
import { printable } from "../lib/printable.ts";
import { isAborted } from "../lib/abort.ts";
import type { ControlCommand } from "./args.ts";
import { type ControlResponse, ask, lines, NotRunning, RequestRefused } from "./client.ts";
import { clusterText } from "./cluster-view.ts";
import { dashboardText } from "./dashboard.ts";
import { findDataPath } from "./data-path.ts";
import { explainText } from "./explain-view.ts";
import { reportFailure } from "./failure.ts";
import { inviteOf, inviteText } from "./invite.ts";
import { resendOf, resendText } from "./resend.ts";
import { reloadText } from "./reload-view.ts";
import { statusText } from "./status-view.ts";
import { paint, type Screen } from "./table.ts";
import { isObject, parseAs } from "../lib/shapes.ts";

export interface Terminal {
  readonly env: Environment;
  readonly cwd: string;
  /** Takes whole lines: the result. Resolves when they have been written, false if the reader is gone. */
  readonly write: (text: string) => Promise<boolean>;
  /** Takes whole lines: notes that are not part of the result. */
  readonly tell: (text: string) => void;
  readonly screen: () => Screen;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
}

const WATCH_MS = 2_000;
/** As a shell has it for SIGINT. */
const INTERRUPTED = 130;
const CLEAR = "\u001b[H\u001b[2J";

/** Asks the Rialto that runs with this configuration. Resolves with the exit code. */
export async function control(command: ControlCommand, terminal: Terminal): Promise<number> {
  const { json } = command;
  try {
    const socket = command.socket ?? socketPath(findDataPath(command, terminal));
    return await COMMANDS[command.name](socket, command, terminal);
  } catch (error) {
    if (error instanceof RequestRefused) return await refused(error.answer, json, terminal);
    if (!(error instanceof NotRunning) && !(error instanceof StartError)) throw error;
    // Interrupted: nobody waits for the answer.
    if (terminal.signal.aborted) return INTERRUPTED;
    await reportFailure(error.message, json, terminal);
    return START_ERRORS[error instanceof StartError ? error.code : "not_running"].exit;
  }
}

const ALONE = "This machine has its log for itself: Log in [general] is empty.\n";

type Run = (socket: string, command: ControlCommand, terminal: Terminal) => Promise<number>;

const COMMANDS: Readonly<Record<ControlCommand["name"], Run>> = {
  status: async (socket, { watch, json }, terminal) => {
    if (watch) return await watchStatus(socket, json, terminal);
    const answer = await ask(socket, { method: "GET", path: "/api/v1/status" }, terminal.signal);
    return await show(answer, json, terminal, (body) => {
      const status = parseAs(body, isStatus);
      return { text: statusText(status, terminal.screen()), code: status.troubles.length === 0 ? 0 : 1 };
    });
  },
  explain: async (socket, { words, json, ids }, terminal) => {
    const path = `/api/v1/explain?q=${encodeURIComponent(words.join(" "))}`;
    const answer = await ask(socket, { method: "GET", path }, terminal.signal);
    return await show(answer, json, terminal, (body) => {
      const found = parseAs(body, isExplained);
      return {
        text: explainText(found, { nowMs: Date.now(), screen: terminal.screen(), ids }),
        code: found.stories.length + found.drops.length === 0 ? 1 : 0,
      };
    });
  },
  tail: async (socket, { words, json }, terminal) => {
    const [gateway] = words;
    const path = `/api/v1/tail${gateway === undefined ? "" : `?gateway=${encodeURIComponent(gateway)}`}`;
    for await (const line of lines(socket, path, terminal.signal)) {
      if (!(await terminal.write(json ? `${line}\n` : tailText(line, terminal.screen())))) return 0;
    }
    if (!terminal.signal.aborted)
      terminal.tell("rialto: Rialto has stopped, or it disconnected this command because it did not keep up\n");
    return 0;
  },
  send: async (socket, { words: [gateway = "", ...words], as, json }, terminal) => {
    const body = { gateway, text: words.join(" "), as };
    const answer = await ask(socket, { method: "POST", path: "/api/v1/send", body }, terminal.signal);
    return await show(answer, json, terminal, (text) => {
      const { seq, destinations } = parseAs(text, isSent);
      const count = `${destinations} ${destinations === 1 ? "destination" : "destinations"}`;
      return { text: `no. ${seq}, for ${count}; "rialto explain ${seq}" shows where it is\n`, code: 0 };
    });
  },
  resend: async (socket, command, terminal) => {
    const question = { method: "POST", path: "/api/v1/resend", body: resendOf(command) } as const;
    const answer = await ask(socket, question, terminal.signal);
    return await show(answer, command.json, terminal, (text) => ({ text: resendText(text), code: 0 }));
  },
  reload: async (socket, { json }, terminal) => {
    const answer = await ask(socket, { method: "POST", path: "/api/v1/reload" }, terminal.signal);
    return await show(answer, json, terminal, (body) => reloadText(parseAs(body, isReloaded)));
  },
  cluster: async (socket, { json }, terminal) => {
    const answer = await ask(socket, { method: "GET", path: "/api/v1/status" }, terminal.signal);
    return await show(answer, json, terminal, (body) => {
      const { cluster = null, nowMs } = parseAs(body, isStatus);
      const text = cluster === null ? ALONE : clusterText(cluster, { nowMs, screen: terminal.screen() });
      return { text, json: `${JSON.stringify(cluster)}\n`, code: cluster?.hasVoice === false ? 1 : 0 };
    });
  },
  dashboard: async (socket, { json }, terminal) => {
    const answer = await ask(socket, { method: "POST", path: "/api/v1/dashboard" }, terminal.signal);
    return await show(answer, json, terminal, (body) => ({ text: dashboardText(body), code: 0 }));
  },
  invite: async (socket, command, terminal) => {
    const question = { method: "POST", path: "/api/v1/invites", body: inviteOf(command) } as const;
    const answer = await ask(socket, question, terminal.signal);
    return await show(answer, command.json, terminal, (body) => ({ text: inviteText(body), code: 0 }));
  },
};

/** Shows the status again and again until it is interrupted; waits for a Rialto that does not run at the moment. */
async function watchStatus(socket: string, json: boolean, terminal: Terminal): Promise<number> {
  const { signal, write, screen } = terminal;
  while (!signal.aborted) {
    let text: string;
    try {
      const answer = await ask(socket, { method: "GET", path: "/api/v1/status" }, signal);
      if (answer.status !== 200) return await refused(answer, json, terminal);
      text = json ? answer.body : statusText(parseAs(answer.body, isStatus), screen());
    } catch (error) {
      if (!(error instanceof NotRunning)) throw error;
      if (isAborted(signal)) break;
      text = json ? `${JSON.stringify({ error: error.message })}\n` : `${error.message}\n`;
    }
    if (!(await write(screen().colour && !json ? `${CLEAR}${text}` : text))) break;
    await sleep(WATCH_MS, undefined, { signal }).catch(() => undefined);
  }
  return 0;
}

/** `json`: what `--json` prints, if that is not the whole answer. */
interface Shown {
  readonly text: string;
  readonly json?: string;
  readonly code: number;
}

async function show(
  answer: ControlResponse,
  json: boolean,
  terminal: Terminal,
  view: (body: string) => Shown,
): Promise<number> {
  if (answer.status !== 200) return await refused(answer, json, terminal);
  const shown = view(answer.body);
  await terminal.write(json ? (shown.json ?? answer.body) : shown.text);
  return shown.code;
}

async function refused({ body }: ControlResponse, json: boolean, terminal: Terminal): Promise<number> {
  await reportFailure(printable(messageOf(body)), json, terminal);
  return 1;
}

function messageOf(body: string): string {
  try {
    const { message } = parseAs(body, isObject);
    if (typeof message === "string") return message;
  } catch {
    // Not an answer of ours; it is shown unchanged.
  }
  return body.trim();
}

function tailText(line: string, screen: Screen): string {
  const { seq, atMs, account, channel, gateways, by, event, text } = parseAs(line, isTailLine);
  const time = localTimeOfDay(atMs);
  const kind = event === "" ? "" : ` (${printable(event)})`;
  const place = paint(
    printable(`${account} ${channel} → ${gateways.length === 0 ? "nowhere" : gateways.join(", ")}`),
    "dim",
    screen,
  );
  return `${time} ${seq} ${place} ${paint(printable(by), "bold", screen)}${kind}: ${printable(text)}\n`;
}

/** What a Rialto of this version answers is not looked into further. */
const isStatus = (value: unknown): value is StatusView => isObject(value) && Array.isArray(value["troubles"]);
const isExplained = (value: unknown): value is ExplainView => isObject(value) && Array.isArray(value["stories"]);
const isReloaded = (value: unknown): value is Reloaded => isObject(value) && typeof value["is"] === "string";
const isTailLine = (value: unknown): value is TailLine => isObject(value) && typeof value["seq"] === "number";
const isSent = (value: unknown): value is { readonly seq: number; readonly destinations: number } =>
  isObject(value) && typeof value["seq"] === "number" && typeof value["destinations"] === "number";
