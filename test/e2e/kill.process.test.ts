import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ApiClient } from "../support/client.ts";
import { toml } from "../support/config.ts";
import { type Rialto, startRialto } from "../support/rialto.ts";

/**
 * kill -9 under load: what was answered 200 reaches every kind of reader, and what may come twice is what
 * ARCHITECTURE.md says.
 *
 * Some lives of the program over one data folder. In each, posters post as fast as they are answered; one program
 * polls, one streams, one streams and connects anew all the time, and one has a WebSocket; then the program is killed.
 * What a reader got is what arrived whole at its side. `KILLS=30 POSTERS=24` makes it longer.
 */

const KILLS = Number(process.env["KILLS"] ?? 5);
const POSTERS = Number(process.env["POSTERS"] ?? 16);
const LIFE_MS = 1_200;
/** What the program that connects anew reads before it closes. */
const HOP = 40;

const readers = ["poller", "streamer", "hopper", "socket"];
const config = toml({
  accounts: { sender: {}, ...Object.fromEntries(readers.map((name) => [name, { Buffer: 1_000_000 }])) },
  gateways: { g: { inout: ["sender", ...readers] } },
});

/**
 * Messages are told apart by their text, `<life>/<poster>/<count>`. By connection, or poll answer: the texts in their
 * order.
 */
type Got = string[][];

interface Life {
  readonly answered: string[];
  readonly polled: Got;
  readonly streamed: Got;
  readonly hopped: Got;
  readonly socketed: Got;
}

const textOf = (line: string): string => (JSON.parse(line) as { text: string }).text;
const newLife = (): Life => ({ answered: [], polled: [], streamed: [], hopped: [], socketed: [] });

async function post(sender: ApiClient, life: number, poster: number, answered: string[]): Promise<void> {
  for (let count = 0; ; count += 1) {
    const text = `${life}/${poster}/${count}`;
    const headers = { "Content-Type": "application/json" };
    const sent = fetch(`${sender.url}/api/message`, { method: "POST", headers, body: JSON.stringify({ text }) });
    const status = await sent.then(
      async (answer) => (await answer.text(), answer.status),
      () => null,
    );
    if (status === null) return; // the program is dead: this message was not answered
    expect(status).toBe(200);
    answered.push(text);
  }
}

async function poll(poller: ApiClient, got: Got): Promise<void> {
  for (;;) {
    try {
      const texts = await poller.texts();
      if (texts.length > 0) got.push(texts);
    } catch {
      return;
    }
  }
}

async function hop(hopper: ApiClient, got: Got): Promise<void> {
  for (;;) {
    try {
      const open = await hopper.stream();
      for (let count = 0; count < HOP; count += 1) await open.nextLine().catch(() => (count = HOP));
      await open.close();
      got.push(open.lines.slice(1).map(textOf));
    } catch {
      return;
    }
  }
}

async function live(rialto: Rialto, number: number): Promise<Life> {
  const life = newLife();
  const stream = await rialto.client("streamer").stream();
  const socket = await rialto.client("socket").socket();
  const work = [poll(rialto.client("poller"), life.polled), hop(rialto.client("hopper"), life.hopped)];
  for (let poster = 0; poster < POSTERS; poster += 1) {
    work.push(post(rialto.client("sender"), number, poster, life.answered));
  }
  await new Promise((resolve) => setTimeout(resolve, LIFE_MS));
  await rialto.kill9();
  await Promise.all([...work, stream.ended, socket.closed]);
  // The greeting is line 0.
  life.streamed.push(stream.lines.slice(1).map(textOf));
  life.socketed.push(socket.frames.slice(1).map(({ data }) => textOf(data)));
  return life;
}

/** What is left for each reader after the last kill. */
async function end(rialto: Rialto): Promise<Life> {
  const life = newLife();
  life.polled.push(await rialto.client("poller").texts());
  const streams = [await rialto.client("streamer").stream(), await rialto.client("hopper").stream()] as const;
  const socket = await rialto.client("socket").socket();
  await rialto.client("sender").say({ text: "end" });
  const rest = async (reader: { next(): Promise<{ text: string }> }): Promise<string[]> => {
    const texts: string[] = [];
    for (let text = (await reader.next()).text; text !== "end"; text = (await reader.next()).text) texts.push(text);
    return texts;
  };
  life.streamed.push(await rest(streams[0]));
  life.hopped.push(await rest(streams[1]));
  life.socketed.push(await rest(socket));
  await Promise.all([...streams, socket].map(async (open) => await open.close()));
  return life;
}

/** The lives, and at last one that is not killed. */
const lives: Life[] = [];

beforeAll(
  async () => {
    const dataPath = await mkdtemp(path.join(os.tmpdir(), "rialto-kill-"));
    afterAll(async () => await rm(dataPath, { recursive: true, force: true }));
    for (let number = 0; number < KILLS; number += 1) {
      const rialto = await startRialto({ config, dataPath });
      lives.push(await live(rialto, number));
      await rialto.dispose();
    }
    const last = await startRialto({ config, dataPath });
    lives.push(await end(last));
    await last.dispose();
  },
  60_000 + KILLS * 20_000,
);

type Reader = Exclude<keyof Life, "answered">;

const answered = (): string[] => lives.flatMap((life) => life.answered);
const gotBy = (reader: Reader): string[] => lives.flatMap((life) => life[reader].flat());
function lost(reader: Reader): string[] {
  const known = new Set(gotBy(reader));
  return answered().filter((text) => !known.has(text));
}
function repeats(texts: readonly string[]): string[] {
  const seen = new Set<string>();
  return texts.filter((text) => seen.has(text) || !seen.add(text));
}

test.each(["polled", "streamed", "hopped", "socketed"] as const)("nothing that was answered is lost: %s", (reader) => {
  const got = gotBy(reader);
  console.log(
    `kill -9 x ${KILLS}, ${POSTERS} posters, ${reader}: ${answered().length} answered 200, ${got.length} came, ` +
      `${lost(reader).length} lost, ${repeats(got).length} twice`,
  );
  expect(answered().length).toBeGreaterThan(KILLS * POSTERS);
  expect(lost(reader)).toEqual([]);
});

test("what comes twice by polls was in the last answer before a kill", () => {
  const inFlight = new Set(lives.flatMap(({ polled }) => polled.at(-1) ?? []));
  expect(repeats(gotBy("polled")).filter((text) => !inFlight.has(text))).toEqual([]);
});

test.each(["streamed", "socketed"] as const)("a kill brings back the end of what was written: %s", (reader) => {
  for (const [number, life] of lives.entries()) {
    const before = lives[number - 1]?.[reader].flat() ?? [];
    const now = life[reader].flat();
    expect(repeats(now)).toEqual([]);
    const again = now.filter((text) => before.includes(text));
    expect(again).toEqual(again.length === 0 ? [] : before.slice(-again.length));
    expect(now.slice(0, again.length)).toEqual(again);
    // The position is on the disk with what a poster says next.
    const posters = again.map((text) => text.slice(0, text.lastIndexOf("/")));
    expect(repeats(posters)).toEqual([]);
  }
});
