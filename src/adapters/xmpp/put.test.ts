import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { isInside, putTo } from "./put.ts";

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

/** A server that answers 201 when it has read everything, or what it is told at once. */
async function service(status: number | null = null) {
  const seen: { headers: IncomingMessage["headers"]; body: string }[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (part: Buffer) => (body += part.toString()));
    request.on("error", () => undefined);
    request.on("end", () => {
      seen.push({ headers: request.headers, body });
      if (status === null) response.writeHead(201).end();
    });
    if (status !== null) response.writeHead(status, { location: "/elsewhere" }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  stops.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  return { to: `http://127.0.0.1:${(server.address() as AddressInfo).port}/a`, seen };
}

function content(text: string, bytes = text.length) {
  let over = false;
  const stream = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      controller.enqueue(Buffer.from(text));
      controller.close();
      over = true;
    },
    cancel: () => {
      over = true;
    },
  });
  return { content: { stream, bytes, mime: "text/plain" }, isOver: () => over };
}

const NEAR = { secure: false, verify: true, inside: true };
const never = new AbortController().signal;

test("content goes out whole, with the headers of the slot", async () => {
  const { to, seen } = await service();
  const { content: hello } = content("hello");
  expect(await putTo({ to, headers: { authorization: "x" } }, hello, NEAR, never)).toBe(201);
  expect(seen).toMatchObject([{ body: "hello", headers: { authorization: "x", "content-length": "5" } }]);
});

test.each([
  ["shorter", 9],
  ["longer", 2],
])("content %s than it was said to be breaks off at once", async (_, bytes) => {
  const { to, seen } = await service();
  const { content: hello } = content("hello", bytes);
  await expect(putTo({ to, headers: {} }, hello, NEAR, never)).rejects.toThrow("not have the announced size");
  expect(seen).toEqual([]);
});

test("a redirect is an answer, and not followed", async () => {
  const { to } = await service(307);
  const { content: hello } = content("hello");
  expect(await putTo({ to, headers: {} }, hello, NEAR, never)).toBe(307);
});

describe("nothing goes to addresses of our own network", () => {
  test.each([
    "http://127.0.0.1:1/",
    "http://[::1]:1/",
    "http://[::ffff:7f00:1]:1/",
    "http://2130706433:1/",
    "http://localhost:1/",
  ])("%s", async (to) => {
    const { content: hello, isOver } = content("hello");
    const putting = putTo({ to, headers: {} }, hello, { ...NEAR, inside: false }, never);
    await expect(putting).rejects.toThrow("in the local network");
    expect(isOver()).toBe(true);
  });

  test.each([
    ["10.1.2.3", true],
    ["172.31.0.1", true],
    ["192.168.1.1", true],
    ["169.254.169.254", true],
    ["::ffff:10.0.0.1", true],
    ["fe80::1%eth0", true],
    ["fd00::1", true],
    ["93.184.215.14", false],
    ["2a00:1450:4001:81b::200e", false],
    ["", false],
  ])("%s: %s", (address, inside) => {
    expect(isInside(address)).toBe(inside);
  });
});
