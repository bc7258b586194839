import { expect, test } from "vitest";
import { isObject, listOf } from "../../../lib/shapes.ts";
import { type V1Stage, v1Stage } from "../stage.suite.ts";

const fields = (value: unknown): Readonly<Record<string, unknown>> => (isObject(value) ? value : {});

async function consume(stage: V1Stage, spec: object = {}, name = "bot"): Promise<void> {
  expect(await stage.ask("PUT", `/v1/consumers/${name}`, { body: spec })).toMatchObject({ status: 201 });
}

async function pull(stage: V1Stage, body: object = {}, name = "bot") {
  const answer = await stage.ask("POST", `/v1/consumers/${name}/pull`, { body: { wait: "0s", ...body } });
  expect(answer).toMatchObject({ status: 200 });
  const { events, pending, skipped } = fields(answer.body);
  const seqs = listOf(events).map((one) => fields(fields(one)["event"])["seq"]);
  return { events: listOf(events).map(fields), seqs, pending, skipped };
}

const ack = async (stage: V1Stage, body: object, name = "bot") =>
  await stage.ask("POST", `/v1/consumers/${name}/ack`, { body });

test("a consumer is made once, is the same again, and changes only with the ETag of what stands", async () => {
  const stage = await v1Stage();
  const made = await stage.ask("PUT", "/v1/consumers/bot", { body: { max_in_flight: 7 } });
  expect(made).toMatchObject({ status: 201, body: { name: "bot", max_in_flight: 7, ack: "explicit", floor: "0" } });
  expect(made.headers.get("location")).toBe("/v1/consumers/bot");
  const etag = made.headers.get("etag") ?? "";
  expect(etag).toMatch(/^"[\w-]+"$/u);
  const again = await stage.ask("PUT", "/v1/consumers/bot", { body: { max_in_flight: 7, ack: "explicit" } });
  expect([again.status, again.headers.get("etag")]).toEqual([200, etag]);
  expect(await stage.ask("PUT", "/v1/consumers/bot", { body: {} })).toMatchObject({
    status: 409,
    body: { code: "conflict" },
  });
  const stale = await stage.ask("PUT", "/v1/consumers/bot", { body: {}, headers: { "If-Match": '"other"' } });
  expect(stale).toMatchObject({ status: 412, body: { code: "precondition_failed" } });
  const changed = await stage.ask("PUT", "/v1/consumers/bot", { body: {}, headers: { "If-Match": etag } });
  expect(changed).toMatchObject({ status: 200, body: { max_in_flight: 100 } });
  expect(changed.headers.get("etag")).not.toBe(etag);
  expect(await stage.ask("GET", "/v1/consumers")).toMatchObject({
    status: 200,
    body: { consumers: [{ name: "bot" }] },
  });
  expect(await stage.ask("DELETE", "/v1/consumers/bot")).toMatchObject({ status: 204, text: "" });
  expect(await stage.ask("GET", "/v1/consumers/bot")).toMatchObject({ status: 404, body: { code: "not_found" } });
  expect(await stage.ask("DELETE", "/v1/consumers/bot")).toMatchObject({ status: 404 });
});

test("consumers are listed in pages", async () => {
  const stage = await v1Stage();
  for (const name of ["c", "a", "b"]) await consume(stage, {}, name);
  const names = (query: string) => stage.ask("GET", `/v1/consumers${query}`);
  expect(await names("?limit=2")).toMatchObject({ body: { consumers: [{ name: "a" }, { name: "b" }], next: "b" } });
  const last = await names("?limit=2&after=b");
  expect(last).toMatchObject({ body: { consumers: [{ name: "c" }] } });
  expect(last.body).not.toHaveProperty("next");
});

test("what is pulled comes in order, and is gone once it is acknowledged", async () => {
  const stage = await v1Stage();
  await consume(stage);
  const said = [await stage.say("net.a/#x"), await stage.say("net.b/#y"), await stage.say("net.a/#x")].map(String);
  const first = await pull(stage, { max: 2 });
  expect(first).toMatchObject({ seqs: said.slice(0, 2), pending: 1, skipped: 0 });
  expect(first.events[0]).toMatchObject({ delivery: 1, event: { type: "message.posted", gateways: ["lobby"] } });
  expect(first.events[0]?.["deadline"]).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/u);
  expect(await ack(stage, { upto: said[1] })).toMatchObject({ status: 200, body: { floor: said[1], in_flight: 0 } });
  expect(await pull(stage)).toMatchObject({ seqs: said.slice(2), pending: 0 });
  expect(await ack(stage, { ack: [said[2]] })).toMatchObject({ body: { floor: said[2], in_flight: 0 } });
  expect(await ack(stage, { ack: [said[0]], upto: said[2] })).toMatchObject({ status: 200 });
  expect(await pull(stage)).toMatchObject({ events: [], pending: 0 });
});

test("what is refused comes again, what is dropped is a dead letter until it is retried", async () => {
  const stage = await v1Stage();
  await consume(stage, { ordered: false });
  const [one = "", two = ""] = [await stage.say("net.a/#x"), await stage.say("net.a/#x")].map(String);
  await pull(stage);
  expect(await ack(stage, { nack: [{ seq: one, in: "0s" }], drop: [two] })).toMatchObject({ body: { in_flight: 1 } });
  expect((await pull(stage)).events).toMatchObject([{ delivery: 2, event: { seq: one } }]);
  expect(await stage.ask("GET", "/v1/consumers/bot/dead")).toMatchObject({
    body: { dead: [{ deliveries: 1, why: "dropped", event: { seq: two } }] },
  });
  expect(await stage.ask("POST", `/v1/consumers/bot/dead/${one}/retry`)).toMatchObject({ status: 404 });
  expect(await stage.ask("POST", `/v1/consumers/bot/dead/${two}/retry`)).toMatchObject({ body: { dead: 0 } });
  expect((await pull(stage)).events).toMatchObject([{ delivery: 2, event: { seq: two } }]);
  expect(await ack(stage, { ack: [one, two] })).toMatchObject({ body: { floor: two, in_flight: 0 } });
});

test("a pull waits for what comes", async () => {
  const stage = await v1Stage();
  await consume(stage);
  const waiting = pull(stage, { wait: "50s" });
  const seq = await stage.say("net.a/#x");
  expect(await waiting).toMatchObject({ seqs: [String(seq)] });
});

test.each([
  ["an unknown key", "PUT", "", { max_inflight: 1 }, 400],
  ["a duration that is none", "PUT", "", { ack_wait: "soon" }, 400],
  ["a wait that is too short", "PUT", "", { ack_wait: "1ms" }, 400],
  ["a type that there is not", "PUT", "", { filter: { types: ["mesage.*"] } }, 400],
  [
    "a filter of too many bytes",
    "PUT",
    "",
    { filter: { accounts: Array.from({ length: 100 }, () => "x".repeat(200)) } },
    400,
  ],
  ["too many in flight", "PUT", "", { max_in_flight: 1001 }, 400],
  ["a position behind the end", "PUT", "", { start: { after: "99" } }, 410],
  ["a time that is none", "PUT", "", { start: { time: "yesterday" } }, 400],
  ["a seek to nowhere", "POST", "/seek", {}, 400],
  ["a seek behind the end", "POST", "/seek", { after: "99" }, 410],
  ["a seq that is none", "POST", "/ack", { ack: ["x"] }, 400],
  ["an ack of what was never handed out", "POST", "/ack", { upto: "99" }, 422],
  ["a nack in a year", "POST", "/ack", { nack: [{ seq: "0", in: "365d" }] }, 400],
  ["a pull of nothing", "POST", "/pull", { max: 0 }, 400],
])("%s is refused", async (_, method, path, body, status) => {
  const stage = await v1Stage();
  await consume(stage);
  expect(await stage.ask(method, `/v1/consumers/${path === "" ? "new" : "bot"}${path}`, { body })).toMatchObject({
    status,
  });
});

test("a stream has what is new, and goes on after acks", async () => {
  const stage = await v1Stage();
  await consume(stage, { max_in_flight: 1 });
  const [one, two] = [await stage.say("net.a/#x"), await stage.say("net.a/#x")];
  const end = new AbortController();
  const answer = await fetch(`${stage.url}/v1/consumers/bot/events`, { signal: end.signal });
  expect([answer.status, answer.headers.get("last-event-id")]).toEqual([200, "0"]);
  const reader = (answer.body ?? new ReadableStream<Uint8Array>()).pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  const heard = async (seq: number): Promise<void> => {
    while (!text.includes(`id: ${seq}\nevent: message.posted\ndata: {"seq":"${seq}"`)) {
      const { value, done } = await reader.read();
      if (done) throw new Error(`the stream ended after ${text}`);
      text += value;
    }
  };
  await heard(one);
  expect(text).not.toContain(`id: ${two}\n`);
  expect(await ack(stage, { ack: [String(one)] })).toMatchObject({ status: 200 });
  await heard(two);
  end.abort();
});
