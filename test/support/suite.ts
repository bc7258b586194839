import { afterAll, afterEach, beforeAll, onTestFailed, onTestFinished } from "vitest";
import type { ApiClient } from "./client.ts";
import { type Settings, toml } from "./config.ts";
import { type Rialto, type RialtoOptions, startRialto } from "./rialto.ts";

/** One program for a whole file; call at the top. What it printed is shown beside a test that failed. */
export function useRialto(options: RialtoOptions): () => Rialto {
  let running: Rialto | null = null;
  const rialto = (): Rialto => {
    if (!running) throw new Error("the program is not running yet");
    return running;
  };
  let shown = 0;
  beforeAll(async () => {
    running = await startRialto(options);
  });
  afterEach(({ task }) => {
    const output = running?.output() ?? "";
    if (task.result?.state === "fail" && output.length > shown) {
      console.error(`the program printed during "${task.name}" or before:\n${output.slice(shown).slice(-4_000)}`);
    }
    shown = output.length;
  });
  afterAll(async () => await running?.dispose());
  return rialto;
}

/** A program for one test, which may stop, kill and start it again. */
export async function launch(options: RialtoOptions): Promise<Rialto> {
  const rialto = await startRialto(options);
  onTestFinished(async () => await rialto.dispose());
  onTestFailed(() => console.error(`the program printed:\n${rialto.output().slice(-4_000)}`));
  return rialto;
}

/** A gateway of its own with two accounts, so that tests in one file do not see each other's messages. */
export interface Room {
  readonly gateway: string;
  readonly sender: ApiClient;
  readonly reader: ApiClient;
  readonly senderAccount: string;
  readonly readerAccount: string;
}

/** One program with `count` rooms; every test takes the next. */
export function useRooms(count: number, reader: Settings = {}): () => Room {
  const numbers = Array.from({ length: count }, (_, at) => at + 1);
  const rialto = useRialto({
    config: toml({
      accounts: Object.fromEntries(
        numbers.flatMap((n) => [
          [`sender${n}`, { Buffer: 1000 }],
          [`reader${n}`, { Buffer: 1000, ...reader }],
        ]),
      ),
      gateways: Object.fromEntries(numbers.map((n) => [`room${n}`, { inout: [`sender${n}`, `reader${n}`] }])),
    }),
  });
  let taken = 0;
  return () => {
    taken += 1;
    if (taken > count) throw new Error(`this file needs more than ${count} rooms`);
    return {
      gateway: `room${taken}`,
      sender: rialto().client(`sender${taken}`),
      reader: rialto().client(`reader${taken}`),
      senderAccount: `api.sender${taken}`,
      readerAccount: `api.reader${taken}`,
    };
  };
}
