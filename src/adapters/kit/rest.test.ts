import type http from "node:http";
import { describe, expect, test } from "vitest";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { within } from "../../../test/support/wait.ts";
import type { Http } from "./http.ts";
import { isObject, textIn } from "./json.ts";
import { multipart } from "./multipart.ts";
import { Rest, type RestAnswer, type RestDialect, type RestFailure, secondsIn } from "./rest.ts";
import { never, ownHttp, served } from "./served.suite.ts";
import { segment } from "./segment.ts";

const dialect: RestDialect = {
  words: (body) => (isObject(body) ? textIn(body, "message") : null),
  retryAfterMs: ({ headers }) => secondsIn(headers["x-own-reset"]),
};

interface RestGiven {
  readonly http?: Http;
  readonly clock?: FakeClock;
  readonly limit?: "all" | "call";
}

function restOf(
  base: URL,
  path = "/api/v4/",
  { http: client = ownHttp(), clock = new FakeClock(), limit = "call" }: RestGiven = {},
): Rest {
  const rest = new Rest({
    http: client,
    clock,
    base: new URL(path, base),
    who: "the server",
    scheme: "Bearer",
    dialect,
    limit,
  });
  rest.token = "t0ken-secret";
  return rest;
}

function failureOf(answer: RestAnswer): RestFailure {
  if (answer.ok) throw new Error("it is a success");
  return answer.failure;
}

async function textOf(request: http.IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
  return Buffer.concat(parts).toString();
}

describe("calls", () => {
  test("a form is sent as one, with the token beside it", async () => {
    const asked: string[] = [];
    const base = await served((request, response) => {
      void textOf(request).then((body) => {
        const { authorization, "content-type": type } = request.headers;
        asked.push(`${request.method} ${request.url} ${authorization} ${type} ${body}`);
        response.end("{}");
      });
    });
    const form = { a: "b & c", d: "é\ud800" };
    expect(await restOf(base).call({ method: "POST", path: "/posts", form })).toMatchObject({ ok: true });
    const type = "application/x-www-form-urlencoded";
    expect(asked).toEqual([`POST /api/v4/posts Bearer t0ken-secret ${type} a=b+%26+c&d=%C3%A9%EF%BF%BD`]);
  });

  test("the path stands behind that of the base, with query, token and JSON", async () => {
    const asked: string[] = [];
    const base = await served((request, response) => {
      void textOf(request).then((body) => {
        asked.push(`${request.method} ${request.url} ${request.headers.authorization} ${body}`);
        response.setHeader("X-Version", "7").end('{"a":1}');
      });
    });
    const rest = restOf(base);
    const query = { page: 0, all: true, none: null };
    expect(await rest.call({ method: "GET", path: "/posts", query })).toMatchObject({
      ok: true,
      status: 200,
      value: { a: 1 },
      headers: { "x-version": "7" },
    });
    for (const method of ["POST", "PUT", "PATCH", "DELETE"] as const) {
      await rest.call({ method, path: "/x", body: { text: "é\ud800" } });
    }
    rest.token = null;
    await rest.call({ method: "DELETE", path: `/users/${segment("../a b?c")}` });
    expect(asked).toEqual([
      "GET /api/v4/posts?page=0&all=true Bearer t0ken-secret ",
      'POST /api/v4/x Bearer t0ken-secret {"text":"é�"}',
      'PUT /api/v4/x Bearer t0ken-secret {"text":"é�"}',
      'PATCH /api/v4/x Bearer t0ken-secret {"text":"é�"}',
      'DELETE /api/v4/x Bearer t0ken-secret {"text":"é�"}',
      "DELETE /api/v4/users/..%2Fa%20b%3Fc undefined ",
    ]);
  });

  test("a path that is none leads to no other server", async () => {
    const asked: (string | undefined)[] = [];
    const base = await served((request, response) => {
      asked.push(request.url);
      response.end("null");
    });
    const rest = restOf(base, "/a");
    for (const path of ["@127.0.0.1:1/x", "//other.example/x", "/x?y#z", ""]) await rest.call({ method: "GET", path });
    expect(asked).toEqual(["/a@127.0.0.1:1/x", "/a//other.example/x", "/a/x%3Fy%23z", "/a"]);
  });

  test("an empty answer is a success, one that is not JSON is none", async () => {
    const base = await served((request, response) => {
      if (request.url?.endsWith("/empty") === true) response.writeHead(204).end();
      else response.end("<html>");
    });
    expect(await restOf(base).call({ method: "GET", path: "/empty" })).toMatchObject({ ok: true, value: null });
    const failure = failureOf(await restOf(base).call({ method: "POST", path: "/page" }));
    expect(failure).toMatchObject({ why: "unreadable", status: 200, certain: false, retryAfterMs: null });
  });

  test("one that a server does not answer in time", async () => {
    const [clock, asked] = [new FakeClock(), Promise.withResolvers<void>()];
    const base = await served(() => asked.resolve());
    const answer = restOf(base, "/", { http: ownHttp(clock) }).call({ method: "POST", path: "/x", timeoutMs: 30 });
    await asked.promise;
    await clock.advance(30);
    const failure = failureOf(await answer);
    expect(failure).toMatchObject({ why: "timeout", status: 0, certain: false });
  });

  test("one that was given up did not happen", async () => {
    const base = await served(() => undefined);
    const failure = failureOf(await restOf(base).call({ method: "GET", path: "/x", signal: AbortSignal.abort() }));
    expect(failure).toMatchObject({ why: "aborted", status: 0, certain: true });
  });
});

describe("refusals", () => {
  const DATE = "Thu, 01 Jan 2026 00:00:10 GMT";
  test.each([
    [429, { "Retry-After": "7" }, 7_000, true],
    [429, { "Retry-After": "0" }, 50, true],
    [429, { "Retry-After": "99999999" }, 3_600_000, true],
    [429, { "X-Own-Reset": "2.5", "Retry-After": "7" }, 2_500, true],
    [503, { "Retry-After": DATE, Date: "Thu, 01 Jan 2026 00:00:04 GMT" }, 6_000, false],
    [503, { "Retry-After": DATE, Date: "soon" }, 10_000, false],
    [503, { "Retry-After": "soon" }, null, false],
    [500, {}, null, false],
    [408, {}, null, false],
    [404, {}, null, true],
    [302, { Location: "https://other.example/" }, null, true],
  ])("%i %j", async (status, headers, waitMs, certain) => {
    const base = await served((_, response) => {
      response.sendDate = false;
      response.writeHead(status, headers).end('{"message":"no t0ken-secret\\r\\nhere"}');
    });
    const failure = failureOf(await restOf(base).call({ method: "POST", path: "/x", query: { token: "q" } }));
    expect(failure).toMatchObject({
      why: "refused",
      status,
      retryAfterMs: waitMs,
      certain,
      body: { message: "no t0ken-secret\r\nhere" },
      message: `the server answers HTTP ${status}: no …  here`,
    });
  });

  test.each([
    ["all", 1],
    ["call", 4],
  ] as const)("a 429 that concerns %s", async (limit, asked) => {
    const clock = new FakeClock();
    let count = 0;
    const base = await served((_, response) => {
      count += 1;
      if (count === 1) response.writeHead(429, { "Retry-After": "7" }).end();
      else response.end("{}");
    });
    const rest = restOf(base, "/", { clock, limit });
    await rest.call({ method: "POST", path: "/a" });
    await clock.advance(5_000);
    const get = await rest.call({ method: "GET", path: "/b" });
    const content = { stream: new Blob(["abc"]).stream(), bytes: 3, mime: "x/y" };
    const upload = await rest.upload({ method: "POST", path: "/c", content });
    const file = await rest.download({ path: "/d" }, never);
    expect([get.ok, upload.ok, file.ok, count]).toEqual([...Array.from({ length: 3 }, () => limit === "call"), asked]);
    if (!get.ok) expect(get.failure).toMatchObject({ status: 429, retryAfterMs: 2_000, certain: true });
    expect((await rest.call({ method: "POST", path: "/e", urgent: true })).ok).toBe(true);
    await clock.advance(2_000);
    expect((await rest.call({ method: "GET", path: "/b" })).ok).toBe(true);
  });

  test("nothing of the address but the place is said", async () => {
    const base = new URL("http://user:t0ken-secret@127.0.0.1:1/api/?token=t0ken-secret");
    const rest = restOf(base, base.href);
    const failure = failureOf(await rest.call({ method: "GET", path: "/t0ken-secret", query: { a: "t0ken-secret" } }));
    expect(failure.message).toMatch(/^http:\/\/127\.0\.0\.1:1\/api cannot be reached: /u);
    expect(failure).toMatchObject({ why: "network", certain: true });
  });
});

describe("files", () => {
  const stream = (...parts: string[]): ReadableStream<Uint8Array> => new Blob(parts).stream();

  /** A file, and the wait for its giving back. */
  const dismissable = () => {
    const dismissed = Promise.withResolvers<void>();
    const kept = new ReadableStream<Uint8Array>({ cancel: () => dismissed.resolve() });
    return { kept, given: async () => await within(dismissed.promise, () => "the end of a stream") };
  };

  test("a form arrives as it was said, and its length is known before", async () => {
    const base = await served((request, response) => {
      void textOf(request).then((text) => {
        const { "content-type": type = "", "content-length": length } = request.headers;
        response.end(JSON.stringify({ text: text.replaceAll(type.split("boundary=")[1] ?? "", "B"), type, length }));
      });
    });
    const file = { stream: stream("abc", "def"), bytes: 6, mime: "text/plain\r\nX: y" };
    const content = multipart([
      { name: "channel", value: "é" },
      { name: "files", fileName: 'a"b\r\n.txt', file },
    ]);
    const answer = await restOf(base).upload({ method: "POST", path: "/files", content });
    expect(answer).toMatchObject({
      ok: true,
      value: {
        type: content.mime,
        length: String(content.bytes),
        text: [
          '--B\r\nContent-Disposition: form-data; name="channel"\r\n\r\né\r\n',
          '--B\r\nContent-Disposition: form-data; name="files"; filename="a%22b%0D%0A.txt"\r\n',
          "Content-Type: text/plain  X: y\r\n\r\nabcdef\r\n--B--\r\n",
        ].join(""),
      },
    });
  });

  test.each([
    ["longer", stream("abcdef"), 3],
    ["shorter", stream("abc"), 30],
    [
      "broken off",
      new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(new Error("broke off")) }),
      30,
    ],
  ])("one that is %s than was said breaks off", async (_, content, bytes) => {
    const base = await served((request, response) => {
      request.on("error", () => undefined);
      void textOf(request).then(
        () => response.end("{}"),
        () => undefined,
      );
    });
    const { kept: other, given } = dismissable();
    const form = multipart([
      { name: "a", fileName: "a", file: { stream: content, bytes, mime: "x/y" } },
      { name: "b", fileName: "b", file: { stream: other, bytes: 0, mime: "x/y" } },
    ]);
    expect(await restOf(base).upload({ method: "POST", path: "/x", content: form })).toMatchObject({
      ok: false,
      failure: { why: "network" },
    });
    await given();
  });

  test.each([
    ["longer", 2],
    ["shorter", 4],
  ])("one that goes as it is and is %s than was said breaks off", async (_, bytes) => {
    const base = await served((request, response) => {
      request.on("error", () => undefined).resume();
      request.on("end", () => response.end("{}"));
    });
    const content = { stream: stream("a", "bc"), bytes, mime: "x/y" };
    expect(await restOf(base).upload({ method: "POST", path: "/x", content })).toMatchObject({
      ok: false,
      failure: { why: "network" },
    });
  });

  test("nobody there: the streams are given back", async () => {
    const { kept, given } = dismissable();
    const content = multipart([{ name: "a", fileName: "a", file: { stream: kept, bytes: 1, mime: "x/y" } }]);
    const rest = restOf(new URL("http://127.0.0.1:1"));
    expect(failureOf(await rest.upload({ method: "POST", path: "/x", content }))).toMatchObject({ certain: true });
    await given();
  });

  test("a download is a stream, with the token", async () => {
    const base = await served((request, response) => {
      response.setHeader("Content-Type", "text/plain").end(`${request.url} ${request.headers.authorization}`);
    });
    const opened = await restOf(base).download({ path: "/files/1", query: { download: 1 } }, never);
    const text = opened.ok ? await new Response(opened.stream).text() : "";
    expect(text).toBe("/api/v4/files/1?download=1 Bearer t0ken-secret");
  });
});
