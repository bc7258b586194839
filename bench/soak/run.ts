/**
 * Mixed traffic over all networks for half an hour: does anything grow, does anything get slower, does everything
 * arrive, once? `npm run soak`, or with `-- --minutes 5 --gateways 50 --rate 6 --out soak.jsonl`. Prints a line a
 * minute and a table, writes JSON lines; exits 1 when something was lost or doubled.
 */
import { once } from "node:events";
import { appendFileSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { Message } from "../../src/contract/message.ts";
import { withScratch } from "../lib/disk.ts";
import { residentKiB, type Rialto, withRialto } from "../lib/proc.ts";
import { slope } from "../lib/stats.ts";
import { type Heard, soon } from "../lib/talker.ts";
import { Counts, type End, ENDS } from "./counts.ts";
import type { Weight } from "./probe.ts";
import { readStream } from "./reader.ts";
import { buildStage, type Stage } from "./stage.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "30" },
    gateways: { type: "string", default: "50" },
    rate: { type: "string", default: "6" },
    out: { type: "string", default: "soak.jsonl" },
  },
});
const MINUTES = Number(values.minutes);
/** Messages a second, all ends together. */
const RATE = Number(values.rate);
const ROOMS = Array.from({ length: Number(values.gateways) }, (_, at) => `soak${at}`);
const PROBE = pathToFileURL(path.join(import.meta.dirname, "probe.ts")).href;
const JOIN_MS = 300_000;
/** How long after the last message the last may arrive. */
const REST_MS = 180_000;
const EVERY = { edit: 5, reaction: 7, hop: 40 };

/** Things beside messages that have happened, and that were seen. */
const acts = { reactions: 0, reactionsSeen: 0, hops: 0, hopsSeen: 0, editsInWords: 0 };
const counts = new Counts();

/** One minute of the curve. */
interface Point extends Weight {
  readonly minute: number;
  readonly rss: number;
  readonly fds: number;
  readonly p50: number;
  readonly p99: number;
  readonly said: number;
  readonly missing: number;
}

function heardAt(end: End, { kind, text }: Heard): void {
  if (kind === "reaction") acts.reactionsSeen += 1;
  // IRC has no edits: they come in words, whose form depends on the texts.
  else if (end === "irc" && text.includes("editapi")) acts.editsInWords += 1;
  else counts.hear(end, text);
}

function heardAtApi({ event, text, username }: Message): void {
  if (event === "join" && username.includes("anna-irc")) acts.hopsSeen += 1;
  else counts.hear("api", text);
}

async function post(port: number, fields: object): Promise<Message> {
  const answer = await fetch(`http://127.0.0.1:${port}/api/message`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ username: "anna", ...fields }),
    signal: AbortSignal.timeout(60_000),
  });
  if (answer.status !== 200) throw new Error(`a post was answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as Message;
}

/** The n-th thing that is said: the ends take turns, and each goes through all rooms. */
async function speak(n: number, { talkers }: Stage, { poster }: Rialto): Promise<void> {
  const from = ENDS[n % ENDS.length] ?? "api";
  const room = ROOMS[Math.floor(n / ENDS.length) % ROOMS.length] ?? "";
  const word = `say${from}${n}`;
  counts.say(word, from === "api" ? ENDS : ENDS.filter((end) => end !== from));
  if (from !== "api") await talkers[from].say(room, word);
  else await speakByApi(n, { word, room, poster });
  if (n % EVERY.hop === 0) {
    talkers.irc.hop(room);
    acts.hops += 1;
  }
}

async function speakByApi(
  n: number,
  { word, room, poster }: { readonly word: string; readonly room: string; readonly poster: number },
): Promise<void> {
  const { id } = await post(poster, { gateway: room, text: word });
  const turn = Math.floor(n / ENDS.length);
  // An edit of what still waits would be folded into it, and a reaction to what is nowhere would come to nothing.
  const whenThere = async (): Promise<boolean> => {
    await soon(`${word} to be everywhere`, () => counts.isEverywhere(word), REST_MS);
    return true;
  };
  if (turn % EVERY.edit === 0 && (await whenThere())) {
    const fresh = `editapi${n}`;
    counts.say(fresh, ["xmpp", "matrix", "api"]);
    await post(poster, { gateway: room, id, text: fresh, event: "msg_edit" });
  }
  if (turn % EVERY.reaction === 0 && (await whenThere())) {
    await post(poster, { gateway: room, id, text: "👍", event: "msg_reaction" });
    acts.reactions += 1;
  }
}

async function weigh({ pid, process: child }: Rialto, minute: number): Promise<Point> {
  const rss = residentKiB(pid) / 1024;
  const fds = readdirSync(`/proc/${pid}/fd`).length;
  const answered = once(child, "message", { signal: AbortSignal.timeout(60_000) }) as Promise<[Weight]>;
  child.send("weigh");
  const [weight] = await answered;
  const { p50, p99 } = counts.takeDelays();
  return { minute, rss, fds, ...weight, p50, p99, said: counts.said, missing: counts.missing };
}

const COLUMNS = [
  "minute",
  "rss",
  "heap",
  "external",
  "fds",
  "loopP99",
  "loopMax",
  "gcMs",
  "p50",
  "p99",
  "said",
  "missing",
] as const;

function row(point: Point): string {
  return COLUMNS.map((name) =>
    (Number.isInteger(point[name]) ? String(point[name]) : point[name].toFixed(1)).padStart(8),
  ).join(" ");
}

async function soak(stage: Stage, rialto: Rialto): Promise<readonly Point[]> {
  await soon(
    "Rialto to join all rooms",
    () => rialto.output().split('"joined').length - 1 >= ROOMS.length * 3,
    JOIN_MS,
  );
  const reader = await readStream(rialto.reader, heardAtApi);
  const points: Point[] = [];
  const trouble: unknown[] = [];
  const begin = performance.now();
  const minuteOf = (): number => (performance.now() - begin) / 60_000;
  console.log(COLUMNS.map((name) => name.padStart(8)).join(" "));
  for (let n = 0; minuteOf() < MINUTES && trouble.length === 0; n += 1) {
    const due = begin + (n * 1000) / RATE;
    if (due > performance.now()) await delay(due - performance.now());
    void speak(n, stage, rialto).catch((error: unknown) => trouble.push(error));
    if (minuteOf() < points.length) continue;
    const point = await weigh(rialto, points.length);
    points.push(point);
    console.log(row(point));
    appendFileSync(values.out, `${JSON.stringify(point)}\n`);
  }
  const settled = (): boolean =>
    counts.missing === 0 && acts.reactionsSeen >= acts.reactions && acts.hopsSeen >= acts.hops;
  await soon("the rest to arrive", settled, REST_MS).catch((error: unknown) => trouble.push(error));
  if (reader.ended()) trouble.push(new Error("the stream was ended"));
  reader.stop();
  points.push(await weigh(rialto, points.length));
  for (const error of trouble) console.error(error);
  process.exitCode = trouble.length + counts.missing + counts.doubled + counts.strange === 0 ? 0 : 1;
  return points;
}

function summary(points: readonly Point[]): void {
  // The last was taken after the traffic.
  const late = points.slice(Math.floor(points.length / 2), -1);
  const perMinute = (name: "rss" | "heap" | "fds" | "p50"): string =>
    slope(late.map((point) => [point.minute, point[name]] as const)).toFixed(3);
  console.log(
    `\nsaid ${counts.said}; arrived ${JSON.stringify(counts.heard)}; missing ${counts.missing}, doubled ${counts.doubled}, strange ${counts.strange}`,
  );
  console.log(`acts ${JSON.stringify(acts)}`);
  console.log(
    `second half, per minute: rss ${perMinute("rss")} MiB, heap ${perMinute("heap")} MiB, fds ${perMinute("fds")}, p50 ${perMinute("p50")} ms`,
  );
}

writeFileSync(values.out, "");
const stage = await buildStage(ROOMS, heardAt);
try {
  const env = {
    RIALTO_API_POSTER_FULLEVENTS: "true",
    RIALTO_API_READER_FULLEVENTS: "true",
    RIALTO_API_READER_SHOWJOINPART: "true",
  };
  const execArgv = ["--expose-gc", `--import=${PROBE}`];
  const started = { buffer: 100_000, rest: stage.rest, execArgv, env };
  summary(await withScratch((folder) => withRialto({ folder, ...started }, (rialto) => soak(stage, rialto))));
} finally {
  await stage.stop();
}
process.exit();
