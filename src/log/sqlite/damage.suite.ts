import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { openSqliteLog } from "./open.ts";
import { scratchFolder } from "./scratch.suite.ts";

const PAGE = 4096;
export const ENTRIES = 3000;
export const ROOMS = ["net.a/#one", "net.a/#two", "net.b/#three"];

/** Whether a payload is one of those that `filledLog` stores. */
export const isSound = (payload: string): boolean => /^\{"text":"message \d+ x*"\}$/u.test(payload);

let template: Promise<Buffer> | null = null;

async function fill(): Promise<Buffer> {
  const dataPath = scratchFolder();
  const log = await openSqliteLog({
    dataPath,
    durability: "process",
    retentionDays: 7,
    retentionBytes: 1024 ** 3,
    messageIdDays: 30,
  });
  for (let first = 0; first < ENTRIES; first += 100) {
    await log.append({
      account: "net.a",
      entries: Array.from({ length: 100 }, (_, index) => {
        const count = first + index;
        return {
          subject: ROOMS[count % 3] ?? "",
          key: `key ${count}`,
          label: "",
          payload: JSON.stringify({ text: `message ${count} ${"x".repeat(count % 50)}` }),
          note: { is: "said", refs: [`ref ${count}`], author: "a", name: "n", excerpt: `message ${count}` } as const,
        };
      }),
      receipts: Array.from({ length: 100 }, (_, index) => {
        const seq = first + index + 1;
        const copies = { of: seq, place: "net.b/#four", refs: [`copy ${seq}`] };
        return { lane: "g/net.b/#four", seq, state: "sent", detail: "{}", copies } as const;
      }),
      marks: [{ name: `lane/${first % 7}`, value: JSON.stringify({ after: first, next: null }) }],
    });
  }
  await log.close();
  return readFileSync(join(dataPath, "log.sqlite"));
}

/** A data folder with a log of some thousand entries, closed in order. */
export async function filledLog(): Promise<{ readonly dataPath: string; readonly file: string }> {
  template ??= fill();
  const dataPath = scratchFolder();
  const file = join(dataPath, "log.sqlite");
  writeFileSync(file, await template);
  return { dataPath, file };
}

/** Overwrites a page, counted from 1. */
export function damagePage(file: string, page: number, byte = 0x5a): void {
  const fd = openSync(file, "r+");
  writeSync(fd, Buffer.alloc(PAGE, byte), 0, PAGE, (page - 1) * PAGE);
  closeSync(fd);
}
