/**
 * Many stream readers: each gets everything, what one costs in memory, and what one that never reads does to the
 * others.
 */
import { setTimeout as delay } from "node:timers/promises";
import { withScratch } from "./lib/disk.ts";
import { type LoadReport, startLoad } from "./lib/load.ts";
import { messageBody } from "./lib/marker.ts";
import { runAlone } from "./lib/print.ts";
import { GATEWAY, residentKiB, withRialto } from "./lib/proc.ts";
import { type ReaderReport, startReaders } from "./lib/readers.ts";
import type { Figure, Result, RunOptions } from "./lib/result.ts";
import { median, slope } from "./lib/stats.ts";

/** Far more than a reader falls behind here: what is measured is memory, not what `Buffer` lets go of. */
const BUFFER = 1_000_000;
const KIB_PER_MIB = 1024;
/** For the slope: three programs of each, as one alone is off by a few MiB. */
const COUNTS = [500, 1000, 1500, 500, 1000, 1500, 500, 1000, 1500];

export async function run({ smoke }: RunOptions): Promise<Result> {
  const parts = [await eachGetsAll(smoke), await perReader(smoke), await neverReads(smoke)];
  return {
    name: "many stream readers",
    figures: parts.flatMap(({ figures }) => figures),
    ok: parts.every(({ ok }) => ok),
  };
}

interface Part {
  readonly figures: readonly Figure[];
  readonly ok: boolean;
}

interface Passage {
  readonly readers: number;
  /** One more reader, that never takes a byte. */
  readonly stuck: boolean;
  readonly messages: number;
  readonly bytes: number;
}

interface Passed {
  readonly sent: LoadReport;
  readonly had: ReaderReport;
  /** Resident memory of the program: the most while the messages passed, and when all was quiet again. */
  readonly peakKiB: number;
  readonly settledKiB: number;
}

/** A new program; so many messages posted on 8 connections, and read by every reader. */
function pass({ readers: count, stuck, messages, bytes }: Passage): Promise<Passed> {
  return withScratch((folder) =>
    withRialto({ folder, buffer: BUFFER }, async ({ pid, poster, reader }) => {
      const readers = startReaders();
      const load = startLoad();
      let peakKiB = 0;
      const watch = setInterval(() => (peakKiB = Math.max(peakKiB, residentKiB(pid))), 50);
      try {
        const body = messageBody(GATEWAY, bytes);
        await readers.ask({ do: "open", port: reader, count, exact: false });
        if (stuck) await readers.ask({ do: "open-stuck", port: reader });
        const sent = await load.ask({ port: poster, body, connections: 8, messages });
        const had = await readers.ask({ do: "await", messages: sent.accepted, quiet: 5000 });
        return { sent, had, peakKiB, settledKiB: await settledKiB(pid) };
      } finally {
        clearInterval(watch);
        await Promise.all([readers.stop(), load.stop()]);
      }
    }),
  );
}

async function settledKiB(pid: number): Promise<number> {
  const samples: number[] = [];
  for (let sample = 0; sample < 5; sample += 1) {
    await delay(200);
    samples.push(residentKiB(pid));
  }
  return median(samples);
}

async function eachGetsAll(smoke: boolean): Promise<Part> {
  const readers = smoke ? 50 : 1000;
  const passed = await pass({ readers, stuck: false, messages: smoke ? 100 : 500, bytes: 200 });
  const figures: readonly Figure[] = [
    {
      what: `messages lost or doubled at ${readers} readers`,
      value: faults(passed),
      unit: "",
      goal: { op: "<=", value: 0 },
    },
    { what: `lines read by ${readers} readers`, value: (passed.had.fewest * readers) / passed.had.seconds, unit: "/s" },
  ];
  return { figures, ok: faults(passed) === 0 };
}

/** By the slope over reader counts, each in programs of its own that have passed the same few messages. */
async function perReader(smoke: boolean): Promise<Part> {
  const points: (readonly [number, number])[] = [];
  for (const readers of smoke ? [10, 30] : COUNTS) {
    const { settledKiB: resident } = await pass({
      readers,
      stuck: false,
      messages: 20,
      bytes: 200,
    });
    points.push([readers, resident]);
  }
  const what = `memory per reader, slope from ${points[0]?.[0]} to ${points.at(-1)?.[0]} readers`;
  return { figures: [{ what, value: slope(points), unit: "KiB", goal: { op: "<=", value: 26 } }], ok: true };
}

/** 200 MB pass ten readers, in turn without and with one more that never takes a byte. */
async function neverReads(smoke: boolean): Promise<Part> {
  const passage = { readers: 10, messages: smoke ? 50 : 3200, bytes: 64 * 1024 };
  const pairs: { readonly without: Passed; readonly beside: Passed }[] = [];
  for (let round = 0; round < (smoke ? 1 : 3); round += 1) {
    pairs.push({ without: await pass({ ...passage, stuck: false }), beside: await pass({ ...passage, stuck: true }) });
  }
  const rate = ({ sent }: Passed): number => sent.accepted / sent.seconds;
  const slower = median(pairs.map(({ without, beside }) => rate(beside) / rate(without)));
  const extra = median(pairs.map(({ without, beside }) => (beside.peakKiB - without.peakKiB) / KIB_PER_MIB));
  const lost = pairs.reduce((sum, { without, beside }) => sum + faults(without) + faults(beside), 0);
  const whole = `peak memory while ${Math.round((passage.messages * passage.bytes) / 1e6)} MB pass`;
  const who = "with one that never reads";
  const figures: readonly Figure[] = [
    { what: `${who}: messages the others lost`, value: lost, unit: "", goal: { op: "<=", value: 0 } },
    { what: `${who}: posting rate against without`, value: slower, unit: "x", goal: { op: ">=", value: 0.9 } },
    { what: `${who}: more peak memory than without`, value: extra, unit: "MiB", goal: { op: "<=", value: 16 } },
    { what: whole, value: median(pairs.map(({ without }) => without.peakKiB)) / KIB_PER_MIB, unit: "MiB" },
  ];
  return { figures, ok: lost === 0 };
}

/** Messages that some reader lacks, that some have more than others, and those that were not accepted. */
function faults({ sent, had }: Passed): number {
  return Math.abs(sent.accepted - had.fewest) + (had.most - had.fewest) + sent.refused;
}

if (import.meta.main) await runAlone(run);
