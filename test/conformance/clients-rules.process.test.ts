import { describe, expect, test } from "vitest";
import type { Message } from "../../src/contract/message.ts";
import type { ApiClient } from "../support/client.ts";
import { connectRaw, parseAnswer, rawRequest, type RawAnswer } from "../support/raw.ts";
import { expectError, expectGreeting, expectWhole, KEYS } from "../support/shape.ts";
import { openSocket } from "../support/socket.ts";
import { openStream } from "../support/stream.ts";
import { readAsPythonRequests, readStrictly, splitLines } from "../support/strict.ts";
import { useRooms } from "../support/suite.ts";
import { eventually } from "../support/wait.ts";

// One case or more per rule that real clients impose; the number in the name is the rule's.
const room = useRooms(38);

const GET = "GET /api/stream HTTP/1.1\r\nHost: localhost\r\n\r\n";

/** Reads a stream off a bare socket while `say` goes on, until `last` has come. */
async function readRaw(reader: ApiClient, say: () => Promise<void>, last: string): Promise<RawAnswer> {
  const connection = await connectRaw(reader.url);
  connection.send(GET);
  await connection.until((bytes) => bytes.includes("api_connected"), "the greeting");
  await say();
  const bytes = await connection.until((received) => received.includes(last), last);
  connection.destroy();
  return parseAnswer(bytes)!;
}

describe("rule 1: the stream is chunked and flushed per message", () => {
  test("chunked under HTTP/1.1", async () => {
    const stream = await openStream(`${room().reader.url}/api/stream`);
    expect(stream.headers["transfer-encoding"]).toBe("chunked");
    await stream.close();
  });

  test("every message comes out of a reader that takes chunks of up to 512 bytes, without a message after it", async () => {
    const { sender, reader } = room();
    const stream = await openStream(`${reader.url}/api/stream`);
    const read = (): string[] => readAsPythonRequests(stream.parts);
    await stream.nextLine();
    expect(read()).toHaveLength(1);
    for (let n = 1; n <= 5; n += 1) {
      await sender.say({ text: `short ${n}` });
      await stream.nextLine();
      expect(read().map((line) => readStrictly(line).text)).toHaveLength(n + 1);
    }
    await stream.close();
  });

  test("a client of HTTP/1.0 gets lines without chunks", async () => {
    const connection = await connectRaw(room().reader.url);
    connection.send("GET /api/stream HTTP/1.0\r\n\r\n");
    const bytes = await connection.until(
      (received) => received.subarray(-1).toString() === "\n" && received.includes("api_connected"),
      "the greeting",
    );
    expectGreeting(JSON.parse(bytes.subarray(bytes.indexOf("\r\n\r\n") + 4).toString()));
    connection.destroy();
  });
});

test("rule 2: the first line is the whole api_connected object, sent at once", async () => {
  const stream = await openStream(`${room().reader.url}/api/stream`);
  const greeting = readStrictly(await stream.nextLine());
  expect([greeting.event, greeting.gateway, greeting.text]).toEqual(["api_connected", "", ""]);
  expectGreeting(greeting);
  await stream.close();
});

test("rule 3: one compact object a line, its newline after it", async () => {
  const { sender, reader } = room();
  const say = async (): Promise<void> => {
    for (const text of ["a\nb", "c\r\nd", "e"]) await sender.say({ text });
  };
  const { body } = await readRaw(reader, say, '"text":"e"');
  const text = body.toString();
  expect(text).toMatch(/^\{/);
  expect(text).toMatch(/\}\n$/);
  for (const line of text.split("\n").slice(0, -1)) expect(line).toBe(JSON.stringify(readStrictly(line)));
});

test("rule 4: no blank lines", async () => {
  const { sender, reader } = room();
  const say = async (): Promise<void> => {
    for (let n = 0; n < 20; n += 1) await sender.say({ text: `n${n}` });
  };
  const { body } = await readRaw(reader, say, "n19");
  expect(body.toString()).not.toMatch(/^\s*\n|\n\s*\n/);
});

test("rule 5: all 13 keys in their order, strings never null, on every way out", async () => {
  const { sender, reader } = room();
  const stream = await openStream(`${reader.url}/api/stream`);
  const socket = await openSocket(`${reader.url}/api/websocket`);
  const posted = await sender.post({ text: "bare", username: null, avatar: null, Extra: null });
  const polled = await reader.request("/api/messages");
  const objects = [
    posted.json(),
    ...(polled.json() as Message[]),
    await stream.next(),
    await stream.next(),
    await socket.next(),
    await socket.next(),
  ];
  expect(objects).toHaveLength(6);
  for (const object of objects) {
    expectWhole(object);
    expect(Object.keys(object as object)).toEqual(KEYS);
    readStrictly(JSON.stringify(object));
  }
  await Promise.all([stream.close(), socket.close()]);
});

test("rule 6: Extra is null, or files with a string Name and base64 Data", async () => {
  const { sender, reader } = room();
  await sender.say({ text: "none" });
  await sender.say({ text: "one", Extra: { file: [{ Name: "f", Data: "aGk=" }] } });
  await sender.say({ text: "by url", Extra: { file: [{ Name: "f", URL: "https://e.org/f" }] } });
  const [none, one, byUrl] = await reader.poll();
  expect(none?.Extra).toBeNull();
  expect(Buffer.from(one?.Extra?.file[0]?.Data ?? "", "base64").toString()).toBe("hi");
  expect(byUrl?.Extra?.file[0]?.Data).toBe("");
});

test("rule 7: U+2028, U+2029 and U+0085 are escaped, so that a reader that splits like Python sees whole lines", async () => {
  const { sender, reader } = room();
  const nasty = "a\u2028b\u2029c\u0085d\u000Be\u000Cf\u001Cg\u001Dh\u001Ei\rj";
  const say = async (): Promise<void> => {
    await sender.say({ text: nasty, username: nasty, userid: nasty, parent_id: nasty, avatar: nasty, event: nasty });
    await sender.say({ text: "x", Extra: { file: [{ Name: nasty, Data: "QQ==", Comment: nasty }] } });
    await sender.say({ text: "the end" });
  };
  const { chunks, body } = await readRaw(reader, say, "the end");
  const lines = readAsPythonRequests(chunks);
  expect(lines).toEqual(splitLines(body.toString()));
  const messages = lines.map((line) => readStrictly(line));
  expect(messages).toHaveLength(4);
  expect(messages[1]).toMatchObject({ text: nasty, username: nasty, event: nasty });
  expect(messages[2]?.Extra?.file[0]).toMatchObject({ Name: nasty, Comment: nasty });
  expect(splitLines((await reader.request("/api/messages")).text)).toHaveLength(1);
});

test.for(["\u2028", "\u2029", "\u0085"])(
  "rule 7: %j alone is escaped, in polls, streams and answers",
  async (character) => {
    const { sender, reader } = room();
    const stream = await reader.stream();
    const answer = await sender.post({ text: `a${character}b` });
    const polled = await reader.request("/api/messages");
    const line = await stream.nextLine();
    for (const wire of [answer.text, polled.text, line]) {
      expect(wire).not.toContain(character);
      expect(wire).toContain(`"a\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}b"`);
    }
    await stream.close();
  },
);

describe("rule 8: GET /api/messages", () => {
  test("is 200 and a JSON array, [] when empty, for every way of asking again", async () => {
    const { reader } = room();
    for (let n = 0; n < 5; n += 1) {
      const answer = await reader.request("/api/messages");
      expect([answer.status, answer.json()]).toEqual([200, []]);
    }
  });

  test("an error body is an object with a string message", async () => {
    const { reader } = room();
    for (const [method, path] of [
      ["POST", "/api/messages"],
      ["GET", "/api/none"],
      ["GET", "/api/websocket"],
    ] as const) {
      const answer = await reader.request(path, { method });
      expectError(answer, answer.status);
      expect(answer.status).toBeGreaterThanOrEqual(400);
    }
  });
});

test("rule 9: POST answers with the literal status line HTTP/1.1 200 OK and the full message", async () => {
  const { sender } = room();
  const body = '{"text":"hi","username":"bob"}';
  const head = `POST /api/message HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
  const answer = await rawRequest(sender.url, `${head}\r\n\r\n${body}`);
  expect(answer.statusLine).toBe("HTTP/1.1 200 OK");
  expectWhole(JSON.parse(answer.body.toString()));
});

test("rule 10: GET /api/health is exactly OK as text/plain", async () => {
  const answer = await room().reader.request("/api/health");
  expect([answer.status, answer.body.toString("latin1")]).toEqual([200, "OK"]);
  expect(answer.headers["content-type"]).toMatch(/^text\/plain/);
});

test("rule 11: WebSocket: text frames of one object, greeting first, pings answered, big frames taken", async () => {
  const { sender, reader } = room();
  const socket = await openSocket(`${reader.url}/api/websocket`, { Authorization: "Bearer " });
  expectGreeting(await socket.next());
  await sender.say({ text: "one" });
  await sender.say({ text: "two" });
  expect([(await socket.next()).text, (await socket.next()).text]).toEqual(["one", "two"]);
  expect(socket.frames.some((frame) => frame.binary)).toBe(false);
  expect(await socket.ping("60 s")).toBe("60 s");
  socket.post({ text: "z".repeat(480), username: "bob" });
  const texts = await eventually(
    () => sender.texts(),
    (found) => found.length > 0,
    () => "the frame at the other side",
  );
  expect(texts).toEqual(["z".repeat(480)]);
  await socket.close();
});

test("rule 12: a long line is delivered once, also to a client that dies of it and comes again", async () => {
  const { sender, reader } = room();
  const first = await reader.stream();
  await sender.say({ text: "l".repeat(200_000) });
  expect((await first.next()).text).toHaveLength(200_000);
  await first.close();
  const second = await reader.stream();
  await sender.say({ text: "after it" });
  expect((await second.next()).text).toBe("after it");
  await second.close();
});

describe("rule 13: reconnects neither lose nor duplicate", () => {
  test("messages wait while no stream is connected", async () => {
    const { sender, reader } = room();
    for (let n = 0; n < 25; n += 1) await sender.say({ text: `w${n}` });
    const stream = await reader.stream();
    expect(await stream.texts(25)).toEqual(Array.from({ length: 25 }, (_, n) => `w${n}`));
    await stream.close();
  });

  test("twenty connections in turn see everything exactly once", async () => {
    const { sender, reader } = room();
    const seen: string[] = [];
    for (let n = 0; n < 20; n += 1) {
      await sender.say({ text: `gap ${n}` });
      const stream = await reader.stream();
      await sender.say({ text: `live ${n}` });
      seen.push(...(await stream.texts(2)));
      await stream.close();
    }
    expect(seen).toEqual(Array.from({ length: 20 }, (_, n) => [`gap ${n}`, `live ${n}`]).flat());
  });

  test("a client that resets its connection takes nothing away from the next", async () => {
    const { sender, reader } = room();
    for (let n = 0; n < 5; n += 1) {
      const connection = await connectRaw(reader.url);
      connection.send(GET);
      await connection.until((bytes) => bytes.includes("api_connected"), "the greeting");
      connection.destroy();
    }
    await sender.say({ text: "for the living" });
    const stream = await reader.stream();
    expect((await stream.next()).text).toBe("for the living");
    await stream.close();
  });

  test("a message posted right after a stream was dropped is not lost in it", async () => {
    const { sender, reader } = room();
    for (let n = 0; n < 10; n += 1) {
      const dropped = await reader.stream();
      await dropped.close();
      await sender.say({ text: `after ${n}` });
      const next = await reader.stream();
      expect((await next.next()).text).toBe(`after ${n}`);
      await next.close();
    }
  });
});

test("rule 14: account and protocol of a relayed message are the origin's", async () => {
  const { sender, reader, senderAccount, readerAccount } = room();
  await sender.say({ text: "x", account: readerAccount, protocol: "other" });
  const [message] = await reader.poll();
  expect([message?.account, message?.protocol]).toEqual([senderAccount, "api"]);
});

test("rule 15: the timestamp is an RFC 3339 string", async () => {
  const { sender, reader } = room();
  const { timestamp } = await sender.say({ text: "x" });
  expect(timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3,9}Z$/);
  expect((await reader.poll())[0]?.timestamp).toBe(timestamp);
});

describe("rule 16: what clients send is taken", () => {
  const bodies: readonly (readonly [string, string | Uint8Array, string])[] = [
    ["the three fields", '{"text":"hi","username":"bob","gateway":"GATEWAY"}', "hi"],
    [
      "a message that was received, sent back whole",
      '{"text":"hi","channel":"#c","username":"bob","userid":"","avatar":"","account":"irc.x","event":"","protocol":"irc","gateway":"GATEWAY","parent_id":"","timestamp":"2024-01-01T00:00:00.5+01:00","id":"","Extra":null}',
      "hi",
    ],
    ["lower-case extra", '{"text":"hi","gateway":"GATEWAY","extra":{"file":[{"Name":"n","Data":"QQ=="}]}}', "hi"],
    ["upper-case keys", '{"Text":"hi","USERNAME":"bob","Gateway":"GATEWAY"}', "hi"],
    ["unknown keys", '{"text":"hi","gateway":"GATEWAY","foo":[1,{"bar":null}]}', "hi"],
    ["Latin-1", Buffer.from('{"text":"gr\u00FC\u00DFe"}', "latin1"), "gr\uFFFD\uFFFDe"],
    ["white space around", ' \r\n\t{ "text" : "hi" } \n', "hi"],
    ["escapes", String.raw`{"text":"\u0068\u0069\/\ud83d\ude00"}`, "hi/😀"],
  ];

  test.for(bodies)("%s", async ([, body, text]) => {
    const { sender, reader, gateway } = room();
    const answer = await sender.post(typeof body === "string" ? body.replace("GATEWAY", gateway) : body);
    expect(`${answer.status} ${answer.text}`).toMatch(/^200 /);
    expect(await reader.texts()).toEqual([text]);
  });

  test("an Authorization header without a token, on a service without one", async () => {
    const { sender } = room();
    expect((await sender.post({ text: "x" }, { Authorization: "Bearer " })).status).toBe(200);
  });

  test("truncated JSON is 400 with a body", async () => {
    const { sender } = room();
    const whole = Buffer.from('{"text":"caf\u00E9"}');
    expectError(await sender.post(whole.subarray(0, -3)), 400);
  });
});

test("rule 17: form posts are bound and relayed", async () => {
  const { sender, reader, gateway } = room();
  const form = new URLSearchParams({ text: "from a form & more", username: "bob", gateway }).toString();
  const answer = await sender.post(form, { "Content-Type": "application/x-www-form-urlencoded" });
  expect(answer.status).toBe(200);
  expect(await reader.poll()).toEqual([answer.json()]);
  expect(answer.json()).toMatchObject({ text: "from a form & more", username: "bob", gateway });
});

test("rule 18: clients that retry without a pause are answered each time, and others are served meanwhile", async () => {
  const { sender, reader } = room();
  const hammer = Promise.all(
    Array.from({ length: 10 }, async () => {
      for (let n = 0; n < 30; n += 1) expect((await sender.post({ text: "x", gateway: "none" })).status).toBe(404);
    }),
  );
  await sender.say({ text: "through" });
  expect(await reader.texts()).toEqual(["through"]);
  await hammer;
});

test("rule 19: id is empty in everything, and msg_delete never comes", async () => {
  const { sender, reader } = room();
  expectError(await sender.post({ text: "msg", event: "msg_delete", id: "1" }), 400);
  const answer = await sender.say({ text: "x", id: "mine" });
  expect(answer.id).toBe("");
  expect((await reader.poll()).map(({ id, event }) => [id, event])).toEqual([["", ""]]);
});

test("rule 20: nothing depends on cookies, query parameters, ETags or an Origin of the same host", async () => {
  const { sender, reader } = room();
  await sender.say({ text: "x" });
  const headers = {
    Cookie: "a=b",
    "If-None-Match": "*",
    Origin: reader.url,
    "If-Modified-Since": "Thu, 01 Jan 2037 00:00:00 GMT",
  };
  const answer = await reader.request("/api/messages?gateway=none", { headers });
  expect([answer.status, (answer.json() as Message[]).length]).toEqual([200, 1]);
});
