import { expect, test } from "vitest";
import { eventually } from "../../../test/support/wait.ts";
import { aGateway, anAccount } from "../../gateway/samples.suite.ts";
import { SseClient } from "./sse-client.suite.ts";
import { v1Stage } from "./stage.suite.ts";

const X = "net.a/#x";
const Y = "net.b/#y";

test("what comes is streamed: id, event, data", async () => {
  const stage = await v1Stage();
  const client = await SseClient.open(`${stage.url}/v1/events`);
  expect(client.headers.get("content-type")).toBe("text/event-stream");
  expect(client.headers.get("x-accel-buffering")).toBe("no");
  expect(client.headers.get("cache-control")).toBe("no-store");
  expect(client.headers.get("last-event-id")).toBe("0");
  const seq = await stage.say(X, { text: "two\nlines" });
  const [event] = await client.until(1);
  expect(event).toMatchObject({ id: String(seq), event: "message.posted" });
  expect(JSON.parse(event?.data ?? "")).toMatchObject({
    seq: String(seq),
    gateways: ["lobby"],
    message: { text: "two\nlines" },
  });
  expect(client.retry).toBe(2000);
});

test("who comes back with the last id has all of it: 27 of 27, over cuts at every event", async () => {
  const stage = await v1Stage();
  let last = String(await stage.say(X, { text: "before" }));
  const got: string[] = [];
  const said: string[] = [];
  for (let round = 0; round < 9; round += 1) {
    const client = await SseClient.open(`${stage.url}/v1/events?after=0`, { "Last-Event-ID": last });
    expect(client.headers.get("last-event-id")).toBe(last);
    said.push(String(await stage.say(X)));
    // What the connection that is cut has not been seen to bring comes again with the next.
    const [first] = await client.until(1);
    got.push(first?.id ?? "");
    last = got.at(-1) ?? last;
    client.cut();
    said.push(String(await stage.say(Y)), String(await stage.say(X)));
    const after = await SseClient.open(`${stage.url}/v1/events`, { "Last-Event-ID": last });
    for (const { id } of await after.until(2)) got.push(id ?? "");
    last = got.at(-1) ?? last;
    after.cut();
  }
  expect(got).toEqual(said);
  expect(got.length).toBe(27);
});

test("a position from the query, none at all, and after=0", async () => {
  const stage = await v1Stage();
  const seqs = [await stage.say(X), await stage.say(Y), await stage.say(X)].map(String);
  const ids = async (query: string, count: number) => {
    const client = await SseClient.open(`${stage.url}/v1/events${query}`);
    const events = await client.until(count);
    client.cut();
    return events.map(({ id }) => id);
  };
  expect(await ids("?after=0", 3)).toEqual(seqs);
  expect(await ids(`?after=${seqs[1]}`, 1)).toEqual(seqs.slice(2));
  expect(await ids("?after=0&gateways=den", 1)).toEqual([seqs[1]]);
  const live = await SseClient.open(`${stage.url}/v1/events`);
  expect(live.headers.get("last-event-id")).toBe(seqs[2]);
  const next = String(await stage.say(X));
  expect((await live.until(1)).map(({ id }) => id)).toEqual([next]);
});

test("what is wrong is refused before the stream begins", async () => {
  const stage = await v1Stage();
  await stage.say(X);
  const ask = async (path: string, headers = {}) => await stage.ask("GET", path, { headers });
  expect(await ask("/v1/events?after=2")).toMatchObject({ status: 410, body: { code: "position_unknown" } });
  expect(await ask("/v1/events", { "Last-Event-ID": "99" })).toMatchObject({ status: 410 });
  expect(await ask("/v1/events?after=x")).toMatchObject({ status: 400, body: { code: "bad_request" } });
  expect(await ask("/v1/events?types=nothing")).toMatchObject({ status: 400 });
  expect(await ask("/v1/events?mine=maybe")).toMatchObject({ status: 400 });
  const unknown = await ask("/v1/events?gateways=nowhere");
  expect(unknown).toMatchObject({ status: 404, body: { code: "not_found" } });
  expect(unknown.text).toContain("lobby, den");
});

test("a gap is told first, and the answer says where it really begins", async () => {
  const clock = { now: Date.parse("2026-01-01T00:00:00Z") };
  const stage = await v1Stage({ log: { clock: () => clock.now, retentionDays: 1, tailBytes: 0 } });
  for (let count = 0; count < 5; count += 1) await stage.say(X);
  clock.now += 3 * 24 * 60 * 60 * 1000;
  await stage.log.sweep();
  const young = await stage.say(X);
  const client = await SseClient.open(`${stage.url}/v1/events?after=2`);
  expect(client.headers.get("last-event-id")).toBe("5");
  const [skipped, event] = await client.until(2);
  expect(skipped).toMatchObject({ id: "5", event: "skipped" });
  expect(JSON.parse(skipped?.data ?? "")).toEqual({ type: "skipped", from: "3", to: "5", count: 3 });
  expect(event?.id).toBe(String(young));
});

test("a reader that takes nothing holds up nobody and costs no memory; it has all of it later", async () => {
  const stage = await v1Stage();
  const slow = await SseClient.open(`${stage.url}/v1/events`, {}, { paused: true });
  const quick = await SseClient.open(`${stage.url}/v1/events`);
  const text = "x".repeat(4000);
  const seqs: string[] = [];
  for (let count = 0; count < 2000; count += 1) seqs.push(String(await stage.say(X, { text })));
  expect((await quick.until(2000)).map(({ id }) => id)).toEqual(seqs);
  slow.resume();
  expect((await slow.until(2000)).map(({ id }) => id)).toEqual(seqs);
}, 60_000);

test("a stream ends when the server stops, and with its reload goes on in other gateways", async () => {
  const stage = await v1Stage({ gateways: [aGateway("lobby", ["inout net.a #x", "inout api.game api"])] });
  const client = await SseClient.open(`${stage.url}/v1/events`);
  await stage.say(Y, { text: "not yet" });
  const gateways = [...stage.config.gateways, aGateway("den", ["inout net.b #y", "inout api.game api"])];
  const accounts = new Map([...stage.config.accounts, ["net.b", anAccount("net.b")]]);
  await stage.change({ ...stage.config, gateways, accounts });
  const seq = await stage.say(Y, { text: "now" });
  expect((await client.until(1)).map(({ id }) => id)).toEqual([String(seq)]);
  await stage.servers.close();
  await eventually(
    () => Promise.resolve(client.isOver),
    (isOver) => isOver,
    () => "the end of the stream",
  );
});

test("a token: only its gateways, whatever is asked for, and with its end the stream ends", async () => {
  const stage = await v1Stage({ token: "secret" });
  const text = await stage.token({ scopes: ["read"], gateways: ["lobby"] });
  const headers = { Authorization: `Bearer ${text}` };
  const client = await SseClient.open(`${stage.url}/v1/events`, headers);
  await stage.say(Y);
  const seq = String(await stage.say(X));
  expect((await client.until(1)).map(({ id }) => id)).toEqual([seq]);
  const other = await stage.ask("GET", "/v1/events?gateways=den", { token: text });
  expect(other).toMatchObject({ status: 404 });
  expect(other.text).not.toContain('den"');
  await stage.tokens.revoke(text.split("_")[1] ?? "");
  await eventually(
    () => Promise.resolve(client.isOver),
    (isOver) => isOver,
    () => "the end of the stream",
  );
});

test("300 streams", async () => {
  const stage = await v1Stage();
  const clients = await Promise.all(
    Array.from({ length: 300 }, async () => await SseClient.open(`${stage.url}/v1/events`)),
  );
  const seqs = [String(await stage.say(X)), String(await stage.say(X))];
  for (const client of clients) expect((await client.until(2)).map(({ id }) => id)).toEqual(seqs);
  for (const client of clients) client.cut();
}, 60_000);
