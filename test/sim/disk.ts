import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LogError } from "../../src/log/errors.ts";
import type { Log } from "../../src/log/log.ts";
import type { WorkerConnection } from "../../src/log/sqlite/connection.ts";
import { toError } from "../../src/log/sqlite/failure.ts";
import type { LogFailure } from "../../src/log/sqlite/committed.ts";
import type { WorkerReply, Request, WorkerOptions } from "../../src/log/sqlite/protocol.ts";
import { SqliteLog } from "../../src/log/sqlite/sqlite-log.ts";
import { Store } from "../../src/log/sqlite/store.ts";
import type { Chance } from "./chance.ts";
import type { Counts } from "./counts.ts";
import { prepareLate } from "./lazy.ts";
import type { Life } from "./life.ts";
import type { Loop } from "./loop.ts";
import { setFreeBytes } from "./machine.ts";

/** What the disk does now. `floor`: less free space than is kept in reserve. */
export type DiskMode = "well" | "fails" | "full" | "floor" | "unreadable";

export interface DiskTraits {
  /** Longest time a request takes, in ms; 0: none at all. */
  readonly slowMs: number;
  readonly tailBytes: number;
  readonly pendingBytes: number;
}

const FLOOR_BYTES = 1_000_000;

type Settle = (reply: WorkerReply | LogError) => void;
type Unnumbered = Omit<Request, "id"> & { readonly is: Request["is"] };

/**
 * A data folder that outlives the program, and the faults of its disk. The log's thread runs here, within the
 * simulation.
 */
export class Disk {
  readonly folder: string;
  mode: DiskMode = "well";
  readonly #loop: Loop;
  readonly #chance: Chance;
  readonly #counts: Counts;
  readonly #traits: DiskTraits;

  constructor(loop: Loop, chance: Chance, counts: Counts, traits: DiskTraits) {
    this.#loop = loop;
    this.#chance = chance;
    this.#counts = counts;
    this.#traits = traits;
    this.folder = mkdtempSync(join(memory(), "rialto-sim-"));
    const made = template();
    copyFileSync(join(made, "log.sqlite"), join(this.folder, "log.sqlite"));
  }

  become(mode: DiskMode): void {
    this.mode = mode;
    setFreeBytes(mode === "floor" ? FLOOR_BYTES - 1 : Infinity);
  }

  /** The real log, for one life of the program. */
  open(life: Life): Log {
    const line = new Line(this, life);
    const log = new SqliteLog(line as unknown as WorkerConnection, {
      tailBytes: this.#traits.tailBytes,
      pendingBytes: this.#traits.pendingBytes,
      clock: () => this.#loop.nowMs(),
    });
    life.onDeath(() => {
      line.hangUp();
      // Ends its timer, and nothing else: nobody answers any more.
      void log.close().catch(() => undefined);
    });
    return log;
  }

  remove(): void {
    setFreeBytes(Infinity);
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** How long the next request takes, in ms. */
  delay(): number {
    const { slowMs } = this.#traits;
    if (slowMs === 0 || !this.#chance.hits(0.3)) return 0;
    const ms = this.#chance.between(1, slowMs);
    if (ms > 500) this.#counts.fault("disk slow");
    return ms;
  }

  /** Why this request fails; null: it does not. */
  failure({ is }: Unnumbered): LogFailure | null {
    const isWrite = is === "commit";
    if (is === "close" || is === "sweep") return null;
    if (this.mode === "fails" && isWrite) return this.#fail("disk write fails", "io");
    if (this.mode === "full" && isWrite) return this.#fail("disk full", "disk_full");
    if (this.mode === "unreadable" && !isWrite) return this.#fail("disk read fails", "io");
    if (this.mode === "floor" && isWrite) this.#counts.fault("disk at its floor");
    return null;
  }

  #fail(fault: string, code: "io" | "disk_full"): LogFailure {
    this.#counts.fault(fault);
    return { code, message: `simulated: ${fault}` };
  }

  soon(ms: number, task: () => void): void {
    if (ms === 0) this.#loop.soon(task);
    else this.#loop.after(ms, task);
  }
}

/** The way to the log's thread and back, as `Connection` is; requests are done and answered in their order. */
class Line {
  readonly head: number;
  readonly failed = new Promise<LogError>(() => undefined);
  readonly #disk: Disk;
  readonly #life: Life;
  readonly #store: Store;
  readonly #waiting: { readonly request: Unnumbered; readonly settle: Settle }[] = [];
  readonly #answers = new Map<number, Settle>();
  #busy = false;
  #closed = false;
  #next = 1;

  constructor(disk: Disk, life: Life) {
    this.#disk = disk;
    this.#life = life;
    this.#store = new Store(storeOptions(disk.folder), (reply) => this.#answer(reply));
    this.head = this.#store.head;
  }

  send(request: Unnumbered, settle: Settle): void {
    if (this.#life.cross()) return;
    this.#waiting.push({ request, settle });
    this.#work();
  }

  async call(request: Unnumbered): Promise<WorkerReply> {
    return await new Promise((resolve, reject) => {
      this.send(request, (reply) => (reply instanceof Error ? reject(reply) : resolve(reply)));
    });
  }

  async close(): Promise<void> {
    await this.call({ is: "close" });
    this.#closed = true;
  }

  /** The program is dead: what was committed stays. */
  hangUp(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#store.handle({ is: "close", id: 0 });
  }

  #work(): void {
    if (this.#busy || this.#waiting.length === 0) return;
    this.#busy = true;
    this.#disk.soon(this.#disk.delay(), () => {
      this.#busy = false;
      const next = this.#waiting.shift();
      if (next === undefined || this.#life.dead) return;
      this.#do(next.request, next.settle);
      this.#work();
    });
  }

  #do(request: Unnumbered, settle: Settle): void {
    const id = this.#next++;
    this.#answers.set(id, settle);

    const failure = this.#disk.failure(request);
    if (failure !== null) this.#answer({ is: "failed", id, failure });
    else this.#store.handle({ ...request, id } as Request);
  }

  #answer(reply: WorkerReply): void {
    const settle = this.#answers.get(reply.id);
    this.#answers.delete(reply.id);
    // Committed, and the program does not live to hear of it.
    if (settle === undefined || this.#life.cross()) return;
    settle(reply.is === "failed" ? toError(reply.failure) : reply);
  }
}

function storeOptions(dataPath: string): WorkerOptions {
  return {
    dataPath,
    durability: "process",
    retentionDays: 365,
    retentionBytes: 1024 ** 3,
    messageIdDays: 400,
    // So few that they are moved often, and a kill finds some moved and some not.
    test: { floorBytes: FLOOR_BYTES, indexRows: 50 },
  };
}

/** In memory where the system has such a folder: thousands of logs come and go. */
function memory(): string {
  return existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
}

prepareLate();

let made: string | null = null;

/** An empty log, made once: making the tables anew would take longer than most of what is done with them. */
function template(): string {
  if (made !== null) return made;
  const folder = mkdtempSync(join(memory(), "rialto-sim-"));
  mkdirSync(folder, { recursive: true });
  const store = new Store(storeOptions(folder), () => undefined);
  store.handle({ is: "close", id: 0 });
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  made = folder;
  return folder;
}
