import { Random } from "./random.ts";
import type { Case, Target } from "./target.ts";

const FAILURES_MAX = 20;
const SHOWN_MAX = 4_000;

interface Failure {
  /** `--at` of `npm run fuzz` runs it alone. */
  readonly turn: number;
  readonly input: string;
  readonly error: string;
}

export interface Ran {
  readonly inputs: number;
  readonly failures: readonly Failure[];
  /** Processor time of the slowest input. */
  readonly slowestMs: number;
}

interface Plan {
  readonly seed: number;
  readonly count: number;
  /** The first turn. */
  readonly from?: number;
  /** No further input is begun after this. */
  readonly seconds?: number;
  /** What one input may take of this thread's processor time; absent: it is not judged. */
  readonly slowMs?: number;
  /** Called before each input. */
  readonly onTurn?: (turn: number) => void;
}

/**
 * Gives a target so many inputs, one after the other. What happens unhandled meanwhile counts against the input under
 * way.
 */
export async function runTarget(
  target: Target,
  { seed, count, from = 0, seconds, slowMs = Infinity, onTurn }: Plan,
): Promise<Ran> {
  const failures: Failure[] = [];
  const known = new Set<string>();
  const strays: unknown[] = [];
  const onStray = (error: unknown): void => void strays.push(error);
  const endMs = seconds === undefined ? Infinity : performance.now() + seconds * 1_000;
  let [inputs, slowestMs] = [0, 0];
  process.on("unhandledRejection", onStray);
  process.on("uncaughtException", onStray);
  try {
    while (inputs < count && performance.now() < endMs && failures.length < FAILURES_MAX) {
      const turn = from + inputs;
      onTurn?.(turn);
      const one = target.make(new Random(seed, turn));
      const { error, ms } = await tried(one, strays, slowMs);
      slowestMs = Math.max(slowestMs, ms);
      inputs += 1;
      // One fault is shown once.
      if (error === null || known.has(placeOf(error))) continue;
      known.add(placeOf(error));
      failures.push({ turn, input: one.show().slice(0, SHOWN_MAX), error });
    }
  } finally {
    await target.end?.();
    process.off("unhandledRejection", onStray);
    process.off("uncaughtException", onStray);
  }
  return { inputs, failures, slowestMs };
}

async function tried(one: Case, strays: unknown[], slowMs: number): Promise<{ error: string | null; ms: number }> {
  const before = cpuMs();
  let error: string | null = null;
  try {
    const running = one.run();
    if (running !== undefined) {
      await running;
      // Rejections that nobody handles are told behind the promises of this turn.
      await new Promise((resolve) => setImmediate(resolve));
    }
  } catch (thrown) {
    error = described(thrown);
  }
  const [stray] = strays.splice(0);
  if (stray !== undefined) error ??= `unhandled: ${described(stray)}`;
  const ms = cpuMs() - before;
  if (ms > slowMs) error ??= `it took ${Math.round(ms)} ms of the processor`;
  return { error, ms };
}

function described(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** The fault without the input in its words. */
function placeOf(error: string): string {
  const frames = error.split("\n").filter((line) => /^\s+at /u.test(line));
  return frames.length > 0 ? frames.slice(0, 2).join("\n") : error.replaceAll(/\d+/gu, "N").slice(0, 80);
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** As a test or a person reads it. */
export function report(target: Target, seed: number, { failures }: Ran): string {
  return failures
    .map(({ turn, input, error }) => {
      const again = `npm run fuzz -- ${target.name} --seed ${seed} --at ${turn}`;
      return `${again}\n${error}\ninput:\n${input}\n`;
    })
    .join("\n");
}
