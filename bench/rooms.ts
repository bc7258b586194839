/**
 * What a configuration of many rooms weighs before anything is said: memory and start with 1, 10 000 and 100 000 of
 * them. Each is a channel of a network that cannot be reached, and has a gateway, with a reader, of its own.
 */
import { setTimeout as delay } from "node:timers/promises";
import { withScratch } from "./lib/disk.ts";
import { runAlone } from "./lib/print.ts";
import { gatewayOf, processorMs, residentKiB, withRialto } from "./lib/proc.ts";
import type { Figure, Result, RunOptions } from "./lib/result.ts";

const SIZES = [1, 10_000, 100_000] as const;
/** As on a large network of chat. */
const ROOMS_OF_AN_ACCOUNT = 1000;
/** What a start has left behind is collected by then. */
const IDLE_MS = 10_000;
const START_LIMIT_MS = 300_000;

export async function run({ smoke }: RunOptions): Promise<Result> {
  const figures: Figure[] = [];
  for (const rooms of smoke ? SIZES.slice(0, 1) : SIZES) figures.push(...(await measure(rooms, smoke)));
  return { name: "rooms", figures, ok: true };
}

async function measure(rooms: number, smoke: boolean): Promise<readonly Figure[]> {
  return await withScratch((folder) =>
    withRialto({ folder, rest: rest(rooms), startLimitMs: START_LIMIT_MS }, async ({ pid, startMs }) => {
      const [spentMs, ready] = [processorMs(pid), residentKiB(pid) / 1024];
      await delay(smoke ? 100 : IDLE_MS);
      return [
        { what: `from start to the first healthy answer, ${rooms} rooms`, value: startMs, unit: "ms" },
        { what: "  processor time of it", value: spentMs, unit: "ms" },
        { what: "  memory then", value: ready, unit: "MiB" },
        { what: `  memory ${IDLE_MS / 1000} s later`, value: residentKiB(pid) / 1024, unit: "MiB" },
      ];
    }),
  );
}

function rest(rooms: number): string {
  const accounts = Array.from(
    { length: Math.ceil(rooms / ROOMS_OF_AN_ACCOUNT) },
    (_, at) => `[irc.n${at}]\nServer = "127.0.0.1:1"\nNick = "rialto${at}"\nUseTLS = false\n`,
  );
  const gateways = Array.from({ length: rooms }, (_, at) =>
    gatewayOf(`g${at}`, [`irc.n${Math.floor(at / ROOMS_OF_AN_ACCOUNT)}`, `#r${at}`], ["api.reader", "api"]),
  );
  const linked = gatewayOf("linked", ["api.poster", "api"], ["api.reader", "api"]);
  return [...accounts, linked, ...gateways].join("");
}

if (import.meta.main) await runAlone(run);
