import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import type { ApiClient } from "../support/client.ts";
import { toml } from "../support/config.ts";
import { type Rialto, startRialto } from "../support/rialto.ts";

/**
 * kill -9 under load: what was answered 200 is there afterwards, and nothing comes twice but one poll answer that was on its way.
 *
 * Five lives of the program over one data folder. In each, posters post as fast as they are answered, one program polls and one
 * streams; then the program is killed. What a reader got is what arrived whole at its side.
 */

const LIVES = 5;
const POSTERS = 16;
const LIFE_MS = 1_200;

const config = toml({
  accounts: { sender: {}, poller: { Buffer: 1_000_000 }, streamer: { Buffer: 1_000_000 } },
  gateways: { g: { inout: ["sender", "poller", "streamer"] } },
});

/** Messages are told apart by their text, `<life>/<poster>/<count>`. */
interface Ledger {
  readonly answered: string[];
  /** Texts by life and poll answer; the life after the last kill is one more. */
  readonly polled: string[][][];
  readonly streamed: string[];
}

async function post(sender: ApiClient, life: number, poster: number, ledger: Ledger): Promise<void> {
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
    ledger.answered.push(text);
  }
}

async function poll(poller: ApiClient, answers: string[][]): Promise<void> {
  for (;;) {
    try {
      const texts = await poller.texts();
      if (texts.length > 0) answers.push(texts);
    } catch {
      return;
    }
  }
}

async function stream(streamer: ApiClient, ledger: Ledger): Promise<() => void> {
  const open = await streamer.stream();
  // The greeting is line 0.
  return () => {
    for (const line of open.lines.slice(1)) ledger.streamed.push((JSON.parse(line) as { text: string }).text);
  };
}

async function live(rialto: Rialto, life: number, ledger: Ledger): Promise<void> {
  const collect = await stream(rialto.client("streamer"), ledger);
  const sender = rialto.client("sender");
  const answers: string[][] = [];
  ledger.polled.push(answers);
  const work = [poll(rialto.client("poller"), answers)];
  for (let poster = 0; poster < POSTERS; poster += 1) work.push(post(sender, life, poster, ledger));
  await new Promise((resolve) => setTimeout(resolve, LIFE_MS));
  await rialto.kill9();
  await Promise.all(work);
  collect();
}

const repeats = (texts: readonly string[]): string[] => {
  const seen = new Set<string>();
  return texts.filter((text) => seen.has(text) || !seen.add(text));
};

test("kill -9 five times under load loses nothing that was answered", { timeout: 60_000 }, async () => {
  const dataPath = await mkdtemp(path.join(os.tmpdir(), "rialto-kill-"));
  const ledger: Ledger = { answered: [], polled: [], streamed: [] };
  try {
    for (let life = 0; life < LIVES; life += 1) {
      const rialto = await startRialto({ config, dataPath });
      await live(rialto, life, ledger);
      await rialto.dispose();
    }
    const last = await startRialto({ config, dataPath });
    ledger.polled.push([await last.client("poller").texts()]);
    const open = await last.client("streamer").stream();
    await last.client("sender").say({ text: "end" });
    for (let text = ""; text !== "end";) {
      text = (await open.next()).text;
      if (text !== "end") ledger.streamed.push(text);
    }
    await open.close();
    await last.dispose();
  } finally {
    await rm(dataPath, { recursive: true, force: true });
  }

  const polled = ledger.polled.flat(2);
  const missing = (seen: readonly string[]): string[] => {
    const known = new Set(seen);
    return ledger.answered.filter((text) => !known.has(text));
  };
  const inFlight = new Set(ledger.polled.flatMap((answers) => answers.at(-1) ?? []));
  console.log(
    `kill -9 x ${LIVES}: ${ledger.answered.length} answered 200; polls: ${ledger.polled.flat().length} answers with ` +
      `${polled.length} messages, ${repeats(polled).length} twice; stream: ${ledger.streamed.length} messages, ` +
      `${repeats(ledger.streamed).length} twice`,
  );
  expect(ledger.answered.length).toBeGreaterThan(LIVES * POSTERS);
  expect(missing(polled)).toEqual([]);
  expect(missing(ledger.streamed)).toEqual([]);
  expect(repeats(ledger.streamed)).toEqual([]);
  // Only the last answer of a life may come again in the next one.
  expect(repeats(polled).filter((text) => !inFlight.has(text))).toEqual([]);
});
