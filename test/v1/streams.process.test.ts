import { describe, expect, test } from "vitest";
import { toml } from "../support/config.ts";
import type { ApiSocket } from "../support/socket.ts";
import { useRialto } from "../support/suite.ts";
import { askSocket, expectProblem, frameWith, nextSse, seqs, V1 } from "./client.ts";

const accounts = { left: {}, right: {} };
const gateways = { lobby: { inout: ["left", "right"] }, side: { inout: ["left", "right"] } };
const rialto = useRialto({ config: toml({ accounts, gateways }) });
const left = (): V1 => new V1(rialto().url("api.left"));
const right = (): V1 => new V1(rialto().url("api.right"));

/** A message of `left`, for the position behind it. */
const position = async (): Promise<string> => await left().say("lobby", "before");

describe("server-sent events", () => {
  test("begin with retry, and have id, event and data", async () => {
    const stream = await right().stream("/v1/events");
    expect(stream.status).toBe(200);
    expect(stream.headers["content-type"]).toMatch(/^text\/event-stream/u);
    expect(stream.headers["last-event-id"]).toMatch(/^\d+$/u);
    const id = await left().say("lobby", "now");
    const { data, ...fields } = await nextSse(stream);
    expect(fields).toEqual({ id, event: "message.posted" });
    expect(data).toMatchObject({ seq: id, type: "message.posted", gateways: ["lobby"] });
    expect(stream.lines).toContain("retry: 2000");
    await stream.close();
  });

  test("go on behind Last-Event-ID, and say so", async () => {
    const from = await position();
    const said = [await left().say("lobby", "a"), await left().say("lobby", "b")];
    const stream = await right().stream("/v1/events", { "Last-Event-ID": from });
    expect(stream.headers["last-event-id"]).toBe(from);
    for (const id of said) expect((await nextSse(stream)).id).toBe(id);
    await stream.close();
  });

  test("or behind `after`; the header of a reconnect is newer than the address", async () => {
    const from = await position();
    const said = [await left().say("lobby", "a"), await left().say("lobby", "b")];
    const stream = await right().stream(`/v1/events?after=${from}`);
    expect(stream.headers["last-event-id"]).toBe(from);
    expect((await nextSse(stream)).id).toBe(said[0]);
    await stream.close();
    const again = await right().stream(`/v1/events?after=${from}`, { "Last-Event-ID": said[0] ?? "" });
    expect((await nextSse(again)).id).toBe(said[1]);
    await again.close();
  });

  test("after=0 is the beginning of the log", async () => {
    await position();
    const stream = await right().stream("/v1/events?after=0");
    expect(stream.headers["last-event-id"]).toBe("0");
    const all = await right().consumer({ start: "all" });
    expect((await nextSse(stream)).id).toBe(seqs(await right().pull(all, { max: 1, wait: "5s" }))[0]);
    await stream.close();
  });

  test("of each account that reads the gateway have what a program types; of its own account with `mine`", async () => {
    const heard = [
      await right().stream("/v1/events?types=typing&gateways=lobby"),
      await left().stream("/v1/events?types=typing&mine=true"),
    ];
    const unheard = [
      await right().stream("/v1/events?gateways=side"),
      await left().stream("/v1/events?gateways=lobby"),
    ];
    const body = { author: { id: "a1", name: "ann" } };
    expect((await left().ask("POST", "/v1/gateways/lobby/typing", { body })).status).toBe(204);
    for (const [at, stream] of heard.entries()) {
      expect((await nextSse(stream)).data).toMatchObject({
        type: "typing",
        on: true,
        gateways: ["lobby"],
        source: { account: "api.left", protocol: "api", channel: "api" },
        author: { id: "a1", name: "ann", mine: at === 1 },
      });
    }
    await right().say("lobby", "to left");
    await right().say("side", "to left as well");
    await left().say("side", "to right");
    for (const stream of unheard) expect((await nextSse(stream)).data.type).toBe("message.posted");
    for (const stream of [...heard, ...unheard]) await stream.close();
  });

  test("of each account have what a socket types", async () => {
    const stream = await right().stream("/v1/events?types=typing");
    const socket = await left().socket();
    await askSocket(socket, { op: "typing", id: "t", gateway: "side", author: { name: "bo" } });
    expect((await nextSse(stream)).data).toMatchObject({ type: "typing", gateways: ["side"], author: { name: "bo" } });
    await socket.close();
    await stream.close();
  });

  test("filter by gateways and types", async () => {
    const stream = await right().stream("/v1/events?gateways=side&types=message.edited");
    await left().say("lobby", "elsewhere");
    const id = await left().say("side", "here");
    await left().ask("PATCH", `/v1/messages/${id}`, { body: { text: "changed" } });
    expect((await nextSse(stream)).data).toMatchObject({ type: "message.edited", message: { text: "changed" } });
    await stream.close();
  });

  test.for(["999999999999", "9007199254740991"])("a position of another log (%s) is 410", async (id) => {
    const headers = { "Last-Event-ID": id };
    expectProblem(await right().ask("GET", "/v1/events", { headers }), 410, "position_unknown");
    expectProblem(await right().ask("GET", `/v1/events?after=${id}`), 410, "position_unknown");
  });

  test("a consumer that begins at a position of another log is refused likewise", async () => {
    const body = { start: { after: "999999999999" } };
    expectProblem(await right().ask("PUT", "/v1/consumers/beyond", { body }), 410, "position_unknown");
  });

  test("a comment comes every 15 s", async () => {
    const stream = await right().stream("/v1/events?gateways=side");
    for (;;) if ((await stream.nextLine()).startsWith(":")) break;
    await stream.close();
  });
});

describe("the WebSocket", () => {
  async function open(): Promise<ApiSocket> {
    const socket = await right().socket();
    expect(JSON.parse((await socket.nextFrame()).data)).toMatchObject({ op: "hello", heartbeat: 30_000 });
    return socket;
  }
  const events = async (socket: ApiSocket, count: number): Promise<string[]> => {
    const all: string[] = [];
    while (all.length < count) {
      const { event } = (await frameWith(socket, { op: "event" })) as { event?: { seq: string } };
      all.push(event?.seq ?? "no event");
    }
    return all;
  };

  test("a subscription by filter and position brings events", async () => {
    const from = await position();
    const id = await left().say("lobby", "a");
    const socket = await open();
    const subscribe = { op: "subscribe", id: "1", filter: { gateways: ["lobby"] }, after: from, credit: 10 };
    expect(await askSocket(socket, subscribe)).toMatchObject({ op: "ok", id: "1" });
    expect(await events(socket, 1)).toEqual([id]);
    await socket.close();
  });

  test("no more events than credits", async () => {
    const from = await position();
    const said = [await left().say("lobby", "a"), await left().say("lobby", "b")];
    const socket = await open();
    socket.post({ op: "subscribe", id: "1", filter: { gateways: ["lobby"] }, after: from, credit: 1 });
    expect(await events(socket, 1)).toEqual(said.slice(0, 1));
    expect(await askSocket(socket, { op: "post", id: "p", gateway: "side", key: "k1", text: "x" })).toMatchObject({
      op: "ok",
    });
    expect(socket.frames.filter(({ data }) => data.includes('"op":"event"'))).toHaveLength(1);
    socket.post({ op: "credit", id: "1", credit: 5 });
    expect(await events(socket, 1)).toEqual(said.slice(1));
    await socket.close();
  });

  test("a subscription by consumer is acked, and what is acked does not come again", async () => {
    const name = await right().consumer({ start: "new" });
    const said = [await left().say("lobby", "a"), await left().say("lobby", "b")];
    const socket = await open();
    socket.post({ op: "subscribe", id: "1", consumer: name, credit: 10 });
    expect(await events(socket, 2)).toEqual(said);
    expect(await askSocket(socket, { op: "ack", id: "2", consumer: name, upto: said[0] })).toMatchObject({ op: "ok" });
    expect(await askSocket(socket, { op: "ack", id: "3", consumer: name, ack: [said[1]] })).toMatchObject({
      op: "ok",
      result: { floor: said[1], in_flight: 0 },
    });
    await socket.close();
    expect((await right().pull(name, { max: 9, wait: "10ms" })).events).toEqual([]);
  });

  test("a post answers with its message, and the same key with the same one", async () => {
    const reader = await left().consumer({ start: "new" });
    const socket = await open();
    const post = { op: "post", id: "1", gateway: "lobby", key: "same", text: "hi", author: { name: "bo" } };
    const first = await askSocket(socket, post);
    expect(first).toMatchObject({ op: "ok", id: "1", result: { message: { text: "hi" } } });
    const { result } = first as { result: { message: { id: string } } };
    expect(await askSocket(socket, { ...post, id: "2" })).toMatchObject({
      op: "ok",
      result: { message: { id: result.message.id } },
    });
    expect(await askSocket(socket, { ...post, id: "3", text: "other" })).toMatchObject({
      op: "error",
      problem: { code: "idempotency_mismatch", status: 422 },
    });
    expect(seqs(await left().pull(reader))).toEqual([result.message.id]);
    await socket.close();
  });

  test("what it cannot understand is answered by an error; the socket stays", async () => {
    const socket = await open();
    for (const data of ["{", "[]", "null", '{"op":"nonsense"}', '{"op":7}', "x".repeat(100)]) {
      socket.send(data);
      const answer = JSON.parse((await socket.nextFrame()).data) as { problem?: object };
      expect(answer).toMatchObject({ op: "error", problem: { status: expect.any(Number) as unknown } });
    }
    const gone = await askSocket(socket, { op: "subscribe", id: "1", consumer: "never-was", credit: 1 });
    expect(gone).toMatchObject({ op: "error", id: "1", problem: { code: "not_found", status: 404 } });
    const beyond = { op: "subscribe", id: "2", filter: {}, after: "999999999999", credit: 1 };
    expect(await askSocket(socket, beyond)).toMatchObject({ op: "error", problem: { code: "position_unknown" } });
    const typing = await askSocket(socket, { op: "typing", id: "3", gateway: "lobby" });
    expect(typing).toMatchObject({ op: "ok", id: "3" });
    await socket.close();
  });

  test("a request without an upgrade is a problem", async () => {
    const answer = await right().ask("GET", "/v1/socket");
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expectProblem(answer, answer.status);
  });
});
