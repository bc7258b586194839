import { beforeAll, describe, expect, test } from "vitest";
import type { Message } from "../../src/contract/message.ts";
import { toml } from "../support/config.ts";
import { connectRaw, parseAnswer, type RawConnection } from "../support/raw.ts";
import { expectGreeting, expectWhole } from "../support/shape.ts";
import { openStream } from "../support/stream.ts";
import { launch, type Room, useRialto, useRooms } from "../support/suite.ts";
import { eventually, within } from "../support/wait.ts";

const GET = "GET /api/stream HTTP/1.1\r\nHost: localhost\r\n\r\n";

// Silence takes its time: the connection for the last test opens first, and is quiet while the other tests run.
const room = useRooms(22);
let silence: { room: Room; connection: RawConnection; length: number } | null = null;
beforeAll(async () => {
  const quiet = room();
  const connection = await connectRaw(quiet.reader.url);
  connection.send(GET);
  const greeted = await connection.until((bytes) => bytes.includes("}\n\r\n"), "the greeting");
  silence = { room: quiet, connection, length: greeted.length };
});

describe("the form of GET /api/stream", () => {
  test("is 200, Content-Type exactly application/json, chunked, not compressed, without a length", async () => {
    const stream = await openStream(`${room().reader.url}/api/stream`, { "Accept-Encoding": "gzip, br" });
    expect(stream.status).toBe(200);
    expect(stream.headers["content-type"]).toBe("application/json");
    expect(stream.headers["transfer-encoding"]).toBe("chunked");
    expect(stream.headers["content-length"]).toBeUndefined();
    expect(stream.headers["content-encoding"]).toBeUndefined();
    await stream.close();
  });

  test("begins with the whole api_connected object, at once, stamped with the time of the connection", async () => {
    const before = Date.now();
    const stream = await openStream(`${room().reader.url}/api/stream`);
    const greeting = await stream.next();
    expectGreeting(greeting);
    const stamped = Date.parse(greeting.timestamp);
    expect(stamped).toBeGreaterThanOrEqual(before);
    expect(stamped).toBeLessThanOrEqual(Date.now());
    await stream.close();
  });

  test("is one compact object a line, the newline after it, and whole lines in every chunk", async () => {
    const { sender, reader } = room();
    const connection = await connectRaw(reader.url);
    connection.send(GET);
    await connection.until((bytes) => bytes.includes('"api_connected"'), "the greeting");
    for (let n = 0; n < 5; n += 1) await sender.say({ text: `line\n${n}`, username: "bob" });
    const bytes = await connection.until((received) => received.includes(String.raw`line\n4`), "five messages");
    connection.destroy();
    const answer = parseAnswer(bytes)!;
    expect(answer.statusLine).toBe("HTTP/1.1 200 OK");
    for (const chunk of answer.chunks) expect(chunk.toString()).toMatch(/^(\{[^\n]*\}\n)+$/);
    const lines = answer.body.toString().split("\n").slice(0, -1);
    expect(lines).toHaveLength(6);
    for (const line of lines) {
      expect(line).toBe(JSON.stringify(JSON.parse(line)));
      expectWhole(JSON.parse(line));
    }
  });

  test("writes each message as it comes, in order", async () => {
    const { sender, reader } = room();
    const stream = await reader.stream();
    for (let n = 0; n < 20; n += 1) {
      await sender.say({ text: `now ${n}` });
      expect((await stream.next()).text).toBe(`now ${n}`);
    }
    await stream.close();
  });

  test("shows the origin, the gateway and the formatted sender", async () => {
    const { sender, reader, gateway, senderAccount } = room();
    const stream = await reader.stream();
    await sender.say({ text: "hi", username: "bob" });
    expect(await stream.next()).toMatchObject({ username: "bob", account: senderAccount, channel: "api", gateway });
    await stream.close();
  });

  test("is chunked also when the client asks to close afterwards", async () => {
    const connection = await connectRaw(room().reader.url);
    connection.send("GET /api/stream HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    const bytes = await connection.until((received) => received.includes('"api_connected"'), "the greeting");
    expect(parseAnswer(bytes)?.headers.get("transfer-encoding")).toBe("chunked");
    connection.destroy();
  });

  test("is an unchunked body for a client of HTTP/1.0, live as well", async () => {
    const { sender, reader } = room();
    const connection = await connectRaw(reader.url);
    connection.send("GET /api/stream HTTP/1.0\r\n\r\n");
    await connection.until((received) => received.includes('"api_connected"'), "the greeting");
    await sender.say({ text: "for the old" });
    const bytes = await connection.until((received) => received.includes("for the old"), "the message");
    connection.destroy();
    expect(parseAnswer(bytes)?.headers.has("transfer-encoding")).toBe(false);
    const lines = parseAnswer(bytes)!.body.toString().split("\n");
    expect(lines.map((line) => (line === "" ? "" : typeof JSON.parse(line)))).toEqual(["object", "object", ""]);
  });

  test("comes after the answer to a request that was sent just before it on the same connection", async () => {
    const { sender, reader } = room();
    const connection = await connectRaw(reader.url);
    connection.send(`GET /api/messages HTTP/1.1\r\nHost: localhost\r\n\r\n${GET}`);
    await connection.until((bytes) => bytes.includes('"api_connected"'), "the greeting");
    await sender.say({ text: "behind another" });
    await connection.until((bytes) => bytes.includes("behind another"), "the message");
    connection.destroy();
  });

  test("gives every reader of an account every message", async () => {
    const { sender, reader } = room();
    const streams = await Promise.all(Array.from({ length: 5 }, async () => await reader.stream()));
    const texts = Array.from({ length: 40 }, (_, n) => `all ${n}`);
    for (const text of texts) await sender.say({ text });
    for (const stream of streams) expect(await stream.texts(texts.length)).toEqual(texts);
    await Promise.all(streams.map(async (stream) => await stream.close()));
  });

  test("carries a line of 3 MB whole", async () => {
    const { sender, reader } = room();
    const stream = await reader.stream();
    const text = "wörd ".repeat(600_000);
    await sender.say({ text });
    expect((await stream.next()).text).toBe(text);
    await sender.say({ text: "and goes on" });
    expect((await stream.next()).text).toBe("and goes on");
    await stream.close();
  });

  test("does not show an account its own posts", async () => {
    const { sender, reader } = room();
    const stream = await sender.stream();
    await sender.say({ text: "mine" });
    await reader.say({ text: "theirs" });
    expect((await stream.next()).text).toBe("theirs");
    await stream.close();
  });
});

describe("where a stream starts", () => {
  test("a client that takes one message and leaves has one after the other", async () => {
    const { sender, reader } = room();
    for (let n = 0; n < 5; n += 1) await sender.say({ text: `n${n}` });
    const got: string[] = [];
    for (let time = 0; time < 3; time += 1) {
      const connection = await connectRaw(reader.url);
      connection.send(GET);
      const bytes = await connection.until((received) => received.includes('{"text":"n'), "a message");
      connection.destroy();
      got.push(...[...bytes.toString().matchAll(/"text":"(n\d)"/g)].map((match) => match[1] ?? ""));
    }
    expect(got).toEqual(["n0", "n1", "n2"]);
    expect(await reader.texts()).toEqual(["n0", "n1", "n2", "n3", "n4"]);
  });

  test("what came to a client that was not reading when it left comes again", async () => {
    const { sender, reader } = room();
    await sender.say({ text: "first of the backlog" });
    const stream = await reader.stream();
    expect(await stream.texts(1)).toEqual(["first of the backlog"]);
    stream.pause();
    // More than the client's own buffers hold, so that the kernel has the rest when it closes.
    const lengths = [300_000, 300_001, 300_002];
    for (const length of lengths) await sender.say({ text: "x".repeat(length) });
    await stream.close();
    const next = await reader.stream();
    expect((await next.texts(3)).map(({ length }) => length)).toEqual(lengths);
    await next.close();
  });

  test("messages that nobody read come first, then the live ones", async () => {
    const { sender, reader } = room();
    await sender.say({ text: "waited 1" });
    await sender.say({ text: "waited 2" });
    const stream = await reader.stream();
    await sender.say({ text: "live" });
    expect(await stream.texts(3)).toEqual(["waited 1", "waited 2", "live"]);
    await stream.close();
  });

  test("what a poll took is not shown again by a later stream", async () => {
    const { sender, reader } = room();
    await sender.say({ text: "polled" });
    await reader.poll();
    await sender.say({ text: "not polled" });
    const stream = await reader.stream();
    expect(await stream.texts(1)).toEqual(["not polled"]);
    await stream.close();
  });

  test("what a stream showed is still there for a poll, once", async () => {
    const { sender, reader } = room();
    const stream = await reader.stream();
    await sender.say({ text: "both" });
    expect(await stream.texts(1)).toEqual(["both"]);
    expect(await reader.texts()).toEqual(["both"]);
    expect(await reader.poll()).toEqual([]);
    await stream.close();
  });

  test("a poll during a stream takes nothing from it", async () => {
    const { sender, reader } = room();
    const stream = await reader.stream();
    for (let n = 0; n < 10; n += 1) {
      await sender.say({ text: `n${n}` });
      expect(await reader.texts()).toEqual([`n${n}`]);
    }
    expect(await stream.texts(10)).toEqual(Array.from({ length: 10 }, (_, n) => `n${n}`));
    await stream.close();
  });

  test("what a closed stream missed comes first on the next one, and nothing twice", async () => {
    const { sender, reader } = room();
    const said: string[] = [];
    const seen: string[] = [];
    const say = async (text: string): Promise<void> => {
      said.push(text);
      await sender.say({ text });
    };
    for (let round = 0; round < 8; round += 1) {
      const stream = await reader.stream();
      await say(`live ${round}`);
      seen.push(...(await stream.texts(said.length - seen.length)));
      await stream.close();
      await say(`missed ${round} a`);
      await say(`missed ${round} b`);
    }
    expect(seen).toEqual(said.slice(0, seen.length));
    expect(await reader.texts()).toEqual(said);
  });

  test("a second stream starts after what the first was shown, and both see what follows", async () => {
    const { sender, reader } = room();
    const first = await reader.stream();
    await sender.say({ text: "old" });
    expect(await first.texts(1)).toEqual(["old"]);
    const second = await reader.stream();
    await sender.say({ text: "new" });
    expect(await first.texts(1)).toEqual(["new"]);
    expect(await second.texts(1)).toEqual(["new"]);
    await Promise.all([first.close(), second.close()]);
  });

  test("streams opened while messages come miss none and double none", async () => {
    const { sender, reader } = room();
    const texts = Array.from({ length: 60 }, (_, n) => `r${n}`);
    const posting = (async () => {
      for (const text of texts) await sender.say({ text });
    })();
    const stream = await reader.stream();
    const seen = await stream.texts(texts.length);
    await posting;
    expect(seen).toEqual(texts);
    await sender.say({ text: "end" });
    expect((await stream.next()).text).toBe("end");
    await stream.close();
  });
});

describe("Buffer and streams", () => {
  const accounts = { sender: {}, small: { Buffer: 3 }, lagging: { Buffer: 5 }, other: { Buffer: 1000 } };
  const rialto = useRialto({ config: toml({ accounts, gateways: { g: { inout: Object.keys(accounts) } } }) });

  test("the backlog of a new stream is at most the newest Buffer messages", async () => {
    const sender = rialto().client("sender");
    for (let n = 1; n <= 9; n += 1) await sender.say({ text: `m${n}` });
    const stream = await rialto().client("small").stream();
    await sender.say({ text: "live" });
    expect(await stream.texts(4)).toEqual(["m7", "m8", "m9", "live"]);
    await stream.close();
  });

  test("a reader that takes nothing and lags by more than Buffer is cut, and changes nothing for the others", async () => {
    const sender = rialto().client("sender");
    await rialto().client("lagging").poll();
    await rialto().client("other").poll();
    const stuck = await rialto().client("lagging").stream();
    const healthy = await rialto().client("lagging").stream();
    const other = await rialto().client("other").stream();
    stuck.pause();
    const filler = "x".repeat(1_000_000);
    for (let n = 0; n < 30; n += 1) {
      await sender.say({ text: `${n} ${filler}` });
      expect((await healthy.next()).text).toBe(`${n} ${filler}`);
      expect((await other.next()).text).toBe(`${n} ${filler}`);
    }
    stuck.resume();
    expect(await within(stuck.ended, () => "the end of the stream that lagged")).toBe("aborted");
    await Promise.all([healthy.close(), other.close()]);
  });
});

describe("streams across a restart", () => {
  const config = toml({ accounts: { sender: {}, reader: {} }, gateways: { g: { inout: ["sender", "reader"] } } });

  test("what a stream was shown does not come again, what it missed does; a poll still has all", async () => {
    const first = await launch({ config });
    const stream = await first.client("reader").stream();
    await first.client("sender").say({ text: "shown" });
    expect(await stream.texts(1)).toEqual(["shown"]);
    await stream.close();
    await first.client("sender").say({ text: "missed" });
    await first.stop();
    const second = await launch({ config, dataPath: first.dataPath });
    const next = await second.client("reader").stream();
    await second.client("sender").say({ text: "live" });
    expect(await next.texts(2)).toEqual(["missed", "live"]);
    expect(await second.client("reader").texts()).toEqual(["shown", "missed", "live"]);
    await next.close();
  });

  test("after kill -9 nothing answered is missing from the next stream", async () => {
    const first = await launch({ config });
    for (let n = 0; n < 8; n += 1) await first.client("sender").say({ text: `k${n}` });
    await first.kill9();
    const second = await launch({ config, dataPath: first.dataPath });
    const stream = await second.client("reader").stream();
    expect(await stream.texts(8)).toEqual(Array.from({ length: 8 }, (_, n) => `k${n}`));
    await stream.close();
  });
});

test("kill -9 under load: the stream and the one after it hold all that was answered; the end of the first may come again", async () => {
  const config = toml({
    accounts: { sender: {}, reader: { Buffer: 5000 } },
    gateways: { g: { inout: ["sender", "reader"] } },
  });
  const first = await launch({ config });
  const stream = await first.client("reader").stream();
  const answered: string[] = [];
  const writers = Array.from({ length: 4 }, async (_, writer) => {
    for (let n = 0; ; n += 1) {
      const text = `w${writer}-${n}`;
      const stored = await first
        .client("sender")
        .post({ text })
        .then(
          (answer) => answer.status === 200,
          () => false,
        );
      if (!stored) return;
      answered.push(text);
    }
  });
  await eventually(
    async () => answered.length,
    (count) => count >= 200,
    () => "200 answers",
  );
  await first.kill9();
  await Promise.all(writers);
  await stream.ended;
  const second = await launch({ config, dataPath: first.dataPath });
  const next = await second.client("reader").stream();
  await second.client("sender").say({ text: "end" });
  const before = stream.lines.slice(1).map((line) => (JSON.parse(line) as Message).text);
  const after: string[] = [];
  for (let text = ""; text !== "end"; after.push(text)) text = (await next.next()).text;
  const seen = new Set([...before, ...after]);
  expect(answered.filter((text) => !seen.has(text))).toEqual([]);
  const again = after.filter((text) => before.includes(text));
  expect(again).toEqual(again.length === 0 ? [] : before.slice(-again.length));
  expect(seen.size).toBe(before.length + after.length - again.length);
  await next.close();
});

test(
  "silence is broken by single spaces, never by a newline, and the next line is still one object",
  { timeout: 45_000 },
  async () => {
    const { room, connection, length } = silence!;
    const afterGreeting = (bytes: Buffer): string =>
      parseAnswer(bytes)!
        .body.toString()
        .replace(/^[^\n]*\n/, "");
    const quiet = await connection.until((bytes) => bytes.length > length, "a sign of life", 30_000);
    expect(afterGreeting(quiet)).toMatch(/^ +$/);
    await room.sender.say({ text: "after silence" });
    const bytes = await connection.until((received) => received.includes("after silence"), "the message");
    expect(afterGreeting(bytes)).toMatch(/^ +\{[^\n]*\}\n$/);
    connection.destroy();
  },
);
