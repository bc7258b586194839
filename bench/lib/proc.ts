import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { monotonic } from "./stats.ts";

const OURS = join(import.meta.dirname, "../../bin/rialto.js");
/** Slower than this is not a start, unless it is told otherwise. */
const START_LIMIT_MS = 20_000;

/** The built program with two API accounts in one gateway: what is posted to one is read from the other. */
export interface Rialto {
  readonly pid: number;
  readonly process: ChildProcess;
  /** Its configuration file. */
  readonly conf: string;
  /** Where to POST, and where to read. */
  readonly poster: number;
  readonly reader: number;
  /** From starting the process to its first healthy answer, in ms. */
  readonly startMs: number;
  /** Ends it with SIGTERM; throws unless it exits 0. */
  readonly stop: () => Promise<void>;
  /** What it has printed so far. */
  readonly output: () => string;
}

/**
 * `bin`: the program, unless it is that of this checkout. `buffer`: how far a reader may lag, in messages. `execArgv`,
 * `env`: for the Node that runs the program.
 */
interface StartOptions {
  readonly folder: string;
  /** A data folder that exists already; absent: a new one under `folder`. */
  readonly data?: string;
  readonly bin?: string;
  readonly buffer?: number;
  /** More lines of `[general]`. */
  readonly general?: string;
  /**
   * TOML of accounts and gateways beside `api.poster` and `api.reader`, instead of the gateway that links these two.
   */
  readonly rest?: string;
  readonly startLimitMs?: number;
  readonly execArgv?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** The gateway that `startRialto` configures. */
export const GATEWAY = "bench";

/**
 * Starts the built program with its configuration and data in a new folder under `folder`; resolves once it is healthy.
 */
async function startRialto(options: StartOptions): Promise<Rialto> {
  const limitMs = options.startLimitMs ?? START_LIMIT_MS;
  const [poster, reader] = await freePorts();
  // A port may be free again for another start.
  const home = mkdtempSync(join(options.folder, "rialto-"));
  const file = join(home, "rialto.toml");
  writeFileSync(
    file,
    configuration(
      { buffer: 10, general: "", rest: LINKED, ...options },
      options.data ?? join(home, "data"),
      poster,
      reader,
    ),
  );
  const begin = monotonic();
  const child = fork(options.bin ?? OURS, ["-conf", file], {
    cwd: home,
    execArgv: [...(options.execArgv ?? [])],
    env: { ...process.env, ...options.env },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (text: Buffer) => (output += text.toString()));
  const ended = once(child, "exit");
  while (!(await healthy(poster)) || !(await healthy(reader))) {
    if (child.exitCode !== null) throw new Error(`rialto ended at once (${child.exitCode}):\n${output}`);
    if (monotonic() - begin > limitMs) {
      child.kill("SIGKILL");
      throw new Error(`rialto is not healthy after ${limitMs} ms:\n${output}`);
    }
    await delay(2);
  }
  const startMs = monotonic() - begin;
  const stop = async (): Promise<void> => {
    child.kill("SIGTERM");
    await ended;
    if (child.exitCode !== 0) throw new Error(`rialto ended with ${child.exitCode ?? child.signalCode}`);
  };
  return { pid: child.pid ?? 0, process: child, conf: file, poster, reader, startMs, stop, output: () => output };
}

/** Runs `use` with the program up, and stops it whatever happens. */
export async function withRialto<T>(options: StartOptions, use: (rialto: Rialto) => Promise<T>): Promise<T> {
  const rialto = await startRialto(options);
  try {
    const result = await use(rialto);
    await rialto.stop();
    return result;
  } catch (error) {
    throw new Error(`under benchmark, rialto printed:\n${rialto.output()}`, { cause: error });
  } finally {
    rialto.process.kill("SIGKILL");
  }
}

/** Resident memory of a process in KiB (Linux). */
export function residentKiB(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]);
}

/** Begins a new measurement of `peakKiB` (Linux). */
export function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
}

/** The most resident memory of a process since `forgetPeak`, in KiB (Linux). */
export function peakKiB(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]);
}

/** What a process has had of the processors so far, in ms (Linux, which counts in hundredths of a second). */
export function processorMs(pid: number): number {
  const [user, system] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ").slice(11, 13) ?? [];
  return (Number(user) + Number(system)) * 10;
}

const LINKED = gatewayOf(GATEWAY, ["api.poster", "api"], ["api.reader", "api"]);

/** A gateway of these bridges, each an account and a channel, as TOML. */
export function gatewayOf(name: string, ...bridges: readonly (readonly [account: string, channel: string])[]): string {
  const entries = bridges.map(
    ([account, channel]) => `[[gateway.inout]]\naccount = "${account}"\nchannel = "${channel}"\n`,
  );
  return `[[gateway]]\nname = "${name}"\nenable = true\n${entries.join("")}`;
}

function configuration(
  { buffer, general, rest }: { readonly buffer: number; readonly general: string; readonly rest: string },
  data: string,
  poster: number,
  reader: number,
): string {
  const account = (name: string, port: number): string =>
    `[api.${name}]\nBindAddress = "127.0.0.1:${port}"\nBuffer = ${buffer}\n`;
  return [
    `[general]\nDataPath = ${JSON.stringify(data)}\n${general}\n`,
    account("poster", poster),
    account("reader", reader),
    rest,
  ].join("\n");
}

function healthy(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const get = request({ host: "127.0.0.1", port, path: "/api/health", agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    get.on("error", () => {
      resolve(false);
    });
    get.end();
  });
}

async function freePorts(): Promise<readonly [number, number]> {
  const servers = [createServer(), createServer()] as const;
  const ports = servers.map(async (server) => {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return (server.address() as AddressInfo).port;
  });
  const [first = 0, second = 0] = await Promise.all(ports);
  await Promise.all(servers.map((server) => once(server.close(), "close")));
  return [first, second];
}
