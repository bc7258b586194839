import { describe, expect, test } from "vitest";
import { toml } from "../support/config.ts";
import { connectRaw, parseAnswer, type RawAnswer } from "../support/raw.ts";
import { useRialto } from "../support/suite.ts";

const accounts = { sender: {}, reader: {}, closed: { Token: "t" } };
const rialto = useRialto({ config: toml({ accounts, gateways: { g: { inout: Object.keys(accounts) } } }) });

const h2c = ["Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAEAAEAAAAIAAAAB"];
const websocket = [
  "Connection: Upgrade",
  "Upgrade: websocket",
  "Sec-WebSocket-Version: 13",
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
];

const head = (line: string, fields: readonly string[]): string =>
  [`${line} HTTP/1.1`, "Host: localhost", ...fields, "", ""].join("\r\n");

/** The answer on a connection that the server has to close by itself. */
async function answerAndClose(account: string, bytes: string): Promise<RawAnswer> {
  const connection = await connectRaw(rialto().url(account));
  connection.send(bytes);
  const answer = parseAnswer(await connection.untilClosed());
  expect(answer?.complete).toBe(true);
  expect(answer?.rest).toHaveLength(0);
  return answer!;
}

function expectMessage({ headers, body }: RawAnswer, mention: RegExp): void {
  expect(headers.get("content-type")).toMatch(/^application\/json/);
  expect((JSON.parse(body.toString()) as { message: string }).message).toMatch(mention);
}

test("an upgrade without the token is answered 401 and its connection closed", async () => {
  const answer = await answerAndClose("api.closed", head("GET /api/websocket", websocket));
  expect(answer.statusLine).toBe("HTTP/1.1 401 Unauthorized");
  expect(answer.headers.get("www-authenticate")).toBe("Bearer");
  expectMessage(answer, /Token/);
});

describe("a WebSocket upgrade elsewhere", () => {
  test.for([
    ["/api/messages", "400 Bad Request", /WebSocket/],
    ["/api/stream", "400 Bad Request", /WebSocket/],
    ["/api/health", "400 Bad Request", /WebSocket/],
    ["/api/nothing", "404 Not Found", /Not Found/],
    ["/api/websocket/", "404 Not Found", /Not Found/],
  ] as const)("on %s is %s, and takes no message", async ([path, status, mention]) => {
    await rialto().client("sender").say({ text: path });
    const answer = await answerAndClose("api.reader", head(`GET ${path}`, websocket));
    expect(answer.statusLine).toBe(`HTTP/1.1 ${status}`);
    expectMessage(answer, mention);
    expect(await rialto().client("reader").texts()).toEqual([path]);
  });
});

describe("an upgrade to another protocol is not taken up", () => {
  // What Node reads behind such a request it drops: a client that is told of the close asks again.
  test("a GET is answered, and the connection closed, so that nothing behind it is lost without a word", async () => {
    const answer = await answerAndClose("api.reader", head("GET /api/health", h2c) + head("GET /api/health", []));
    expect(answer.statusLine).toBe("HTTP/1.1 200 OK");
    expect(answer.headers.get("connection")).toBe("close");
  });

  test("a WebSocket behind another request is not taken up: its frames would stand before that answer", async () => {
    const connection = await connectRaw(rialto().url("api.reader"));
    connection.send(head("GET /api/messages", []) + head("GET /api/websocket", websocket));
    const received = (await connection.untilClosed()).toString();
    expect(received.match(/HTTP\/1\.1 \d{3}/gu)).toEqual(["HTTP/1.1 200", "HTTP/1.1 400"]);
  });

  test("a POST is relayed, and the connection closed as well", async () => {
    const body = '{"text":"by h2c"}';
    const post = head("POST /api/message", [
      ...h2c,
      "Content-Type: application/json",
      `Content-Length: ${body.length}`,
    ]);
    const answer = await answerAndClose("api.sender", `${post}${body}${head("GET /api/health", [])}`);
    expect(answer.statusLine).toBe("HTTP/1.1 200 OK");
    expect(answer.headers.get("connection")).toBe("close");
    expect(await rialto().client("reader").texts()).toEqual(["by h2c"]);
  });

  test.for([
    ["GET /api/websocket", 400],
    ["POST /api/websocket", 405],
  ] as const)("%s is %d", async ([line, status]) => {
    const connection = await connectRaw(rialto().url("api.sender"));
    connection.send(head(line, h2c));
    expect((await connection.answer()).statusLine).toContain(` ${status} `);
    connection.destroy();
  });
});
