import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { toml } from "../support/config.ts";
import { type Rialto, startRialto } from "../support/rialto.ts";

/**
 * kill -9 under load, with acks in flight: what a consumer was told is acknowledged never comes to it again, and all
 * that was answered comes. One that never acknowledges is there all the time. `KILLS=10` makes it longer.
 */

const KILLS = Number(process.env["KILLS"] ?? 4);
const POSTERS = 16;
const LIFE_MS = 1_200;
const NAMES = ["whole", "single", "unordered", "small"];
const SPECS: Readonly<Record<string, object>> = {
  whole: { max_in_flight: 1000 },
  single: { max_in_flight: 50 },
  unordered: { ordered: false, max_in_flight: 200 },
  small: { max_in_flight: 5, ack: "all" },
};
const config = toml({
  accounts: { sender: {}, reader: {} },
  gateways: { g: { inout: ["sender", "reader"] } },
});

interface Delivery {
  readonly event: { readonly seq: string; readonly message: { readonly text: string } };
}

/** Of one consumer, over all lives. */
interface Told {
  readonly acked: Set<string>;
  readonly seen: Set<string>;
  readonly again: string[];
  /** Acks that nobody has answered: they may count or not. */
  lost: number;
}

const told = new Map(
  NAMES.map((name): [string, Told] => [name, { acked: new Set(), seen: new Set(), again: [], lost: 0 }]),
);
const answered: string[] = [];
let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "rialto-consumers-"));
});
afterAll(async () => await rm(folder, { recursive: true, force: true }));

/** Null: the program is dead. */
async function ask(url: string, body: object, method: "POST" | "PUT" = "POST"): Promise<unknown> {
  const headers = { "Content-Type": "application/json" };
  try {
    const answer = await fetch(url, { method, headers, body: JSON.stringify(body) });
    const text = await answer.text();
    expect([200, 201]).toContain(answer.status);
    return JSON.parse(text) as unknown;
  } catch (error) {
    if (error instanceof TypeError || error instanceof SyntaxError) return null;
    throw error;
  }
}

async function post(url: string, life: number, poster: number, isOver: () => boolean): Promise<void> {
  for (let count = 0; !isOver(); count += 1) {
    const text = `${life}/${poster}/${count}`;
    if ((await ask(`${url}/api/message`, { text })) === null) return;
    answered.push(text);
  }
}

/** Pulls and acknowledges until the program is dead, or nothing more comes. */
async function consume(url: string, name: string, isOver: () => boolean): Promise<void> {
  const { acked, seen, again } = told.get(name) as Told;
  for (;;) {
    const pulled = await ask(`${url}/v1/consumers/${name}/pull`, { max: 20, wait: isOver() ? "0s" : "1s" });
    if (pulled === null) return;
    const { events } = pulled as { readonly events: readonly Delivery[] };
    if (events.length === 0 && isOver()) return;
    for (const { event } of events) {
      seen.add(event.message.text);
      if (acked.has(event.seq)) again.push(event.seq);
    }
    if (
      !(await acknowledge(
        url,
        name,
        events.map(({ event }) => event.seq),
      ))
    )
      return;
  }
}

async function acknowledge(url: string, name: string, seqs: readonly string[]): Promise<boolean> {
  const state = told.get(name) as Told;
  const done = async (body: object, ...those: readonly string[]): Promise<boolean> => {
    const answer = await ask(`${url}/v1/consumers/${name}/ack`, body);
    if (answer === null) state.lost += 1;
    else for (const seq of those) state.acked.add(seq);
    return answer !== null;
  };
  if (seqs.length === 0) return true;
  if (name === "whole" || name === "small") return await done({ upto: seqs.at(-1) }, ...seqs);
  const all = await Promise.all(seqs.map(async (seq) => await done({ ack: [seq] }, seq)));
  return all.every(Boolean);
}

async function live(life: number, rialto: Rialto): Promise<void> {
  const [sender, reader] = [rialto.url("api.sender"), rialto.url("api.reader")];
  for (const name of NAMES) await ask(`${reader}/v1/consumers/${name}`, { ...SPECS[name], start: "all" }, "PUT");
  await ask(`${reader}/v1/consumers/stuck`, { start: "all", max_in_flight: 10 }, "PUT");
  await ask(`${reader}/v1/consumers/stuck/pull`, { wait: "0s" });
  const isLast = life === KILLS;
  const until = Date.now() + LIFE_MS;
  const isOver = (): boolean => isLast && Date.now() > until;
  const posting = Promise.all(
    Array.from({ length: POSTERS }, async (_, poster) => await post(sender, life, poster, isOver)),
  );
  const whole = posting.then(() => true);
  let isPosted = false;
  void whole.then(() => (isPosted = true));
  const consuming = Promise.all(NAMES.map(async (name) => await consume(reader, name, () => isLast && isPosted)));
  if (!isLast) {
    await new Promise((resolve) => setTimeout(resolve, LIFE_MS));
    await rialto.kill9();
  }
  await Promise.all([posting, consuming]);
}

test("kill -9: nothing acknowledged comes again, and nothing answered is lost", async () => {
  for (let life = 0; life <= KILLS; life++) {
    const rialto = await startRialto({ config, dataPath: folder });
    await live(life, rialto);
    if (life === KILLS) await rialto.stop();
  }
  expect(answered.length).toBeGreaterThan(POSTERS * KILLS);
  for (const [name, { acked, seen, again, lost }] of told) {
    expect({ name, again }).toEqual({ name, again: [] });
    expect({ name, missing: answered.filter((text) => !seen.has(text)) }).toEqual({ name, missing: [] });
    expect(acked.size).toBeGreaterThan(0);
    process.stdout.write(`${name}: ${seen.size} seen, ${acked.size} acked, ${lost} acks unanswered\n`);
  }
});
