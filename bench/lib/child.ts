import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

/** A child process that answers one command after the other over IPC. */
export interface Child<Command, Answer> {
  readonly pid: number;
  /** Rejects when the child dies or says that it failed. */
  readonly ask: (command: Command) => Promise<Answer>;
  readonly stop: () => Promise<void>;
}

type Reply<Answer> = { readonly answer: Answer } | { readonly error: string };

/** Starts `bench/lib/<name>.child.ts`, which calls `answerCommands`. */
export function startChild<Command extends object, Answer>(name: string): Child<Command, Answer> {
  const child = fork(join(import.meta.dirname, `${name}.child.ts`), { execArgv: [] });
  return {
    pid: child.pid ?? 0,
    ask: async (command) => {
      const reply = nextReply<Answer>(child, name);
      child.send(command);
      return await reply;
    },
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, "exit");
      child.kill("SIGKILL");
      await gone;
    },
  };
}

function nextReply<Answer>(child: ChildProcess, name: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const died = (code: number | null, signal: string | null): void => {
      child.off("message", came);
      reject(new Error(`${name}.child.ts ended early (${signal ?? code})`));
    };
    const came = (message: unknown): void => {
      child.off("exit", died);
      const reply = message as Reply<Answer>;
      if ("error" in reply) reject(new Error(`${name}.child.ts: ${reply.error}`));
      else resolve(reply.answer);
    };
    child.once("exit", died);
    child.once("message", came);
  });
}

/** The child's side: answers each command with what the function resolves to. Ends with the parent. */
export function answerCommands<Answer>(answer: (command: unknown) => Promise<Answer>): void {
  const reply = async (command: unknown): Promise<Reply<Answer>> => {
    try {
      return { answer: await answer(command) };
    } catch (error) {
      return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
    }
  };
  process.on("message", (command) => {
    void reply(command).then((message) => process.send?.(message));
  });
  process.on("disconnect", () => process.exit(0));
}
