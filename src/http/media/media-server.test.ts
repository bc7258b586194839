import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import type { OpenedFile } from "../../contract/session.ts";
import type { FileStore, Published, PublishedFile } from "../../files/files.ts";
import { ENDPOINT, had, never, opened, partsOf, remote, source, stage, wanted } from "../../files/stage.suite.ts";
import { ampleDescriptors } from "../../lib/descriptors.suite.ts";
import { startMedia } from "./media-server.ts";

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

/** A server over a store that knows one file, and the way to it. */
async function served(content: string | Uint8Array, name: string, mime?: string) {
  const sources = { open: () => Promise.resolve(opened(content, mime === undefined ? {} : { mime })) };
  const { files, clock } = await stage({ sources });
  const { link } = had(await files.ready(wanted(remote("r"), name), never));
  const server = await start(files, () => clock.nowMs());
  const path = (link ?? "").slice(ENDPOINT.url.length);
  return { files, clock, path, url: server + path, server };
}

async function start(files: FileStore, nowMs: () => number): Promise<string> {
  const onError = vi.fn<(error: unknown) => void>();
  const server = await startMedia({
    files,
    address: { host: "127.0.0.1", port: 0 },
    descriptors: ampleDescriptors(),
    nowMs,
    onError,
  });
  onTestFinished(async () => {
    await server.close();
    expect(onError).not.toHaveBeenCalled();
  });
  return `http://127.0.0.1:${server.port}`;
}

/** Like fetch, but the path goes out as it is written. */
async function get(url: string, path: string): Promise<number> {
  const { hostname, port } = new URL(url);
  return await new Promise((resolve, reject) => {
    const asked = request({ hostname, port, path, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    asked.on("error", reject).end();
  });
}

test("a picture is shown by itself, and nothing in it can run", async () => {
  const { url } = await served(PNG, "котик.png");
  const response = await fetch(url);
  expect(response.status).toBe(200);
  expect(Buffer.from(await response.arrayBuffer())).toEqual(PNG);
  const headers = Object.fromEntries(response.headers);
  expect(headers).toMatchObject({
    "content-type": "image/png",
    "content-length": String(PNG.length),
    "content-disposition": "inline; filename=\"_____.png\"; filename*=UTF-8''%D0%BA%D0%BE%D1%82%D0%B8%D0%BA.png",
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "cross-origin",
    "referrer-policy": "no-referrer",
    "cache-control": "public, max-age=86400, immutable",
    "accept-ranges": "bytes",
  });
  expect(headers["content-security-policy"]).toMatch(/^sandbox; default-src 'none'/u);
  expect(headers["set-cookie"]).toBeUndefined();
});

test.each([
  [
    "a drawing with a script",
    '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
    "a.svg",
    "image/svg+xml",
  ],
  ["a page", "<!doctype html><script>alert(1)</script>", "a.html", "text/html"],
  ["a page called a picture", "<!doctype html><script>alert(1)</script>", "a.png", "text/html"],
  ["a page that only its name makes one", "alert(1)", "a.xhtml", "application/xhtml+xml"],
  ["a script", "alert(1)", "a.js", "text/javascript"],
  ["text that is no UTF-8", Buffer.from([0x61, 0xe4, 0x62]), "a.txt", "text/plain"],
])("%s is only saved", async (_what, content, name, type) => {
  const { url } = await served(content, name, "image/png");
  const response = await fetch(url);
  await response.text();
  expect(response.headers.get("content-type")).toBe(type);
  expect(response.headers.get("content-disposition")).toMatch(/^attachment; /u);
  expect(response.headers.get("x-content-type-options")).toBe("nosniff");
});

test("the name reaches the one who saves it without steering anything", async () => {
  const { url } = await served("x", '../a"b\r\nSet-Cookie: x=\u202Etxt.exe');
  const response = await fetch(url);
  await response.text();
  expect(response.headers.get("content-disposition")).toBe('attachment; filename="a_b_Set-Cookie_x=txt.exe"');
  expect(response.headers.get("set-cookie")).toBeNull();
});

test("parts of a file are served", async () => {
  const { url } = await served("0123456789", "a.txt");
  const part = await fetch(url, { headers: { range: "bytes=2-4" } });
  expect([part.status, part.headers.get("content-range"), await part.text()]).toEqual([206, "bytes 2-4/10", "234"]);
  const beyond = await fetch(url, { headers: { range: "bytes=10-" } });
  expect([beyond.status, beyond.headers.get("content-range")]).toEqual([416, "bytes */10"]);
  await beyond.text();
  const tag = part.headers.get("etag") ?? "";
  const same = await fetch(url, { headers: { range: "bytes=0-0", "if-range": tag } });
  expect([same.status, await same.text()]).toEqual([206, "0"]);
  const other = await fetch(url, { headers: { range: "bytes=0-0", "if-range": '"x"' } });
  expect([other.status, await other.text()]).toEqual([200, "0123456789"]);
  const known = await fetch(url, { headers: { "if-none-match": `"x", W/${tag}` } });
  expect([known.status, await known.text()]).toEqual([304, ""]);
});

test("HEAD says all but the content; nothing else may be asked", async () => {
  const { url } = await served("0123456789", "a.txt");
  const head = await fetch(url, { method: "HEAD" });
  expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([200, "10", ""]);
  for (const method of ["POST", "PUT", "DELETE", "OPTIONS"]) {
    const response = await fetch(url, { method });
    expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
    await response.text();
  }
});

test("a link that is over says so, and one that we did not make says nothing", async () => {
  const { url, clock, path } = await served("x", "a.txt");
  const [token = ""] = path.split("/").slice(2);
  const changed = url.replace(token, (token.startsWith("A") ? "B" : "A") + token.slice(1));
  for (const wrong of [changed, url.replace("a.txt", "b.txt"), url.replace("a.txt", "a.html")]) {
    const response = await fetch(wrong);
    expect([response.status, await response.text()]).toEqual([404, "There is no such file.\n"]);
  }
  await clock.advance(30 * 24 * 3_600_000);
  const response = await fetch(url);
  expect([response.status, await response.text()]).toEqual([410, "This link has expired.\n"]);
  expect(response.headers.get("cache-control")).toBe("no-store");
});

test("caches do not keep a file longer than its link holds", async () => {
  const { url, clock } = await served("x", "a.txt");
  await clock.advance(30 * 24 * 3_600_000 - 60_000);
  const response = await fetch(url);
  await response.text();
  expect(response.headers.get("cache-control")).toMatch(/^public, max-age=(?:59|60), immutable$/u);
});

test("no path leads anywhere else", async () => {
  const { server, path } = await served("x", "a.txt");
  const token = path.split("/")[2] ?? "";
  const paths = [
    "/",
    "/media",
    "/media/",
    `/media/${token}`,
    `/media/${token}/`,
    `${path}/`,
    `/media/../secret`,
    `/media/${token}/..%2fsecret`,
  ];
  for (const other of [...paths, `/media/${token}/%zz`, `/media/${token}/%00`, "//media/x/y", "/api/health"]) {
    expect([other, await get(server, other)]).toEqual([other, 404]);
  }
  expect(await get(server, `${path}?x=y`)).toBe(200);
});

test("who leaves in the middle is no trouble, and a stop waits for nobody forever", async () => {
  const { url } = await served(new Uint8Array(900_000), "a.bin");
  const leaving = new AbortController();
  const response = await fetch(url, { signal: leaving.signal });
  await response.body?.getReader().read();
  leaving.abort();
  expect((await (await fetch(url)).arrayBuffer()).byteLength).toBe(900_000);
});

test("a file that nobody has fetched yet is fetched by who follows its link, once", async () => {
  const answer = Promise.withResolvers<OpenedFile>();
  const sources = source(() => answer.promise);
  const { files, clock } = await stage({ sources });
  const server = await start(files, () => clock.nowMs());
  const path = (files.linkFor(remote("r"), "avatar") ?? "").slice(ENDPOINT.url.length);
  expect(sources.open).not.toHaveBeenCalled();
  const asks = [1, 2].map(() => fetch(server + path));
  await expect.poll(() => sources.open).toHaveBeenCalled();
  answer.resolve(opened(PNG));
  for (const ask of asks) {
    const response = await ask;
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "image/png"]);
    expect(response.headers.get("content-disposition")).toBe('inline; filename="avatar.png"');
    expect(Buffer.from(await response.arrayBuffer())).toEqual(PNG);
  }
  expect(sources.open).toHaveBeenCalledTimes(1);
  expect(await get(server, path.replace(/avatar$/u, "other"))).toBe(404);
  await clock.advance(30 * 24 * 3_600_000);
  expect(await get(server, path)).toBe(410);
});

test("what cannot be fetched is said, and nothing of why", async () => {
  const sources = source((ref) => {
    const why =
      ref === "gone" ? { code: "not_found" as const, message: "m" } : { code: "network" as const, message: "m" };
    return { ok: false, why };
  });
  const { files, clock } = await stage({ sources });
  const server = await start(files, () => clock.nowMs());
  const ask = async (ref: string) =>
    await fetch(server + (files.linkFor(remote(ref), "a.png") ?? "").slice(ENDPOINT.url.length));
  const gone = await ask("gone");
  expect([gone.status, await gone.text()]).toEqual([404, "This file is not available.\n"]);
  const away = await ask("away");
  expect([away.status, away.headers.get("retry-after")]).toEqual([503, "30"]);
  expect(await away.text()).toBe("This file is not available now. Try again later.\n");
});

test("what takes long goes on for who asks again", async () => {
  const answer = Promise.withResolvers<OpenedFile>();
  const sources = source(() => answer.promise);
  const { files, clock } = await stage({ sources, test: { singleFlight: { stallMs: 120_000 } } });
  const server = await start(files, () => clock.nowMs());
  const url = server + (files.linkFor(remote("r"), "a.txt") ?? "").slice(ENDPOINT.url.length);
  const first = fetch(url);
  await expect.poll(() => sources.open).toHaveBeenCalled();
  await clock.advance(50_000);
  expect((await first).status).toBe(503);
  await (await first).text();
  const second = fetch(url);
  answer.resolve(opened("late"));
  expect(await (await second).text()).toBe("late");
  expect(sources.open).toHaveBeenCalledTimes(1);
});

test("a connection that asks for many things at once is cut", async () => {
  const { server, path } = await served(new Uint8Array(900_000), "a.bin");
  const socket = connect(Number(new URL(server).port), "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => undefined);
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(50));
  await once(socket, "close");
  expect(socket.bytesRead).toBeLessThan(3 * 900_000);
  expect((await (await fetch(server + path)).arrayBuffer()).byteLength).toBe(900_000);
});

test("for who has left meanwhile no file is opened", async () => {
  const { files, server, path } = await served("x", "a.txt");
  const file = await files.published(...partsOf(ENDPOINT.url + path));
  if (file.is !== "file") throw new Error(file.is);
  const answer = Promise.withResolvers<Published>();
  const published = vi.spyOn(files, "published").mockReturnValue(answer.promise);
  const read = vi.fn<PublishedFile["read"]>((first, last) => file.file.read(first, last));
  const socket = connect(Number(new URL(server).port), "127.0.0.1");
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(2));
  await expect.poll(() => published).toHaveBeenCalledTimes(2);
  socket.resetAndDestroy();
  // Asked later, and so answered when the server has noticed.
  await get(server, "/");
  await get(server, "/");
  answer.resolve({ is: "file", file: { ...file.file, read } });
  await get(server, "/");
  expect(read).not.toHaveBeenCalled();
});

test("there is no other protocol to change to", async () => {
  const { server } = await served("x", "a.txt");
  const socket = connect(Number(new URL(server).port), "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => undefined);
  socket.write("GET /api/websocket HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
  await once(socket, "close");
  expect(socket.bytesRead).toBe(0);
});

test("an empty file is served", async () => {
  const { url } = await served("", "a.txt");
  const response = await fetch(url);
  expect([response.status, response.headers.get("content-length"), await response.text()]).toEqual([200, "0", ""]);
});

/** The status of one request for this path with these fields, each of which ends with a line break. */
async function statusOf(url: string, path: string, fields: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.write(`GET ${path} HTTP/1.1\r\n${fields}\r\n`);
  const [part] = (await once(socket, "data")) as [Buffer];
  return part.toString("latin1").slice(9, 12);
}

test("a link works under every name, and in pages of elsewhere; two names are refused", async () => {
  const { server, path } = await served(PNG, "a.png");
  expect(await statusOf(server, path, "Host: media.example\r\nSec-Fetch-Site: cross-site\r\n")).toBe("200");
  expect(await statusOf(server, path, "Host: media.example\r\nHost: media.example\r\n")).toBe("400");
});
