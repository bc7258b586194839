import { spawn } from "node:child_process";
import path from "node:path";
import { expect, test } from "vitest";
import { eventually } from "./wait.ts";

const STARTER = `
  const { spawn } = await import("node:child_process");
  const { guard } = await import(process.argv[1]);
  const child = spawn("sleep", ["1000"]);
  guard(child);
  process.stdout.write(String(child.pid));
`;

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test("a program that a test started ends with the process of the test, also when that is killed", async () => {
  const watchdog = path.join(import.meta.dirname, "watchdog.ts");
  const starter = spawn(process.execPath, ["--input-type=module", "-e", STARTER, watchdog]);
  const pid = Number(await new Promise((resolve) => starter.stdout.once("data", resolve)));
  expect(isAlive(pid)).toBe(true);
  starter.kill("SIGKILL");
  await eventually(
    () => Promise.resolve(isAlive(pid)),
    (alive) => !alive,
    () => `the end of process ${pid}`,
  );
});
