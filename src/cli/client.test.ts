import { mkdtempSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ask, NotRunning } from "./client.ts";

const folder = mkdtempSync(join(tmpdir(), "rialto-client-"));

async function refusal(socket: string): Promise<unknown> {
  return await ask(socket, { method: "GET", path: "/healthz" }).catch((error: unknown) => error);
}

test.each([
  ["leads in a circle", () => (symlinkSync("circle", join(folder, "circle")), join(folder, "circle", "rialto.sock"))],
  ["has a name that is too long", () => join(folder, "n".repeat(300), "rialto.sock")],
  ["holds a zero byte", () => join(folder, "a\u0000b", "rialto.sock")],
])("a path that %s is no bug: no Rialto can be asked there", async (_, socket) => {
  const error = await refusal(socket());
  expect(error).toBeInstanceOf(NotRunning);
  expect(String(error)).toContain("no Rialto can be asked at");
});

test("a socket at which something else answers is no bug either", async () => {
  const socket = join(folder, "other.sock");
  const other = createServer((connection) => connection.end("220 smtp.example ESMTP\r\n"));
  await new Promise<void>((resolve) => other.listen(socket, resolve));
  expect(await refusal(socket)).toBeInstanceOf(NotRunning);
  other.close();
});

test("without its data folder, a Rialto may still run, and the text says what to do", async () => {
  const gone = join(folder, "gone");
  expect(String(await refusal(join(gone, "rialto.sock")))).toMatch(
    /or its data folder was deleted while it runs: there is no \S+\/gone\/rialto\.sock; if one runs, start it again$/u,
  );
  expect(String(await refusal(join(folder, "rialto.sock")))).toMatch(
    /: no Rialto runs with this configuration: there is no \S+\.sock$/u,
  );
});
