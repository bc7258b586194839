import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import path from "node:path";
import { within } from "./wait.ts";
import { guard } from "./watchdog.ts";

const PROGRAM = path.join(import.meta.dirname, "../../bin/rialto.js");
const CACHE = path.join(import.meta.dirname, "../../node_modules/.cache");

/**
 * The built program (or `program`, a copy of it) with arguments of the test's choice; see `startRialto` for one with a
 * configuration.
 */
export interface Program {
  readonly child: ChildProcessWithoutNullStreams;
  /** Resolves once both streams together match. */
  readonly prints: (pattern: RegExp) => Promise<RegExpExecArray>;
  /** All that it printed so far, both streams. */
  readonly output: () => string;
  /** Resolves with its exit code. */
  readonly exited: () => Promise<number | null>;
}

export function startProgram(
  cwd: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  program = PROGRAM,
): Program {
  const child = spawn(process.execPath, [program, ...args], {
    cwd,
    // Compiled code is kept in the checkout, not in the home folder of the person who runs the tests.
    env: { PATH: process.env["PATH"] ?? "", XDG_CACHE_HOME: CACHE, ...env },
  });
  return follow(child);
}

/**
 * The same on a pseudo terminal of 80 columns, by `script` of util-linux. What the test writes to `child.stdin` is
 * typed there.
 */
export function startOnTerminal(cwd: string, args: readonly string[]): Program {
  const words = [process.execPath, PROGRAM, ...args].map((word) => `'${word}'`);
  const line = `stty cols 80 rows 24; exec ${words.join(" ")}`;
  const env = { PATH: process.env["PATH"] ?? "", XDG_CACHE_HOME: CACHE, SHELL: "/bin/sh", TERM: "xterm" };
  return follow(spawn("script", ["-qefc", line, "/dev/null"], { cwd, env }));
}

function follow(child: ChildProcessWithoutNullStreams): Program {
  guard(child);
  let printed = "";
  const waiting = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (part: Buffer) => {
      printed += part.toString();
      for (const check of waiting) check();
    });
  }
  const exited = new Promise<number | null>((resolve) => child.once("close", resolve));
  const prints = (pattern: RegExp): Promise<RegExpExecArray> =>
    within(
      new Promise((resolve) => {
        const check = (): void => {
          const match = pattern.exec(printed);
          if (match !== null) resolve(match);
        };
        waiting.add(check);
        check();
      }),
      () => `${pattern} in:\n${printed}`,
    );
  return { child, prints, output: () => printed, exited: () => within(exited, () => `the end; so far:\n${printed}`) };
}
