import { Worker } from "node:worker_threads";
import type { Loaded, LoadRequest } from "../config/load.ts";
import type { ConfigJobs } from "./config-jobs.ts";
import type { ConfigRequest } from "./config-worker.ts";

/** What a job resulted in, or why it was given up, for people. */
export type Done<R> = { readonly ok: true; readonly result: R } | { readonly ok: false; readonly why: string };

interface Waiting {
  readonly request: ConfigRequest;
  readonly settle: (done: Done<unknown>) => void;
  readonly reject: (bug: Error) => void;
}

export interface ConfigThreadLimits {
  /** How long one job may take. */
  readonly jobMs: number;
  /** How many jobs may wait for the one that runs. */
  readonly waiting: number;
  /** MiB of the thread's heap. */
  readonly heapMb: number;
  /** An unused thread ends after this. */
  readonly idleMs: number;
}

/** A file of 32 MiB, the longest, needs more than 3 GiB and half a minute; a text of the dashboard a thirtieth. */
const LIMITS: ConfigThreadLimits = { jobMs: 120_000, waiting: 8, heapMb: 4096, idleMs: 10_000 };

/**
 * Does work on configurations in a thread of its own, because its duration depends on the text: a configuration that is
 * typed into the dashboard, or a file that is reloaded, must not hold up the bridge. One job at a time. The thread
 * starts with the first job and ends when it is not used.
 */
export class ConfigThread {
  readonly #limits: ConfigThreadLimits;
  readonly #waiting: Waiting[] = [];
  #worker: Worker | null = null;
  #current: Waiting | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(limits: Partial<ConfigThreadLimits> = {}) {
    this.#limits = { ...LIMITS, ...limits };
  }

  /** Rejects for bugs only. */
  async run<Name extends keyof ConfigJobs>(
    is: Name,
    given: ConfigJobs[Name]["given"],
  ): Promise<Done<ConfigJobs[Name]["result"]>> {
    if (this.#waiting.length >= this.#limits.waiting)
      return { ok: false, why: "too many configurations are being checked at the same time; try again" };
    return await new Promise((resolve, reject) => {
      // oxlint-disable typescript/no-unsafe-type-assertion -- the worker answers each job with its own result
      const request = { is, given } as ConfigRequest;
      const settle = resolve as Waiting["settle"];
      // oxlint-enable typescript/no-unsafe-type-assertion
      this.#waiting.push({ request, settle, reject });
      this.#next();
    });
  }

  /** As `loadConfig`. A job that was given up is a problem of the file. */
  async load(request: Omit<LoadRequest, "rules">): Promise<Loaded> {
    const done = await this.run("load", request);
    if (done.ok) return done.result;
    const { source } = request;
    const file = "path" in source ? source.path : source.name;
    const place = { file, line: 0, column: 0 };
    return { ok: false, problems: [{ severity: "error", code: "unchecked", ...place, message: done.why, remedy: "" }] };
  }

  /** Gives up every job. */
  close(): void {
    const why = "Rialto is stopping";
    for (const { settle } of this.#waiting.splice(0)) settle({ ok: false, why });
    this.#drop();
    this.#end(({ settle }) => settle({ ok: false, why }));
  }

  #next(): void {
    if (this.#current !== null) return;
    const next = this.#waiting.shift();
    clearTimeout(this.#timer);
    if (next === undefined) {
      this.#worker?.unref();
      this.#timer = setTimeout(() => this.#drop(), this.#limits.idleMs).unref();
      return;
    }
    this.#current = next;
    this.#worker ??= this.#start();
    this.#worker.ref();
    this.#timer = setTimeout(() => this.#giveUp("it takes too long to check"), this.#limits.jobMs);
    this.#worker.postMessage(next.request);
  }

  #start(): Worker {
    // Beside this file, compiled or not.
    const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
    const worker = new Worker(new URL(`config-worker.${extension}`, import.meta.url), {
      name: "config",
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: this.#limits.heapMb },
    });
    worker.on("message", (result: unknown) => {
      if (worker === this.#worker) this.#end((job) => job.settle({ ok: true, result }));
    });
    worker.on("error", (error: Error) => {
      if (worker !== this.#worker) return;
      if ("code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY")
        this.#giveUp("it takes too much memory to check");
      else {
        this.#drop();
        this.#end((job) => job.reject(error));
      }
    });
    return worker;
  }

  #giveUp(why: string): void {
    this.#drop();
    this.#end((job) => job.settle({ ok: false, why: `${why}; make the configuration shorter or simpler` }));
  }

  #end(settle: (job: Waiting) => void): void {
    const job = this.#current;
    this.#current = null;
    if (job !== null) settle(job);
    this.#next();
  }

  #drop(): void {
    void this.#worker?.terminate();
    this.#worker = null;
  }
}
