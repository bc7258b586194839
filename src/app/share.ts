import { close, open, readFileSync } from "node:fs";
import type { Config } from "../config/config.ts";
import { systemClock } from "../delivery/clock.ts";
import { StartError } from "../errors.ts";
import { BodyBudget } from "../http/body-budget.ts";
import type { ServerShare } from "../http/server-share.ts";
import { Descriptors } from "../lib/descriptors.ts";
import type { Logger } from "../logger.ts";

/** Node, the log with its threads, files that are fetched, and operators at the socket; measured and rounded up. */
const OWN = 128;
/** A connection, the next one while it is opened, and files both ways. */
const PER_NETWORK = 4;
/** Clients that an address has to be able to serve at the least. */
const CLIENTS_MIN = 16;
const LOOK_MS = 5_000;

/** Of file descriptors. */
interface Need {
  readonly reserved: number;
  readonly all: number;
}

function needOf({ accounts, general }: Config): Need {
  const networks = [...accounts.values()].filter(({ protocol }) => protocol !== "api").length;
  const listeners =
    accounts.size - networks + [general.media.bindAddress, general.admin].filter((it) => it !== null).length;
  const reserved = OWN + PER_NETWORK * networks + listeners;
  return { reserved, all: reserved + CLIENTS_MIN * listeners };
}

/** Null: there are enough for this configuration. It would fail in the middle of something without. */
function lackOf(config: Config, limit: number): string | null {
  const { all } = needOf(config);
  if (limit >= all) return null;
  return `this process may open ${limit} files and connections at a time, and this configuration needs ${all}`;
}

/** What the servers share out. */
export interface Share extends ServerShare {
  /** Why another configuration cannot be had with what the system gives; null: it can. */
  readonly lack: (config: Config) => string | null;
  /** Another configuration counts from now on. */
  readonly change: (config: Config) => void;
  /** Ends the look at the system. */
  readonly close: () => Promise<void>;
}

/**
 * Throws a StartError when there are fewer file descriptors than the configuration needs. Node itself has raised the
 * soft limit to the hard one.
 */
export function openShare(config: Config, logger: Logger, limit = limitOf(systemLimits())): Share {
  const lack = lackOf(config, limit);
  if (lack !== null) throw new StartError("descriptors", lack);
  const descriptors = new Descriptors({
    limit,
    reserved: needOf(config).reserved,
    nowMs: () => systemClock.nowMs(),
    onShort: ({ limit: given, refused }) =>
      logger.warn({ limit: given, refused }, "file descriptors are running out: connections of clients are refused"),
  });
  const timer = watch(descriptors);
  return {
    bodies: new BodyBudget(),
    descriptors,
    lack: (other) => lackOf(other, limit),
    change: (other) => descriptors.reserve(needOf(other).reserved),
    close: () => Promise.resolve(clearInterval(timer)),
  };
}

/**
 * Looks now and then whether the system still gives descriptors; it does not tell a server that it gave none to a
 * connection.
 */
function watch(descriptors: Descriptors): NodeJS.Timeout {
  const timer = setInterval(() => {
    open("/dev/null", (error, fd) => {
      if (error === null) close(fd, () => undefined);
      else if (error.code === "EMFILE" || error.code === "ENFILE") descriptors.failed();
    });
  }, LOOK_MS);
  return timer.unref();
}

/** From what Linux says of a process (`/proc/self/limits`); Infinity: it says none. */
export function limitOf(limits: string): number {
  return Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? Infinity);
}

function systemLimits(): string {
  try {
    return readFileSync("/proc/self/limits", "utf8");
  } catch {
    return "";
  }
}
