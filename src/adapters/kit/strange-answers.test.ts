import { createHash } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { CountingClock, RecordingHost } from "../../../test/contract/recording-host.ts";
import * as fc from "../../../test/support/property.ts";
import { within } from "../../../test/support/wait.ts";
import { isObject, textIn } from "./json.ts";
import { Rest, type RestAnswer } from "./rest.ts";
import { never, ownHttp } from "./served.suite.ts";
import { PUBLIC } from "./trust.ts";
import { openWebSocket } from "./web-socket.ts";

const TOKEN = "t0ken-secret";
const RUNS = { numRuns: 150 };

/** A server that answers the first that comes of each connection with bytes, and ends it. */
async function answering(answer: (asked: string) => Uint8Array | string): Promise<URL> {
  const server = createServer((socket: Socket) => {
    socket.on("error", () => undefined);
    socket.once("data", (asked) => socket.end(answer(asked.toString())));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/api`);
}

const json = fc.json({ maxDepth: 3 });
const line = fc.oneof(
  fc.constantFrom(
    "Retry-After: soon",
    "Retry-After: 1e9",
    "Retry-After: Thu, 99 Foo 2026 00:00:00 GMT",
    "Content-Length: 3",
    "Content-Length: -1",
    "Transfer-Encoding: chunked",
    "Content-Encoding: gzip",
    "Content-Type: image/png",
    "Location: //[",
    "Upgrade: websocket",
    "Connection: upgrade",
    "Sec-WebSocket-Accept: x",
    "Sec-WebSocket-Extensions: permessage-deflate",
    ": no name",
  ),
  fc.string({ maxLength: 20 }),
);
const status = fc.constantFrom("101", "103", "200", "204", "206", "301", "400", "429", "500", "999", "0", "abc", "");
const head = fc.tuple(status, fc.array(line, { maxLength: 4 }));
const body = fc.oneof(
  json,
  fc.constantFrom("{", "null", `{"message":"${TOKEN}"}`, "3\r\n{}\r\n0\r\n\r\n"),
  fc.string(),
);
const answers = fc.oneof(
  fc.tuple(head, body).map(([[code, lines], text]) => [`HTTP/1.1 ${code} OK`, ...lines, "", text].join("\r\n")),
  fc.uint8Array({ maxLength: 60 }),
);

function valueOf(answer: RestAnswer): void {
  if (answer.ok) expect(answer.status).toBeGreaterThanOrEqual(200);
  else {
    const { message, retryAfterMs, status: code } = answer.failure;
    expect(message).not.toContain(TOKEN);
    expect(message).not.toMatch(/\p{Cc}/u);
    expect(code).toBeGreaterThanOrEqual(0);
    if (retryAfterMs !== null) expect(retryAfterMs).toBeLessThanOrEqual(3_600_000);
  }
}

test("whatever an HTTP server answers is a value, and the next request goes on", async () => {
  let next: Uint8Array | string = "";
  const base = await answering(() => next);
  const { clock } = new RecordingHost();
  const http = ownHttp();
  const dialect = {
    words: (said: unknown) => (isObject(said) ? textIn(said, "message") : null),
    retryAfterMs: () => null,
  };
  const rest = new Rest({ http, clock, base, who: "the server", scheme: "Bearer", dialect, limit: "call" });
  rest.token = TOKEN;
  const ask = async (): Promise<void> => {
    valueOf(await within(rest.call({ method: "POST", path: "/x", body: {} }), () => "an answer"));
    const content = { stream: new Blob(["abc"]).stream(), bytes: 3, mime: "x/y" };
    valueOf(await within(rest.upload({ method: "PUT", path: "/x", content }), () => "an answer"));
    const opened = await within(rest.download({ path: "/x" }, never), () => "a file");
    if (opened.ok)
      await within(
        new Response(opened.stream).text().catch(() => ""),
        () => "the end of a file",
      );
  };
  const property = fc.asyncProperty(answers, async (answer) => {
    next = answer;
    await ask();
  });
  await fc.assert(property, RUNS);
  next = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";
  expect(await rest.call({ method: "GET", path: "/x" })).toMatchObject({ ok: true, value: {} });
});

/** What a server says to a handshake that it takes (RFC 6455 §4.2.2). */
function accepted(asked: string): Buffer {
  const key = /^sec-websocket-key: (?<key>\S+)/imu.exec(asked)?.groups?.["key"] ?? "";
  const proof = createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
  const lines = ["HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade"];
  return Buffer.from([...lines, `Sec-WebSocket-Accept: ${proof}`, "", ""].join("\r\n"));
}

/** Frames with every kind and length, and some that are none. */
const frame = fc
  .tuple(fc.nat(255), fc.oneof(fc.nat(20), fc.constantFrom(126, 127, 0x81)), fc.uint8Array({ maxLength: 30 }))
  .map(([kind, length, bytes]) => Buffer.from([kind, length, ...bytes]));
const text = fc.string({ maxLength: 20 }).map((said) => {
  const bytes = Buffer.from(said);
  return Buffer.concat([Buffer.from([0x81, bytes.length]), bytes]);
});
const frames = fc.array(fc.oneof(frame, text), { maxLength: 6 }).map((all) => Buffer.concat(all));

test("whatever comes through a WebSocket, or instead of one, is a value or an end with a reason", async () => {
  let next: (asked: string) => Uint8Array | string = () => "";
  const base = await answering((asked) => next(asked));
  const opened = { sockets: 0, characters: 0 };
  const property = fc.asyncProperty(fc.oneof(answers, frames), fc.boolean(), async (bytes, accepts) => {
    next = (asked) => (accepts ? Buffer.concat([accepted(asked), Buffer.from(bytes)]) : bytes);
    const one = await openWebSocket({
      url: new URL(base.href.replace("http", "ws")),
      headers: { Authorization: `Bearer ${TOKEN}` },
      trust: PUBLIC,
      clock: new CountingClock(),
      signal: never,
      handshakeMs: 20_000,
      maxPayload: 1000,
      onText: (said) => (opened.characters += said.length),
    });
    if (!one.ok) {
      expect(one.refusal.message).not.toContain(TOKEN);
      return;
    }
    opened.sockets += 1;
    one.socket.send("x");
    one.socket.ping();
    const { code, error } = await within(one.socket.ended, () => "the end of a socket");
    expect(code === 1006).toBe(error !== null);
    one.socket.pause();
    one.socket.resume();
    one.socket.close(1000);
    expect(one.socket.send("x")).toBe(false);
  });
  await fc.assert(property, RUNS);
  expect(opened.sockets).toBeGreaterThan(fc.portion(20));
  expect(opened.characters).toBeGreaterThan(fc.portion(20));
});
