import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { toml } from "../support/config.ts";
import { launch } from "../support/suite.ts";
import { eventually } from "../support/wait.ts";

/** Stands for systemd's own, and writes down what it is told. */
const NOTIFY = `#!/bin/sh
echo "$NOTIFY_SOCKET $*" >>"$(dirname "$0")/told"
`;

test("systemd hears when it is ready, that it is alive, and when it stops", async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), "rialto-notify-"));
  onTestFinished(async () => await rm(folder, { recursive: true, force: true }));
  await writeFile(path.join(folder, "systemd-notify"), NOTIFY);
  await chmod(path.join(folder, "systemd-notify"), 0o755);
  const told = async (): Promise<readonly string[]> =>
    (await readFile(path.join(folder, "told"), "utf8").catch(() => "")).split("\n").slice(0, -1);
  const rialto = await launch({
    config: toml({ accounts: { a: {}, b: {} }, gateways: { g: { inout: ["a", "b"] } } }),
    env: {
      PATH: `${folder}${path.delimiter}${process.env["PATH"] ?? ""}`,
      NOTIFY_SOCKET: "/run/systemd/notify",
      WATCHDOG_USEC: "200000",
    },
  });
  const words = await eventually(
    told,
    (lines) => lines.length >= 3,
    () => `words to systemd; the program printed:\n${rialto.output()}`,
  );
  expect(words.slice(0, 3)).toEqual([
    "/run/systemd/notify --ready --status=1 gateways, 2 accounts",
    "/run/systemd/notify WATCHDOG=1",
    "/run/systemd/notify WATCHDOG=1",
  ]);
  rialto.signal("SIGTERM");
  await eventually(
    told,
    (lines) => lines.includes("/run/systemd/notify STOPPING=1"),
    () => `the last word; the program printed:\n${rialto.output()}`,
  );
  expect((await rialto.exited).code).toBe(0);
});
