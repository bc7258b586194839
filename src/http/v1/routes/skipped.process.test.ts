import { expect, test } from "vitest";
import { type ApiSocket, openSocket } from "../../../../test/support/socket.ts";
import { isObject, listOf } from "../../../lib/shapes.ts";
import { SseClient } from "../sse-client.suite.ts";
import { type V1Stage, v1Stage } from "../stage.suite.ts";

const X = "net.a/#x";
const fields = (value: unknown): Readonly<Record<string, unknown>> => (isObject(value) ? value : {});

/** A log from which retention has taken some of what a consumer has not seen; the first seq that is left. */
async function behind(names: readonly string[]): Promise<{ readonly stage: V1Stage; readonly first: number }> {
  const stage = await v1Stage({ log: { retentionBytes: 256 * 1024, tailBytes: 0 } });
  for (const name of names)
    expect(await stage.ask("PUT", `/v1/consumers/${name}`, { body: {} })).toMatchObject({ status: 201 });
  for (let count = 0; count < 400; count += 1) await stage.say(X, { text: "x".repeat(2000) });
  for (let round = 0; round < 50; round += 1) await stage.log.sweep();
  const first = await stage.log.first();
  expect(first).toBeGreaterThan(1);
  expect(first).toBeLessThan(400);
  return { stage, first };
}

async function until(socket: ApiSocket, op: string) {
  for (;;) {
    const read = fields(JSON.parse((await socket.nextFrame()).data));
    if (read["op"] === op) return read;
  }
}

test("what retention takes before a consumer gets it is told by the pull with its count", async () => {
  const { stage, first } = await behind(["bot"]);
  const pull = async () => fields((await stage.ask("POST", "/v1/consumers/bot/pull", { body: { wait: "0s" } })).body);
  const one = await pull();
  expect(one["skipped"]).toBe(first - 1);
  expect(fields(fields(listOf(one["events"])[0])["event"])["seq"]).toBe(String(first));
  expect((await pull())["skipped"]).toBe(0);
});

test("by a stream as an event of its own", async () => {
  const { stage, first } = await behind(["bot"]);
  for (const path of ["/v1/consumers/bot/events", "/v1/events?after=0"]) {
    const client = await SseClient.open(stage.url + path);
    const [one, two] = await client.until(2);
    expect(one?.event).toBe("skipped");
    expect(JSON.parse(one?.data ?? "")).toEqual({
      type: "skipped",
      from: "1",
      to: String(first - 1),
      count: first - 1,
    });
    expect([two?.event, two?.id]).toEqual(["message.posted", String(first)]);
    client.cut();
  }
});

test("by a socket as a frame", async () => {
  const { stage, first } = await behind(["bot"]);
  const socket = await openSocket(`${stage.url.replace("http", "ws")}/v1/socket`);
  for (const [id, what] of Object.entries({ a: { consumer: "bot" }, b: { filter: {}, after: "0" } })) {
    socket.post({ op: "subscribe", id, ...what, credit: 1 });
    expect(await until(socket, "skipped")).toEqual({
      op: "skipped",
      id,
      from: "1",
      to: String(first - 1),
      count: first - 1,
    });
    expect(await until(socket, "event")).toMatchObject({ id, event: { seq: String(first) } });
  }
  await socket.close();
});
