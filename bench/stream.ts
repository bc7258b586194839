/** One stream reader: everything arrives under full load, and how soon a message arrives at an ordinary pace. */
import { measureFsync, withScratch } from "./lib/disk.ts";
import { type FloodReport, startFlood } from "./lib/flood.ts";
import { type LoadPlan, type LoadReport, startLoad } from "./lib/load.ts";
import { messageBody } from "./lib/marker.ts";
import { runAlone } from "./lib/print.ts";
import { GATEWAY, type Rialto, withRialto } from "./lib/proc.ts";
import { type ReaderReport, startReaders } from "./lib/readers.ts";
import type { Figure, Result, RunOptions } from "./lib/result.ts";
import { median } from "./lib/stats.ts";

/** Far more than a reader falls behind here: what is measured is arrival, not what `Buffer` lets go of. */
const BUFFER = 1_000_000;
const QUIET = 5000;
/** Messages of one flood: less than the log holds in memory while they wait for the disk, so that none is refused. */
const FLOOD = 100_000;

/** Each measurement numbers its messages from a new multiple of this. */
const NUMBERS = 10_000_000;
let nextNumber = 0;

interface Arrival<Sent> {
  readonly sent: Sent;
  readonly had: ReaderReport;
}

export function run({ smoke }: RunOptions): Promise<Result> {
  const body = messageBody(GATEWAY, 200);
  return withScratch((folder) =>
    withRialto({ folder, buffer: BUFFER }, async ({ poster, reader }) => {
      const load = startLoad();
      const flood = startFlood();
      try {
        const post = (plan: Partial<LoadPlan>): Promise<LoadReport> =>
          load.ask({ port: poster, body, connections: 128, ...plan });
        await post({ seconds: smoke ? 0.2 : 2 });
        const paced = await withReader(reader, (firstNumber) =>
          post({ firstNumber, seconds: smoke ? 0.5 : 15, pace: 200, connections: 8 }),
        );
        const posted = await withReader(reader, (firstNumber) => post({ firstNumber, seconds: smoke ? 0.5 : 10 }));
        const flooded: Arrival<FloodReport>[] = [];
        for (let round = 0; round < (smoke ? 1 : 5); round += 1) {
          const messages = smoke ? 2000 : FLOOD;
          flooded.push(
            await withReader(reader, (firstNumber) => flood.ask({ port: poster, body, messages, firstNumber })),
          );
        }
        const fsync = measureFsync(folder);
        const all = [paced, posted, ...flooded];
        return {
          name: "one stream reader",
          figures: [
            ...delays(paced, fsync.p50),
            ...underPosts(posted),
            ...underFlood(flooded),
            {
              what: "messages lost or doubled in all of it",
              value: all.reduce(faults, 0),
              unit: "",
              goal: { op: "<=", value: 0 },
            },
          ],
          ok: all.reduce(faults, 0) === 0,
        };
      } finally {
        await Promise.all([load.stop(), flood.stop()]);
      }
    }),
  );
}

/** Sends with one reader looking on, and waits until it has everything that was accepted. */
async function withReader<Sent extends { readonly accepted: number }>(
  port: Rialto["reader"],
  send: (firstNumber: number) => Promise<Sent>,
): Promise<Arrival<Sent>> {
  const readers = startReaders();
  try {
    await readers.ask({ do: "open", port, count: 1, exact: true });
    // What an earlier reader had not taken comes first: lower numbers, passed over.
    nextNumber += NUMBERS;
    await readers.ask({ do: "reset", from: nextNumber });
    const sent = await send(nextNumber);
    const had = await readers.ask({ do: "await", messages: sent.accepted, quiet: QUIET });
    return { sent, had };
  } finally {
    await readers.stop();
  }
}

function faults(sum: number, { sent, had }: Arrival<{ readonly accepted: number }>): number {
  return sum + Math.abs(sent.accepted - had.fewest) + had.doubled;
}

function delays({ had }: Arrival<LoadReport>, fsync: number): readonly Figure[] {
  const goal = { op: "<=", value: 2 + fsync } as const;
  return [
    { what: "delay from POST to reader at 200 msg/s, p50", value: had.delay.p50, unit: "ms", goal },
    { what: "delay from POST to reader at 200 msg/s, p99", value: had.delay.p99, unit: "ms" },
  ];
}

function underPosts({ sent, had }: Arrival<LoadReport>): readonly Figure[] {
  return [
    { what: "under full POST load: posted", value: sent.accepted / sent.seconds, unit: "/s" },
    { what: "under full POST load: read", value: had.fewest / had.seconds, unit: "/s" },
    { what: "under full POST load: delay p99", value: had.delay.p99, unit: "ms" },
  ];
}

function underFlood(floods: readonly Arrival<FloodReport>[]): readonly Figure[] {
  const read = floods.map(({ had }) => had.fewest / had.seconds);
  return [
    {
      what: "fed over a WebSocket: sent",
      value: median(floods.map(({ sent }) => sent.accepted / sent.seconds)),
      unit: "/s",
    },
    { what: "fed over a WebSocket: read", value: median(read), unit: "/s", goal: { op: ">=", value: 40_000 } },
  ];
}

if (import.meta.main) await runAlone(run);
