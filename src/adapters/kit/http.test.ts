import type http from "node:http";
import { expect, test } from "vitest";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { Inbox, within } from "../../../test/support/wait.ts";
import type { Http, HttpRequest } from "./http.ts";
import { never, ownHttp, served } from "./served.suite.ts";

const MANY = 40;
const LIMIT_MS = 500;

interface Asked {
  readonly url: string;
  readonly response: http.ServerResponse;
}

/** A server that answers what the test lets it, and what it was asked. */
async function slowServer() {
  const asked = new Inbox<Asked>();
  const base = await served(({ url = "" }, response) => asked.push({ url, response }));
  const over = new Promise<string>(() => undefined);
  return { base, asked, next: async () => await asked.next(() => "a request", over) };
}

const wantedOf = (url: URL, more: Partial<HttpRequest> = {}): HttpRequest => ({
  method: "POST",
  url,
  headers: {},
  body: "{}",
  timeoutMs: 3_600_000,
  again: false,
  signal: never,
  ...more,
});

/** As many requests as go at the same time are under way, and not answered. */
async function busy(client: Http, { base, next }: Awaited<ReturnType<typeof slowServer>>) {
  const answers = Array.from({ length: 16 }, async () => await client.request(wantedOf(new URL("/busy", base))));
  const responses: http.ServerResponse[] = [];
  for (const _ of answers) responses.push((await next()).response);
  return { answers, responses };
}

test("more requests than go at the same time are all answered", async () => {
  const server = await slowServer();
  const client = ownHttp();
  const answers = Array.from({ length: MANY }, async () => await client.request(wantedOf(server.base)));
  for (const _ of answers) (await server.next()).response.end("{}");
  const all = await within(Promise.all(answers), () => "all answers");
  expect(all.map((answer) => answer.is)).toEqual(Array.from({ length: MANY }, () => "answer"));
});

test.each(["its time is over", "it is given up", "the session closes"] as const)(
  "a request that waits for others ends when %s, and is not sent",
  async (how) => {
    const server = await slowServer();
    const clock = new FakeClock();
    const client = ownHttp(clock);
    const { responses, answers } = await busy(client, server);
    const stop = new AbortController();
    const given = Promise.withResolvers<void>();
    const stream = new ReadableStream<Uint8Array>({ cancel: () => given.resolve() });
    const more = { timeoutMs: LIMIT_MS, signal: stop.signal };
    const late = [
      client.request(wantedOf(new URL("/late", server.base), more)),
      client.request(
        wantedOf(new URL("/late", server.base), { ...more, body: { stream, bytes: 5, mime: "text/plain" } }),
      ),
    ];
    if (how === "its time is over") await clock.advance(LIMIT_MS);
    else if (how === "it is given up") stop.abort();
    else client.close();
    const why = how === "its time is over" ? "timeout" : "aborted";
    const failed = await within(Promise.all(late), () => "the end of what waits");
    expect(failed).toMatchObject([
      { is: "failed", why, certain: true },
      { is: "failed", why, certain: true },
    ]);
    await within(given.promise, () => "the end of the stream");
    if (how === "the session closes") return;
    for (const response of responses) response.end("{}");
    await within(Promise.all(answers), () => "all answers");
    const last = client.request(wantedOf(new URL("/last", server.base)));
    const { url, response } = await server.next();
    response.end("{}");
    expect([url, (await last).is]).toEqual(["/last", "answer"]);
  },
);

test("answers that nobody reads hold up no request, and one another only until they are given up", async () => {
  const server = await slowServer();
  const clock = new FakeClock();
  const client = ownHttp(clock);
  const place = new URL("/file", server.base);
  const open = async () => await client.stream(wantedOf(place, { method: "GET", body: null, timeoutMs: LIMIT_MS }));
  const opened = Array.from({ length: 16 }, open);
  for (const _ of opened) (await server.next()).response.write(Buffer.alloc(1 << 20));
  const streams = await within(Promise.all(opened), () => "the beginnings of files");
  const { answers, responses } = await busy(client, server);
  for (const response of responses) response.end("{}");
  await within(Promise.all(answers), () => "all answers");
  const refused = open();
  await clock.advance(LIMIT_MS);
  expect(await within(refused, () => "a refusal")).toMatchObject({ is: "failed", why: "timeout", certain: true });
  const next = open();
  for (const stream of streams) if (stream.is === "stream") stream.response.destroy();
  const { response } = await server.next();
  response.end("x");
  expect((await within(next, () => "the next file")).is).toBe("stream");
});

test("requests that cannot be made leave room for others", async () => {
  const server = await slowServer();
  const client = ownHttp();
  const strange = wantedOf(server.base, { headers: { "X-Strange": "a\nb" } });
  for (let count = 0; count < MANY; count += 1) expect((await client.request(strange)).is).toBe("failed");
  const answer = client.request(wantedOf(server.base));
  (await server.next()).response.end("{}");
  expect((await within(answer, () => "an answer")).is).toBe("answer");
});

test("interim answers without end are the end of a request, and a few are not", async () => {
  const base = await served(({ url }, response) => {
    for (let count = 0; count < (url === "/few" ? 20 : 21); count += 1) response.writeProcessing();
    if (url === "/few") response.end("{}");
  });
  const client = ownHttp();
  const ask = async (path: string) => await within(client.request(wantedOf(new URL(path, base))), () => "an answer");
  expect(await ask("/few")).toMatchObject({ is: "answer", status: 200 });
  expect(await ask("/many")).toMatchObject({ is: "failed", why: "network" });
});

test("an answer in pieces of one byte is one text, and more than 24 MiB are too much", async () => {
  const mib = Buffer.alloc(1 << 20, "x");
  const base = await served(({ url }, response) => {
    if (url === "/bytes") for (const byte of Buffer.from('{"a":"\u00e9"}')) response.write(Uint8Array.of(byte));
    if (url === "/large") for (let count = 0; count < 25; count += 1) response.write(mib);
    response.end();
  });
  const client = ownHttp();
  const ask = async (path: string) => await within(client.request(wantedOf(new URL(path, base))), () => "an answer");
  expect(await ask("/bytes")).toMatchObject({ is: "answer", text: '{"a":"\u00e9"}' });
  expect(await ask("/large")).toMatchObject({ is: "failed", why: "too_large" });
});

test.each([
  ["1 byte", 1, { is: "failed", message: "its answer comes in too small chunks" }],
  ["64 bytes", 64, { is: "answer", status: 200 }],
])("an answer in 20 000 chunks of %s", async (_, bytes, expected) => {
  const chunk = `${bytes.toString(16)}\r\n${" ".repeat(bytes)}\r\n`;
  const head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  const base = await served((__, response) => void response.socket?.end(`${head}${chunk.repeat(20_000)}0\r\n\r\n`));
  expect(await ownHttp().request(wantedOf(base))).toMatchObject(expected);
});
