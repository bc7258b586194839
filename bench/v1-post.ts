/**
 * Durable POSTs on `/v1` against those on `/api` of the same program, in turn: how many there are in a second, and what
 * each costs the main thread, which a busy machine hardly changes.
 */
import { Poster } from "./compare/poster.ts";
import { COST_FLAGS, spent } from "./lib/cost.ts";
import { withScratch } from "./lib/disk.ts";
import { type LoadReport, startLoad } from "./lib/load.ts";
import { messageBody, v1MessageBody } from "./lib/marker.ts";
import { runAlone } from "./lib/print.ts";
import { GATEWAY, withRialto } from "./lib/proc.ts";
import type { Result, RunOptions } from "./lib/result.ts";
import { median } from "./lib/stats.ts";

const BODY_BYTES = 200;
const CONNECTIONS = 128;
const PATH = `/v1/gateways/${GATEWAY}/messages`;
/** V8 has compiled what is used by then. */
const WARM = 8000;
const BUFFER = 1_000_000;

interface Pair<T> {
  readonly v1: T;
  readonly api: T;
}

export async function run({ smoke }: RunOptions): Promise<Result> {
  const rates = await ratesOf(smoke ? 1 : 7, smoke ? 0.3 : 3);
  return resultOf(rates, await costsOf(smoke ? 1 : 15, smoke ? 300 : 3000));
}

function ratesOf(rounds: number, seconds: number): Promise<readonly Pair<LoadReport>[]> {
  return withScratch((folder) =>
    withRialto({ folder }, async ({ poster: port }) => {
      const load = startLoad();
      try {
        const common = { port, connections: CONNECTIONS, seconds };
        const pairs: Pair<LoadReport>[] = [];
        // The first, unrecorded, round warms both up.
        for (let round = 0; round <= rounds; round += 1) {
          const v1 = await load.ask({ ...common, path: PATH, body: v1MessageBody(BODY_BYTES) });
          const api = await load.ask({ ...common, body: messageBody(GATEWAY, BODY_BYTES) });
          if (v1.refusal !== null) console.error(`POST was refused: ${v1.refusal}`);
          if (round > 0) pairs.push({ v1, api });
        }
        return pairs;
      } finally {
        await load.stop();
      }
    }),
  );
}

/** In µs of the main thread. */
function costsOf(rounds: number, messages: number): Promise<readonly Pair<number>[]> {
  return withScratch((folder) =>
    withRialto({ folder, buffer: BUFFER, execArgv: COST_FLAGS }, async ({ poster: port, process }) => {
      const v1 = await Poster.open(port, v1MessageBody(BODY_BYTES), CONNECTIONS, PATH);
      const api = await Poster.open(port, messageBody(GATEWAY, BODY_BYTES), CONNECTIONS);
      const turn = async (poster: Poster): Promise<number> =>
        (await spent(process, messages, () => poster.turn(messages))).cpuUs;
      const pairs: Pair<number>[] = [];
      for (const poster of [v1, api]) await poster.turn(messages < WARM ? messages : WARM);
      for (let round = 0; round < rounds; round += 1) {
        // What changes slowly weighs on both alike.
        const [first, second, third, fourth] = [await turn(v1), await turn(api), await turn(api), await turn(v1)];
        pairs.push({ v1: (first + fourth) / 2, api: (second + third) / 2 });
      }
      for (const poster of [v1, api]) poster.close();
      return pairs;
    }),
  );
}

const rate = ({ accepted, seconds }: LoadReport): number => accepted / seconds;

function resultOf(rates: readonly Pair<LoadReport>[], costs: readonly Pair<number>[]): Result {
  const ratio = median(rates.map(({ v1, api }) => rate(v1) / rate(api)));
  return {
    name: "POST on /v1",
    figures: [
      { what: "POST on /v1 against POST on /api", value: ratio, unit: "x", goal: { op: ">=", value: 0.9 } },
      { what: "POST on /v1", value: median(rates.map(({ v1 }) => rate(v1))), unit: "/s" },
      { what: "POST on /api", value: median(rates.map(({ api }) => rate(api))), unit: "/s" },
      {
        what: "cost of one on /api against one on /v1",
        value: median(costs.map(({ v1, api }) => api / v1)),
        unit: "x",
      },
      { what: "main thread for a POST on /v1", value: median(costs.map(({ v1 }) => v1)), unit: "µs" },
    ],
    ok: rates.every(({ v1, api }) => v1.refused + api.refused === 0 && v1.accepted > 0),
  };
}

if (import.meta.main) await runAlone(run);
