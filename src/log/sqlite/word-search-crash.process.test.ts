import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { guard } from "../../../test/support/watchdog.ts";
import { openAt, scratchFolder } from "./scratch.suite.ts";

const ROOM = "net.libera/#a";

/** Appends from 20 callers at once and says each seq on stdout once it is resolved; every third one is edited. */
const CHILD = `
  const [module, dataPath, round] = process.argv.slice(1);
  const { openSqliteLog } = await import(module);
  const options = { durability: "power", retentionDays: 7, retentionBytes: 2 ** 30, messageIdDays: 30, search: "words" };
  const log = await openSqliteLog({ dataPath, ...options });
  const append = async (text, label, about, note) => {
    const payload = JSON.stringify({ text, Extra: null, about });
    const { seqs } = await log.append({ account: "net.libera", entries: [{ subject: "${ROOM}", key: null, label, payload, note }] });
    return seqs[0];
  };
  for (let caller = 0; caller < 20; caller++) {
    void (async () => {
      for (let turn = 0; ; turn++) {
        const word = ["w", round, caller, turn].join("x");
        const note = { is: "said", refs: [], author: "a", name: "ann", excerpt: "" };
        const seq = await append("all " + word, "", undefined, note);
        process.stdout.write(seq + " " + word + "\\n");
        if (turn % 3 !== 0) continue;
        const edit = { is: "revised", of: seq, refs: [], excerpt: "" };
        await append("all " + word + "e", "msg_edit", { is: "edit", seq }, edit);
        process.stdout.write(seq + " " + word + "e\\n");
      }
    })();
  }
`;

/** Runs the child until it has said so many lines, kills it, and returns all it said: the word of each seq. */
async function killAfter(lines: number, dataPath: string, round: number): Promise<ReadonlyMap<number, string>> {
  const open = new URL("open.ts", import.meta.url).href;
  const child = spawn(process.execPath, ["--input-type=module", "-e", CHILD, open, dataPath, String(round)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  guard(child);
  const exited = once(child, "exit");
  const said = new Map<number, string>();
  let count = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    const [seq = "", word = ""] = line.split(" ");
    said.set(Number(seq), word);
    count += 1;
    if (count === lines) child.kill("SIGKILL");
  }
  expect((await exited)[1]).toBe("SIGKILL");
  return said;
}

test("the index goes on after kill -9 where it stood, three times", async () => {
  const dataPath = scratchFolder();
  const said = new Map<number, string>();
  for (const [round, lines] of [300, 1500, 3000].entries()) {
    for (const [seq, word] of await killAfter(lines, dataPath, round)) said.set(seq, word);
    const log = await openAt(dataPath, { search: "words" });
    await expect.poll(() => log.archive.indexed(), { timeout: 20_000 }).toBe(log.head);
    const query = { subjects: [ROOM], after: 0, before: log.head + 1, oldestFirst: true };
    const sample = [...said].filter((_, index) => index % 7 === 0 || index > said.size - 100);
    for (const [seq, word] of sample) {
      const found = await log.archive.find({ text: `${word}*`, ...query, limit: 1000 });
      // Of an edit that was committed and not yet told, there is the new word.
      expect(found?.seqs).toContain(seq);
    }
    const all: number[] = [];
    for (let after: number | null = 0; after !== null;) {
      const found = await log.archive.find({ text: "all", ...query, after, limit: 1000 });
      all.push(...(found?.seqs ?? []));
      after = found?.next ?? null;
    }
    expect(new Set(all).size).toBe(all.length);
    expect(all).toEqual(expect.arrayContaining([...said.keys()]));
    await log.close();
  }
});
