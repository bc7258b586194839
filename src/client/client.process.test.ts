import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { expect, onTestFinished, test, vi } from "vitest";
import { v1Stage } from "../http/v1/stage.suite.ts";
import { isObject } from "../lib/shapes.ts";
import { type ConsumedEvent, Rialto, RialtoError } from "./index.ts";

interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

type Reaction = (seen: Seen, response: ServerResponse) => void;

/** A server that does to the requests what it is told, one after the other; the last one for all that follow. */
async function faulty(...reactions: readonly Reaction[]) {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => (body += text));
    request.on("end", () => {
      const one = { method: request.method ?? "", path: request.url ?? "", headers: request.headers, body };
      const reaction = reactions[Math.min(seen.length, reactions.length - 1)];
      seen.push(one);
      reaction?.(one, response);
    });
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" ? (address?.port ?? 0) : 0}/`;
  const retried: string[] = [];
  return { url, seen, retried, rialto: new Rialto({ url, token: "t0ken", onRetry: ({ code }) => retried.push(code) }) };
}

const json =
  (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Reaction =>
  (_seen, response) =>
    void response.writeHead(status, { "Content-Type": "application/json", ...headers }).end(JSON.stringify(body));
const cut: Reaction = (_seen, response) => void response.destroy();
const half: Reaction = (_seen, response) => {
  response.writeHead(200, { "Content-Length": "100" }).write('{"mess');
  setImmediate(() => response.destroy());
};
const problem = (status: number, code: string): Reaction =>
  json(status, { code, title: "No", status, detail: "it is not so", remedy: "Do otherwise.", instance: "r1" });

test("a reader that starts again says so with its first pull, until that is answered", async () => {
  const pulled = json(200, { events: [], pending: 0, skipped: 0 });
  const { rialto, seen } = await faulty(json(200, {}), cut, pulled, pulled);
  const end = new AbortController();
  const reading = rialto.consumer("bot", {}).events({ restart: true, signal: end.signal }).next();
  await vi.waitFor(() => expect(seen.length).toBeGreaterThanOrEqual(4));
  end.abort();
  await reading.catch(() => undefined);
  const bodies = seen.slice(1, 4).map(({ body }): unknown => JSON.parse(body));
  const plain = { max: 100, wait: "30s" };
  expect(bodies).toEqual([{ ...plain, restart: true }, { ...plain, restart: true }, plain]);
});

test("a post whose answer is lost is repeated with the same key and body, until it is answered", async () => {
  const { rialto, seen, retried } = await faulty(
    cut,
    half,
    problem(503, "unavailable"),
    json(201, { message: { id: "7" } }),
  );
  expect(await rialto.post("lobby/1", { text: "hi" })).toEqual({ message: { id: "7" } });
  expect(new Set(seen.map(({ headers }) => headers["idempotency-key"])).size).toBe(1);
  expect(new Set(seen.map(({ body }) => body))).toEqual(new Set(['{"text":"hi"}']));
  expect(seen[0]).toMatchObject({
    path: "/v1/gateways/lobby%2F1/messages",
    headers: { authorization: "Bearer t0ken" },
  });
  expect(retried).toEqual(["unreachable", "unreachable", "unavailable"]);
});

test("two posts have two keys, unless the caller gives one", async () => {
  const { rialto, seen } = await faulty(json(201, { message: { id: "7" } }));
  await rialto.post("lobby", { text: "a" });
  await rialto.post("lobby", { text: "a" });
  await rialto.post("lobby", { text: "a" }, { key: "mine" });
  const keys = seen.map(({ headers }) => headers["idempotency-key"]);
  expect(new Set(keys).size).toBe(3);
  expect(keys[2]).toBe("mine");
});

test("a refusal is an error with the problem's code and remedy, and is not repeated", async () => {
  const { rialto, seen } = await faulty(problem(404, "not_found"));
  const error: unknown = await rialto.post("lobby", { text: "a" }).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(RialtoError);
  expect(error).toMatchObject({
    code: "not_found",
    status: 404,
    message: "it is not so",
    remedy: "Do otherwise.",
    instance: "r1",
  });
  expect(seen).toHaveLength(1);
});

test("what fails again and again is given up after as many tries as wanted", async () => {
  const { url, seen } = await faulty(problem(503, "unavailable"));
  const rialto = new Rialto({ url, retries: 1 });
  await expect(rialto.me()).rejects.toMatchObject({ code: "unavailable" });
  expect(seen).toHaveLength(2);
});

test.each([
  ["a page of somebody else", json(200, "welcome"), "unknown"],
  ["a redirect", json(302, {}, { Location: "http://127.0.0.1:1/" }), "unreachable"],
])("%s is no answer of Rialto", async (_what, reaction, code) => {
  const { url } = await faulty(reaction);
  await expect(new Rialto({ url, retries: 0 }).me()).rejects.toMatchObject({ code });
});

test("an abort ends what waits, with its reason", async () => {
  const { rialto } = await faulty(() => undefined);
  const ending = new AbortController();
  const asking = rialto.me({ signal: ending.signal });
  ending.abort(new Error("enough"));
  await expect(asking).rejects.toThrow("enough");
});

test("what does not answer in time is an error", async () => {
  const { url } = await faulty(() => undefined);
  await expect(new Rialto({ url, retries: 0, timeoutMs: 30 }).me()).rejects.toMatchObject({ code: "unreachable" });
});

test("a stream goes on after a cut where it was, and passes over what it does not know", async () => {
  const event = (seq: number): string => `id: ${seq}\nevent: x\ndata: {"seq":"${seq}","type":"of.tomorrow"}\n\n`;
  const stream =
    (...parts: readonly string[]): Reaction =>
    (_seen, response) => {
      response.writeHead(200, { "Content-Type": "text/event-stream", "Last-Event-ID": "3" });
      response.write(`retry: 2000\n\n: comment\n\n${parts.join("")}`);
      setTimeout(() => response.destroy(), 10);
    };
  const { rialto, seen } = await faulty(
    stream(),
    stream(event(4).replaceAll("\n", "\r\n"), event(5), 'id: 6\ndata: {"seq"'),
    problem(502, "bad"),
    stream(event(6)),
  );
  const seqs: unknown[] = [];
  for await (const one of rialto.events({ gateways: ["a", "b"] })) {
    seqs.push(isObject(one) ? one["seq"] : null);
    if (seqs.length === 3) break;
  }
  expect(seqs).toEqual(["4", "5", "6"]);
  const afters = seen.map(({ path }) => new URL(path, "http://x").searchParams.get("after"));
  expect(afters).toEqual([null, "3", "5", "5"]);
  expect(new URL(seen[0]?.path ?? "", "http://x").searchParams.get("gateways")).toBe("a,b");
});

test("acks that are not waited for one by one travel together", async () => {
  const events = ["1", "2", "3", "4"].map((seq) => ({ delivery: 1, deadline: null, event: { seq, type: "x" } }));
  const { rialto, seen } = await faulty(
    json(200, {}),
    json(200, { events, pending: 0, skipped: 2 }),
    problem(503, "unavailable"),
    json(200, { floor: "4", in_flight: 0 }),
  );
  const acks: Promise<void>[] = [];
  const skipped: number[] = [];
  const reading = rialto.consumer("bot").events({ onSkipped: (count) => skipped.push(count) });
  for await (const event of reading) {
    acks.push(event.seq === "3" ? event.nack("5s") : event.ack());
    if (acks.length === 4) break;
  }
  await Promise.all(acks);
  const told = seen.filter(({ path }) => path.endsWith("/ack")).map(({ body }) => body);
  expect(told).toContain('{"ack":["2","4"],"nack":[{"seq":"3","in":"5s"}]}');
  expect(told.length).toBeLessThan(4);
  expect(skipped).toEqual([2]);
});

test("over Rialto itself: post, read, ack, history, and what is left comes again", async () => {
  const stage = await v1Stage({ token: "secret" });
  const rialto = new Rialto({ url: stage.url, token: "secret" });
  expect(await rialto.me()).toMatchObject({ account: "api.game", gateways: ["lobby", "den"] });
  expect((await rialto.gateways()).map(({ name }) => name)).toEqual(["lobby", "den"]);
  const bot = rialto.consumer("bot", { start: "all", filter: { gateways: ["lobby"] } });
  for (const text of ["one", "two", "three"]) await stage.say("net.a/#x", { text });
  const texts: string[] = [];
  const read = async (count: number): Promise<void> => {
    let left = count;
    for await (const event of bot) {
      texts.push(textOf(event));
      await event.ack();
      if ((left -= 1) === 0) break;
    }
  };
  await read(1);
  await read(2);
  expect(texts).toEqual(["one", "two", "three"]);
  const { messages } = await rialto.history("lobby", { limit: 2 });
  expect(messages.map(({ message }) => message.text)).toEqual(["two", "three"]);
  await expect(rialto.gateway("nowhere")).rejects.toMatchObject({ code: "not_found" });
  await bot.delete();
});

test("over Rialto itself: what a loop did not look at comes again, and does not count as failed", async () => {
  const stage = await v1Stage({ token: "secret" });
  const rialto = new Rialto({ url: stage.url, token: "secret" });
  const bot = rialto.consumer("bot", { start: "all", filter: { gateways: ["lobby"] }, max_deliver: 1 });
  for (const text of ["one", "two", "three", "four"]) await stage.say("net.a/#x", { text });
  const texts: string[] = [];
  const read = async (until: number): Promise<void> => {
    for await (const event of bot) {
      texts.push(textOf(event));
      await event.ack();
      if (texts.length === until) break;
    }
  };
  await read(1);
  expect(await stage.ask("GET", "/v1/consumers/bot")).toMatchObject({ body: { in_flight: 3, dead: 0 } });
  for await (const event of bot) {
    await event.release();
    break;
  }
  await read(4);
  expect(texts).toEqual(["one", "two", "three", "four"]);
});

test("over Rialto itself: a wrong token is told with a remedy, at once, to a consumer's loop as well", async () => {
  const stage = await v1Stage({ token: "secret" });
  const rialto = new Rialto({ url: stage.url, token: "wrong" });
  await expect(rialto.me()).rejects.toMatchObject({ code: "unauthorized", status: 401 });
  await expect(rialto.consumer("bot").events().next()).rejects.toMatchObject({ code: "unauthorized" });
});

test("over Rialto itself: the live stream has what is said after it began", async () => {
  const stage = await v1Stage({ token: "secret" });
  const rialto = new Rialto({ url: stage.url, token: "secret" });
  await stage.say("net.a/#x", { text: "before" });
  const stream = rialto.events({ after: "0", types: ["message.posted"] });
  const first = await stream.next();
  expect(first.value).toMatchObject({ type: "message.posted", message: { text: "before" } });
  const next = stream.next();
  await stage.say("net.a/#x", { text: "after" });
  expect((await next).value).toMatchObject({ message: { text: "after" } });
  await stream.return();
});

const textOf = (event: ConsumedEvent): string =>
  event.type === "message.posted" || event.type === "message.edited" ? event.message.text : "";

test("an upload is waited for as long as the server takes it in, and longer than any other answer", async () => {
  const slow: Reaction = (one, response) => void setTimeout(() => json(201, { id: "s256_x" })(one, response), 500);
  const { url } = await faulty(slow);
  const rialto = new Rialto({ url, timeoutMs: 50, retries: 0 });
  await expect(rialto.me()).rejects.toMatchObject({ code: "unreachable" });
  expect(await rialto.upload(new Uint8Array(9), { name: "a" })).toEqual({ id: "s256_x" });
});

test("a page sends a stream as a whole: browsers send none over HTTP/1.1", async () => {
  const { url, seen } = await faulty(json(201, { id: "s256_x" }));
  const bodies: unknown[] = [];
  const rialto = new Rialto({
    url,
    fetch: async (address, how) => {
      bodies.push(how?.body);
      return await fetch(address, how);
    },
  });
  const stream = (): ReadableStream<Uint8Array> => new Blob(["con", "tent"]).stream();
  await rialto.upload(stream(), { name: "a" });
  vi.stubGlobal("document", {});
  onTestFinished(() => void vi.unstubAllGlobals());
  await rialto.upload(stream(), { name: "a" });
  expect(bodies.map((body) => body instanceof Blob)).toEqual([false, true]);
  expect(seen.map(({ body }) => body)).toEqual(["content", "content"]);
});
