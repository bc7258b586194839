import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { aConfig, aGateway } from "../gateway/samples.suite.ts";
import { compileRoutes } from "../gateway/routes.ts";
import type { Receipt } from "../log/log.ts";
import { Destinations, type DestinationOptions } from "./destinations.ts";

/** A log that answers each question some turns later, as its thread does. */
class SlowLog {
  readonly head = 9;
  readonly marksAsked: string[] = [];
  most = 0;
  #now = 0;

  readonly marks = async (prefix: string): Promise<ReadonlyMap<string, string>> => {
    this.marksAsked.push(prefix);
    return await this.#answer(new Map());
  };

  readonly ids = { refs: async (): Promise<readonly string[]> => await this.#answer([]) };

  async #answer<T>(value: T): Promise<T> {
    this.#now += 1;
    this.most = Math.max(this.most, this.#now);
    await turn();
    this.#now -= 1;
    return value;
  }
}

const ROOMS = 150;

function stage() {
  const log = new SlowLog();
  const rooms = Array.from({ length: ROOMS }, (_, at) => `#b${at}`);
  const routes = compileRoutes(aConfig([aGateway("g", ["in net.a #a", ...rooms.map((room) => `out net.b ${room}`)])]));
  const options = { log, routes, accounts: [] } as unknown as DestinationOptions;
  return { log, rooms, destinations: new Destinations(options) };
}

const ASKED = { seq: 1, subject: "net.a/#a", label: "", gone: false };

test("many places are looked at together, a bounded number of them, and told in the order of the configuration", async () => {
  const { log, rooms, destinations } = stage();
  const former: Receipt = { seq: 1, lane: "g/net.z/#z", state: "sent", detail: "{}" };
  const found = await destinations.of(ASKED, [former]);
  expect(found.map(({ channel }) => channel)).toEqual([...rooms, "#z"]);
  expect(log.most).toBeGreaterThan(10);
  expect(log.most).toBeLessThan(ROOMS);
});

test("where a lane stands is asked once, of however many messages the question is", async () => {
  const { log, destinations } = stage();
  for (const seq of [1, 2, 3]) await destinations.of({ ...ASKED, seq }, []);
  expect(log.marksAsked.length).toBeGreaterThanOrEqual(ROOMS);
  expect(new Set(log.marksAsked).size).toBe(log.marksAsked.length);
});
