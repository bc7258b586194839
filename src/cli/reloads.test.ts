import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { eventually } from "../../test/support/wait.ts";
import { MemoryLogger } from "../delivery/scripted.suite.ts";
import { type ReloadRequests, followReloads, listenForReloads } from "./reloads.ts";
import type { Systemd } from "./systemd.ts";

let memory: MemoryLogger;

beforeEach(() => {
  memory = new MemoryLogger();
  const known = process.listeners("SIGHUP");
  onTestFinished(() => {
    for (const listener of process.listeners("SIGHUP")) {
      if (!known.includes(listener)) process.off("SIGHUP", listener);
    }
  });
});

/** How often it was asked for. */
function follow(asked: ReloadRequests): () => number {
  let times = 0;
  asked.follow(() => (times += 1));
  return () => times;
}

test("who asks while the program starts is heard once it runs, and then each time", () => {
  const asked = listenForReloads(null, memory.logger);
  process.emit("SIGHUP");
  process.emit("SIGHUP");
  const times = follow(asked);
  expect(times()).toBe(1);
  process.emit("SIGHUP");
  expect(times()).toBe(2);
});

test("without a request nothing is reloaded", () => {
  expect(follow(listenForReloads(null, memory.logger))()).toBe(0);
});

test("another content of the file asks for it, also while the program starts", async () => {
  const folder = mkdtempSync(join(tmpdir(), "rialto-reloads-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "rialto.toml");
  writeFileSync(path, "one");
  const times = follow(listenForReloads(path, memory.logger));
  writeFileSync(path, "two");
  await eventually(
    () => Promise.resolve(times()),
    (count) => count === 1,
    () => "a reload",
  );
});

test("systemd hears of a reload and of its end; without a file, the log says so", async () => {
  const told: string[] = [];
  const through = Promise.withResolvers<void>();
  const systemd: Systemd = {
    ready: (status) => {
      told.push(`ready ${status}`);
      through.resolve();
    },
    reloading: () => void told.push("reloading"),
    stopping: () => Promise.resolve(),
  };
  const asked: ReloadRequests = { follow: (task) => task(), expect: () => undefined };
  const reload = (): Promise<{ readonly is: "unchanged"; readonly needsRestart: [] }> =>
    Promise.resolve({ is: "unchanged", needsRestart: [] });
  followReloads({ reload }, { asked, systemd, logger: memory.logger });
  await through.promise;
  expect(told).toEqual(["reloading", "ready the configuration: unchanged"]);
  followReloads({ reload: () => null }, { asked, systemd, logger: memory.logger });
  expect(told).toHaveLength(2);
  expect(memory.lines).toHaveLength(1);
});
