import { describe, expect, test } from "vitest";
import type { Message } from "../../src/contract/message.ts";
import { toml } from "../support/config.ts";
import { expectError, expectGreeting, expectWhole, KEYS } from "../support/shape.ts";
import { openStream } from "../support/stream.ts";
import { launch, useRialto } from "../support/suite.ts";

// The configuration as the API specification shows it, and a second account at the other end of its gateway.
const CONFIG = `
[api.local]
Buffer = 1000
RemoteNickFormat = "{NICK}"

[api.remote]
Buffer = 1000
RemoteNickFormat = "{NICK}"

[api.private]
Token = "mytoken"

[api.idle]

[[gateway]]
name = "gateway1"
enable = true

[[gateway.inout]]
account = "api.local"
channel = "api"

[[gateway.inout]]
account = "api.remote"
channel = "api"

[[gateway.inout]]
account = "api.private"
channel = "api"

[[gateway]]
name = "gateway2"
enable = false

[[gateway.inout]]
account = "api.local"
channel = "api"

[[gateway.inout]]
account = "api.remote"
channel = "api"

[[gateway]]
name = "elsewhere"
enable = true

[[gateway.inout]]
account = "api.idle"
channel = "api"
`;

const rialto = useRialto({ config: CONFIG });
const local = () => rialto().client("local");
const remote = () => rialto().client("remote");

const post = { text: "Hello", username: "randomuser", gateway: "gateway1" };

describe("§1 what the service does", () => {
  test("a program receives what other bridges of a gateway say, in one request or continuously", async () => {
    await local().poll();
    const stream = await local().stream();
    await remote().say(post);
    expect((await stream.next()).text).toBe("Hello");
    expect(await local().texts()).toEqual(["Hello"]);
    await stream.close();
  });

  test("what a client posts is delivered to the other bridges of the named gateway", async () => {
    await remote().poll();
    await local().say(post);
    expect(await remote().texts()).toEqual(["Hello"]);
  });

  test("messages are kept until a client takes them", async () => {
    await local().poll();
    for (let n = 0; n < 100; n += 1) await remote().say({ ...post, text: `kept ${n}` });
    expect(await local().texts()).toEqual(Array.from({ length: 100 }, (_, n) => `kept ${n}`));
  });

  test("BindAddress is where the API listens, one address per account", async () => {
    const addresses = ["local", "remote", "private", "idle"].map((name) => rialto().url(`api.${name}`));
    expect(new Set(addresses).size).toBe(4);
    for (const name of ["local", "remote", "private", "idle"]) {
      expect((await rialto().client(name).request("/api/health")).text).toBe("OK");
    }
  });

  test("RemoteNickFormat with {NICK} gives the sender names", async () => {
    await local().poll();
    await remote().say({ ...post, username: "some body" });
    expect((await local().poll())[0]?.username).toBe("some body");
  });

  test("Token guards every request with a message in it", async () => {
    expectError(await rialto().client("private").request("/api/messages"), 401);
    expect((await rialto().client("private", "mytoken").request("/api/messages")).status).toBe(200);
  });

  test("name is what clients write in gateway; enable switches a gateway on or off", async () => {
    expect((await local().say(post)).gateway).toBe("gateway1");
    expectError(await local().post({ ...post, gateway: "gateway2" }), 404, /gateway2/);
  });

  test("rule 1: an inout entry both receives and sends", async () => {
    await local().poll();
    await remote().poll();
    await local().say({ ...post, text: "out" });
    await remote().say({ ...post, text: "back" });
    expect([await remote().texts(), await local().texts()]).toEqual([["out"], ["back"]]);
  });

  test("rule 2: an account that is not in the gateway neither receives from it nor sends to it", async () => {
    await local().say(post);
    expect(await rialto().client("idle").poll()).toEqual([]);
    expectError(await rialto().client("idle").post(post), 404, /gateway1/, /elsewhere/);
  });
});

describe("§2 the message", () => {
  test("the same shape in polls, streams and the answer of a POST, all keys present", async () => {
    await local().poll();
    const stream = await local().stream();
    const answer = await remote().say(post);
    const [polled] = await local().poll();
    const streamed = await stream.next();
    for (const message of [answer, polled, streamed]) {
      expectWhole(message);
      expect(message).toEqual(answer);
    }
    await stream.close();
  });

  test("rule 1: names are exactly as in the table, with the capital E of Extra", async () => {
    expect(Object.keys(await remote().say(post))).toEqual(KEYS);
  });

  test("rule 2: absent strings are empty, not left out", async () => {
    const message = await remote().say({ text: "only text", gateway: "gateway1" });
    expect(message).toMatchObject({
      username: "",
      userid: "",
      avatar: "",
      event: "",
      parent_id: "",
      id: "",
      Extra: null,
    });
  });

  test("rule 3: account, protocol and channel of a posted message are api.local, api and api, by the service", async () => {
    const message = await local().say({ ...post, account: "irc.x", protocol: "irc", channel: "#x" });
    expect(message).toMatchObject({ account: "api.local", protocol: "api", channel: "api" });
  });

  test("timestamp is RFC 3339 with fractional seconds and a UTC offset", async () => {
    const { timestamp } = await local().say(post);
    expect(timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+(Z|[+-]\d\d:\d\d)$/);
  });
});

describe("§4 GET /api/messages", () => {
  test("oldest first, and [] when there is nothing", async () => {
    await local().poll();
    expect((await local().request("/api/messages")).json()).toEqual([]);
    for (const text of ["1", "2", "3"]) await remote().say({ ...post, text });
    expect(await local().texts()).toEqual(["1", "2", "3"]);
  });

  test("rule 1: what came since the previous read", async () => {
    await local().poll();
    await remote().say({ ...post, text: "since" });
    expect(await local().texts()).toEqual(["since"]);
    await remote().say({ ...post, text: "since then" });
    expect(await local().texts()).toEqual(["since then"]);
  });

  test("rule 2: reading empties the buffer", async () => {
    await remote().say(post);
    await local().poll();
    expect(await local().poll()).toEqual([]);
  });

  test("rule 3: channel, account and gateway describe the origin", async () => {
    await local().poll();
    await remote().say(post);
    expect(await local().poll()).toMatchObject([{ channel: "api", account: "api.remote", gateway: "gateway1" }]);
  });
});

describe("§4 GET /api/stream", () => {
  test("is long-lived, one line of compact JSON per message", async () => {
    await local().poll();
    const stream = await local().stream();
    for (const text of ["a\nb", "c"]) await remote().say({ ...post, text });
    const lines = [await stream.nextLine(), await stream.nextLine()];
    expect(lines.map((line) => (JSON.parse(line) as Message).text)).toEqual(["a\nb", "c"]);
    for (const line of lines) expect(line).toBe(JSON.stringify(JSON.parse(line)));
    await stream.close();
  });

  test("rule 1: the first object is api_connected, all other strings empty, stamped with the connection time", async () => {
    const before = Date.now();
    const stream = await openStream(`${local().url}/api/stream`);
    const greeting = await stream.next();
    expectGreeting(greeting);
    expect(Date.parse(greeting.timestamp)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(greeting.timestamp)).toBeLessThanOrEqual(Date.now());
    await stream.close();
  });

  test("rule 2: after it each message as it arrives", async () => {
    await local().poll();
    const stream = await local().stream();
    for (const text of ["x", "y", "z"]) {
      await remote().say({ ...post, text });
      expect((await stream.next()).text).toBe(text);
    }
    await stream.close();
  });
});

describe("§4 POST /api/message", () => {
  test("text, username and gateway are used; the answer is the accepted message, filled in", async () => {
    const message = await local().say(post);
    expectWhole(message);
    expect(message).toMatchObject({
      ...post,
      channel: "api",
      account: "api.local",
      protocol: "api",
      event: "",
      id: "",
    });
    expect(Math.abs(Date.parse(message.timestamp) - Date.now())).toBeLessThan(60_000);
  });

  test("rule 1: it is delivered to every other bridge of the gateway", async () => {
    await remote().poll();
    const other = rialto().client("private", "mytoken");
    await other.poll();
    await local().say({ ...post, text: "everyone" });
    expect([await remote().texts(), await other.texts()]).toEqual([["everyone"], ["everyone"]]);
  });
});

describe("§5 authentication", () => {
  const open = () => rialto().client("private", "mytoken");
  const shut = () => rialto().client("private");

  test("1 and 2: with a Token every endpoint wants Authorization: Bearer <TOKEN>, the stream too", async () => {
    expectError(await shut().request("/api/messages"), 401);
    expectError(await shut().post(post), 401);
    expect((await openStream(`${shut().url}/api/stream`)).status).toBe(401);
    await open().poll();
    await open().say(post);
    await (await open().stream()).close();
  });

  test("3: without a Token the API is open and needs no header", async () => {
    await local().poll();
    await local().say(post);
    await (await local().stream()).close();
  });

  test("4: a wrong token is 401 with a JSON message", async () => {
    expectError(await rialto().client("private", "nottoken").request("/api/messages"), 401);
  });
});

describe("§6 events", () => {
  test("api_connected appears as the first object of a stream and nowhere else", async () => {
    await local().poll();
    const stream = await local().stream();
    expectError(await remote().post({ ...post, event: "api_connected" }), 400, /event/);
    await remote().say({ ...post, text: "ordinary" });
    expect(await stream.next()).toMatchObject({ text: "ordinary", event: "" });
    expect((await local().poll()).map((message) => message.event)).toEqual([""]);
    await stream.close();
  });
});

describe("§7 errors", () => {
  test("malformed bodies, unknown gateways and wrong tokens are told apart", async () => {
    expectError(await local().post("{"), 400);
    expectError(await local().post({ ...post, gateway: "gateway9" }), 404, /gateway9/, /gateway1/);
    expectError(await rialto().client("private", "x").post(post), 401);
  });
});

describe("§8 limits", () => {
  test("Buffer 1000 holds a thousand messages, and the newest of them when more came", async () => {
    await local().poll();
    const texts = Array.from({ length: 1003 }, (_, n) => `b${n}`);
    for (let from = 0; from < texts.length; from += 50) {
      for (const text of texts.slice(from, from + 50)) await remote().say({ ...post, text });
    }
    expect(await local().texts()).toEqual(texts.slice(-1000));
  });

  test("Buffer is 10 by default", async () => {
    const one = await launch({
      config: toml({ accounts: { a: {}, b: {} }, gateways: { g: { inout: ["a", "b"] } } }),
    });
    for (let n = 0; n < 12; n += 1) await one.client("a").say({ text: `d${n}` });
    expect(await one.client("b").texts()).toEqual(Array.from({ length: 10 }, (_, n) => `d${n + 2}`));
  });
});

describe("§9 versioning", () => {
  test("paths begin with /api/ and carry no version; the OpenAPI 3 document says 0.1.0", async () => {
    const document = (await local().request("/api/openapi.json")).json() as {
      openapi: string;
      info: { version: string };
      paths: Record<string, unknown>;
    };
    expect(document.openapi).toMatch(/^3\./);
    expect(document.info.version).toBe("0.1.0");
    for (const path of Object.keys(document.paths)) expect(path).toMatch(/^\/api\/(?!v\d)/);
  });
});
