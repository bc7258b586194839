import { mkdirSync } from "node:fs";
import path from "node:path";
import type { ClusterView } from "../../../src/admin/views.ts";
import { ask } from "../../../src/cli/client.ts";
import { socketPath } from "../../../src/http/admin/socket.ts";
import { Child } from "../../servers/child.ts";
import type { Proxy } from "../../servers/proxy.ts";
import { ApiClient } from "../../support/client.ts";
import { eventually } from "../../support/wait.ts";
import type { SmallDisk } from "../small-disk.ts";

const PROGRAM = path.join(import.meta.dirname, "../../../bin/rialto.js");
/** On a machine with twenty other things to do. */
const START_MS = 90_000;
/** What a stop may take, with what waits for others to take over. */
const STOP_MS = 20_000;
const STATUS_MS = 2_000;

interface MachineOptions {
  readonly name: string;
  /** Its data is on a disk of its own. */
  readonly disk: SmallDisk;
  /** Its configuration, which is that of all. */
  readonly file: string;
  /** Its own wires to the servers of the log. */
  readonly wires: readonly Proxy[];
  readonly ports: { readonly writer: number; readonly reader: number };
}

/** One machine of several, in one life after the other. */
export class Machine {
  readonly name: string;
  readonly dataPath: string;
  readonly disk: SmallDisk;
  readonly wires: readonly Proxy[];
  readonly writer: ApiClient;
  readonly reader: ApiClient;
  /** What lives printed that ended although nobody had ended them. */
  readonly crashes: string[] = [];
  readonly #options: MachineOptions;
  #child: Child | null = null;
  #wanted = false;

  constructor(options: MachineOptions) {
    const { name, disk, wires, ports } = options;
    this.#options = options;
    this.name = name;
    this.wires = wires;
    this.disk = disk;
    this.dataPath = path.join(disk.folder, name);
    this.writer = new ApiClient(`http://127.0.0.1:${ports.writer}`);
    this.reader = new ApiClient(`http://127.0.0.1:${ports.reader}`);
    mkdirSync(this.dataPath);
  }

  get lives(): boolean {
    return this.#child?.over === false;
  }

  /** Of its newest life. */
  get output(): string {
    return this.#child?.output ?? "";
  }

  /** Resolves when it says that it runs. */
  async start(): Promise<void> {
    const { file, wires, ports, name } = this.#options;
    const child = new Child({
      command: [process.execPath, PROGRAM, "-conf", file],
      env: {
        RIALTO_GENERAL_NODE: name,
        RIALTO_GENERAL_DATAPATH: this.dataPath,
        RIALTO_GENERAL_LOG: `nats://${wires.map(({ port }) => `127.0.0.1:${port}`).join(",")}`,
        RIALTO_API_WRITER_BINDADDRESS: `127.0.0.1:${ports.writer}`,
        RIALTO_API_READER_BINDADDRESS: `127.0.0.1:${ports.reader}`,
      },
    });
    this.#child = child;
    this.#wanted = true;
    void child.exited.then(({ code, signal }) => {
      if (!this.#wanted || this.#child !== child) return;
      this.crashes.push(`${name} ended with ${code ?? signal}:\n${child.output.slice(-4_000)}`);
    });
    await eventually(
      () => Promise.resolve(child.over || child.output.includes("Rialto runs")),
      Boolean,
      () => `${name} to run; it printed:\n${child.output.slice(-4_000)}`,
      START_MS,
    );
  }

  /** SIGKILL; resolves when it is dead. */
  async kill(): Promise<void> {
    this.#wanted = false;
    await this.#child?.kill9();
  }

  /** SIGTERM; resolves with its exit code when it has ended by itself. */
  async stop(): Promise<number | null> {
    this.#wanted = false;
    const child = this.#child;
    if (child === null) return 0;
    child.signal("SIGTERM");
    const timer = setTimeout(() => child.signal("SIGKILL"), STOP_MS);
    const { code } = await child.exited;
    clearTimeout(timer);
    return code;
  }

  signal(signal: "SIGSTOP" | "SIGCONT"): void {
    this.#child?.signal(signal);
  }

  /** What it says of all machines; null where it does not answer. */
  async view(): Promise<ClusterView | null> {
    const status = await this.status();
    return status === null ? null : ((JSON.parse(status) as { readonly cluster?: ClusterView }).cluster ?? null);
  }

  /** Its status, as JSON; null where it does not answer. */
  async status(): Promise<string | null> {
    const question = { method: "GET", path: "/api/v1/status", patienceMs: STATUS_MS } as const;
    const answer = await ask(socketPath(this.dataPath), question).catch(() => null);
    return answer?.status === 200 ? answer.body : null;
  }
}
