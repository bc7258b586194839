import { type ChildProcess, spawn } from "node:child_process";
import { within } from "../support/wait.ts";
import { guard } from "../support/watchdog.ts";

/** How much of what a program prints is kept: its newest half to whole megabyte. */
const KEPT = 1 << 20;

interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface ChildOptions {
  readonly command: readonly [string, ...string[]];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Called with what it prints on its standard output, as it comes. */
  readonly onOutput?: (part: Buffer) => void;
}

/** A program of somebody else's that a test runs: what it prints is kept, and it does not outlive the test. */
export class Child {
  readonly pid: number;
  readonly exited: Promise<Exit>;
  readonly #process: ChildProcess;
  #output = "";
  #over = false;

  constructor(options: ChildOptions) {
    const [program, ...args] = options.command;
    const exit = Promise.withResolvers<Exit>();
    const child = spawn(program, args, {
      cwd: options.cwd,
      env: { PATH: process.env["PATH"] ?? "", LANG: "C.UTF-8", ...options.env },
      stdio: ["pipe", "pipe", "pipe"],
    });
    this.#process = child;
    this.pid = child.pid ?? 0;
    this.exited = exit.promise;
    child.on("error", (error) => {
      this.#keep(`${String(error)}\n`);
      this.#end(exit.resolve, { code: null, signal: null });
    });
    child.on("close", (code, signal) => this.#end(exit.resolve, { code, signal }));
    child.stdin.on("error", () => {}); // it has ended; `exited` says so
    child.stdout.on("data", (part: Buffer) => {
      this.#keep(part.toString());
      options.onOutput?.(part);
    });
    child.stderr.on("data", (part: Buffer) => this.#keep(part.toString()));
    guard(child);
  }

  /** All that it printed so far, both streams. */
  get output(): string {
    return this.#output;
  }

  get over(): boolean {
    return this.#over;
  }

  write(text: string): void {
    this.#process.stdin?.write(text);
  }

  signal(signal: NodeJS.Signals): void {
    if (!this.#over) this.#process.kill(signal);
  }

  /** SIGTERM, which a stopped process gets once it goes on; SIGKILL after 2 s. */
  async stop(): Promise<Exit> {
    this.signal("SIGTERM");
    this.signal("SIGCONT");
    const timer = setTimeout(() => this.signal("SIGKILL"), 2_000);
    try {
      return await within(this.exited, () => `the end of process ${this.pid}; it printed:\n${this.output}`);
    } finally {
      clearTimeout(timer);
    }
  }

  async kill9(): Promise<Exit> {
    this.signal("SIGKILL");
    return await within(this.exited, () => `the end of process ${this.pid} after SIGKILL`);
  }

  #keep(text: string): void {
    const all = this.#output + text;
    this.#output = all.length > KEPT ? all.slice(-KEPT / 2) : all;
  }

  #end(resolve: (exit: Exit) => void, exit: Exit): void {
    this.#over = true;
    resolve(exit);
  }
}
