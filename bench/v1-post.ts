/** Durable POSTs on `/v1` against those on `/api` of the same program, in turn. */
import { withScratch } from "./lib/disk.ts";
import { type LoadReport, startLoad } from "./lib/load.ts";
import { messageBody, v1MessageBody } from "./lib/marker.ts";
import { runAlone } from "./lib/print.ts";
import { GATEWAY, withRialto } from "./lib/proc.ts";
import type { Result, RunOptions } from "./lib/result.ts";
import { median } from "./lib/stats.ts";

const BODY_BYTES = 200;
const CONNECTIONS = 128;

interface Pair {
  readonly v1: LoadReport;
  readonly api: LoadReport;
}

export function run({ smoke }: RunOptions): Promise<Result> {
  const rounds = smoke ? 1 : 7;
  const seconds = smoke ? 0.3 : 3;
  return withScratch((folder) =>
    withRialto({ folder }, async ({ poster: port }) => {
      const load = startLoad();
      try {
        const common = { port, connections: CONNECTIONS, seconds };
        const path = `/v1/gateways/${GATEWAY}/messages`;
        const pairs: Pair[] = [];
        // The first, unrecorded, round warms both up.
        for (let round = 0; round <= rounds; round += 1) {
          const v1 = await load.ask({ ...common, path, body: v1MessageBody(BODY_BYTES) });
          const api = await load.ask({ ...common, body: messageBody(GATEWAY, BODY_BYTES) });
          if (v1.refusal !== null) console.error(`POST was refused: ${v1.refusal}`);
          if (round > 0) pairs.push({ v1, api });
        }
        return resultOf(pairs);
      } finally {
        await load.stop();
      }
    }),
  );
}

const rate = ({ accepted, seconds }: LoadReport): number => accepted / seconds;

function resultOf(pairs: readonly Pair[]): Result {
  const ratio = median(pairs.map(({ v1, api }) => rate(v1) / rate(api)));
  return {
    name: "POST on /v1",
    figures: [
      { what: "POST on /v1 against POST on /api", value: ratio, unit: "x", goal: { op: ">=", value: 0.9 } },
      { what: "POST on /v1", value: median(pairs.map(({ v1 }) => rate(v1))), unit: "/s" },
      { what: "POST on /api", value: median(pairs.map(({ api }) => rate(api))), unit: "/s" },
    ],
    ok: pairs.every(({ v1, api }) => v1.refused + api.refused === 0 && v1.accepted > 0),
  };
}

if (import.meta.main) await runAlone(run);
