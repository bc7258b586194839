/**
 * A log that is carried by servers of NATS against one that is on the own disk alone, in one run: appends, posts, start
 * and memory. The servers run on this machine too, so three of them share its processors and its disk.
 */
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { openNatsLog } from "../src/log/nats/open.ts";
import { openSqliteLog } from "../src/log/sqlite/open.ts";
import type { Log } from "../src/log/log.ts";
import { type NatsCluster, startNats } from "../test/servers/nats/server.ts";
import { withScratch } from "./lib/disk.ts";
import { type LoadReport, startLoad } from "./lib/load.ts";
import { messageBody } from "./lib/marker.ts";
import { runAlone } from "./lib/print.ts";
import { GATEWAY, residentKiB, type Rialto, withRialto } from "./lib/proc.ts";
import type { Figure, Result, RunOptions } from "./lib/result.ts";
import { median } from "./lib/stats.ts";

const PAYLOAD = "x".repeat(300);
/** Each with one append under way. */
const APPENDERS = 2000;
const BODY_BYTES = 200;
const CONNECTIONS = 128;
/** A load that leaves all of them room, in posts a second. */
const PACE = 200;
const POLICY = { retentionDays: 7, retentionBytes: 64 * 1024 ** 3, messageIdDays: 30 } as const;

/**
 * Servers that carry a log, and what is promised of them against the own disk: 40 000 and 12 000 entries a second where
 * that takes 156 000.
 */
interface Kind {
  readonly name: string;
  readonly count: number;
  readonly sync?: string;
  readonly goal?: number;
}

const KINDS: readonly Kind[] = [
  { name: "one server", count: 1 },
  { name: "one server that always writes", count: 1, sync: "always" },
  { name: "three servers", count: 3, goal: 0.25 },
  { name: "three servers that always write", count: 3, sync: "always", goal: 0.08 },
];

export async function run({ smoke }: RunOptions): Promise<Result> {
  const appends = await appendFigures(smoke);
  const posts = await postFigures(smoke);
  return {
    name: "a log on several machines",
    figures: [...appends.figures, ...posts.figures],
    ok: appends.ok && posts.ok,
  };
}

/** In turn, so that what else the machine does weighs on all alike. Servers that are not asked do nothing. */
async function appendFigures(smoke: boolean): Promise<Pick<Result, "figures" | "ok">> {
  const seconds = smoke ? 0.3 : 3;
  const own: number[] = [];
  const carried = KINDS.map((kind) => ({ kind, rates: new Array<number>() }));
  let ok = true;
  for (let round = 0; round < (smoke ? 1 : 3); round += 1) {
    const alone = await rateOf((dataPath) => openSqliteLog({ dataPath, durability: "power", ...POLICY }), seconds);
    own.push(alone.rate);
    for (const { kind, rates } of carried) {
      const { rate, isWhole } = await withServers(kind, (cluster) => rateOf((path) => openOn(cluster, path), seconds));
      rates.push(rate);
      ok &&= isWhole && alone.isWhole;
    }
  }
  const figures = carried.flatMap(({ kind: { name, goal }, rates }): readonly Figure[] => [
    { what: `appends through ${name}, ${APPENDERS} at once`, value: median(rates), unit: "/s" },
    {
      what: "  against the own disk",
      value: median(rates.map((rate, at) => rate / (own[at] ?? 0))),
      unit: "x",
      ...(goal !== undefined && { goal: { op: ">=" as const, value: goal } }),
    },
  ]);
  return { ok, figures: [{ what: "appends to the own disk", value: median(own), unit: "/s" }, ...figures] };
}

async function withServers<T>({ count, sync }: Kind, use: (cluster: NatsCluster) => Promise<T>): Promise<T> {
  const cluster = await startNats(count, "", sync === undefined ? {} : { sync });
  try {
    return await use(cluster);
  } finally {
    await cluster.stop();
  }
}

function openOn({ servers, nodes }: NatsCluster, dataPath: string): Promise<Log> {
  return openNatsLog({
    servers,
    auth: null,
    tls: null,
    node: "bench",
    shard: randomUUID(),
    replicas: nodes.length,
    warn: (error) => console.error(error.message),
    dataPath,
    durability: "process",
    ...POLICY,
  });
}

/** Entries a second; `isWhole`: all of them are there. */
function rateOf(
  open: (dataPath: string) => Promise<Log>,
  seconds: number,
): Promise<{ readonly rate: number; readonly isWhole: boolean }> {
  return withScratch(async (folder) => {
    const log = await open(folder);
    let stored = 0;
    let announced = 0;
    log.tail((entries) => (announced += entries.length));
    const until = performance.now() + seconds * 1000;
    const appender = async (): Promise<void> => {
      while (performance.now() < until) {
        const entries = [{ subject: "api.bench/bench", key: null, label: "", payload: PAYLOAD }];
        const { is } = await log.append({ account: "api.bench", entries });
        if (is === "stored") stored += 1;
      }
    };
    const begin = performance.now();
    await Promise.all(Array.from({ length: APPENDERS }, appender));
    const rate = stored / ((performance.now() - begin) / 1000);
    await log.close();
    return { rate, isWhole: stored > 0 && announced === stored };
  });
}

/** What a program did with and without servers that carry its log. */
interface Programs {
  readonly own: Measured;
  readonly carried: Measured;
}

interface Measured {
  readonly startMs: number;
  readonly residentMiB: number;
  readonly full: LoadReport;
  readonly paced: LoadReport;
}

async function postFigures(smoke: boolean): Promise<Pick<Result, "figures" | "ok">> {
  const rounds: Programs[] = [];
  for (let round = 0; round < (smoke ? 1 : 3); round += 1) {
    const own = await measure("", smoke);
    const carried = await withServers({ name: "", count: 3 }, ({ servers }) =>
      measure(`Log = "nats://${servers.join(",")}"\nNode = "bench"`, smoke),
    );
    rounds.push({ own, carried });
  }
  const both = (pick: (measured: Measured) => number): { readonly own: number; readonly carried: number } => ({
    own: median(rounds.map(({ own }) => pick(own))),
    carried: median(rounds.map(({ carried }) => pick(carried))),
  });
  const rate = ({ full }: Measured): number => full.accepted / full.seconds;
  const ratio = median(rounds.map(({ own, carried }) => rate(carried) / rate(own)));
  const pair = (name: string, unit: string, pick: (measured: Measured) => number): readonly Figure[] => {
    const { own, carried } = both(pick);
    return [
      { what: `${name}, log on the own disk`, value: own, unit },
      { what: `${name}, three servers`, value: carried, unit },
    ];
  };
  const reports = rounds.flatMap(({ own, carried }) => [own, carried]).flatMap(({ full, paced }) => [full, paced]);
  return {
    ok: reports.every(({ accepted, refused }) => refused === 0 && accepted > 0),
    figures: [
      { what: `POSTs through three servers against the own disk, ${CONNECTIONS} connections`, value: ratio, unit: "x" },
      ...pair("POSTs", "/s", rate),
      ...pair(`POST p50 at ${PACE} a second`, "ms", ({ paced }) => paced.latency.p50),
      ...pair(`POST p99 at ${PACE} a second`, "ms", ({ paced }) => paced.latency.p99),
      ...pair("idle memory", "MiB", ({ residentMiB }) => residentMiB),
      ...pair("from start to the first healthy answer", "ms", ({ startMs }) => startMs),
    ],
  };
}

function measure(general: string, smoke: boolean): Promise<Measured> {
  return withScratch((folder) =>
    withRialto({ folder, general }, async (rialto) => {
      await delay(smoke ? 100 : 2000);
      const residentMiB = residentKiB(rialto.pid) / 1024;
      return { startMs: rialto.startMs, residentMiB, ...(await underLoad(rialto, smoke)) };
    }),
  );
}

async function underLoad({ poster: port }: Rialto, smoke: boolean): Promise<Pick<Measured, "full" | "paced">> {
  const load = startLoad();
  try {
    const plan = { port, body: messageBody(GATEWAY, BODY_BYTES), seconds: smoke ? 0.3 : 3 };
    await load.ask({ ...plan, connections: CONNECTIONS });
    const full = await load.ask({ ...plan, connections: CONNECTIONS });
    const paced = await load.ask({ ...plan, connections: 8, pace: PACE });
    return { full, paced };
  } finally {
    await load.stop();
  }
}

if (import.meta.main) await runAlone(run);
