import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { guard } from "../../../test/support/watchdog.ts";
import { openAt, scratchFolder } from "./scratch.suite.ts";

/** Appends from 50 callers at once and says each seq on stdout once it is resolved. */
const CHILD = `
  const [module, dataPath, round] = process.argv.slice(1);
  const { openSqliteLog } = await import(module);
  const log = await openSqliteLog({ dataPath, durability: "power", retentionDays: 7, retentionBytes: 2 ** 30, messageIdDays: 30 });
  for (let caller = 0; caller < 50; caller++) {
    void (async () => {
      for (let turn = 0; ; turn++) {
        const payload = [round, caller, turn].join(" ");
        const note = { is: "said", refs: [payload], author: "a", name: "ann", excerpt: "" };
        const entries = [{ subject: "net.libera/#a", key: payload, label: "", payload, note }];
        const { seqs } = await log.append({ account: "net.libera", entries, marks: [{ name: "at " + caller, value: payload }] });
        process.stdout.write(seqs[0] + " " + payload + "\\n");
      }
    })();
  }
`;

/** Runs the child until it has said so many lines, kills it, and returns all it said. */
async function killAfter(lines: number, dataPath: string, round: number): Promise<string[]> {
  const open = new URL("open.ts", import.meta.url).href;
  const child = spawn(process.execPath, ["--input-type=module", "-e", CHILD, open, dataPath, String(round)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  guard(child);
  const exited = once(child, "exit");
  const said: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    said.push(line);
    if (said.length === lines) child.kill("SIGKILL");
  }
  expect((await exited)[1]).toBe("SIGKILL");
  return said;
}

test("what was resolved survives kill -9 under load, three times", async () => {
  const dataPath = scratchFolder();
  const said: string[] = [];
  for (const [round, lines] of [300, 1500, 4000].entries()) {
    said.push(...(await killAfter(lines, dataPath, round)));
    const log = await openAt(dataPath);
    const kept = new Map<number, string>();
    for (let after = 0; ;) {
      const entries = await log.read({ subjects: ["net.libera/#a"], after, limit: 1000 });
      for (const { seq, payload } of entries) kept.set(seq, payload);
      if (entries.length === 0) break;
      after = entries.at(-1)!.seq;
    }
    for (const line of said) {
      const [seq, ...payload] = line.split(" ");
      expect(kept.get(Number(seq))).toBe(payload.join(" "));
    }
    expect(new Set(kept.values()).size).toBe(kept.size);
    expect(log.head).toBe(Math.max(...kept.keys()));
    // Marks came with their messages.
    const payloads = new Set(kept.values());
    for (const value of (await log.marks("at ")).values()) expect(payloads).toContain(value);
    // So did what is known of their ids: the last ones were written when it was killed.
    const last = [...kept].slice(-200);
    for (const [seq, payload] of last) expect((await log.ids.find("net.libera/#a", [payload]))?.seq).toBe(seq);
    expect(await log.ids.get(log.head + 1)).toBeNull();
    await log.close();
  }
  expect(said.length).toBeGreaterThanOrEqual(5800);
});
