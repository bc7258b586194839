import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Environment } from "../config/environment.ts";
import type { Logger } from "../logger.ts";

/** Longest that one word to systemd may take. */
const TELL_MS = 2_000;

/**
 * What systemd is told of a service of Type=notify (sd_notify(3)). Nothing happens where no systemd listens. No call
 * throws or rejects.
 */
export interface Systemd {
  /** It runs, or runs again after `reloading`. `status`: a line for `systemctl status`. */
  readonly ready: (status: string) => void;
  readonly reloading: () => void;
  /** Resolves when systemd knows; the watchdog is quiet from then on. */
  readonly stopping: () => Promise<void>;
}

export interface SystemdOptions {
  readonly env: Environment;
  readonly logger: Logger;
  /** Resolves or rejects while the parts that accept messages work; the watchdog hears nothing while it is pending. */
  readonly probe: () => Promise<unknown>;
}

/**
 * Node has no Unix datagram sockets, which sd_notify needs, so each word is a run of `systemd-notify`: a few
 * milliseconds when the program starts, reloads and stops, and twice in each WatchdogSec. The words go one after the
 * other.
 */
export function openSystemd({ env, logger, probe }: SystemdOptions): Systemd {
  const socket = env["NOTIFY_SOCKET"] ?? "";
  if (socket === "") return SILENT;
  let last: Promise<void> = Promise.resolve();
  let isReported = false;
  const tell = (...words: readonly string[]): Promise<void> => {
    last = last
      .then(() => notify(socket, words, env))
      .catch((error: unknown) => {
        // Every further word fails alike.
        if (!isReported) logger.error({ why: reasonOf(error) }, COMPLAINT);
        isReported = true;
      });
    return last;
  };
  const watchdog = keepAlive(env, probe, () => tell("WATCHDOG=1"));
  return {
    ready: (status) => void tell("--ready", `--status=${status}`),
    reloading: () => void tell("RELOADING=1"),
    stopping: () => {
      clearInterval(watchdog);
      return tell("STOPPING=1");
    },
  };
}

const COMPLAINT =
  "Rialto cannot report its state to systemd: install systemd-notify, or remove Type=notify and WatchdogSec from the unit";

const SILENT: Systemd = { ready: () => undefined, reloading: () => undefined, stopping: () => Promise.resolve() };

async function notify(socket: string, words: readonly string[], env: Environment): Promise<void> {
  const given = { PATH: env["PATH"] ?? "/usr/bin:/bin", NOTIFY_SOCKET: socket };
  await promisify(execFile)("systemd-notify", [...words], { env: given, timeout: TELL_MS });
}

/** The timer shows that the event loop runs; the probe shows that the log's thread does. */
function keepAlive(
  env: Environment,
  probe: () => Promise<unknown>,
  beat: () => Promise<void>,
): NodeJS.Timeout | undefined {
  const periodMs = Number(env["WATCHDOG_USEC"] ?? 0) / 1000;
  // Set for another process than this one when a shell is in between (sd_watchdog_enabled(3)).
  const isOurs = (env["WATCHDOG_PID"] ?? String(process.pid)) === String(process.pid);
  if (!isOurs || !(periodMs > 0)) return undefined;
  let pending = false;
  const round = async (): Promise<void> => {
    pending = true;
    await probe().catch(() => undefined);
    await beat();
    pending = false;
  };
  return setInterval(() => {
    if (!pending) void round();
  }, periodMs / 2).unref();
}

function reasonOf(error: unknown): string {
  if (error instanceof Error && "code" in error && error.code === "ENOENT") return "systemd-notify is not installed";
  return error instanceof Error ? error.message : String(error);
}
