import { describe, expect, test } from "vitest";
import { toml } from "../support/config.ts";
import type { Answer } from "../support/http.ts";
import { rawRequest } from "../support/raw.ts";
import { expectError } from "../support/shape.ts";
import { openStream } from "../support/stream.ts";
import { useRialto } from "../support/suite.ts";
import { eventually } from "../support/wait.ts";

const TOKEN = "s3cret-Token/+=";
const FOREIGN = "schlüssel";
const accounts = { closed: { Token: TOKEN }, umlaut: { Token: FOREIGN }, open: {}, wide: {}, guarded: { Token: "t" } };
const rialto = useRialto({
  config: toml({ accounts, gateways: { g: { inout: Object.keys(accounts) } } }),
  hosts: { "api.wide": "0.0.0.0", "api.guarded": "0.0.0.0" },
});

function expectUnauthorized(answer: Answer): void {
  expectError(answer, 401);
  expect(answer.headers["www-authenticate"]).toMatch(/^Bearer\b/);
}

const guarded = [
  ["GET", "/api/messages"],
  ["GET", "/api/stream"],
  ["GET", "/api/websocket"],
  ["POST", "/api/message"],
  ["OPTIONS", "/api/message"],
  ["DELETE", "/api/messages"],
  ["GET", "/api/nothing"],
  ["GET", "/"],
  ["POST", "/api/health"],
] as const;

describe("an account with a Token", () => {
  test.for(guarded)("%s %s without it is 401 with WWW-Authenticate: Bearer", async ([method, path]) => {
    expectUnauthorized(await rialto().client("closed").request(path, { method }));
  });

  const wrong = [
    "Bearer",
    "Bearer ",
    `Basic ${TOKEN}`,
    TOKEN,
    "Bearer wrong",
    `Bearer ${TOKEN.slice(0, -1)}`,
    `Bearer ${TOKEN}x`,
    `Bearer ${TOKEN.toUpperCase()}`,
    `Bearer ${TOKEN} x`,
    `Bearer${TOKEN}`,
  ];
  test.for(wrong)("Authorization: %s is 401", async (value) => {
    const answer = await rialto()
      .client("closed")
      .request("/api/messages", { headers: { Authorization: value } });
    expectUnauthorized(answer);
  });

  test.for(["Bearer", "bearer", "BEARER", "bEaReR"])("the scheme %s is good", async (scheme) => {
    const headers = { Authorization: `${scheme} ${TOKEN}` };
    expect((await rialto().client("closed").request("/api/messages", { headers })).status).toBe(200);
  });

  test("is not opened by a token in the query or a cookie", async () => {
    const query = encodeURIComponent(TOKEN);
    const options = { headers: { Cookie: `token=${TOKEN}` } };
    expectUnauthorized(
      await rialto().client("closed").request(`/api/messages?token=${query}&access_token=${query}`, options),
    );
  });

  test("answers 401 on a HEAD without a body", async () => {
    const answer = await rialto().client("closed").request("/api/messages", { method: "HEAD" });
    expect([answer.status, answer.body.length]).toEqual([401, 0]);
  });

  test("opens all of it with the token", async () => {
    const closed = rialto().client("closed", TOKEN);
    await closed.poll();
    const stream = await closed.stream();
    const socket = await closed.socket();
    await rialto().client("open").say({ text: "hello" });
    expect((await stream.next()).text).toBe("hello");
    expect((await socket.next()).text).toBe("hello");
    expect(await closed.texts()).toEqual(["hello"]);
    await rialto().client("open").poll();
    await closed.say({ text: "back" });
    expect(await rialto().client("open").texts()).toEqual(["back"]);
    expect((await closed.request("/api/nothing")).status).toBe(404);
    await Promise.all([stream.close(), socket.close()]);
  });

  test("relays nothing without it, and says 401 before it looks at the body", async () => {
    await rialto().client("open").poll();
    const closed = rialto().client("closed");
    expectUnauthorized(await closed.post({ text: "bad" }));
    expectUnauthorized(await closed.post("{bad"));
    expectUnauthorized(await closed.post("x", { "Content-Type": "text/plain" }));
    expect(await rialto().client("open").poll()).toEqual([]);
  });

  test("serves health and the OpenAPI document without it", async () => {
    for (const path of ["/api/health", "/api/openapi.json"]) {
      expect((await rialto().client("closed").request(path)).status).toBe(200);
      expect((await rialto().client("closed", "wrong").request(path)).status).toBe(200);
    }
  });

  test("a Token beyond ASCII is compared by its UTF-8 bytes", async () => {
    const ask = async (token: string): Promise<string> => {
      const bytes = Buffer.from(
        `GET /api/messages HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`,
        "utf8",
      );
      return (await rawRequest(rialto().url("api.umlaut"), bytes)).statusLine;
    };
    expect(await ask(FOREIGN)).toBe("HTTP/1.1 200 OK");
    expect(await ask("schlussel")).toMatch(/ 401 /);
  });

  test("the token is not printed", () => {
    expect(rialto().output()).not.toContain(TOKEN);
    expect(rialto().output()).not.toContain(FOREIGN);
  });
});

describe("an account without a Token", () => {
  test.for(["Bearer ", "Bearer", "Bearer anything", "Basic dXNlcjpwYXNz", "garbage"])(
    "ignores Authorization: %s",
    async (value) => {
      const headers = { Authorization: value };
      const { url } = rialto().client("open");
      expect((await rialto().client("open").request("/api/messages", { headers })).status).toBe(200);
      expect((await rialto().client("open").post({ text: "x" }, headers)).status).toBe(200);
      const stream = await openStream(`${url}/api/stream`, headers);
      expect(stream.status).toBe(200);
      await stream.close();
    },
  );

  test("is warned of when it listens on anything but loopback, and only then", async () => {
    const warnings = await eventually(
      async () =>
        rialto()
          .output()
          .split("\n")
          .filter((line) => /warn|"level":40/i.test(line) && /token/i.test(line)),
      (lines) => lines.length > 0,
      () => "a warning",
    );
    expect(warnings.join("\n")).toContain("api.wide");
    expect(warnings.join("\n")).not.toMatch(/api\.(open|guarded|closed)/);
  });
});
