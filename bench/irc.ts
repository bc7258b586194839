/**
 * A real IRC server between two accounts: how fast messages pass through it, how soon one arrives, what accounts weigh.
 */
import { setTimeout as delay } from "node:timers/promises";
import { startNgircd } from "../test/servers/irc/ngircd.ts";
import { withScratch } from "./lib/disk.ts";
import { startFlood } from "./lib/flood.ts";
import { lineRate } from "./lib/irc-pair.ts";
import { startLoad } from "./lib/load.ts";
import { messageBody } from "./lib/marker.ts";
import { runAlone } from "./lib/print.ts";
import { GATEWAY, gatewayOf, residentKiB, type Rialto, withRialto } from "./lib/proc.ts";
import { type ReaderReport, startReaders } from "./lib/readers.ts";
import type { Result, RunOptions } from "./lib/result.ts";
import { median } from "./lib/stats.ts";

const BUFFER = 1_000_000;
const QUIET = 10_000;
const ACCOUNTS = 50;
const JOIN_LIMIT_MS = 30_000;
const NUMBERS = 10_000_000;

interface Passage {
  readonly accepted: number;
  readonly had: ReaderReport;
}

interface Speed {
  /** Messages per second that arrived, median of the rounds, and the server's own lines per second. */
  readonly through: number;
  readonly bare: number;
  readonly paced: Passage;
  readonly faults: number;
}

export async function run({ smoke }: RunOptions): Promise<Result> {
  const server = await startNgircd();
  try {
    const speed = await withScratch((folder) => measureSpeed(folder, server.port, smoke));
    const [none, all] = await withScratch(async (folder) => [
      await memoryWith(0, folder, server.port),
      await memoryWith(ACCOUNTS, folder, server.port),
    ]);
    const { through, bare, paced, faults } = speed;
    return {
      name: "API → IRC → API, ngircd, MessageDelay = 0",
      figures: [
        { what: "messages that arrived", value: through, unit: "/s" },
        { what: "lines from one plain socket to another through the same server", value: bare, unit: "/s" },
        { what: "messages against plain lines", value: through / bare, unit: "x" },
        { what: "delay from POST to reader at 20 msg/s, p50", value: paced.had.delay.p50, unit: "ms" },
        { what: "delay from POST to reader at 20 msg/s, p99", value: paced.had.delay.p99, unit: "ms" },
        { what: "messages lost or doubled in all of it", value: faults, unit: "", goal: { op: "<=", value: 0 } },
        { what: `memory with ${ACCOUNTS} IRC accounts connected`, value: all / 1024, unit: "MiB" },
        { what: "memory per account", value: (all - none) / ACCOUNTS, unit: "KiB" },
      ],
      ok: faults === 0,
    };
  } finally {
    await server.stop();
  }
}

function measureSpeed(folder: string, port: number, smoke: boolean): Promise<Speed> {
  const rest = [
    account("near", port),
    account("far", port),
    gatewayOf(GATEWAY, ["api.poster", "api"], ["irc.near", "#bench"]),
    gatewayOf("away", ["irc.far", "#bench"], ["api.reader", "api"]),
  ].join("\n");
  return withRialto({ folder, buffer: BUFFER, rest }, async (rialto) => {
    await joined(rialto, 2);
    const body = messageBody(GATEWAY, 200);
    const load = startLoad();
    const flood = startFlood();
    try {
      const through: number[] = [];
      const bare: number[] = [];
      let faults = 0;
      let number = 0;
      const arrive = async (
        send: (firstNumber: number) => Promise<{ readonly accepted: number }>,
      ): Promise<Passage> => {
        number += NUMBERS;
        const passage = await pass(rialto, number, send);
        faults += Math.abs(passage.accepted - passage.had.fewest) + passage.had.doubled;
        return passage;
      };
      for (let round = 0; round < (smoke ? 1 : 5); round += 1) {
        const messages = smoke ? 500 : 20_000;
        const { had } = await arrive((firstNumber) => flood.ask({ port: rialto.poster, body, messages, firstNumber }));
        through.push(had.fewest / had.seconds);
        bare.push(await lineRate(port, messages));
      }
      const paced = await arrive((firstNumber) =>
        load.ask({ port: rialto.poster, body, firstNumber, seconds: smoke ? 1 : 30, pace: 20, connections: 2 }),
      );
      return { through: median(through), bare: median(bare), paced, faults };
    } finally {
      await Promise.all([load.stop(), flood.stop()]);
    }
  });
}

/** Sends with one reader looking on, and waits until it has everything that was accepted. */
async function pass(
  rialto: Rialto,
  firstNumber: number,
  send: (firstNumber: number) => Promise<{ readonly accepted: number }>,
): Promise<Passage> {
  const readers = startReaders();
  try {
    await readers.ask({ do: "open", port: rialto.reader, count: 1, exact: true });
    await readers.ask({ do: "reset", from: firstNumber });
    const { accepted } = await send(firstNumber);
    return { accepted, had: await readers.ask({ do: "await", messages: accepted, quiet: QUIET }) };
  } finally {
    await readers.stop();
  }
}

/** Resident memory in KiB with so many accounts, each in a channel of its own, linked to the API. */
function memoryWith(count: number, folder: string, port: number): Promise<number> {
  const names = Array.from({ length: count }, (_, index) => `n${index}`);
  const rest = [
    gatewayOf("plain", ["api.poster", "api"], ["api.reader", "api"]),
    ...names.flatMap((name) => [
      account(name, port),
      gatewayOf(`g-${name}`, [`irc.${name}`, `#${name}`], ["api.reader", "api"]),
    ]),
  ].join("\n");
  return withRialto({ folder, rest }, async (rialto) => {
    await joined(rialto, count);
    await delay(2000);
    return residentKiB(rialto.pid);
  });
}

function account(name: string, port: number): string {
  return `[irc.${name}]\nServer = "127.0.0.1:${port}"\nNick = "bench-${name}"\nMessageDelay = 0\nRemoteNickFormat = "<{NICK}> "\n`;
}

/** Until so many channels have been joined. */
async function joined({ output }: Rialto, channels: number): Promise<void> {
  const begin = performance.now();
  while (output().split('"joined').length - 1 < channels) {
    if (performance.now() - begin > JOIN_LIMIT_MS) throw new Error(`${channels} channels were not joined in time`);
    await delay(20);
  }
}

if (import.meta.main) await runAlone(run);
