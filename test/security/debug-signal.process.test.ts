import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { toml } from "../support/config.ts";
import { startProgram } from "../support/program.ts";
import { startRialto } from "../support/rialto.ts";

const CONFIG = toml({ accounts: { left: {}, right: {} }, gateways: { g: { inout: ["left", "right"] } } });

/** Addresses of IPv4 and IPv6 where a process listens, as the kernel writes them. */
function listening(pid: number): readonly string[] {
  const linkOf = (fd: string): string => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`);
    } catch {
      return "";
    }
  };
  const own = new Set(readdirSync(`/proc/${pid}/fd`).map(linkOf));
  const tables = ["tcp", "tcp6"].map((name) => readFileSync(`/proc/${pid}/net/${name}`, "utf8"));
  const rows = tables.flatMap((table) => table.split("\n").map((line) => line.trim().split(/\s+/u)));
  const found = rows.filter(([, , , state, , , , , , inode]) => state === "0A" && own.has(`socket:[${inode}]`));
  return found.map(([, address = ""]) => address).toSorted();
}

test("SIGUSR1 opens no debugger, and the program goes on", async () => {
  const rialto = await startRialto({ config: CONFIG });
  onTestFinished(async () => await rialto.dispose());
  const before = listening(rialto.pid);
  expect(before).toHaveLength(2);
  const left = rialto.client("left");
  for (let count = 1; count <= 10; count += 1) {
    rialto.signal("SIGUSR1");
    await left.say({ gateway: "g", text: `m${count}` });
  }
  expect(await rialto.client("right").texts()).toHaveLength(10);
  expect(listening(rialto.pid)).toEqual(before);
  expect(await rialto.stop()).toEqual({ code: 0, signal: null });
  expect(rialto.output()).not.toContain("Debugger");
});

test("SIGUSR1 opens no debugger while the program starts", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "rialto-signal-"));
  onTestFinished(async () => await rm(folder, { recursive: true, force: true }));
  // Its warning is printed before most of the program is loaded.
  await writeFile(
    path.join(folder, "rialto.toml"),
    CONFIG.replaceAll(/^\[api.*$/gmu, '$&\nBindAddress = "127.0.0.1:0"\nNoSuchSetting = 1'),
  );
  const program = startProgram(folder, ["-conf", "rialto.toml"]);
  await program.prints(/NoSuchSetting/u);
  program.child.kill("SIGUSR1");
  await program.prints(/Rialto runs/u);
  expect(listening(program.child.pid ?? 0)).toHaveLength(2);
  program.child.kill("SIGTERM");
  expect(await program.exited()).toBe(0);
  expect(program.output()).not.toContain("Debugger");
});
