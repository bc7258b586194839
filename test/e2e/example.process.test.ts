import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ApiClient } from "../support/client.ts";
import { toml } from "../support/config.ts";
import { type Program, startProgram } from "../support/program.ts";
import { openSocket } from "../support/socket.ts";
import { launch } from "../support/suite.ts";

const PATHS = ["/", "/side", "/side.js", "/side.css"] as const;

let folder: string;
let taken: Server;
let program: Program;
let left: ApiClient;
let right: ApiClient;

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "rialto-example-"));
  taken = createServer();
  // Somebody else may have it.
  await new Promise<void>((resolve) => taken.once("error", () => resolve()).listen(4242, "127.0.0.1", resolve));
  program = startProgram(folder, ["example"]);
  const [, page = ""] = await program.prints(/Open (\S+)\/ in a browser/);
  const [, stream = ""] = await program.prints(/curl -sN (\S+)\/api\/stream &/);
  left = new ApiClient(page);
  right = new ApiClient(stream);
});

afterAll(async () => {
  program.child.kill("SIGTERM");
  await program.exited();
  taken.close();
  await rm(folder, { recursive: true, force: true });
});

/** The directives of a Content-Security-Policy by name. */
function policyOf(header: unknown): Readonly<Record<string, string>> {
  const directives = String(header).split("; ");
  return Object.fromEntries(
    directives.map((text): [string, string] => {
      const [name = "", ...values] = text.split(" ");
      return [name, values.join(" ")];
    }),
  );
}

const CLOSED = { "default-src": "'none'", "style-src": "'self'", "base-uri": "'none'", "form-action": "'none'" };

describe("the pages of the example, where another program has its first port", () => {
  test("both addresses show both sides, and nobody may frame that", async () => {
    expect(left.url).not.toBe("http://127.0.0.1:4242");
    for (const { url } of [left, right]) {
      const { status, headers, text } = await new ApiClient(url).request("/");
      expect([status, headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
      expect(policyOf(headers["content-security-policy"])).toEqual({
        ...CLOSED,
        "frame-src": `${left.url} ${right.url}`,
        "frame-ancestors": "'none'",
      });
      expect(Array.from(text.matchAll(/<iframe [^>]*>/g), ([frame]) => frame)).toEqual([
        `<iframe title="left" src="${left.url}/side">`,
        `<iframe title="right" src="${right.url}/side">`,
      ]);
    }
  });

  test("a side may load what is its own, and only the page of both sides may frame it", async () => {
    for (const [name, { url }] of Object.entries({ left, right })) {
      const { status, headers, text } = await new ApiClient(url).request("/side");
      expect([status, headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
      expect(policyOf(headers["content-security-policy"])).toEqual({
        ...CLOSED,
        "script-src": "'self'",
        "connect-src": `'self' ${url.replace("http", "ws")}`,
        "frame-ancestors": `${left.url} ${right.url}`,
        "require-trusted-types-for": "'script'",
      });
      expect(text).toContain(`<h1>${name}</h1>`);
      expect(text).not.toMatch(/<style|<script(?! type="module" src="\/side\.js"><\/script>)| style=| on\w+=/u);
    }
  });

  test.for(PATHS)("%s is not kept, not guessed at, and names no referrer", async (path) => {
    const { status, headers } = await left.request(path);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
    });
  });

  test("script and style are what a browser takes for them", async () => {
    const script = await left.request("/side.js");
    expect(script.headers["content-type"]).toBe("text/javascript; charset=utf-8");
    expect(script.text).toContain("/api/websocket");
    expect((await left.request("/side.css")).headers["content-type"]).toBe("text/css; charset=utf-8");
  });

  test("called by another name, it leads to the address that the sides know", async () => {
    const { port } = new URL(left.url);
    const { status, headers } = await left.request("/", { headers: { Host: `localhost:${port}` } });
    expect([status, headers.location]).toEqual([302, `${left.url}/`]);
  });

  test("what one side posts is heard by the other, both ways", async () => {
    for (const [from, to] of [
      [left, right],
      [right, left],
    ] as const) {
      const heard = await openSocket(`${to.url}/api/websocket`, { Origin: to.url });
      expect(await heard.next()).toMatchObject({ event: "api_connected" });
      const posted = await from.post({ text: "hello", username: "me" }, { Origin: from.url });
      expect(posted.status).toBe(200);
      expect(await heard.next()).toMatchObject({ text: "hello", username: "me", event: "" });
      await heard.close();
    }
  });
});

describe("the doors of the example are closed like the others", () => {
  test("the page of one side cannot use the other", async () => {
    const own = { Origin: left.url };
    expect((await right.post({ text: "x" }, own)).status).toBe(403);
    expect((await right.request("/api/messages", { headers: own })).status).toBe(403);
    expect((await right.request("/api/messages", { headers: { "Sec-Fetch-Site": "same-site" } })).status).toBe(403);
    await expect(openSocket(`${right.url}/api/websocket`, own)).rejects.toThrow("403");
  });

  test.for(PATHS)("%s is not for a page whose name was made to lead here", async (path) => {
    expect((await left.request(path, { headers: { Host: "evil.example" } })).status).toBe(421);
  });
});

test("another configuration has none of these pages", async () => {
  const rialto = await launch({
    config: toml({ accounts: { left: {}, right: {} }, gateways: { g: { inout: ["left", "right"] } } }),
  });
  for (const path of PATHS) expect((await rialto.client("left").request(path)).status).toBe(404);
});
