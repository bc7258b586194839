import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { ApiClient } from "./client.ts";
import { freePorts } from "./ports.ts";
import { eventually, within } from "./wait.ts";
import { guard } from "./watchdog.ts";

/** A start takes less than a second; on a machine with twenty other things to do, much longer. */
const START_MS = 60_000;
const PROGRAM = path.join(import.meta.dirname, "../../bin/rialto.js");

export interface RialtoOptions {
  /** TOML. An `[api.name]` section gets its BindAddress added: loopback and a free port. */
  readonly config: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The data folder of an earlier start, to go on from it. */
  readonly dataPath?: string;
  /** The host to listen on, by account, instead of loopback. */
  readonly hosts?: Readonly<Record<string, string>>;
  /** Largest file that the program may write, in KiB: a disk that gets full. */
  readonly fileSizeLimit?: number;
  /** How many files and connections it may have open. */
  readonly descriptors?: number;
}

interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The built program as a child process. */
export interface Rialto {
  readonly dataPath: string;
  readonly pid: number;
  /** The configuration file. */
  readonly file: string;
  /** TOML as for a start, with the addresses that its accounts have; new accounts get one. Not written anywhere. */
  readonly text: (config: string) => Promise<string>;
  /** Base address of an account's API, as `api.name`. */
  readonly url: (account: string) => string;
  /** A client of an account, named without `api.`. */
  readonly client: (name: string, token?: string) => ApiClient;
  readonly signal: (signal: NodeJS.Signals) => void;
  /** SIGTERM, then waits; kills what has not ended after 12 s and rejects. */
  readonly stop: () => Promise<Exit>;
  readonly kill9: () => Promise<Exit>;
  /** Ends it if need be and removes its scratch folder, which holds the data of a first start. */
  readonly dispose: () => Promise<void>;
  /** All that it printed so far, both streams. */
  readonly output: () => string;
  readonly exited: Promise<Exit>;
}

/** Starts the program and waits until every account answers. Rejects with its output when it does not come up. */
export async function startRialto(options: RialtoOptions): Promise<Rialto> {
  const scratch = await mkdtemp(path.join(os.tmpdir(), "rialto-"));
  const urls = new Map<string, string>();
  const text = await withAddresses(options, urls);
  const file = path.join(scratch, "rialto.toml");
  const dataPath = options.dataPath ?? path.join(scratch, "data");
  await writeFile(file, text);
  const child = spawnProgram(["-conf", file], options, { RIALTO_GENERAL_DATAPATH: dataPath });
  guard(child);
  const output: string[] = [];
  child.stdout?.on("data", (part: Buffer) => output.push(part.toString()));
  child.stderr?.on("data", (part: Buffer) => output.push(part.toString()));
  const exit = Promise.withResolvers<Exit>();
  child.on("error", (error) => output.push(String(error)));
  child.on("close", (code, signal) => exit.resolve({ code, signal }));
  const end = async (signal: NodeJS.Signals): Promise<Exit> => {
    child.kill(signal);
    try {
      return await within(exit.promise, () => `the end of the program after ${signal}`, 12_000);
    } catch (error) {
      child.kill("SIGKILL");
      throw error;
    }
  };
  const url = (account: string): string => {
    const found = urls.get(account);
    if (found === undefined) throw new Error(`no account ${account} in this configuration`);
    return found;
  };
  const rialto: Rialto = {
    dataPath,
    pid: child.pid ?? 0,
    file,
    text: async (config) => await withAddresses({ ...options, config }, urls),
    url,
    client: (name, token) => new ApiClient(url(`api.${name}`), token),
    signal: (signal) => void child.kill(signal),
    stop: async () => await end("SIGTERM"),
    kill9: async () => await end("SIGKILL"),
    dispose: async () => {
      await end("SIGKILL");
      await rm(scratch, { recursive: true, force: true });
    },
    output: () => output.join(""),
    exited: exit.promise,
  };
  try {
    await ready(rialto, urls);
  } catch (error) {
    await rialto.dispose();
    throw new Error(`the program did not start; it printed:\n${rialto.output()}`, { cause: error });
  }
  return rialto;
}

async function ready(rialto: Rialto, urls: ReadonlyMap<string, string>): Promise<void> {
  let over = false;
  void rialto.exited.then(() => (over = true));
  const healthy = async (url: string): Promise<boolean> =>
    await new ApiClient(url).request("/api/health").then(
      (answer) => answer.status === 200,
      () => false,
    );
  for (const url of urls.values()) {
    await eventually(
      () => healthy(url),
      (well) => well || over,
      () => `${url}/api/health`,
      START_MS,
    );
    if (over) throw new Error("the program ended");
  }
}

function spawnProgram(args: readonly string[], options: RialtoOptions, env: Record<string, string>): ChildProcess {
  const command = [process.execPath, PROGRAM, ...args];
  const { fileSizeLimit, descriptors } = options;
  const limits = [
    ...(fileSizeLimit === undefined ? [] : [`ulimit -f ${fileSizeLimit * 2};`]),
    ...(descriptors === undefined ? [] : [`ulimit -n ${descriptors};`]),
  ];
  const [program = "", ...rest] =
    limits.length === 0 ? command : ["/bin/sh", "-c", `${limits.join(" ")} exec "$0" "$@"`, ...command];
  return spawn(program, rest, {
    env: { PATH: process.env["PATH"] ?? "", ...env, ...options.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** The text with addresses; those of accounts that have none yet are added to `urls`. */
async function withAddresses({ config, hosts }: RialtoOptions, urls: Map<string, string>): Promise<string> {
  const names = [...config.matchAll(/^\[(api\.[^\]]+)\]/gm)].map((match) => match[1] ?? "");
  const news = names.filter((name) => !urls.has(name));
  const ports = await freePorts(news.length);
  for (const [at, name] of news.entries()) urls.set(name, `http://127.0.0.1:${ports[at]}`);
  return config.replaceAll(/^\[(api\.[^\]]+)\].*$/gm, (header, name: string) => {
    const port = urls.get(name)?.split(":").at(-1) ?? "";
    return `${header}\nBindAddress = "${hosts?.[name] ?? "127.0.0.1"}:${port}"`;
  });
}
