import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Spent } from "../lib/cost-probe.ts";
import { COST_FLAGS, spent } from "../lib/cost.ts";
import { withScratch } from "../lib/disk.ts";
import { messageBody } from "../lib/marker.ts";
import { GATEWAY, gatewayOf, residentKiB, type Rialto, withRialto } from "../lib/proc.ts";
import { startReaders } from "../lib/readers.ts";
import { Poster } from "./poster.ts";

const BODY_BYTES = 200;
/** Enough that the program always has something to do, also where others use the processor. */
const CONNECTIONS = 128;
/** More than a reader falls behind here. */
const BUFFER = 1_000_000;
const QUIET_MS = 20_000;
/** What each program relays before it is measured: V8 has compiled what is used by then. */
const WARM = 5000;

/** The two programs, ours first. */
export type Programs = readonly [ours: string, theirs: string];

/** What one of the programs spent on each message of one stretch; one of ours, and one of theirs beside it. */
export type Pair = readonly [ours: Spent, theirs: Spent];

export interface Row {
  readonly name: string;
  /** TOML instead of the gateway that links the two accounts, see StartOptions. */
  readonly rest?: string;
  /** How many readers of the stream take each message. */
  readonly readers: number;
}

const GATEWAYS = 200;
/** Messages go to the last one, which has the name of the only one of the other rows. */
const nameOf = (index: number): string => (index === GATEWAYS - 1 ? GATEWAY : `other-${index}`);

export const ROWS = {
  post: { name: "a POST", readers: 0 },
  stream: { name: "a POST that 20 streams take", readers: 20 },
  gateways: {
    name: `a POST to one of ${GATEWAYS} gateways`,
    readers: 0,
    rest: Array.from({ length: GATEWAYS }, (_, index) =>
      gatewayOf(nameOf(index), ["api.poster", "api"], ["api.reader", "api"]),
    ).join("\n"),
  },
} as const satisfies Readonly<Record<string, Row>>;

export interface Effort {
  /** How often both programs are started. */
  readonly starts: number;
  /** After each start. */
  readonly rounds: number;
  /** In each of the four turns of a round. */
  readonly messages: number;
}

/** Starts both programs side by side, and has them relay in turns. */
export async function costs(
  programs: Programs,
  row: Row,
  { starts, rounds, messages }: Effort,
): Promise<readonly Pair[]> {
  const pairs: Pair[] = [];
  for (let start = 0; start < starts; start += 1) {
    await withBoth(programs, row, async (both) => {
      for (const stretch of both) await stretch(WARM);
      for (let round = 0; round < rounds; round += 1) {
        // What changes slowly while they take turns weighs on both alike; so does being the first.
        const swapped = round % 2 === 1;
        const [one, other] = swapped ? [both[1], both[0]] : both;
        const first = await one(messages);
        const second = await other(messages);
        const third = await other(messages);
        const fourth = await one(messages);
        const [outer, inner] = [mean(first, fourth), mean(second, third)];
        pairs.push(swapped ? [inner, outer] : [outer, inner]);
      }
    });
  }
  return pairs;
}

const mean = (one: Spent, other: Spent): Spent => ({
  cpuUs: (one.cpuUs + other.cpuUs) / 2,
  bytes: (one.bytes + other.bytes) / 2,
});

type Stretch = (messages: number) => Promise<Spent>;

function withBoth(
  programs: Programs,
  row: Row,
  use: (both: readonly [Stretch, Stretch]) => Promise<void>,
): Promise<void> {
  const started = <T>(index: 0 | 1, folder: string, then: (rialto: Rialto) => Promise<T>): Promise<T> => {
    const home = join(folder, String(index));
    mkdirSync(home);
    const rest = row.rest === undefined ? {} : { rest: row.rest };
    return withRialto({ folder: home, bin: programs[index], buffer: BUFFER, execArgv: COST_FLAGS, ...rest }, then);
  };
  return withScratch((folder) =>
    started(0, folder, (ours) =>
      withReaders(ours, row.readers, (first) =>
        started(1, folder, (theirs) => withReaders(theirs, row.readers, (second) => use([first, second]))),
      ),
    ),
  );
}

/** `use` with what sends messages to this program, and waits until all readers have them. */
async function withReaders(rialto: Rialto, count: number, use: (stretch: Stretch) => Promise<void>): Promise<void> {
  const readers = startReaders();
  const poster = await Poster.open(rialto.poster, messageBody(GATEWAY, BODY_BYTES), CONNECTIONS);
  let sent = 0;
  try {
    if (count > 0) await readers.ask({ do: "open", port: rialto.reader, count, exact: false });
    await use((messages) =>
      spent(rialto.process, messages, async () => {
        await poster.turn(messages);
        sent += messages;
        if (count === 0) return;
        const { fewest } = await readers.ask({ do: "await", messages: sent, quiet: QUIET_MS });
        if (fewest !== sent) throw new Error(`a reader had ${fewest} of ${sent} messages`);
      }),
    );
  } finally {
    poster.close();
    await readers.stop();
  }
}

/** Resident memory of each program in MiB, some time after a start without the probe. */
export async function idleMemory(programs: Programs, starts: number): Promise<readonly (readonly [number, number])[]> {
  const idle = (bin: string): Promise<number> =>
    withScratch((folder) =>
      withRialto({ folder, bin }, async ({ pid }) => {
        await delay(2000);
        return residentKiB(pid) / 1024;
      }),
    );
  const pairs: (readonly [number, number])[] = [];
  for (let start = 0; start < starts; start += 1) pairs.push([await idle(programs[0]), await idle(programs[1])]);
  return pairs;
}
