import { expect, test } from "vitest";
import { openSocket, type ApiSocket } from "../../../../test/support/socket.ts";
import { isObject, listOf } from "../../../lib/shapes.ts";
import { SseClient } from "../sse-client.suite.ts";
import { type V1Stage, v1Stage } from "../stage.suite.ts";

/** What programs that end hold of a consumer: over pulls, streams and sockets. */

const X = "net.a/#x";
const fields = (value: unknown): Readonly<Record<string, unknown>> => (isObject(value) ? value : {});

/** A consumer, and events for it. */
async function stageOf(count: number, spec: object = {}) {
  const stage = await v1Stage();
  expect(await stage.ask("PUT", "/v1/consumers/bot", { body: spec })).toMatchObject({ status: 201 });
  return { stage, said: await say(stage, count) };
}

async function say(stage: V1Stage, count: number): Promise<string[]> {
  const said: string[] = [];
  for (let index = 0; index < count; index += 1) said.push(String(await stage.say(X)));
  return said;
}

async function pull(stage: V1Stage, body: object = {}): Promise<unknown[]> {
  const answer = await stage.ask("POST", "/v1/consumers/bot/pull", { body: { wait: "0s", ...body } });
  expect(answer).toMatchObject({ status: 200 });
  return listOf(fields(answer.body)["events"]).map((one) => fields(fields(one)["event"])["seq"]);
}

const ack = async (stage: V1Stage, body: object) => await stage.ask("POST", "/v1/consumers/bot/ack", { body });

const stream = async (stage: V1Stage): Promise<SseClient> =>
  await SseClient.open(`${stage.url}/v1/consumers/bot/events`);
const idsOf = async (client: SseClient, count: number) =>
  (await client.until(count)).slice(0, count).map(({ id }) => id);

async function subscribe(stage: V1Stage, credit: number): Promise<ApiSocket> {
  const socket = await openSocket(`${stage.url.replace("http", "ws")}/v1/socket`);
  socket.post({ op: "subscribe", id: "s", consumer: "bot", credit });
  return socket;
}

async function eventsOf(socket: ApiSocket, count: number): Promise<unknown[]> {
  const seqs: unknown[] = [];
  while (seqs.length < count) {
    const frame = fields(JSON.parse((await socket.nextFrame()).data));
    if (frame["op"] === "event") seqs.push(fields(frame["event"])["seq"]);
  }
  return seqs;
}

test.each([true, false])("upto acknowledges nothing that an earlier pull holds (ordered: %s)", async (ordered) => {
  const { stage, said } = await stageOf(8, { ordered, ack_wait: "1h" });
  expect(await pull(stage, { max: 4 })).toEqual(said.slice(0, 4));
  expect(await pull(stage, { max: 4 })).toEqual(said.slice(4));
  const refused = await ack(stage, { upto: said[7] });
  expect(refused).toMatchObject({ status: 409, body: { code: "events_held", held: said.slice(0, 4) } });
  expect(fields(refused.body)["detail"]).toContain(said.slice(0, 4).join(", "));
  expect(await ack(stage, { ack: said.slice(4) })).toMatchObject({ status: 200, body: { floor: "0", in_flight: 4 } });
  expect(await ack(stage, { upto: said[7] })).toMatchObject({ status: 409 });
  expect(await pull(stage, { restart: true })).toEqual(said.slice(0, 4));
  expect(await ack(stage, { upto: said[3] })).toMatchObject({ status: 200, body: { floor: said[7], in_flight: 0 } });
});

test("fetching in advance goes on: each pull is acknowledged up to its end", async () => {
  const { stage, said } = await stageOf(6, { max_in_flight: 4 });
  expect([await pull(stage, { max: 2 }), await pull(stage, { max: 4 })]).toEqual([said.slice(0, 2), said.slice(2, 4)]);
  expect(await ack(stage, { upto: said[1] })).toMatchObject({ status: 200, body: { in_flight: 2 } });
  expect(await ack(stage, { upto: said[3] })).toMatchObject({ status: 200, body: { floor: said[3], in_flight: 0 } });
  expect(await pull(stage)).toEqual(said.slice(4));
});

test.each(["upto", "ack", "drop"])("%s of an event that was never handed out is refused", async (key) => {
  const stage = await v1Stage();
  const before = await say(stage, 3);
  // Also where the log had it before the consumer was made.
  await stage.ask("PUT", "/v1/consumers/bot", { body: { start: "all" } });
  const said = [...before, ...(await say(stage, 3))];
  expect(await pull(stage, { max: 1 })).toEqual(said.slice(0, 1));
  for (const seq of [said[1], said[4], "9999"]) {
    const body = key === "upto" ? { upto: seq } : { [key]: [seq] };
    expect(await ack(stage, body)).toMatchObject({ status: 422, body: { code: "unprocessable" } });
  }
  expect(await stage.ask("GET", "/v1/consumers/bot")).toMatchObject({ body: { floor: "0", in_flight: 1, dead: 0 } });
  expect(await pull(stage)).toEqual(said.slice(1));
});

test("what a stream held comes again at once, in order, before anything newer", async () => {
  const { stage, said } = await stageOf(5, { max_in_flight: 5, ack_wait: "1h" });
  const first = await stream(stage);
  expect(await idsOf(first, 5)).toEqual(said);
  expect(await ack(stage, { ack: [said[3]] })).toMatchObject({ status: 200 });
  first.cut();
  const more = await say(stage, 2);
  const second = await stream(stage);
  expect(await idsOf(second, 5)).toEqual([...said.slice(0, 3), said[4], more[0]]);
  expect(await ack(stage, { upto: more[0] })).toMatchObject({ status: 200, body: { floor: more[0] } });
  expect(await idsOf(second, 6)).toContain(more[1]);
});

test("what a socket held comes again at once, in order, before anything newer", async () => {
  const { stage, said } = await stageOf(8, { ack_wait: "1h" });
  const first = await subscribe(stage, 5);
  expect(await eventsOf(first, 5)).toEqual(said.slice(0, 5));
  expect(await ack(stage, { ack: [said[3]] })).toMatchObject({ status: 200 });
  await first.close();
  const second = await subscribe(stage, 100);
  const again = [...said.slice(0, 3), ...said.slice(4)];
  expect(await eventsOf(second, 7)).toEqual(again);
  second.post({ op: "ack", id: "a", consumer: "bot", upto: said[7] });
  for (;;) {
    const frame = fields(JSON.parse((await second.nextFrame()).data));
    if (frame["id"] !== "a") continue;
    expect(frame).toMatchObject({ op: "ok", result: { floor: said[7], in_flight: 0 } });
    break;
  }
});

test("one subscription does not acknowledge what another one holds, and gives back when it is ended", async () => {
  const { stage, said } = await stageOf(4, { ack_wait: "1h" });
  const socket = await subscribe(stage, 2);
  expect(await eventsOf(socket, 2)).toEqual(said.slice(0, 2));
  socket.post({ op: "subscribe", id: "t", consumer: "bot", credit: 2 });
  expect(await eventsOf(socket, 2)).toEqual(said.slice(2));
  socket.post({ op: "ack", id: "a", consumer: "bot", upto: said[3] });
  const refused = fields(JSON.parse((await socket.nextFrame()).data));
  expect(refused).toMatchObject({ op: "error", problem: { code: "events_held", held: said.slice(0, 2) } });
  socket.post({ op: "unsubscribe", id: "s" });
  socket.post({ op: "credit", id: "t", credit: 4 });
  // Ordered: what the other one got after it comes again behind it.
  expect(await eventsOf(socket, 4)).toEqual(said);
  await socket.close();
});

test("a client that crashes at the same event reaches max_deliver, and one that closes does not", async () => {
  const { stage, said } = await stageOf(2, { ack_wait: "1h", max_deliver: 2 });
  const dead = async () => fields((await stage.ask("GET", "/v1/consumers/bot")).body)["dead"];
  for (let times = 0; times < 3; times += 1) {
    const socket = await subscribe(stage, 2);
    expect(await eventsOf(socket, 2)).toEqual(said);
    await socket.close();
  }
  expect(await dead()).toBe(0);
  for (let times = 0; times < 2; times += 1) {
    const client = await stream(stage);
    expect(await idsOf(client, 2)).toEqual(said);
    client.cut();
  }
  expect(await pull(stage, { wait: "30s" })).toEqual(said.slice(1));
  expect(await dead()).toBe(1);
});

test("after a restart of the service an ack by list counts, and upto counts for what came since", async () => {
  const { stage, said } = await stageOf(4, { ack_wait: "1h" });
  expect(await pull(stage, { max: 3 })).toEqual(said.slice(0, 3));
  await stage.change(stage.config, "api.game");
  expect(await ack(stage, { ack: [said[1]] })).toMatchObject({ status: 200 });
  expect(await ack(stage, { upto: said[2] })).toMatchObject({ status: 422 });
  expect(await pull(stage)).toEqual([said[0], said[2], said[3]]);
  expect(await ack(stage, { upto: said[3] })).toMatchObject({ status: 200, body: { floor: said[3], in_flight: 0 } });
});
