/** Durable POSTs against a bare HTTP server that stores nothing, in one run on the same Node. */
import { measureFsync, withScratch } from "./lib/disk.ts";
import { type LoadPlan, type LoadReport, startLoad } from "./lib/load.ts";
import { messageBody } from "./lib/marker.ts";
import { runAlone } from "./lib/print.ts";
import { GATEWAY, type Rialto, withRialto } from "./lib/proc.ts";
import type { Figure, Result, RunOptions } from "./lib/result.ts";
import { median } from "./lib/stats.ts";
import { startYardstick } from "./lib/yardstick.ts";

/** A chat line of some length. */
const BODY_BYTES = 200;
/** Enough that the server, not the number of open requests, is the limit. */
const CONNECTIONS = 128;
const FEW = 32;
/** A load that leaves both servers room: what a POST takes when it is not waiting for the others. */
const PACE = 2000;

type How = Pick<LoadPlan, "connections" | "seconds" | "pace">;

interface Pair {
  readonly rialto: LoadReport;
  readonly yardstick: LoadReport;
}

export function run({ smoke }: RunOptions): Promise<Result> {
  const rounds = smoke ? 1 : 5;
  const seconds = smoke ? 0.3 : 3;
  return withScratch((folder) =>
    withRialto({ folder }, async (rialto) => {
      const full = await compare(rialto, { connections: CONNECTIONS, seconds }, rounds);
      const few = await compare(rialto, { connections: FEW, seconds }, rounds);
      const eased = await compare(rialto, { connections: FEW, seconds, pace: PACE }, rounds);
      const fsync = measureFsync(folder);
      const figures = [
        ...throughput(full, `at ${CONNECTIONS} connections`),
        ...latency(few, `at ${FEW} connections`, fsync.p50),
        ...latency(eased, `at ${FEW} connections and ${PACE} POSTs a second`),
        { what: "one fsync of this disk, p50", value: fsync.p50, unit: "ms" },
        { what: "one fsync of this disk, p99", value: fsync.p99, unit: "ms" },
      ];
      const ok = [...full, ...few, ...eased].every((pair) => pair.rialto.refused === 0 && pair.rialto.accepted > 0);
      return { name: "durable POST", figures, ok };
    }),
  );
}

/** Both servers under the same load in turn, A B A B. The first, unrecorded, round warms them up. */
async function compare(rialto: Rialto, how: How, rounds: number): Promise<readonly Pair[]> {
  const yardstick = await startYardstick();
  const load = startLoad();
  try {
    const plan = { ...how, body: messageBody(GATEWAY, BODY_BYTES) };
    const pairs: Pair[] = [];
    for (let round = 0; round <= rounds; round += 1) {
      const ofRialto = await load.ask({ ...plan, port: rialto.poster });
      const ofYardstick = await load.ask({ ...plan, port: yardstick.port });
      if (ofRialto.refusal !== null) console.error(`POST was refused: ${ofRialto.refusal}`);
      if (round > 0) pairs.push({ rialto: ofRialto, yardstick: ofYardstick });
    }
    return pairs;
  } finally {
    await Promise.all([yardstick.stop(), load.stop()]);
  }
}

function throughput(pairs: readonly Pair[], when: string): readonly Figure[] {
  const rate = ({ accepted, seconds }: LoadReport): number => accepted / seconds;
  const ratio = median(pairs.map((pair) => rate(pair.rialto) / rate(pair.yardstick)));
  return [
    {
      what: `durable POSTs against the bare server, ${when}`,
      value: ratio,
      unit: "x",
      goal: { op: ">=", value: 0.65 },
    },
    { what: `durable POSTs, ${when}`, value: median(pairs.map((pair) => rate(pair.rialto))), unit: "/s" },
    { what: `bare server, ${when}`, value: median(pairs.map((pair) => rate(pair.yardstick))), unit: "/s" },
    { what: `the load itself, ${when}`, value: median(pairs.map((pair) => pair.rialto.cpu)), unit: "cores" },
  ];
}

/** With one fsync in ms: held against the goal. */
function latency(pairs: readonly Pair[], when: string, fsync?: number): readonly Figure[] {
  const p99 = {
    what: `durable POST p99, ${when}`,
    value: median(pairs.map((pair) => pair.rialto.latency.p99)),
    unit: "ms",
  };
  return [
    fsync === undefined ? p99 : { ...p99, goal: { op: "<=", value: 3 + fsync } },
    { what: `durable POST p50, ${when}`, value: median(pairs.map((pair) => pair.rialto.latency.p50)), unit: "ms" },
    { what: `bare server p99, ${when}`, value: median(pairs.map((pair) => pair.yardstick.latency.p99)), unit: "ms" },
  ];
}

if (import.meta.main) await runAlone(run);
