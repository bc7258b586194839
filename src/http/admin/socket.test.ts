import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, connect, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { listenOnSocket, socketPath, withShortPath } from "./socket.ts";

function folderOf(name = ""): string {
  const root = mkdtempSync(join(tmpdir(), "rialto-socket-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const folder = join(root, name);
  mkdirSync(folder, { recursive: true });
  return folder;
}

async function serve(folder: string): Promise<{ readonly server: Server; readonly remove: () => void }> {
  const server = createServer((socket) => socket.end("hello"));
  const remove = await listenOnSocket(
    folder,
    (path) => new Promise<void>((resolve, reject) => server.once("error", reject).listen(path, resolve)),
  );
  onTestFinished(() => void server.close());
  return { server, remove };
}

async function hear(folder: string): Promise<string> {
  return await withShortPath(folder, "rialto.sock", async (path) => {
    let heard = "";
    for await (const part of connect(path).setEncoding("utf8")) heard += String(part);
    return heard;
  });
}

test("the socket is its user's alone, whatever the umask, and nothing else is left in the folder", async () => {
  const folder = folderOf();
  const before = process.umask(0);
  try {
    await serve(folder);
  } finally {
    process.umask(before);
  }
  expect(statSync(socketPath(folder)).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toEqual(["rialto.sock"]);
  expect(await hear(folder)).toBe("hello");
});

test("what an earlier life left is replaced, and removed at the end", async () => {
  const folder = folderOf();
  writeFileSync(socketPath(folder), "");
  const { server, remove } = await serve(folder);
  expect(await hear(folder)).toBe("hello");
  remove();
  await new Promise((resolve) => server.close(resolve));
  expect(readdirSync(folder)).toEqual([]);
});

test.runIf(process.platform === "linux")("a path that is too long for a socket is no trouble", async () => {
  const folder = folderOf(join("a".repeat(100), "é".repeat(60)));
  await serve(folder);
  expect(await hear(folder)).toBe("hello");
});

test("what is in the way and cannot be replaced is an error, and nothing is left behind", async () => {
  const folder = folderOf();
  mkdirSync(join(socketPath(folder), "x"), { recursive: true });
  await expect(serve(folder)).rejects.toThrow(/EISDIR|ENOTEMPTY|EEXIST/);
  expect(readdirSync(folder)).toEqual(["rialto.sock"]);
});
