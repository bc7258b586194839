import { describe, expect, test } from "vitest";
import { toml } from "../support/config.ts";
import { launch, useRialto } from "../support/suite.ts";
import { expectProblem, expectRefused, nextSse, seqs, texts, V1, expectTaken } from "./client.ts";

const accounts = { left: {}, right: {}, other: {}, far: {} };
const gateways = { lobby: { inout: ["left", "right"] }, side: { inout: ["left", "right", "other"] } };
const CONFIG = toml({ accounts: { ...accounts }, gateways: { ...gateways, alone: { inout: ["far", "other"] } } });
const rialto = useRialto({ config: CONFIG });
const left = (): V1 => new V1(rialto().url("api.left"));
const right = (): V1 => new V1(rialto().url("api.right"));

const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/u;

describe("an event", () => {
  test("is one per log entry, with the fields of the target", async () => {
    const name = await right().consumer({ start: "new" });
    const id = await left().say("lobby", "**hi**", { format: "markdown" });
    const { events, pending, skipped } = await right().pull(name);
    expect({ pending, skipped, count: events.length }).toEqual({ pending: 0, skipped: 0, count: 1 });
    expect(events[0]).toMatchObject({ delivery: 1, deadline: expect.stringMatching(RFC3339) as unknown });
    expect(Date.parse(events[0]?.deadline ?? "")).toBeGreaterThan(Date.now());
    expect(events[0]?.event).toEqual({
      seq: id,
      type: "message.posted",
      time: expect.stringMatching(RFC3339) as unknown,
      gateways: ["lobby"],
      source: { account: "api.left", protocol: "api", channel: "api" },
      author: { id: "a1", name: "ann", avatar: null, bot: expect.any(Boolean) as unknown, mine: false },
      message: {
        id,
        text: "**hi**",
        format: "markdown",
        style: "normal",
        reply_to: null,
        thread: null,
        hops: 0,
        files: [],
      },
    });
    expect(id).toMatch(/^\d+$/u);
  });

  test("has a type for edits, deletions and reactions", async () => {
    const name = await right().consumer({ start: "new" });
    const id = await left().say("lobby", "first");
    expectTaken(await left().ask("PATCH", `/v1/messages/${id}`, { body: { text: "second" } }));
    const heart = `/v1/messages/${id}/reactions/${encodeURIComponent("❤️")}`;
    expectTaken(await left().ask("PUT", heart));
    expectTaken(await left().ask("DELETE", heart));
    expectTaken(await left().ask("DELETE", `/v1/messages/${id}`));
    const events: { type: string; message?: { id: string } }[] = [];
    while (events.length < 5) {
      const pulled = await right().pull(name);
      events.push(...(pulled.events.map(({ event }) => event) as typeof events));
      await right().ack(name, { upto: seqs(pulled).at(-1) });
    }
    expect(events.map(({ type }) => type)).toEqual([
      "message.posted",
      "message.edited",
      "reaction.added",
      "reaction.removed",
      "message.deleted",
    ]);
    expect(new Set(events.map(({ message }) => message?.id))).toEqual(new Set([id]));
  });
});

describe("where a consumer starts", () => {
  test("`new` has nothing of before; `all` has; `after` begins behind; `last` counts what passes; `time`", async () => {
    const first = await left().say("side", "one");
    const between = await right().say("side", "mine");
    const last = await left().say("side", "two");
    const filter = { gateways: ["side"] };
    const read = async (start: unknown): Promise<string[]> => {
      const name = await right().consumer({ start, filter });
      return seqs(await right().pull(name, { max: 100, wait: "0s" }));
    };
    expect(await read("new")).toEqual([]);
    expect(await read("all")).toEqual([first, last]);
    expect(await read({ after: first })).toEqual([last]);
    expect(await read({ after: between })).toEqual([last]);
    expect(await read({ last: 1 })).toEqual([last]);
    expect(await read({ last: 2 })).toEqual([first, last]);
    expect(await read({ time: "2001-01-01T00:00:00Z" })).toEqual([first, last]);
    expect(await read({ time: "2101-01-01T00:00:00Z" })).toEqual([]);
  });

  test("with `mine` its account's own are there too, and are said to be", async () => {
    const name = await right().consumer({ start: "new", filter: { mine: true } });
    await right().say("lobby", "own");
    await left().say("lobby", "foreign");
    const { events } = await right().pull(name, { max: 1, wait: "5s" });
    const [own] = events;
    expect(own?.event).toMatchObject({ author: { mine: true }, message: { text: "own" } });
  });

  test("types and accounts filter", async () => {
    const edits = await right().consumer({ start: "new", filter: { types: ["message.edited"] } });
    const all = await right().consumer({ start: "new", filter: { types: ["message.*"] } });
    const others = await right().consumer({ start: "new", filter: { accounts: ["api.other"] } });
    const id = await left().say("side", "a");
    await left().ask("PATCH", `/v1/messages/${id}`, { body: { text: "b" } });
    await new V1(rialto().url("api.other")).say("side", "c");
    expect((await right().pull(edits)).events.map(({ event }) => event.type)).toEqual(["message.edited"]);
    expect(texts(await right().pull(all))).toEqual(["a", "b", "c"]);
    expect(texts(await right().pull(others))).toEqual(["c"]);
  });

  test("an account sees its gateways, and no other", async () => {
    const name = await right().consumer({ start: "all" });
    await new V1(rialto().url("api.far")).say("alone", "hidden");
    await left().say("lobby", "seen");
    const pulled = await right().pull(name, { max: 1000, wait: "1s" });
    expect(texts(pulled)).toContain("seen");
    expect(texts(pulled)).not.toContain("hidden");
  });
});

describe("making and removing", () => {
  test("201, 200 when equal, 409 when not, another with If-Match, 412 with a wrong one", async () => {
    const path = "/v1/consumers/making";
    const body = { start: "new", ack: "explicit" };
    expect((await left().ask("PUT", path, { body })).status).toBe(201);
    expect((await left().ask("PUT", path, { body })).status).toBe(200);
    expect((await left().ask("PUT", path, { body: { ...body, start: "new" } })).status).toBe(200);
    const changed = { ...body, ack_wait: "10s" };
    expectProblem(await left().ask("PUT", path, { body: changed }), 409, "conflict");
    const headers = { "If-Match": '"other"' };
    expectProblem(await left().ask("PUT", path, { body: changed, headers }), 412, "precondition_failed");
    const etag = (await left().ask("GET", path)).headers.etag ?? "";
    expect(etag).toMatch(/^"/u);
    expect((await left().ask("PUT", path, { body: changed, headers: { "If-Match": etag } })).status).toBe(200);
    expect((await left().ask("PUT", path, { body: changed })).status).toBe(200);
  });

  test("its fields, the list, and its end", async () => {
    const name = await left().consumer({ start: "new" });
    const state = await left().get(`/v1/consumers/${name}`);
    const fields = ["floor", "head", "pending", "in_flight", "redelivered", "oldest_unacked", "dead", "last_seen"];
    expect(Object.keys(state)).toEqual(expect.arrayContaining(fields));
    expect(state).toMatchObject({ pending: 0, in_flight: 0, redelivered: 0, dead: 0 });
    const { consumers } = await left().get<{ consumers: { name: string }[] }>("/v1/consumers");
    expect(consumers.map((one) => one.name)).toContain(name);
    expectTaken(await left().ask("DELETE", `/v1/consumers/${name}`));
    expectProblem(await left().ask("GET", `/v1/consumers/${name}`), 404, "not_found");
    expectProblem(await left().ask("POST", `/v1/consumers/${name}/pull`, { body: {} }), 404, "not_found");
    expectProblem(await left().ask("GET", "/v1/consumers/never-was"), 404, "not_found");
  });

  test("consumers are of one account", async () => {
    const name = await left().consumer({ start: "new" });
    expectProblem(await right().ask("GET", `/v1/consumers/${name}`), 404, "not_found");
  });

  test("a body that is wrong is 400 with pointers", async () => {
    const answer = await left().ask("PUT", "/v1/consumers/wrong", { body: { start: "now", max_in_flight: 1001 } });
    const { errors } = expectProblem(answer, 400, "bad_request") as { errors?: { pointer: string }[] };
    expect(errors?.map(({ pointer }) => pointer)).toEqual(expect.arrayContaining(["/start", "/max_in_flight"]));
    const bad = { ack_wait: "soon", backoff: ["x"] };
    expectProblem(await left().ask("PUT", "/v1/consumers/wrong", { body: bad }), 400, "bad_request");
  });

  test("one that was idle for too long is gone: 410 consumer_gone", async () => {
    const name = await left().consumer({ start: "new", idle: "1s" });
    // What must pass is time; nobody may use it meanwhile.
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    expectProblem(await left().ask("POST", `/v1/consumers/${name}/pull`, { body: {} }), 410, "consumer_gone");
    expectProblem(await left().ask("GET", `/v1/consumers/${name}`), 410, "consumer_gone");
    expect((await left().ask("PUT", `/v1/consumers/${name}`, { body: { start: "new" } })).status).toBe(201);
  });
});

describe("pulling and acknowledging", () => {
  /** A consumer of `right` in front of which `left` has said these. */
  async function after(said: readonly string[], spec: Readonly<Record<string, unknown>> = {}) {
    const name = await right().consumer({ start: "new", ...spec });
    const ids: string[] = [];
    for (const text of said) ids.push(await left().say("lobby", text));
    return { name, ids };
  }

  test("nothing: an empty list after the wait, never 204", async () => {
    const { name } = await after([]);
    expect(await right().pull(name, { max: 10, wait: "10ms" })).toEqual({ events: [], pending: 0, skipped: 0 });
  });

  test("a waiting pull is answered by what comes", async () => {
    const { name } = await after([]);
    const waiting = right().pull(name, { max: 10, wait: "30s" });
    await left().say("lobby", "late");
    expect(texts(await waiting)).toEqual(["late"]);
  });

  test("max bounds an answer, and pending says what else there is", async () => {
    const { name, ids } = await after(["a", "b", "c"]);
    const pulled = await right().pull(name, { max: 1, wait: "5s" });
    expect(seqs(pulled)).toEqual(ids.slice(0, 1));
    expect(pulled.pending).toBe(2);
    expect(await right().get(`/v1/consumers/${name}`)).toMatchObject({
      in_flight: 1,
      oldest_unacked: expect.any(String) as unknown,
    });
  });

  test("bytes bounds an answer too, and one event always fits", async () => {
    const { name } = await after(["x".repeat(1000), "y".repeat(1000)]);
    expect((await right().pull(name, { max: 100, wait: "5s", bytes: 1024 })).events).toHaveLength(1);
  });

  test("upto moves the floor; acks of what is acked are 200", async () => {
    const { name, ids } = await after(["a", "b", "c"]);
    await right().pull(name);
    expect(await right().ack(name, { upto: ids[1] })).toEqual({ floor: ids[1], in_flight: 1 });
    expect(await right().ack(name, { upto: ids[0] })).toEqual({ floor: ids[1], in_flight: 1 });
    expect(await right().ack(name, { ack: [ids[0], ids[2]] })).toMatchObject({ in_flight: 0 });
    expect(await right().ack(name, { ack: [ids[2]] })).toMatchObject({ in_flight: 0 });
  });

  test("what is in flight is not given again before its deadline", async () => {
    const { name } = await after(["a"]);
    await right().pull(name);
    expect((await right().pull(name, { max: 10, wait: "10ms" })).events).toEqual([]);
  });

  test("what is not acked comes again after ack_wait, and is counted", async () => {
    const { name } = await after(["a"], { ack_wait: "50ms", backoff: ["10ms"] });
    await right().pull(name);
    const again = await right().pull(name);
    expect(again.events).toMatchObject([{ delivery: 2, event: { message: { text: "a" } } }]);
    expect(await right().get(`/v1/consumers/${name}`)).toMatchObject({ redelivered: 1 });
  });

  test("nack brings it again after the time said", async () => {
    const { name, ids } = await after(["a"]);
    await right().pull(name);
    await right().ack(name, { nack: [{ seq: ids[0], in: "20ms" }] });
    expect((await right().pull(name)).events).toMatchObject([{ delivery: 2, event: { seq: ids[0] } }]);
  });

  test("extend begins the deadline again", async () => {
    const { name, ids } = await after(["a"], { ack_wait: "20s" });
    await right().pull(name);
    expect(await right().ack(name, { extend: ids })).toMatchObject({ in_flight: 1 });
  });

  test("ordered: nothing overtakes the first that is not acked; redelivery begins there", async () => {
    const { name, ids } = await after(["a", "b", "c"], { ordered: true, ack_wait: "20s" });
    await right().pull(name, { max: 2, wait: "5s" });
    await right().ack(name, { nack: [{ seq: ids[0], in: "30ms" }] });
    expect(texts(await right().pull(name)).slice(0, 3)).toEqual(["a", "b", "c"]);
  });

  test("not ordered: others pass while one waits", async () => {
    const { name, ids } = await after(["a", "b", "c"], { ordered: false });
    await right().pull(name, { max: 1, wait: "5s" });
    await right().ack(name, { nack: [{ seq: ids[0], in: "1h" }] });
    expect(texts(await right().pull(name))).toEqual(["b", "c"]);
    expect(await right().ack(name, { ack: [ids[1], ids[2]] })).toMatchObject({ in_flight: 1 });
  });

  test("not ordered: upto above what was delivered is refused", async () => {
    const { name, ids } = await after(["a", "b"], { ordered: false });
    await right().pull(name, { max: 1, wait: "5s" });
    expectRefused(await right().ask("POST", `/v1/consumers/${name}/ack`, { body: { upto: ids[1] } }));
  });

  test("max_in_flight holds back until something is acked", async () => {
    const { name, ids } = await after(["a", "b", "c"], { max_in_flight: 2 });
    expect(texts(await right().pull(name))).toEqual(["a", "b"]);
    expect((await right().pull(name, { max: 9, wait: "10ms" })).events).toEqual([]);
    await right().ack(name, { ack: [ids[0]] });
    expect(texts(await right().pull(name))).toEqual(["c"]);
  });

  test("ack `none`: what was handed out counts as read", async () => {
    const { name } = await after(["a", "b"], { ack: "none" });
    expect(texts(await right().pull(name, { max: 1, wait: "5s" }))).toEqual(["a"]);
    expect(texts(await right().pull(name, { max: 1, wait: "5s" }))).toEqual(["b"]);
    expect(await right().get(`/v1/consumers/${name}`)).toMatchObject({ in_flight: 0 });
  });

  test("ack `all`: an ack counts for all before it", async () => {
    const { name, ids } = await after(["a", "b", "c"], { ack: "all" });
    await right().pull(name);
    expect(await right().ack(name, { ack: [ids[1]] })).toEqual({ floor: ids[1], in_flight: 1 });
  });

  test("drop and max_deliver make dead letters; a retry delivers again", async () => {
    const { name, ids } = await after(["a", "b"], { max_deliver: 1, ack_wait: "10ms", backoff: ["10ms"] });
    await right().pull(name, { max: 1, wait: "5s" });
    await right().ack(name, { drop: [ids[0]] });
    expect(await right().get(`/v1/consumers/${name}`)).toMatchObject({ dead: 1 });
    expect(JSON.stringify(await right().get(`/v1/consumers/${name}/dead`))).toContain(`"${ids[0]}"`);
    await right().pull(name, { max: 1, wait: "5s" });
    // Its one delivery has passed: nothing is left but letters.
    await right().pull(name, { max: 1, wait: "200ms" });
    expect(await right().get(`/v1/consumers/${name}`)).toMatchObject({ dead: 2 });
    const retry = await right().ask("POST", `/v1/consumers/${name}/dead/${ids[0]}/retry`);
    expectTaken(retry);
    expect(seqs(await right().pull(name, { max: 1, wait: "5s" }))).toEqual([ids[0]]);
    expectProblem(await right().ask("POST", `/v1/consumers/${name}/dead/999999/retry`), 404, "not_found");
  });

  test("seek takes the values of start", async () => {
    const { name, ids } = await after(["a", "b", "c"]);
    await right().pull(name);
    await right().ack(name, { upto: ids[2] });
    const seek = async (body: unknown): Promise<void> => {
      const answer = await right().ask("POST", `/v1/consumers/${name}/seek`, { body });
      expectTaken(answer);
    };
    await seek({ after: ids[0] });
    expect(texts(await right().pull(name))).toEqual(["b", "c"]);
    await seek({ last: 1 });
    expect(texts(await right().pull(name))).toEqual(["c"]);
    await seek(JSON.stringify("new"));
    expect((await right().pull(name, { max: 9, wait: "10ms" })).events).toEqual([]);
    await seek(JSON.stringify("all"));
    expect(texts(await right().pull(name, { max: 100, wait: "5s" })).length).toBeGreaterThanOrEqual(3);
  });

  test("over SSE: the same events, the same acks", async () => {
    const { name, ids } = await after(["a", "b"]);
    const stream = await right().stream(`/v1/consumers/${name}/events`);
    expect(stream.status).toBe(200);
    expect(stream.headers["last-event-id"]).toMatch(/^\d+$/u);
    for (const seq of ids) expect(await nextSse(stream)).toMatchObject({ id: seq, event: "message.posted" });
    expect(await right().ack(name, { upto: ids[1] })).toEqual({ floor: ids[1], in_flight: 0 });
    await stream.close();
  });

  test("two consumers take nothing from each other", async () => {
    const one = await right().consumer({ start: "new" });
    const two = await right().consumer({ start: "new" });
    await left().say("lobby", "to both");
    for (const name of [one, two]) expect(texts(await right().pull(name))).toEqual(["to both"]);
  });
});

test("after a restart what was acked is gone, and what was not comes again", async () => {
  const first = await launch({ config: CONFIG });
  const said = [];
  const reader = new V1(first.url("api.right"));
  const name = await reader.consumer({ start: "new" });
  for (const text of ["a", "b", "c"]) said.push(await new V1(first.url("api.left")).say("lobby", text));
  await reader.pull(name);
  await reader.ack(name, { ack: [said[0]] });
  await first.kill9();
  const second = await launch({ config: CONFIG, dataPath: first.dataPath });
  const again = new V1(second.url("api.right"));
  expect(seqs(await again.pull(name))).toEqual(said.slice(1));
  // An ack before its delivery is taken: it is by seq.
  await second.kill9();
  const third = await launch({ config: CONFIG, dataPath: first.dataPath });
  const last = new V1(third.url("api.right"));
  expect(await last.ack(name, { ack: [said[1]] })).toMatchObject({ floor: said[1] });
  expect(seqs(await last.pull(name))).toEqual(said.slice(2));
});
