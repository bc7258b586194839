import { existsSync, openSync, writeSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { isatty } from "node:tty";
import pino, { type Logger as PinoLogger } from "pino";
import type * as PinoPretty from "pino-pretty";
import { StartError } from "./errors.ts";
import { localTime } from "./lib/local-time.ts";
import type { Scrubber } from "./lib/scrub.ts";

/** Static message, data as fields. Message texts are never logged above trace. No call ever throws. */
export type Logger = Pick<PinoLogger, "trace" | "debug" | "info" | "warn" | "error" | "fatal">;

export interface LoggerOptions {
  readonly debug: boolean;
  /** `auto`: `pretty` on a terminal, `json` elsewhere. */
  readonly format: "auto" | "json" | "pretty";
  /** Appended to; made with mode 0600. Null for standard output. */
  readonly file: string | null;
  /** Everything that is written goes through it; what it learns later holds from then on. */
  readonly scrubber: Scrubber;
}

/** One sink: JSON lines, or lines for people. Throws a StartError when the file cannot be opened. */
export function createLogger({ debug, format, file, scrubber }: LoggerOptions): Logger {
  const fd = file === null ? 1 : open(file);
  const isTerminal = file === null && isatty(fd);
  const isPretty = format === "pretty" || (format === "auto" && isTerminal);
  const prettify = isPretty ? readable(isTerminal) : null;
  const write = (line: string): string =>
    prettify === null ? cleanLine(line, scrubber) : scrubber.clean(prettify(line));
  const options = {
    level: debug ? "debug" : "info",
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (level: string) => ({ level }) },
  };
  return pino(options, lossySink(fd, write));
}

function open(file: string): number {
  try {
    return openSync(file, "a", 0o600);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const isMissing = !existsSync(dirname(file));
    const remedy = isMissing
      ? { remedy: `Create the folder ${dirname(file)}, or set general.LogFile to another file.` }
      : {};
    throw new StartError("log_file", `general.LogFile cannot be opened: ${why}`, { cause: error, ...remedy });
  }
}

const load: (name: "pino-pretty") => typeof PinoPretty = createRequire(import.meta.url);

/** Loaded only where people read: it would take a good part of the start-up time. */
function readable(colorize: boolean): (line: string) => string {
  const { prettyFactory } = load("pino-pretty");
  const prettify = prettyFactory({
    colorize,
    ignore: "pid,hostname",
    translateTime: "SYS:yyyy-mm-dd HH:MM:ss.lp",
    singleLine: true,
  });
  return (line) => prettify(withLocalTimes(line));
}

/** Times that are fields as people read them; the line's own time is put right with the line. */
function withLocalTimes(line: string): string {
  return line.replaceAll(
    /(?<!^\{"level":"\w+","time":)"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)"/gu,
    (field, time: string) => {
      const ms = Date.parse(time);
      return Number.isNaN(ms) ? field : `"${localTime(ms)}"`;
    },
  );
}

/**
 * Writes each line at once. A line that cannot be written (full disk, closed or stuffed pipe) is lost and counted: a
 * log that fails must neither stop the program nor pile up in memory. The count is written before the next line that
 * can be.
 */
function lossySink(fd: number, format: (line: string) => string): { write(line: string): void } {
  let lost = 0;
  let torn = false;
  const writeWhole = (line: string): void => {
    // A line that broke off half-way must not swallow the next one.
    let rest = Buffer.from(torn ? `\n${line}` : line);
    while (rest.length > 0) {
      rest = rest.subarray(writeSync(fd, rest));
      torn = rest.length > 0;
    }
  };
  return {
    write(line) {
      try {
        const text = format(line);
        if (lost > 0) writeWhole(format(noticeOf(lost)));
        lost = 0;
        writeWhole(text);
      } catch {
        lost += 1;
      }
    },
  };
}

function noticeOf(lost: number): string {
  return `${JSON.stringify({ level: "warn", time: new Date().toISOString(), lost, msg: "log lines could not be written and are lost" })}\n`;
}

/** The line as JSON, also where a secret of digits was taken out of a number. */
function cleanLine(line: string, { clean }: Scrubber): string {
  const cleaned = clean(line);
  if (cleaned === line || isJson(cleaned)) return cleaned;
  return `${JSON.stringify({ level: "warn", msg: "a log line that contained a secret", line: cleaned.trimEnd() })}\n`;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
