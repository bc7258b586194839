import { Worker } from "node:worker_threads";
import { LogError } from "../errors.ts";
import type { Seq } from "../log.ts";
import { toError } from "./failure.ts";
import type { Request, WorkerOpened, WorkerOptions, WorkerReply } from "./protocol.ts";
import type { StreamState } from "./stream-place.ts";

/** A request before it has its number. */
export type Unnumbered<R> = R extends Request ? Omit<R, "id"> : never;

type Settle = (reply: WorkerReply | LogError) => void;

/** The main thread's end of the worker: numbers requests, pairs the replies, and knows when the worker has died. */
export class WorkerConnection {
  readonly head: Seq;
  /** How far the stream was applied when the log was opened; null: none brings its commits. */
  readonly stream: StreamState | null;
  /** Resolves when the worker ends without having been asked to. */
  readonly failed: Promise<LogError>;
  readonly #worker: Worker;
  readonly #calls = new Map<number, Settle>();
  readonly #ended: Promise<void>;
  #next = 1;
  #dead: LogError | null = null;
  #damage: string | null = null;
  #closing = false;

  /** Starts the worker; rejects with the LogError that says why the log cannot be opened. */
  static async open(options: WorkerOptions): Promise<WorkerConnection> {
    // Beside this file, compiled or not.
    const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
    const worker = new Worker(new URL(`worker.${extension}`, import.meta.url), {
      workerData: options,
      name: "log",
      execArgv: [],
    });
    const opened = await firstWord(worker);
    if (opened.is === "opened") return new WorkerConnection(worker, opened);
    await worker.terminate();
    throw toError(opened.failure);
  }

  private constructor(worker: Worker, { head, stream }: Extract<WorkerOpened, { is: "opened" }>) {
    this.#worker = worker;
    this.head = head;
    this.stream = stream;
    worker.on("message", (reply: WorkerReply) => this.#receive(reply));
    let cause = "";
    worker.on("error", (error: Error) => {
      cause = error.message;
    });
    this.#ended = new Promise((resolve) => worker.once("exit", () => resolve()));
    this.failed = new Promise((resolve) => {
      worker.once("exit", (code) => {
        if (this.#closing && this.#calls.size === 0) return;
        this.#dead = died(cause === "" ? `exit code ${code}` : cause);
        for (const settle of this.#calls.values()) settle(this.#dead);
        this.#calls.clear();
        resolve(this.#dead);
      });
    });
  }

  /** What was found damaged since the log was opened, the latest; null: nothing. */
  get damage(): string | null {
    return this.#damage;
  }

  /** `settle` is called once, with the reply or why there is none; for commits in the order of the requests. */
  send<R extends Request>(request: Unnumbered<R>, settle: Settle): void {
    if (this.#dead !== null) return settle(this.#dead);
    const id = this.#next++;
    this.#calls.set(id, settle);
    this.#worker.postMessage({ ...request, id });
  }

  call<R extends Request>(request: Unnumbered<R>): Promise<WorkerReply> {
    return new Promise((resolve, reject) => {
      this.send(request, (reply) => (reply instanceof LogError ? reject(reply) : resolve(reply)));
    });
  }

  /** Closes the database and ends the thread. What is asked afterwards rejects. */
  async close(): Promise<void> {
    this.#closing = true;
    if (this.#dead === null) await this.call({ is: "close" });
    await this.#ended;
  }

  #receive(reply: WorkerReply): void {
    if (reply.is === "failed" && reply.failure.code === "damaged") this.#damage = reply.failure.message;
    const settle = this.#calls.get(reply.id);
    this.#calls.delete(reply.id);
    settle?.(reply.is === "failed" ? toError(reply.failure) : reply);
  }
}

/** The reply of the kind that this request gets; another would be a bug of the worker. */
export function expectReply<K extends WorkerReply["is"]>(kind: K, reply: WorkerReply): Extract<WorkerReply, { is: K }> {
  if (isOf(kind, reply)) return reply;
  throw new Error(`the log's worker answered ${reply.is} where ${kind} was due`);
}

const isOf = <K extends WorkerReply["is"]>(kind: K, reply: WorkerReply): reply is Extract<WorkerReply, { is: K }> =>
  reply.is === kind;

/** Takes off only its own listeners: a Worker needs the ones that Node has put on it. */
async function firstWord(worker: Worker): Promise<WorkerOpened> {
  const heard = Promise.withResolvers<WorkerOpened>();
  const fail = (error: Error): void => heard.reject(died(error.message));
  const exit = (code: number): void => heard.reject(died(`exit code ${code}`));
  worker.on("message", heard.resolve).on("error", fail).on("exit", exit);
  try {
    return await heard.promise;
  } finally {
    worker.off("message", heard.resolve).off("error", fail).off("exit", exit);
  }
}

function died(reason: string): LogError {
  return new LogError(
    "io",
    `The log's worker has stopped: ${reason}. What was acknowledged is on the disk; start Rialto again.`,
  );
}
