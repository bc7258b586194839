import { copyFileSync, existsSync, renameSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import { startErrorOf } from "../app/open.ts";
import { START_ERRORS, StartError } from "../errors.ts";
import { isStored } from "../gateway/codec.ts";
import { socketPath } from "../http/admin/socket.ts";
import { LogError } from "../log/errors.ts";
import { logFile } from "../log/sqlite/database.ts";
import { OF_SEVERAL } from "../log/sqlite/failure.ts";
import { type Repaired, repairLog } from "../log/sqlite/repair.ts";
import type { LostRange } from "../log/sqlite/salvage.ts";
import { backupLog, checkLog, type Checked, fileBeside, type ReportProgress } from "../log/sqlite/upkeep.ts";
import type { LogCommand } from "./args.ts";
import { ask, NotRunning } from "./client.ts";
import type { Terminal } from "./control.ts";
import { findDataPath } from "./data-path.ts";
import { reportFailure } from "./failure.ts";
import { isObject, parseAs } from "../lib/shapes.ts";

/** A running Rialto copies its log while it does its other work. */
const BACKUP_MS = 60 * 60 * 1000;
const PROGRESS_MS = 2_000;
const RANGES_MAX = 20;

interface Result {
  readonly text: string;
  readonly json: object;
  readonly code: number;
}

/** `rialto log …`. Resolves with the exit code. */
export async function logCommand(command: LogCommand, terminal: Terminal): Promise<number> {
  try {
    const dataPath = findDataPath(command, terminal);
    const { text, json, code } = await ACTIONS[command.action](dataPath, command, terminal);
    await terminal.write(command.json ? `${JSON.stringify(json)}\n` : text);
    return code;
  } catch (error) {
    const known = error instanceof LogError ? startErrorOf(error) : error;
    if (!(known instanceof StartError)) throw error;
    await reportFailure(known.message, command.json, terminal);
    return START_ERRORS[known.code].exit;
  }
}

type Action = (dataPath: string, command: LogCommand, terminal: Terminal) => Promise<Result> | Result;

const ACTIONS: Readonly<Record<LogCommand["action"], Action>> = {
  check: (dataPath, _, terminal) => {
    const file = logFile(dataPath);
    const checked = checkLog({ dataPath, isSound: isStored, progress: progressTo(terminal) });
    const code = checked.findings.length === 0 ? 0 : START_ERRORS.log_damaged.exit;
    return { text: checkText(file, checked), json: { file, ...checked }, code };
  },
  repair: (dataPath, _, terminal) => {
    const file = logFile(dataPath);
    const progress = progressTo(terminal);
    if (isWhole(dataPath, progress)) {
      return {
        text: `${file}: nothing is damaged, and nothing was changed\n`,
        json: { file, damaged: false },
        code: 0,
      };
    }
    const repaired = repairLog({ dataPath, isSound: isStored, progress, nowMs: Date.now() });
    const code = repaired.keptAs === null ? START_ERRORS.log_damaged.exit : 0;
    return { text: repairText(file, repaired), json: { file, damaged: true, ...repaired }, code };
  },
  backup: async (dataPath, { file: to }, terminal) => {
    const wanted = to === null ? null : resolve(terminal.cwd, to);
    if (wanted !== null && existsSync(wanted)) throw new LogError("unwritable", `${wanted} already exists.`);
    const running = await askForBackup(dataPath, terminal);
    const file = wanted ?? running ?? fileBeside(dataPath, "backup", Date.now());
    if (running === null) await backupLog(dataPath, file, progressTo(terminal));
    else if (wanted !== null) move(running, wanted);
    return { text: `The log is copied to ${file}\n`, json: { file }, code: 0 };
  },
  export: async (dataPath, command, terminal) => {
    return await (await import("./log-move.ts")).exportAction(dataPath, command, terminal, progressTo(terminal));
  },
  import: async (dataPath, command, terminal) => {
    return await (await import("./log-move.ts")).importAction(dataPath, command, terminal, progressTo(terminal));
  },
};

function isWhole(dataPath: string, progress: ReportProgress): boolean {
  try {
    return checkLog({ dataPath, isSound: isStored, progress }).findings.length === 0;
  } catch (error) {
    if (error instanceof LogError && error.code === "damaged") return false;
    throw error;
  }
}

/** The file that a running Rialto has made; null: none runs. */
async function askForBackup(dataPath: string, { signal, tell }: Terminal): Promise<string | null> {
  try {
    const question = { method: "POST", path: "/api/v1/backup", patienceMs: BACKUP_MS } as const;
    const { status, body } = await ask(socketPath(dataPath), question, signal);
    const { file, message } = parseAs(body, isObject);
    if (status !== 200 || typeof file !== "string")
      throw new LogError("io", typeof message === "string" ? message : "The running Rialto refused.");
    return file;
  } catch (error) {
    if (!(error instanceof NotRunning)) throw error;
    if (existsSync(socketPath(dataPath))) tell(`rialto: ${error.message}\n`);
    return null;
  }
}

function move(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch {
    // It may be another disk.
    try {
      copyFileSync(from, to);
    } catch (error) {
      throw new LogError("unwritable", `The backup is at ${from}, but cannot be moved to ${to}: ${String(error)}`);
    }
    rmSync(from);
  }
}

/** Pure. */
export function checkText(file: string, { entries, marks, findings }: Checked): string {
  const size = `${entriesText(entries)}, ${marksText(marks)}`;
  if (findings.length === 0) return `${file}: ${size}, nothing is damaged\n`;
  const list = findings.map((finding) => `  ${finding}\n`).join("");
  return `${file} is damaged (${size} can be counted):\n${list}"rialto log repair" makes a new log from everything that can be read. Of several machines: ${OF_SEVERAL}.\n`;
}

/** Pure. */
export function repairText(file: string, repaired: Repaired): string {
  const { keptAs, entries, lost, unsound, marks, marksLost, others } = repaired;
  if (keptAs === null) {
    return `Nothing in ${file} can be read, and it was not changed. Put a backup in its place, or move it away to start with an empty log.\n`;
  }
  const lines = [`The log is repaired: ${entriesText(entries)} and ${marksText(marks)} are kept.`];
  if (lost.length > 0) lines.push(`Lost: entries ${rangesText(lost)}, as far as they existed.`);
  if (unsound.length > 0) {
    const what = entriesText(unsound.length);
    lines.push(`Lost: ${what} that held no message: ${rangesText(unsound.map((seq) => ({ from: seq, to: seq })))}.`);
  }
  if (others.length > 0) lines.push(`Lost in part: ${others.join(", ")}.`);
  if (marksLost) {
    lines.push(
      "Some marks are lost. Readers and destinations without one begin at the newest message: they get nothing twice, and miss what they had not received yet.",
    );
  }
  lines.push(`The damaged file is kept as ${keptAs}; delete it when you no longer need it.`);
  return `${lines.join("\n")}\n`;
}

const entriesText = (count: number): string => (count === 1 ? "1 entry" : `${count} entries`);
const marksText = (count: number): string => (count === 1 ? "1 mark" : `${count} marks`);

function rangesText(ranges: readonly LostRange[]): string {
  const shown = ranges.slice(0, RANGES_MAX).map(({ from, to }) => {
    if (to === null) return `no. ${from} and later`;
    return from === to ? `no. ${from}` : `no. ${from} to ${to}`;
  });
  return shown.join(", ") + (ranges.length > RANGES_MAX ? ` and ${ranges.length - RANGES_MAX} more ranges` : "");
}

/** A line now and then, while it takes long. */
function progressTo({ tell }: Terminal): ReportProgress {
  let toldMs = Date.now();
  return (what, done, of) => {
    if (Date.now() - toldMs < PROGRESS_MS) return;
    toldMs = Date.now();
    tell(`rialto: ${what}: ${done}${of === null ? "" : ` of ${of}`}\n`);
  };
}
