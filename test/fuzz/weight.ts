import { readdir, readFile } from "node:fs/promises";
import { WebSocket } from "ws";
import type { Rialto } from "../support/rialto.ts";
import { within } from "../support/wait.ts";

/** For the environment of a program that is to be weighed: its inspector listens, on loopback. */
export const WEIGHABLE = { NODE_OPTIONS: "--inspect=127.0.0.1:0" };

/** What a program holds, in MiB where it is memory. */
export interface Weight {
  readonly resident: number;
  /** The main thread's heap, and what it holds outside of it, after a full collection. */
  readonly heap: number;
  readonly external: number;
  readonly descriptors: number;
}

const PATIENCE_MS = 60_000;

/** Collects a running program's garbage, and says what is left. Rejects when it does not answer. */
export async function weigh({ pid, output }: Rialto): Promise<Weight> {
  const address = /Debugger listening on (?<address>ws:\S+)/u.exec(output())?.groups?.["address"];
  if (address === undefined) throw new Error("the program was not started with WEIGHABLE");
  const socket = new WebSocket(address);
  try {
    await asked(socket, "HeapProfiler.collectGarbage");
    const used = (await asked(socket, "Runtime.evaluate", {
      expression: "process.memoryUsage()",
      returnByValue: true,
    })) as {
      readonly result: { readonly value: NodeJS.MemoryUsage };
    };
    const { heapUsed, external } = used.result.value;
    const status = await readFile(`/proc/${pid}/status`, "utf8");
    const kib = Number(/^VmRSS:\s+(?<kib>\d+)/mu.exec(status)?.groups?.["kib"] ?? 0);
    const descriptors = (await readdir(`/proc/${pid}/fd`)).length;
    return { resident: kib / 1024, heap: mebi(heapUsed), external: mebi(external), descriptors };
  } finally {
    socket.terminate();
  }
}

/** One question to the inspector on a connection that has no other under way. */
async function asked(socket: WebSocket, method: string, params: object = {}): Promise<unknown> {
  const answered = Promise.withResolvers<unknown>();
  socket.once("error", answered.reject);
  socket.once("message", (data: Buffer) =>
    answered.resolve((JSON.parse(data.toString()) as { result: unknown }).result),
  );
  const ask = (): void => socket.send(JSON.stringify({ id: 1, method, params }));
  if (socket.readyState === WebSocket.OPEN) ask();
  else socket.once("open", ask);
  return await within(answered.promise, () => `the inspector's answer to ${method}`, PATIENCE_MS);
}

const mebi = (bytes: number): number => bytes / 2 ** 20;
