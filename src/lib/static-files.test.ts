import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { request } from "./node-http.ts";
import { PAGE_HEADERS, StaticFiles } from "./static-files.ts";

const SCRIPT = `export const words = ${JSON.stringify("What news on the Rialto? ".repeat(100))};\n`;

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Buffer;
}

/** A folder with pages, and a way to ask a server of it for a name. */
async function open() {
  const folder = mkdtempSync(join(tmpdir(), "rialto-static-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "assets/inner"), { recursive: true });
  writeFileSync(join(folder, "index.html"), "<!doctype html>");
  writeFileSync(join(folder, "assets/a-1.js"), SCRIPT);
  writeFileSync(join(folder, "assets/inner/b.js"), SCRIPT);
  symlinkSync("/etc/hostname", join(folder, "assets/link.js"));
  const files = new StaticFiles(folder);
  const server = createServer((asked, response) => {
    void files.answer(decodeURIComponent(asked.url?.slice(1) ?? ""), asked, response).then((known) => {
      if (!known) response.writeHead(404).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === "object" ? address?.port : 0;
  const ask = async (name: string, headers: Record<string, string> = {}, method = "GET"): Promise<Answer> =>
    await new Promise((resolve, reject) => {
      const path = `/${encodeURIComponent(name)}`;
      const sent = request({ host: "127.0.0.1", port, path, method, headers, agent: false }, (response) => {
        const parts: Buffer[] = [];
        response.on("data", (part: Buffer) => parts.push(part));
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(parts) }),
        );
      });
      sent.on("error", reject).end();
    });
  return { ask, folder };
}

test("a page is asked for again each time, and what it needs is kept for good", async () => {
  const { ask } = await open();
  const page = await ask("index.html");
  expect(page.headers).toMatchObject({ "content-type": "text/html; charset=utf-8", "cache-control": "no-cache" });
  const script = await ask("assets/a-1.js");
  expect(script.headers).toMatchObject({
    "content-type": "text/javascript; charset=utf-8",
    "cache-control": "public, max-age=31536000, immutable",
    vary: "Accept-Encoding",
  });
  expect(script.body.toString()).toBe(SCRIPT);
  for (const { headers } of [page, script]) {
    for (const [name, value] of Object.entries(PAGE_HEADERS)) expect(headers[name.toLowerCase()]).toBe(value);
  }
});

test.each([
  ["gzip, deflate, br", "br"],
  ["gzip", "gzip"],
  ["br;q=0, gzip;q=0.5", "gzip"],
  ["GZIP", "gzip"],
  ["deflate", undefined],
  ["br;q=0.0", undefined],
])("Accept-Encoding: %s is answered in %s", async (accepted, encoding) => {
  const { ask } = await open();
  const { headers, body } = await ask("assets/a-1.js", { "Accept-Encoding": accepted });
  expect(headers["content-encoding"]).toBe(encoding);
  const unpack = encoding === "br" ? brotliDecompressSync : encoding === "gzip" ? gunzipSync : (bytes: Buffer) => bytes;
  expect(unpack(body).toString()).toBe(SCRIPT);
  // Small ones stay as they are.
  expect((await ask("index.html", { "Accept-Encoding": accepted })).headers["content-encoding"]).toBeUndefined();
});

test("what a browser has already is not sent again, and HEAD says what GET would", async () => {
  const { ask } = await open();
  const { headers } = await ask("assets/a-1.js", { "Accept-Encoding": "br" });
  const etag = String(headers["etag"]);
  for (const known of [etag, `W/${etag}`, `"other", ${etag}`]) {
    const again = await ask("assets/a-1.js", { "Accept-Encoding": "br", "If-None-Match": known });
    expect([again.status, again.body.length, again.headers["etag"]]).toEqual([304, 0, etag]);
  }
  expect((await ask("assets/a-1.js", { "If-None-Match": etag })).status).toBe(200);
  const head = await ask("assets/a-1.js", { "Accept-Encoding": "br" }, "HEAD");
  expect([head.status, head.body.length, head.headers["content-length"]]).toEqual([200, 0, headers["content-length"]]);
});

test.each([
  "",
  "assets",
  "assets/",
  "assets/inner/b.js",
  "assets/../index.html",
  "../index.html",
  "/etc/hostname",
  "assets/link.js",
  "assets/a-1.js\0",
  "constructor",
])("%j names no file there", async (name) => {
  const { ask } = await open();
  expect((await ask(name)).status).toBe(404);
});

test("a folder that cannot be read is looked into again at the next request", async () => {
  const { folder } = await open();
  const later = join(folder, "later");
  const files = new StaticFiles(later);
  const ask = async () => await files.answer("index.html", {} as never, {} as never);
  await expect(ask()).rejects.toThrow("ENOENT");
  mkdirSync(join(later, "assets"), { recursive: true });
  expect(await ask()).toBe(false);
});
