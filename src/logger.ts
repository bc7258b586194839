import { openSync } from "node:fs";
import pino, { type Logger as PinoLogger } from "pino";
import pretty from "pino-pretty";

/** Static message, data as fields. Message texts are never logged above trace. */
export type Logger = Pick<PinoLogger, "trace" | "debug" | "info" | "warn" | "error" | "fatal">;

export interface LoggerOptions {
  readonly debug: boolean;
  /** Appended to, mode 0600; null for standard output. */
  readonly file: string | null;
  /** Values that must never be written. */
  readonly secrets: readonly string[];
}

/** One sink: readable lines on a terminal, JSON lines elsewhere. Throws when the file cannot be opened. */
export function createLogger({ debug, file, secrets }: LoggerOptions): Logger {
  const fd = file === null ? 1 : openSync(file, "a", 0o600);
  const out = pino.destination({ fd, sync: true });
  const readable = file === null && process.stdout.isTTY;
  const sink = readable
    ? pretty({
        destination: scrubbing(out, secrets),
        colorize: true,
        ignore: "pid,hostname",
        translateTime: "SYS:HH:MM:ss.l",
      })
    : scrubbing(out, secrets);
  const options = {
    level: debug ? "debug" : "info",
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (level: string) => ({ level }) },
  };
  return pino(options, sink);
}

interface Sink {
  write(line: string): unknown;
}

function scrubbing(out: Sink, secrets: readonly string[]): Sink & NodeJS.WritableStream {
  const known = secrets.filter((secret) => secret !== "");
  const write = (line: string | Uint8Array): boolean => {
    let clean = typeof line === "string" ? line : Buffer.from(line).toString("utf8");
    for (const secret of known) clean = clean.replaceAll(secret, "[secret]").replaceAll(escaped(secret), "[secret]");
    out.write(clean);
    return true;
  };
  return { write } as Sink & NodeJS.WritableStream;
}

/** As the secret looks inside a JSON string. */
const escaped = (secret: string): string => JSON.stringify(secret).slice(1, -1);
