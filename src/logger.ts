import { openSync, writeSync } from "node:fs";
import { createRequire } from "node:module";
import { isatty } from "node:tty";
import pino, { type Logger as PinoLogger } from "pino";
import type * as PinoPretty from "pino-pretty";
import { StartError } from "./errors.ts";

/** Static message, data as fields. Message texts are never logged above trace. No call ever throws. */
export type Logger = Pick<PinoLogger, "trace" | "debug" | "info" | "warn" | "error" | "fatal">;

export interface LoggerOptions {
  readonly debug: boolean;
  /** Appended to, mode 0600; null for standard output. */
  readonly file: string | null;
  /** Values that must never be written. */
  readonly secrets: readonly string[];
}

/** One sink: readable lines on a terminal, JSON lines elsewhere. Throws a StartError when the file cannot be opened. */
export function createLogger({ debug, file, secrets }: LoggerOptions): Logger {
  const fd = file === null ? 1 : open(file);
  const format = file === null && isatty(fd) ? readable() : (line: string) => line;
  const scrub = scrubber(secrets);
  const options = {
    level: debug ? "debug" : "info",
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (level: string) => ({ level }) },
  };
  return pino(
    options,
    lossySink(fd, (line) => scrub(format(line))),
  );
}

function open(file: string): number {
  try {
    return openSync(file, "a", 0o600);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new StartError("log_file", `general.LogFile cannot be opened: ${why}`, { cause: error });
  }
}

/** Loaded only where there is a terminal: it would take a good part of the start-up time. */
function readable(): (line: string) => string {
  const { prettyFactory } = createRequire(import.meta.url)("pino-pretty") as typeof PinoPretty;
  const prettify = prettyFactory({ colorize: true, ignore: "pid,hostname", translateTime: "SYS:HH:MM:ss.l" });
  return (line) => prettify(line) ?? line;
}

/**
 * Writes each line at once. A line that cannot be written (full disk, closed or stuffed pipe) is lost and counted: a log that fails
 * must neither stop the program nor pile up in memory. The count is written before the next line that can be.
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

function scrubber(secrets: readonly string[]): (line: string) => string {
  const known = secrets.filter((secret) => secret !== "");
  return (line) => {
    let clean = line;
    for (const secret of known) clean = clean.replaceAll(secret, "[secret]").replaceAll(escaped(secret), "[secret]");
    return clean;
  };
}

/** As the secret looks inside a JSON string. */
const escaped = (secret: string): string => JSON.stringify(secret).slice(1, -1);
