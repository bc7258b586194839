import net from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { V1_HEADERS } from "./answers.ts";
import { ProblemError } from "./problems.ts";
import { type Call, ok, type Reply } from "./route.ts";
import { v1Stage } from "./stage.suite.ts";
import { LogError } from "../../log/errors.ts";
import { AUTH, HASTY, say, serve, TOKEN } from "./router-stage.suite.ts";

describe("what is asked", () => {
  const query = { x: { type: "string" }, y: { type: "string" } };
  const routes = [
    { query },
    { method: "PUT", body: { type: "object" } },
    { path: "/v1/endless", stream: true },
  ] as const;

  test("HEAD is GET without its body, and not for streams", async () => {
    const { ask } = await serve(routes);
    const head = await ask("HEAD", "/v1/thing");
    expect([head.status, head.headers.get("content-length"), head.body]).toEqual([200, "2", null]);
    expect((await ask("HEAD", "/v1/endless")).status).toBe(405);
  });

  test("other methods are told which there are", async () => {
    const { ask } = await serve(routes);
    const options = await ask("OPTIONS", "/v1/thing");
    expect([options.status, options.headers.get("allow")]).toEqual([204, "OPTIONS, GET, PUT, HEAD"]);
    const other = await ask("DELETE", "/v1/thing");
    expect(other).toMatchObject({ status: 405, body: { code: "method_not_allowed" } });
    expect(other.headers.get("allow")).toBe("OPTIONS, GET, PUT, HEAD");
    expect((await ask("OPTIONS", "/v1/endless")).headers.get("allow")).toBe("OPTIONS, GET");
  });

  test.each(["/v1", "/v1/", "/v1/thing/", "/v1//thing", "/v1/other", "/v1?x", "/v1/%74hing"])(
    "%s is not there",
    async (path) => {
      const { ask } = await serve(routes);
      expect(await ask("GET", path)).toMatchObject({ status: 404, body: { code: "not_found" } });
    },
  );

  test("what only begins like it is none of it", async () => {
    const { ask } = await serve(routes);
    expect((await ask("GET", "/v1x")).body).toEqual({ message: "Not Found" });
  });

  test("the absolute form of an address is read as well", async () => {
    const { port } = await serve(routes);
    const request = `GET http://127.0.0.1/v1/thing?x HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${TOKEN}\r\n\r\n`;
    expect(await say(port, request, /\{\}/u)).toMatch(/^HTTP\/1\.1 200 /u);
  });

  test("a parameter that the operation does not have is told, with those that it has", async () => {
    const { ask } = await serve(routes);
    expect((await ask("GET", "/v1/thing?x=1&y=&x=2")).status).toBe(200);
    for (const [method, path, detail] of [
      ["GET", "/v1/thing?x=1&X=2", "there is no parameter `X` here; there are `x`, `y`"],
      ["PUT", "/v1/thing?x=1", "there is no parameter `x` here; there are none"],
      ["GET", "/v1/endless?after=1", "there is no parameter `after` here; there are `ticket`"],
      [
        "GET",
        `/v1/thing?${"z".repeat(200)}`,
        `there is no parameter \`${"z".repeat(100)}…\` here; there are \`x\`, \`y\``,
      ],
    ] as const)
      expect(await ask(method, path)).toMatchObject({ status: 400, body: { code: "bad_request", detail } });
  });
});

describe("bodies", () => {
  const schema = { type: "object", properties: { a: { type: "object", properties: { "b/c": { type: "integer" } } } } };
  const routes = [
    { method: "POST", body: schema, handle: ({ body, fingerprint }: Call) => ok({ body, fingerprint }) },
  ] as const;
  const post = async (how: RequestInit) => (await serve(routes)).ask("POST", "/v1/thing", how);
  const typed = (type: string) => ({ headers: { ...AUTH, "Content-Type": type } });

  test.each(["application/json", "application/json; charset=utf-8", "Application/JSON"])("%s", async (type) => {
    expect(await post({ ...typed(type), body: '{"a":{"b/c":1}}' })).toMatchObject({
      status: 200,
      body: { body: { a: { "b/c": 1 } }, fingerprint: expect.stringMatching(/^[\w+/]{43}=$/u) as unknown },
    });
  });

  test("none is an object without keys", async () => {
    expect(await post({})).toMatchObject({ status: 200, body: { body: {} } });
  });

  test.each([
    ["text/plain", "{}", 415, "unsupported_media_type"],
    ["application/json", "{", 400, "bad_request"],
    ["application/json", "[]", 400, "bad_request"],
    ["application/json", `"${"x".repeat(1_000)}"`, 413, "too_large"],
  ])("%s %s", async (type, body, status, code) => {
    expect(await post({ ...typed(type), body })).toMatchObject({ status, body: { code, status } });
  });

  test("what is wrong is pointed at", async () => {
    const answer = await post({ ...typed("application/json"), body: '{"a":{"b/c":"x"}}' });
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ pointer: "/a/b~1c" }] } });
    expect(answer.headers.get("content-type")).toBe("application/problem+json");
  });
});

describe("answers", () => {
  test("none is to be kept or guessed at, refusals and errors neither", async () => {
    const { ask } = await serve([{}]);
    for (const path of ["/v1/thing", "/v1/other"]) {
      const { headers } = await ask("GET", path);
      for (const [name, value] of Object.entries(V1_HEADERS)) expect(headers.get(name)).toBe(value);
      expect(headers.get("access-control-allow-origin")).toBeNull();
    }
  });

  test("a handler that fails is a bug, told by the id of the request, without the query", async () => {
    const { ask, bugs } = await serve([{ stream: true, handle: () => Promise.reject(new Error("oh")) }]);
    const { status, body } = await ask("GET", "/v1/thing?ticket=secret");
    expect([status, body]).toMatchObject([500, { code: "internal", instance: expect.any(String) as unknown }]);
    const { instance } = body as { instance: string };
    expect(bugs).toEqual([`/v1/thing (${instance}): Error: oh`]);
  });

  test("what the log cannot do is to be asked again", async () => {
    const throws = (): never => {
      throw new LogError("disk_full", "/secret/place is full");
    };
    const { ask, bugs } = await serve([{ handle: throws }]);
    const { status, body, headers } = await ask("GET", "/v1/thing");
    expect([status, headers.get("retry-after")]).toEqual([503, "1"]);
    expect(body).toMatchObject({ code: "unavailable", detail: "the log cannot do it now: no room on the disk" });
    expect(bugs).toEqual([]);
  });

  test("those to requests that came at once come in their order", async () => {
    const slow = async (): Promise<{ status: number; body: string }> => {
      await new Promise(setImmediate);
      return { status: 200, body: "slow" };
    };
    const { port } = await serve([{ path: "/v1/slow", handle: slow }, { handle: () => ok("quick") }]);
    const one = (path: string): string =>
      `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${TOKEN}\r\n\r\n`;
    const text = await say(port, one("/v1/slow") + one("/v1/thing"), /quick/u);
    expect(text.match(/"slow"|"quick"/gu)).toEqual(['"slow"', '"quick"']);
  });
});

describe("the end", () => {
  /** Answers when nobody waits any more. */
  const waiting = (begun: () => void) => (call: Call) =>
    new Promise<ReturnType<typeof ok>>((resolve) => {
      call.signal.addEventListener("abort", () => resolve(ok("over")), { once: true });
      begun();
    });

  test("who waits is answered when the server stops, and nobody comes in any more", async () => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const { ask, close } = await serve([{ handle: waiting(() => resolve(undefined)) }]);
    const answer = ask("GET", "/v1/thing");
    await promise;
    const closed = close();
    expect(await answer).toMatchObject({ status: 200, body: "over" });
    await closed;
    await expect(ask("GET", "/v1/thing")).rejects.toThrow(Error);
  });

  test("a client that goes is waited for no more", async () => {
    const begun = Promise.withResolvers<undefined>();
    const ended = Promise.withResolvers<boolean>();
    const handle = (call: Call) => {
      call.signal.addEventListener("abort", () => ended.resolve(call.signal.aborted), { once: true });
      return waiting(() => begun.resolve(undefined))(call);
    };
    const { ask } = await serve([{ handle }]);
    const gone = new AbortController();
    const answer = ask("GET", "/v1/thing", { signal: gone.signal });
    await begun.promise;
    gone.abort();
    await expect(answer).rejects.toThrow(Error);
    expect(await ended.promise).toBe(true);
  });

  test("the signal of an answer that was given is aborted, and one that is asked for later as well", async () => {
    const calls: Call[] = [];
    const { ask } = await serve([{ handle: (call: Call) => ok(calls.push(call)) }]);
    await ask("GET", "/v1/thing");
    await expect.poll(() => calls[0]?.signal.aborted).toBe(true);
  });
});

describe("loading", () => {
  test("nothing is loaded before somebody asks, and then once", async () => {
    let loads = 0;
    const { ask } = await serve([{}], { opens: () => Promise.resolve(void (loads += 1)) });
    await ask("GET", "/api/nothing");
    expect(loads).toBe(0);
    await Promise.all([ask("GET", "/v1/thing"), ask("GET", "/v1/thing"), ask("GET", "/v1/other")]);
    expect(loads).toBe(1);
  });

  test("a log that cannot be read is tried again with the next request", async () => {
    let fails = true;
    const opens = (): Promise<void> => (fails ? Promise.reject(new LogError("io", "no")) : Promise.resolve());
    const { ask, bugs } = await serve([{}], { opens });
    expect(await ask("GET", "/v1/thing")).toMatchObject({ status: 503, body: { code: "unavailable" } });
    fails = false;
    expect((await ask("GET", "/v1/thing")).status).toBe(200);
    expect(bugs).toEqual([]);
  });
});

describe("an account without a Token keeps web pages out", () => {
  const PAGE = { token: null };
  const headers = (more: Readonly<Record<string, string>>): RequestInit => ({ headers: more });

  test.each([
    [{ Origin: "http://evil.example" }, 403],
    [{ "Sec-Fetch-Site": "cross-site" }, 403],
    [{ "Sec-Fetch-Site": "same-site" }, 403],
    [{ "Sec-Fetch-Site": "same-origin" }, 200],
    [{ "Sec-Fetch-Site": "none" }, 200],
    [{}, 200],
  ])("%j", async (more, status) => {
    const { ask } = await serve([{}], PAGE);
    expect((await ask("GET", "/v1/thing", headers(more))).status).toBe(status);
  });

  test.each([
    ["evil.example", 421],
    ["chat.example", 200],
    ["localhost", 200],
  ])("called as %s", async (host, status) => {
    const { port } = await serve([{}, { path: "/v1/open", needs: null }], PAGE);
    for (const path of ["/v1/thing", "/v1/open"]) {
      const text = await say(port, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`, /\}/u);
      expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `, "u"));
    }
  });
});

describe("credentials", () => {
  test("what is refused says how to come in", async () => {
    const { ask } = await serve([{}]);
    const answer = await ask("GET", "/v1/thing", { headers: {} });
    expect(answer).toMatchObject({ status: 401, body: { code: "unauthorized" } });
    expect(answer.headers.get("www-authenticate")).toBe("Bearer");
  });

  test("no address has a token in it, and a ticket opens streams only, once", async () => {
    const { ask, url, token } = await v1Stage({ token: TOKEN });
    const reader = await token({ scopes: ["read"] });
    for (const name of ["token", "access_token", "ticket"]) {
      expect((await ask("GET", `/v1/events?${name}=${reader}`, { token: null })).status).toBe(401);
      expect((await ask("GET", `/v1/me?${name}=${TOKEN}`, { token: null })).status).toBe(401);
    }
    const { body } = await ask("POST", "/v1/tickets", { token: reader });
    const { ticket } = body as { ticket: string };
    expect((await ask("GET", `/v1/me?ticket=${ticket}`, { token: null })).status).toBe(401);
    const gone = new AbortController();
    const stream = await fetch(`${url}/v1/events?ticket=${ticket}`, { signal: gone.signal });
    expect(stream.status).toBe(200);
    gone.abort();
    expect((await ask("GET", `/v1/events?ticket=${ticket}`, { token: null })).status).toBe(401);
  });

  test("a stream ends when its token is revoked, also one that a ticket has opened", async () => {
    const { ask, url, token, tokens } = await v1Stage({ token: TOKEN });
    const reader = await token({ scopes: ["read"] });
    const { body } = await ask("POST", "/v1/tickets", { token: reader });
    const { ticket } = body as { ticket: string };
    const streams = await Promise.all([
      fetch(`${url}/v1/events`, { headers: { Authorization: `Bearer ${reader}` } }),
      fetch(`${url}/v1/events?ticket=${ticket}`),
    ]);
    expect(streams.map(({ status }) => status)).toEqual([200, 200]);
    await tokens.revoke(reader.slice(4, 12));
    await Promise.all(streams.map(async (stream) => await stream.text()));
  });

  test("another Token of the configuration counts from its reload on, and the old one no more", async () => {
    const { ask, config, change } = await v1Stage({ token: TOKEN });
    expect((await ask("GET", "/v1/me")).status).toBe(200);
    const account = config.accounts.get("api.game");
    if (account === undefined) throw new Error("no account");
    const next = { ...account, settings: { ...account.settings, Token: "other" } };
    await change({ ...config, accounts: new Map(config.accounts).set("api.game", next) }, "api.game");
    expect((await ask("GET", "/v1/me")).status).toBe(401);
    expect((await ask("GET", "/v1/me", { token: "other" })).status).toBe(200);
  });
});

test("a refusal is whole: RFC 9457 with a code, a remedy and the request", async () => {
  const refuse = (): never => {
    throw new ProblemError("conflict", "there is one", { headers: { ETag: '"1"' } });
  };
  const { ask } = await serve([{ handle: refuse }]);
  const { status, headers, body } = await ask("GET", "/v1/thing");
  expect([status, headers.get("etag"), headers.get("content-type")]).toEqual([409, '"1"', "application/problem+json"]);
  expect(body).toEqual({
    type: "/v1/problems/conflict",
    title: "It is there already, and is otherwise",
    status: 409,
    detail: "there is one",
    instance: expect.stringMatching(/^[\da-f-]{36}$/u) as unknown,
    code: "conflict",
    remedy: "Send If-Match with its ETag to change it.",
  });
});

test("a body that its operation reads itself may take its time, and no other", async () => {
  const whole = async ({ request }: Call): Promise<Reply> => {
    let bytes = 0;
    for await (const part of request) bytes += (part as Buffer).length;
    return ok({ bytes });
  };
  const routes = [
    { method: "POST", body: { type: "object" } },
    { method: "POST", path: "/v1/file", body: "stream", handle: whole },
  ] as const;
  const { port } = await serve(routes, { limits: HASTY });
  const head = (path: string): string =>
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${TOKEN}\r\nContent-Length: 4\r\n\r\nab`;
  const file = net.connect(port, "127.0.0.1", () => file.write(head("/v1/file")));
  onTestFinished(() => void file.destroy());
  const answer = new Promise<string>((resolve) => file.once("data", (part: Buffer) => resolve(part.toString())));
  expect(await say(port, head("/v1/thing"), /408 /u)).toContain("HTTP/1.1 408 ");
  file.write("cd");
  expect(await answer).toMatch(/^HTTP\/1\.1 200 OK[^]*\{"bytes":4\}$/u);
});
