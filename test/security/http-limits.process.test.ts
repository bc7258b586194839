import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import type { HttpLimits } from "../../src/http/http-server.ts";
import { createServer } from "../../src/http/server.ts";
import { connectRaw, parseAnswer, type RawConnection } from "../support/raw.ts";
import { Inbox, within } from "../support/wait.ts";

const PATIENT: HttpLimits = {
  requestMs: 600_000,
  checkMs: 600_000,
  stallMs: 600_000,
  lingerMs: 600_000,
  connections: 1_000,
  keptMs: 3_600_000,
  kept: 1_000,
};
const HASTY: HttpLimits = { ...PATIENT, requestMs: 2_000, checkMs: 100 };
const MAX_BODY = 10_000;
const WAIT_MS = 50_000;

/**
 * The server of the API, with limits that a test can wait for; what it asks is `/small`, `/echo`, and `/held`, which is
 * answered when whoever is told of it says so.
 */
async function start(
  limits: HttpLimits,
  onHeld: (answer: () => void) => void = (answer) => answer(),
): Promise<() => Promise<RawConnection>> {
  const server = await createServer({
    token: null,
    names: null,
    maxBodySize: MAX_BODY,
    onError: () => undefined,
    limits,
  });
  server.onBody("text/plain", String);
  server.app.get("/small", (_request, reply) => reply.send("ok"));
  server.app.get("/held", (_request, reply) => onHeld(() => void reply.send("ok")));
  server.app.post("/echo", (request, reply) => reply.send(request.body));
  await server.app.listen({ host: "127.0.0.1", port: 0 });
  onTestFinished(async () => await server.close());
  const { port } = server.app.server.address() as AddressInfo;
  return async () => {
    const connection = await connectRaw(`http://127.0.0.1:${port}`);
    onTestFinished(() => connection.destroy());
    return connection;
  };
}

const SMALL = "GET /small HTTP/1.1\r\nHost: x\r\n\r\n";
const HELD = SMALL.replace("small", "held");

/** All that comes until the server closes, as the status of each answer. */
async function statuses(connection: RawConnection): Promise<readonly string[]> {
  await within(connection.closed, () => "the close by the server", WAIT_MS);
  return Array.from(
    connection.received.toString("latin1").matchAll(/HTTP\/1\.1 (\d{3})/gu),
    ([, status = ""]) => status,
  );
}

describe("a client that is slow", () => {
  test("with its header, its body or its chunks is refused, however steadily it goes on", async () => {
    const post = "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\n";
    const begins = [
      "GET /small HTTP/1.1\r\nHost: x\r\nA: ",
      `${post}Content-Length: 9000\r\n\r\nabc`,
      `${post}Transfer-Encoding: chunked\r\n\r\n2000\r\nabc`,
    ];
    const connect = await start(HASTY);
    const refused = begins.map(async (begin) => {
      const connection = await connect();
      connection.send(begin);
      const trickle = setInterval(() => connection.send("x"), 20);
      const found = await statuses(connection);
      clearInterval(trickle);
      return found;
    });
    expect(await Promise.all(refused)).toEqual([["408"], ["408"], ["408"]]);
  });

  test("takes nothing from the answers before", async () => {
    const held = new Inbox<() => void>();
    const connect = await start(HASTY, (answer) => held.push(answer));
    const begun = "GET /sm";
    // On a machine that stands still, even the whole requests may be too slow: then once more.
    const read = async (): Promise<readonly [RawConnection, (() => void)[]]> => {
      for (;;) {
        const connection = await connect();
        connection.send(`${HELD}${HELD}${begun}`);
        const over = connection.closed.then(() => "refused");
        const first = await held.next(() => "a request", over, WAIT_MS).catch(() => null);
        const second = await held.next(() => "a request", over, WAIT_MS).catch(() => null);
        if (first !== null && second !== null) return [connection, [first, second]];
      }
    };
    const [connection, answers] = await read();
    // What begins later is refused later.
    const later = await connect();
    later.send(begun);
    expect(await statuses(later)).toEqual(["408"]);
    expect(connection.received.toString()).toBe("");
    for (const answer of answers) answer();
    expect(await statuses(connection)).toEqual(["200", "200", "408"]);
  });

  test("and says nothing at all is let go", async () => {
    const connect = await start({ ...PATIENT, stallMs: 1_000 });
    const connection = await connect();
    expect(await statuses(connection)).toEqual([]);
  });
});

describe("too much", () => {
  test.each([
    ["of one header field", `GET /small HTTP/1.1\r\nHost: x\r\nA: ${"x".repeat(40_000)}\r\n\r\n`, "431"],
    ["of many header fields", `GET /small HTTP/1.1\r\nHost: x\r\n${"A: x\r\n".repeat(10_000)}\r\n`, "431"],
    ["of an address", `GET /${"x".repeat(40_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, "431"],
  ])("%s", async (_, bytes, status) => {
    const connect = await start(PATIENT);
    const connection = await connect();
    connection.send(bytes);
    expect(await statuses(connection)).toEqual([status]);
  });

  test.each([
    ["that is announced", `Content-Length: ${MAX_BODY + 1}`, "x".repeat(MAX_BODY + 1)],
    ["in chunks", "Transfer-Encoding: chunked", `${"1000\r\n".concat("x".repeat(4096), "\r\n").repeat(4)}0\r\n\r\n`],
  ])("of a body %s", async (_, field, body) => {
    const connect = await start(PATIENT);
    const connection = await connect();
    connection.send(`POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\n${field}\r\n\r\n${body}`);
    const bytes = await connection.until((received) => parseAnswer(received)?.complete === true, "an answer", WAIT_MS);
    expect(parseAnswer(bytes)?.statusLine).toContain(" 413 ");
  });

  test("of connections: those that are there go on, one more is let go, and one that ends makes room", async () => {
    const connect = await start({ ...PATIENT, connections: 3 });
    const there = [await connect(), await connect(), await connect()];
    for (const one of there) {
      one.send(SMALL);
      expect((await one.answer()).statusLine).toBe("HTTP/1.1 200 OK");
    }
    expect(await statuses(await connect())).toEqual([]);
    there[0]?.destroy();
    await expect
      .poll(
        async () => {
          const next = await connect();
          next.send(SMALL);
          return await next.answer().then(({ statusLine }) => statusLine, String);
        },
        { timeout: WAIT_MS },
      )
      .toBe("HTTP/1.1 200 OK");
  });
});
