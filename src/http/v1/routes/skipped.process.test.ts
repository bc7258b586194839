import { expect, test } from "vitest";
import { type ApiSocket, openSocket } from "../../../../test/support/socket.ts";
import { isObject, listOf } from "../../../lib/shapes.ts";
import { scratchFolder } from "../../../log/sqlite/scratch.suite.ts";
import { SseClient } from "../sse-client.suite.ts";
import { type V1Stage, v1Stage } from "../stage.suite.ts";

const X = "net.a/#x";
const fields = (value: unknown): Readonly<Record<string, unknown>> => (isObject(value) ? value : {});

interface Behind {
  readonly stage: V1Stage;
  /** The first seq that is left. */
  readonly first: number;
  /** The same log in another run of the service. */
  readonly restarted: () => Promise<V1Stage>;
}

/** A log from which retention has taken some of what a consumer has not seen. */
async function behind(names: readonly string[]): Promise<Behind> {
  const settings = { log: { retentionBytes: 1024 * 1024, tailBytes: 0 }, dataPath: scratchFolder() };
  const stage = await v1Stage(settings);
  for (const name of names)
    expect(await stage.ask("PUT", `/v1/consumers/${name}`, { body: {} })).toMatchObject({ status: 201 });
  // What is left is more than one page of the feed.
  for (let count = 0; count < 150; count += 1) await stage.say(X, { text: "x".repeat(20_000) });
  for (let round = 0; round < 50; round += 1) await stage.log.sweep();
  const first = await stage.log.first();
  expect(first).toBeGreaterThan(1);
  expect(first).toBeLessThan(120);
  const restarted = async (): Promise<V1Stage> => {
    await stage.stop();
    return await v1Stage(settings);
  };
  return { stage, first, restarted };
}

const pulled = async (stage: V1Stage, name: string, body: object = {}) =>
  fields((await stage.ask("POST", `/v1/consumers/${name}/pull`, { body: { wait: "0s", ...body } })).body);

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

test.each([
  ["with few events at once", { max: 10 }],
  ["with all events at once", { max: 1000, bytes: 8_388_608 }],
  ["when it waits", { max: 1000, bytes: 8_388_608, wait: "10s" }],
])("it is told once after a restart, to a pull %s", async (_, body) => {
  const { first, restarted } = await behind(["bot"]);
  const stage = await restarted();
  const one = await pulled(stage, "bot", body);
  expect(one["skipped"]).toBe(first - 1);
  expect(fields(fields(listOf(one["events"])[0])["event"])["seq"]).toBe(String(first));
  expect((await pulled(stage, "bot"))["skipped"]).toBe(0);
});

test.each([false, true])(
  "each start of a consumer and each seek begins with its gap (restarted: %s)",
  async (isLater) => {
    const { stage: before, first, restarted } = await behind([]);
    const stage = isLater ? await restarted() : before;
    const starts: readonly (readonly [unknown, number])[] = [
      ["all", first - 1],
      [{ after: "0" }, first - 1],
      [{ after: String(first - 3) }, 2],
      [{ after: String(first - 1) }, 0],
      [{ time: "2001-01-01T00:00:00Z" }, first - 1],
      [{ last: 1000 }, 0],
      ["new", 0],
    ];
    for (const [index, [start, wanted]] of starts.entries()) {
      const name = `c${index}`;
      expect(await stage.ask("PUT", `/v1/consumers/${name}`, { body: { start } })).toMatchObject({ status: 201 });
      expect({ start, skipped: (await pulled(stage, name))["skipped"] }).toEqual({ start, skipped: wanted });
      await stage.ask("PUT", `/v1/consumers/seeks`, { body: {} });
      const body = typeof start === "string" ? JSON.stringify(start) : start;
      const headers = { "Content-Type": "application/json" };
      expect(await stage.ask("POST", "/v1/consumers/seeks/seek", { body, headers })).toMatchObject({ status: 200 });
      expect({ start, skipped: (await pulled(stage, "seeks"))["skipped"] }).toEqual({ start, skipped: wanted });
    }
  },
);

test("what retention takes of events that were handed out and have to come again is told", async () => {
  const settings = { log: { retentionBytes: 256 * 1024, tailBytes: 0 } };
  const stage = await v1Stage(settings);
  await stage.ask("PUT", "/v1/consumers/bot", { body: { ack_wait: "1h" } });
  for (let count = 0; count < 3; count += 1) await stage.say(X, { text: "x".repeat(2000) });
  expect(listOf((await pulled(stage, "bot"))["events"])).toHaveLength(3);
  for (let count = 0; count < 400; count += 1) await stage.say(X, { text: "x".repeat(2000) });
  await stage.log.sweep();
  const first = await stage.log.first();
  expect(first).toBeGreaterThan(4);
  // Nothing that was read before is kept in memory after a reload.
  await stage.change(stage.config);
  expect(await pulled(stage, "bot", { restart: true })).toMatchObject({ events: [], skipped: 3 });
  const next = await pulled(stage, "bot");
  expect(next["skipped"]).toBe(first - 4);
  expect(fields(fields(listOf(next["events"])[0])["event"])["seq"]).toBe(String(first));
});

test("by a stream as an event of its own", async () => {
  const { first, restarted } = await behind(["bot"]);
  const stage = await restarted();
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
