import { Worker } from "node:worker_threads";

/** No input may take so long, however busy the machine. */
const HANG_MS = 120_000;

/**
 * Ends this process when one input hangs, and says which; a thread of its own, because a hang lets nothing else run
 * here.
 */
export function watch(
  target: string,
  seed: number,
): { readonly turn: (turn: number) => void; readonly end: () => void } {
  const shared = new Int32Array(new SharedArrayBuffer(4));
  const code = `
    const { workerData } = require("node:worker_threads");
    const { writeSync } = require("node:fs");
    let [last, sinceMs] = [-1, performance.now()];
    setInterval(() => {
      const now = Atomics.load(workerData.shared, 0);
      if (now !== last) [last, sinceMs] = [now, performance.now()];
      if (performance.now() - sinceMs < ${HANG_MS}) return;
      writeSync(2, "it hangs: npm run fuzz -- " + workerData.target + " --seed " + workerData.seed + " --at " + now + "\\n");
      process.kill(process.pid, "SIGKILL");
    }, 1000);
  `;
  const worker = new Worker(code, { eval: true, workerData: { shared, target, seed } });
  worker.unref();
  return { turn: (turn) => void Atomics.store(shared, 0, turn), end: () => void worker.terminate() };
}
