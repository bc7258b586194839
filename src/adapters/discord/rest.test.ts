import type http from "node:http";
import { describe, expect, test } from "vitest";
import { RecordingHost } from "../../../test/contract/recording-host.ts";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { eventually } from "../../../test/support/wait.ts";
import type { Host } from "../../contract/host.ts";
import { never, ownHttp, served } from "../kit/served.suite.ts";
import { DiscordApi } from "./api.ts";
import { DiscordRest } from "./rest.ts";
import type { DiscordFailure, DiscordResult } from "./rest-result.ts";

const TOKEN = "a.bot-token";

interface Reach {
  readonly rest: DiscordRest;
  readonly api: DiscordApi;
  readonly clock: FakeClock;
  readonly host: RecordingHost;
}

function reach(base: URL, at = { base: `${base.origin}/api`, version: "10" }): Reach {
  const clock = new FakeClock();
  const host = new RecordingHost();
  const http = ownHttp();
  const degraded: Host["degraded"] = (why) => host.degraded(why);
  const options = { http, clock, log: host.log, degraded, ...at, token: TOKEN };
  const rest = new DiscordRest(options);
  return { rest, api: new DiscordApi(rest, http), clock, host };
}

function failureOf(answer: DiscordResult<unknown>): DiscordFailure {
  if (answer.ok) throw new Error("it is a success");
  return answer.failure;
}

interface Said {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A server that answers with these, the last one for ever, and what it was asked. */
async function answering(...answers: readonly Said[]): Promise<Reach & { readonly asked: string[] }> {
  const asked: string[] = [];
  const base = await served((request, response) => {
    const { status, headers = {}, body = "" } = answers[Math.min(asked.length, answers.length - 1)] ?? { status: 500 };
    asked.push(`${request.method} ${request.url}`);
    request.resume();
    request.on("end", () => response.writeHead(status, { "content-type": "application/json", ...headers }).end(body));
  });
  return { ...reach(base), asked };
}

const message = (id: string): string => JSON.stringify({ id, channel_id: "5", author: { id: "7" }, content: "x" });
const limit = (seconds: number, global = false): string =>
  JSON.stringify({ message: "You are being rate limited.", retry_after: seconds, global });

describe("what is asked", () => {
  test("has version, token, query and JSON; webhooks go without our token", async () => {
    const asked: string[] = [];
    const base = await served((request, response) => {
      void textOf(request).then((body) => {
        asked.push([request.method, request.url, request.headers.authorization ?? "-", body].join(" "));
        response.setHeader("Content-Type", "application/json").end(message("9"));
      });
    });
    const { api } = reach(base);
    await api.messages("5", { after: "3", limit: 10 }, never);
    await api.post("5", { content: "é\ud800" }, [], never);
    await api.executeWebhook({ id: "8", token: "secret" }, { thread: "6" }, { content: "a" }, [], never);
    await api.react("5", "9", "👍", never);
    await api.unreact("5", "9", "name:12", never);
    await api.message("../guilds", "9", never);
    expect(asked).toEqual([
      `GET /api/v10/channels/5/messages?after=3&limit=10 Bot ${TOKEN} `,
      `POST /api/v10/channels/5/messages Bot ${TOKEN} {"content":"é\ufffd"}`,
      'POST /api/v10/webhooks/8/secret?wait=true&thread_id=6 - {"content":"a"}',
      `PUT /api/v10/channels/5/messages/9/reactions/%F0%9F%91%8D/@me Bot ${TOKEN} `,
      `DELETE /api/v10/channels/5/messages/9/reactions/name%3A12/@me Bot ${TOKEN} `,
      `GET /api/v10/channels/..%2Fguilds/messages/9 Bot ${TOKEN} `,
    ]);
  });

  test("goes to the version and the path of the API, also where limits are counted", async () => {
    const asked: string[] = [];
    const base = await served((request, response) => {
      asked.push(request.url ?? "");
      const headers = { "content-type": "application/json", "x-ratelimit-scope": "user" };
      response.writeHead(request.url?.includes("/channels/5/") === true ? 429 : 200, headers);
      response.end(request.url?.includes("/channels/5/") === true ? limit(60) : message("9"));
    });
    const { api } = reach(base, { base: `${base.origin}/v1/api`, version: "9" });
    await api.post("5", { content: "a" }, [], never);
    expect(failureOf(await api.post("5", { content: "a" }, [], never)).status).toBe(429);
    expect((await api.post("6", { content: "a" }, [], never)).ok).toBe(true);
    expect(asked).toEqual(["/v1/api/v9/channels/5/messages", "/v1/api/v9/channels/6/messages"]);
  });

  test("files go as a form, as streams", async () => {
    const asked: string[] = [];
    const base = await served((request, response) => {
      void textOf(request).then((body) => {
        asked.push(request.headers["content-type"] ?? "", body);
        response.setHeader("Content-Type", "application/json").end(message("9"));
      });
    });
    const { api } = reach(base);
    const stream = new Blob(["abc"]).stream();
    const file = { name: "a.txt", mime: "text/plain", bytes: 3, stream };
    const sent = await api.post("5", { attachments: [{ id: 0, description: "d" }] }, [file], never);
    expect(sent).toMatchObject({ ok: true, value: { id: "9" } });
    expect(asked[0]).toMatch(/^multipart\/form-data; boundary=/u);
    expect(asked[1]).toContain('name="payload_json"\r\n\r\n{"attachments":[{"id":0,"description":"d"}]}');
    expect(asked[1]).toContain('name="files[0]"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\nabc');
  });

  test("of one channel, requests are answered in the order of the calls", async () => {
    const waiting: (() => void)[] = [];
    const base = await served((request, response) => {
      request.resume();
      waiting.push(() => void response.setHeader("Content-Type", "application/json").end(message("9")));
    });
    const { api } = reach(base);
    const order: string[] = [];
    const posts = ["a", "b"].map(async (content) => {
      await api.post("5", { content }, [], never);
      order.push(content);
    });
    await eventually(
      async () => await Promise.resolve(waiting.length),
      (count) => count === 1,
      () => "the first",
    );
    waiting[0]?.();
    await eventually(
      async () => await Promise.resolve(waiting.length),
      (count) => count === 2,
      () => "the second",
    );
    expect(order).toEqual(["a"]);
    waiting[1]?.();
    await Promise.all(posts);
    expect(order).toEqual(["a", "b"]);
  });
});

describe("answers that are none", () => {
  test.each([
    ["no JSON", { status: 200, body: "<html>" }, { why: "unreadable", certain: false }],
    ["without a message", { status: 200, body: "{}" }, { why: "unreadable", certain: false }],
    ["an array", { status: 200, body: "[]" }, { why: "unreadable", certain: false }],
    ["nothing", { status: 204 }, { why: "unreadable", certain: false }],
    ["an error of a proxy", { status: 502, body: "<html>" }, { why: "refused", status: 502, certain: false }],
    [
      "a refusal",
      { status: 403, body: '{"code":50013,"message":"Missing Permissions"}' },
      { code: 50_013, certain: true },
    ],
    ["a redirection", { status: 302, headers: { location: "http://x.invalid/" } }, { status: 302, certain: true }],
    [
      "an endpoint that is missing",
      { status: 404, body: '{"code":404,"message":"Endpoint not found"}' },
      { status: 404, message: "Discord answers HTTP 404: Endpoint not found (POST /channels/:id/messages)" },
    ],
    [
      "a thing that is missing",
      { status: 404, body: '{"code":10008,"message":"Unknown Message"}' },
      { message: "Discord answers HTTP 404: Unknown Message" },
    ],
    [
      "a code that is none",
      { status: 400, body: '{"code":"x","message":7}' },
      { code: 0, message: "Discord answers HTTP 400" },
    ],
  ] as const)("%s", async (_, said, expected) => {
    const { api } = await answering(said);
    expect(failureOf(await api.post("5", { content: "a" }, [], never))).toMatchObject(expected);
  });

  test("what is wrong with single fields is said, and no token", async () => {
    const errors = { content: { _errors: [{ code: "X", message: "Must be 2000 or fewer" }] } };
    const body = JSON.stringify({ code: 50_035, message: `Invalid Form Body ${TOKEN} /webhooks/8/secret`, errors });
    const { api } = await answering({ status: 400, body });
    expect(failureOf(await api.post("5", {}, [], never)).message).toBe(
      "Discord answers HTTP 400: Invalid Form Body … /webhooks/8/…; content: Must be 2000 or fewer",
    );
  });

  test("no server, and one that hangs up", async () => {
    const { api } = reach(new URL("http://127.0.0.1:1"));
    expect(failureOf(await api.me(never))).toMatchObject({ why: "network", status: 0, certain: true });
    const base = await served((request) => request.socket.destroy());
    const failure = failureOf(await reach(base).api.post("5", {}, [], never));
    expect(failure).toMatchObject({ why: "network", status: 0, certain: false });
  });

  test("401 tells the session, unless it is a webhook's; later calls end too, and are not made", async () => {
    const { rest, api, asked } = await answering({
      status: 401,
      body: '{"code":50027,"message":"Invalid Webhook Token"}',
    });
    const told: number[] = [];
    rest.onUnauthorized = ({ status }) => told.push(status);
    await api.executeWebhook({ id: "8", token: "x" }, { thread: null }, {}, [], never);
    expect(told).toEqual([]);
    await api.me(never);
    expect(told).toEqual([401]);
    expect(failureOf(await api.me(never))).toMatchObject({ status: 401, certain: true });
    expect(asked.length).toBe(3);
  });

  test("an abort: before it is asked, while it waits its turn, and while it is answered", async () => {
    const requests: http.IncomingMessage[] = [];
    const base = await served((request) => void requests.push(request));
    const { api } = reach(base);
    const gone = AbortSignal.abort();
    expect(failureOf(await api.post("4", {}, [], gone))).toMatchObject({ why: "aborted", certain: true });
    const [first, second] = [new AbortController(), new AbortController()];
    const posts = [api.post("5", {}, [], first.signal), api.post("5", {}, [], second.signal)];
    await eventually(
      async () => await Promise.resolve(requests.length),
      (count) => count === 1,
      () => "the first",
    );
    second.abort();
    expect(failureOf(await posts[1]!)).toMatchObject({ why: "aborted", certain: true });
    first.abort();
    expect(failureOf(await posts[0]!)).toMatchObject({ why: "aborted", certain: false });
    expect(requests.length).toBe(1);
  });
});

describe("limits", () => {
  const bucket = { "X-RateLimit-Bucket": "abc", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset-After": "2.5" };

  test("of a bucket: the next one to that place is not asked until it is over; other places are", async () => {
    const { api, asked, clock } = await answering({ status: 200, headers: bucket, body: message("9") });
    expect((await api.post("5", {}, [], never)).ok).toBe(true);
    expect(failureOf(await api.post("5", {}, [], never))).toMatchObject({
      status: 429,
      certain: true,
      retryAfterMs: 2_500,
      scope: "user",
    });
    expect((await api.post("6", {}, [], never)).ok).toBe(true);
    expect(asked.length).toBe(2);
    await clock.advance(2_500);
    expect((await api.post("5", {}, [], never)).ok).toBe(true);
  });

  test("of a bucket: none is longer than an hour, whatever a server says", async () => {
    const headers = { ...bucket, "X-RateLimit-Reset-After": "31536000" };
    const { api } = await answering({ status: 200, headers, body: message("9") });
    expect((await api.post("5", {}, [], never)).ok).toBe(true);
    expect(failureOf(await api.post("5", {}, [], never)).retryAfterMs).toBe(3_600_000);
  });

  test.each([
    ["user", { "X-RateLimit-Scope": "user" }, limit(1.5), "user", true],
    ["shared", { "X-RateLimit-Scope": "shared" }, limit(1.5), "shared", true],
    ["global by header", { "X-RateLimit-Global": "true" }, limit(1.5), "global", false],
    ["global by word", {}, limit(1.5, true), "global", false],
    [
      "what stands before the servers",
      { "Retry-After": "2", "content-type": "text/html" },
      "error 1015",
      "global",
      false,
    ],
  ])("a 429, %s: nothing that it concerns is asked", async (_, headers, body, scope, othersMay) => {
    const { api, asked, clock } = await answering({ status: 429, headers, body }, { status: 200, body: message("9") });
    const failure = failureOf(await api.post("5", {}, [], never));
    expect(failure).toMatchObject({ status: 429, scope, certain: true });
    expect(failureOf(await api.post("5", {}, [], never)).scope).toBe(scope);
    expect(asked.length).toBe(1);
    expect((await api.post("6", {}, [], never)).ok).toBe(othersMay);
    await clock.advance(failure.retryAfterMs ?? 0);
    expect((await api.post("5", {}, [], never)).ok).toBe(true);
  });

  test("a question waits for a limit that is soon over, and not for a long one", async () => {
    const short = { status: 429, headers: { "X-RateLimit-Scope": "user" }, body: limit(1.5) };
    const { api, asked, clock } = await answering(short, { status: 200, body: "[]" });
    const answer = api.messages("5", { limit: 1 }, never);
    await eventually(
      async () => await Promise.resolve(clock.waiting),
      (count) => count > 0,
      () => "it to wait",
    );
    await clock.advance(1_500);
    expect(await answer).toEqual({ ok: true, value: [] });
    expect(asked.length).toBe(2);
    const long = await answering({ status: 429, headers: { "X-RateLimit-Scope": "user" }, body: limit(60) });
    expect(failureOf(await long.api.messages("5", { limit: 1 }, never)).retryAfterMs).toBe(60_000);
  });

  test("slow mode keeps its number", async () => {
    const body = JSON.stringify({ code: 20_016, message: "slow mode", retry_after: 3 });
    const { api } = await answering({ status: 429, headers: { "Retry-After": "3" }, body });
    expect(failureOf(await api.post("5", {}, [], never))).toMatchObject({ code: 20_016, retryAfterMs: 3_000 });
  });

  test("after a thousand refusals nothing is asked until ten minutes are over", async () => {
    const { api, asked, clock, host } = await answering({
      status: 403,
      body: '{"code":50001,"message":"Missing Access"}',
    });
    for (let count = 0; count < 1_000; count += 1) await api.deleteMessage("5", "9", never);
    const failure = failureOf(await api.post("6", {}, [], never));
    expect(failure).toMatchObject({ status: 429, scope: "global" });
    expect(failure.message).toContain("it bans addresses that go on");
    expect([asked.length, host.records.filter(({ level }) => level === "warn").length]).toEqual([1_000, 1]);
    expect(host.doubts).toEqual([{ code: "rate_limited", message: failure.message }]);
    await clock.advance(failure.retryAfterMs ?? 0);
    expect(host.doubts.at(-1)).toBeNull();
    expect(failureOf(await api.post("6", {}, [], never)).status).toBe(403);
  });
});

async function textOf(request: http.IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
  return Buffer.concat(parts).toString();
}
