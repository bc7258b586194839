import { describe, expect, test } from "vitest";
import { type ApiSocket, openSocket } from "../../../test/support/socket.ts";
import { v1Stage, type V1Stage } from "./stage.suite.ts";

const X = "net.a/#x";
const Y = "net.b/#y";

type Json = Readonly<Record<string, unknown>>;

async function frame(socket: ApiSocket): Promise<Json> {
  for (;;) {
    const read: unknown = JSON.parse((await socket.nextFrame()).data);
    if (typeof read === "object" && read !== null && "op" in read && read.op !== "heartbeat") return { ...read };
  }
}

async function connect(stage: V1Stage): Promise<ApiSocket> {
  const socket = await openSocket(`${stage.url.replace("http", "ws")}/v1/socket`);
  expect(await frame(socket)).toMatchObject({ op: "hello", heartbeat: 30_000 });
  return socket;
}

async function ask(socket: ApiSocket, asked: Json): Promise<Json> {
  socket.post(asked);
  return await frame(socket);
}

const seqOf = ({ event }: Json): unknown =>
  typeof event === "object" && event !== null && "seq" in event ? event.seq : null;

describe("subscriptions by filter", () => {
  test("bring what comes after a position, as far as there is credit, and then what comes", async () => {
    const stage = await v1Stage();
    const seqs = [await stage.say(X), await stage.say(Y), await stage.say(X)].map(String);
    const socket = await connect(stage);
    const subscribe = { op: "subscribe", id: "s", filter: { gateways: ["lobby"] }, after: "0", credit: 1 };
    expect(await ask(socket, subscribe)).toEqual({ op: "ok", id: "s", result: { after: "0" } });
    expect(await frame(socket)).toMatchObject({ op: "event", id: "s", event: { seq: seqs[0], gateways: ["lobby"] } });
    // Nothing comes before the credit, which is answered.
    expect(await ask(socket, { op: "credit", id: "s", credit: 2 })).toMatchObject({ op: "ok", id: "s" });
    expect(seqOf(await frame(socket))).toBe(seqs[2]);
    const live = String(await stage.say(X));
    expect(seqOf(await frame(socket))).toBe(live);
    expect(await ask(socket, { op: "unsubscribe", id: "s" })).toMatchObject({ op: "ok" });
    await stage.say(X);
    expect(await ask(socket, { op: "credit", id: "s", credit: 2 })).toMatchObject({
      op: "error",
      id: "s",
      problem: { status: 404, code: "not_found" },
    });
    await socket.close();
  });

  test("without a position they begin with what comes; many on one socket go on side by side", async () => {
    const stage = await v1Stage();
    await stage.say(X);
    const socket = await connect(stage);
    await ask(socket, { op: "subscribe", id: "a", filter: {}, credit: 10 });
    await ask(socket, { op: "subscribe", id: "b", filter: { gateways: ["den"] }, credit: 10 });
    const seqs = [await stage.say(X), await stage.say(Y)].map(String);
    const got = [await frame(socket), await frame(socket), await frame(socket)];
    expect(got.filter(({ id }) => id === "a").map(seqOf)).toEqual(seqs);
    expect(got.filter(({ id }) => id === "b").map(seqOf)).toEqual([seqs[1]]);
    await socket.close();
  });

  test("what retention took is told first", async () => {
    const clock = { now: Date.parse("2026-01-01T00:00:00Z") };
    const stage = await v1Stage({ log: { clock: () => clock.now, retentionDays: 1, tailBytes: 0 } });
    for (let count = 0; count < 3; count += 1) await stage.say(X);
    clock.now += 3 * 24 * 60 * 60 * 1000;
    await stage.log.sweep();
    const young = String(await stage.say(X));
    const socket = await connect(stage);
    await ask(socket, { op: "subscribe", id: "s", filter: {}, after: "0", credit: 10 });
    expect(await frame(socket)).toEqual({ op: "skipped", id: "s", from: "1", to: "3", count: 3 });
    expect(seqOf(await frame(socket))).toBe(young);
    await socket.close();
  });

  test("2000 events by small credits: each once, in order", async () => {
    const stage = await v1Stage();
    const all = Array.from({ length: 2000 }, async () => await stage.say(X));
    const seqs = (await Promise.all(all)).map(String);
    const socket = await connect(stage);
    await ask(socket, { op: "subscribe", id: "s", filter: {}, after: "0", credit: 7 });
    const got: unknown[] = [];
    while (got.length < seqs.length) {
      const next = await frame(socket);
      if (next["op"] !== "event") continue;
      got.push(seqOf(next));
      if (got.length % 7 === 0) socket.post({ op: "credit", id: "s", credit: 7 });
    }
    expect(got).toEqual(seqs);
    await socket.close();
  });
});

test("a consumer: what is acked does not come again, what is not does", async () => {
  const stage = await v1Stage();
  await stage.ask("PUT", "/v1/consumers/bot", { body: { start: "all", ack_wait: "10ms", backoff: ["10ms"] } });
  const seqs = [await stage.say(X), await stage.say(Y)].map(String);
  const socket = await connect(stage);
  socket.post({ op: "subscribe", id: "s", consumer: "bot", credit: 100 });
  const first: Json[] = [];
  while (first.filter(({ op }) => op === "event").length < 2) first.push(await frame(socket));
  expect(first[0]).toMatchObject({ op: "ok", id: "s" });
  expect(first[1]).toMatchObject({ delivery: 1, deadline: expect.any(String) as unknown, event: { seq: seqs[0] } });
  socket.post({ op: "ack", id: "a", consumer: "bot", upto: seqs[0] });
  for (;;) {
    const next = await frame(socket);
    if (next["id"] === "a") {
      expect(next).toMatchObject({ op: "ok", result: { floor: seqs[0] } });
      break;
    }
  }
  for (;;) {
    const next = await frame(socket);
    if (next["op"] === "event" && Number(next["delivery"]) > 2) {
      expect(seqOf(next)).toBe(seqs[1]);
      break;
    }
  }
  expect((await stage.ask("DELETE", "/v1/consumers/bot")).status).toBeLessThan(300);
  for (;;) {
    const next = await frame(socket);
    if (next["op"] !== "error") continue;
    expect(next).toMatchObject({ id: "s", problem: { status: 404 } });
    break;
  }
  await socket.close();
});

test("a post is answered by its message, and said once for one key; also when it is repeated over HTTP", async () => {
  const stage = await v1Stage();
  const socket = await connect(stage);
  const post = { op: "post", gateway: "lobby", key: "k", text: "hi", author: { name: "bo" } };
  const first = await ask(socket, { ...post, id: "1" });
  expect(first).toMatchObject({ op: "ok", id: "1", result: { message: { text: "hi" } } });
  expect(await ask(socket, { ...post, id: "2" })).toEqual({ ...first, id: "2" });
  const body = { text: "hi", author: { name: "bo" } };
  const over = await stage.ask("POST", "/v1/gateways/lobby/messages", { body, headers: { "Idempotency-Key": "k" } });
  expect(over.body).toEqual(first["result"]);
  expect(await ask(socket, { ...post, id: "3", text: "other" })).toMatchObject({
    op: "error",
    problem: { status: 422, code: "idempotency_mismatch" },
  });
  expect(await ask(socket, { op: "post", id: "4", gateway: "nowhere", text: "x" })).toMatchObject({
    problem: { status: 404 },
  });
  expect(await ask(socket, { op: "post", id: "5", gateway: "lobby", text: 7 })).toMatchObject({
    problem: { status: 400, errors: [{ pointer: "/text" }] },
  });
  expect(stage.log.head).toBe(1);
  await socket.close();
});

test("what one types is told to others who listen, and not to oneself", async () => {
  const stage = await v1Stage();
  const socket = await connect(stage);
  await ask(socket, { op: "subscribe", id: "all", filter: { mine: true, types: ["typing"] }, credit: 0 });
  await ask(socket, { op: "subscribe", id: "others", filter: { types: ["typing"] }, credit: 0 });
  socket.post({ op: "typing", id: "t", gateway: "lobby", author: { name: "bo" } });
  expect(await frame(socket)).toMatchObject({ op: "event", id: "all", event: { type: "typing", on: true } });
  expect(await frame(socket)).toEqual({ op: "ok", id: "t", result: {} });
  await socket.close();
});

test("a token: its scopes hold for each frame, and with its end the socket ends", async () => {
  const stage = await v1Stage({ token: "secret" });
  await stage.say(X);
  const text = await stage.token({ scopes: ["read"] });
  const socket = await openSocket(`${stage.url.replace("http", "ws")}/v1/socket`, { Authorization: `Bearer ${text}` });
  await frame(socket);
  expect(await ask(socket, { op: "post", id: "p", gateway: "lobby", text: "x" })).toMatchObject({
    op: "error",
    problem: { status: 403 },
  });
  await ask(socket, { op: "subscribe", id: "s", credit: 10 });
  await stage.tokens.revoke(text.split("_")[1] ?? "");
  expect(await socket.closed).toBe("1008 the token has ended");
});

test("what cannot be understood is answered by an error, and the socket stays", async () => {
  const stage = await v1Stage();
  await stage.say(X);
  const socket = await connect(stage);
  for (const text of ["{", "[]", "null", "7", '"x"', "{}", '{"op":"nonsense"}', '{"op":7}', '{"op":"__proto__"}']) {
    socket.send(text);
    expect(await frame(socket)).toMatchObject({ op: "error", id: null, problem: { status: 400 } });
  }
  const refused = async (asked: Json) => {
    const answer = await ask(socket, { id: "1", ...asked });
    expect(answer).toMatchObject({ op: "error", id: "1" });
    return answer["problem"];
  };
  expect(await refused({ op: "subscribe" })).toMatchObject({
    code: "bad_request",
    errors: expect.any(Array) as unknown,
  });
  expect(await refused({ op: "subscribe", credit: -1 })).toMatchObject({ code: "bad_request" });
  expect(await refused({ op: "subscribe", credit: 1, filter: { types: ["no"] } })).toMatchObject({
    code: "bad_request",
    errors: [{ pointer: "/filter/types/0" }],
  });
  expect(await refused({ op: "subscribe", credit: 1, filter: { gateways: ["no"] } })).toMatchObject({ status: 404 });
  expect(await refused({ op: "subscribe", credit: 1, after: "99" })).toMatchObject({ code: "position_unknown" });
  expect(await refused({ op: "subscribe", credit: 1, consumer: "none" })).toMatchObject({ status: 404 });
  expect(await refused({ op: "subscribe", credit: 1, consumer: "a", after: "0" })).toMatchObject({ status: 400 });
  expect(await refused({ op: "ack", consumer: "none", upto: "1" })).toMatchObject({ status: 404 });
  expect(await refused({ op: "ack", consumer: "none", upto: 1 })).toMatchObject({ status: 400 });
  expect(await refused({ op: "credit", credit: 1 })).toMatchObject({ status: 404 });
  expect(await ask(socket, { op: "heartbeat", id: "h" })).toEqual({ op: "ok", id: "h", result: {} });
  expect(await ask(socket, { op: "subscribe", id: "s", credit: 1 })).toMatchObject({ op: "ok" });
  expect(await ask(socket, { op: "subscribe", id: "s", credit: 1 })).toMatchObject({ problem: { status: 422 } });
  await socket.close();
});

test("a request that asks for no WebSocket is told to", async () => {
  const stage = await v1Stage();
  const answer = await stage.ask("GET", "/v1/socket");
  expect(answer).toMatchObject({ status: 426, body: { code: "upgrade_required" } });
  expect(answer.headers.get("upgrade")).toBe("websocket");
});

test("it ends with the server", async () => {
  const stage = await v1Stage();
  const socket = await connect(stage);
  await ask(socket, { op: "subscribe", id: "s", credit: 1 });
  await stage.servers.close();
  await socket.closed;
});
