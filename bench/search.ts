/**
 * What the index of words costs and gives: messages the log takes per second with it and without, how far the index is
 * behind then, and how long a search takes among many messages, through the log's interface. `node bench/search.ts`
 */
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openSqliteLog } from "../src/log/sqlite/open.ts";
import type { WordMode } from "../src/log/words.ts";
import type { Figure, Result, RunOptions } from "./lib/result.ts";
import { median } from "./lib/stats.ts";

const ROOM = "net.bench/#room";
const BATCH = 100;
/** Batches under way at once. */
const AT_ONCE = 10;
const SEARCHES = 50;
const GOAL_MS = 10;
const POLICY = { durability: "power", retentionDays: 7, retentionBytes: 64 * 1024 ** 3, messageIdDays: 30 } as const;
const MODES = [null, "words", "trigrams"] as const;

type Log = Awaited<ReturnType<typeof openSqliteLog>>;

export async function run({ smoke }: RunOptions): Promise<Result> {
  const count = smoke ? 2_000 : 200_000;
  const figures: Figure[] = [];
  let ok = true;
  for (const mode of MODES) {
    const folder = mkdtempSync(join(tmpdir(), "rialto-search-"));
    const log = await openSqliteLog({ dataPath: folder, ...POLICY, search: mode });
    try {
      const found = await measure(log, folder, { mode, count });
      figures.push(...found.figures);
      ok &&= found.ok;
    } finally {
      await log.close();
      rmSync(folder, { recursive: true, force: true });
    }
  }
  return { name: "search", figures, ok };
}

async function measure(
  log: Log,
  folder: string,
  { mode, count }: { readonly mode: WordMode | null; readonly count: number },
): Promise<Pick<Result, "figures" | "ok">> {
  const name = mode ?? "no index";
  const rate = await fill(log, count);
  const figures: Figure[] = [{ what: `append, ${name}`, value: Math.round(rate), unit: "messages/s" }];
  if (mode === null) return { figures, ok: log.head === count };
  const behind = count - ((await log.archive.indexed()) ?? 0);
  const started = performance.now();
  while (((await log.archive.indexed()) ?? 0) < count) await new Promise((done) => setTimeout(done, 10));
  const late = (performance.now() - started) / 1000;
  const bytes = statSync(join(folder, "search.sqlite")).size;
  figures.push(
    { what: `not yet in the index then, ${name}`, value: behind, unit: "messages" },
    { what: `time until they are, ${name}`, value: Number(late.toFixed(1)), unit: "s" },
    { what: `size of the index, ${name}`, value: Math.round(bytes / 1024 ** 2), unit: "MiB" },
  );
  let ok = log.head === count;
  for (const [what, text, hits] of questions(count, mode)) {
    const times: number[] = [];
    for (let round = 0; round < SEARCHES; round += 1) {
      const begin = performance.now();
      const { seqs } = (await log.archive.find({ text, ...NEWEST, before: log.head + 1 })) ?? { seqs: [] };
      times.push(performance.now() - begin);
      ok &&= seqs.length === hits;
    }
    const value = Number(median(times).toFixed(2));
    // Pieces of words are in very many messages.
    const goal = mode === "words" ? { goal: { op: "<=", value: GOAL_MS } as const } : {};
    figures.push({ what: `${what}, ${name}`, value, unit: "ms", ...goal });
  }
  return { figures, ok };
}

const NEWEST = { subjects: [ROOM], after: 0, limit: 50, oldestFirst: false };

/** What is asked, and how much of it is found. */
const questions = (count: number, mode: string): readonly (readonly [string, string, number])[] => [
  ["a word of one message", `unique${Math.floor(count / 2)}`, 1],
  ["a word of all", "everywhere", 50],
  ["two words of which one is rare", `everywhere unique${Math.floor(count / 3)}`, 1],
  ["two words that are often together", "word17 everywhere", Math.min(50, messagesWith("word17", count, mode))],
  ["how a word of most messages begins", "word1*", 50],
  ["some words in order", '"everywhere in"', 50],
  ["a word of none", "nowhereatall", 0],
];

/** Of a message of some twenty words. */
function payloadOf(index: number): string {
  const words = [`unique${index}`, "everywhere", "in", ...wordsOf(index)];
  return JSON.stringify({ text: words.join(" "), username: "ann", account: "net.bench", event: "", Extra: null });
}

const wordsOf = (index: number): readonly string[] =>
  Array.from({ length: 17 }, (_, word) => `word${(index * 31 + word * 7) % 997}`);

/** Of so many messages; pieces of words are found within others. */
function messagesWith(wanted: string, count: number, mode: string): number {
  const has = (word: string): boolean => (mode === "words" ? word === wanted : word.includes(wanted));
  return Array.from({ length: count }, (_, index) => index).filter((index) => wordsOf(index).some(has)).length;
}

async function fill(log: Log, count: number): Promise<number> {
  let next = 0;
  const started = performance.now();
  const appender = async (): Promise<void> => {
    while (next < count) {
      const from = next;
      next += BATCH;
      const entries = Array.from({ length: BATCH }, (_, index) => {
        return { subject: ROOM, key: null, label: "", payload: payloadOf(from + index) };
      });
      await log.append({ account: "net.bench", entries });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, appender));
  return count / ((performance.now() - started) / 1000);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log(JSON.stringify(await run({ smoke: process.argv.includes("--smoke") }), null, 2));
}
