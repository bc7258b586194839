import { mkdtemp, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Message } from "../../src/contract/message.ts";
import { freePorts } from "../support/ports.ts";
import { startRialto } from "../support/rialto.ts";

const WORDS = "hello, files";
const DATA = Buffer.from(WORDS).toString("base64");
/** The beginning of the SHA-1 of the words. */
const SHA = "2c65562f";

/** What a plain reader and a reader with FullEvents get of a file that the account `one` posts. */
async function filesOf(general: string) {
  const config = `[general]
${general}
[api.one]
[api.two]
[api.full]
FullEvents = true
[[gateway]]
name = "g"
enable = true
${["one", "two", "full"].map((name) => `[[gateway.inout]]\naccount = "api.${name}"\nchannel = "api"`).join("\n")}
`;
  const rialto = await startRialto({ config });
  onTestFinished(async () => await rialto.dispose());
  const file = { Name: "my notes.txt", Data: DATA };
  const answer = await rialto
    .client("one")
    .say({ gateway: "g", username: "anna", text: "look", Extra: { file: [file] } });
  const [plain] = await rialto.client("two").poll();
  const [full] = await rialto.client("full").poll();
  const only = (message: Message | undefined) => message?.Extra?.file[0];
  return { answer: only(answer), plain: only(plain), full: only(full) };
}

test("a posted file has the address of the media folder and its SHA for other accounts", async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), "rialto-media-"));
  onTestFinished(async () => await rm(folder, { recursive: true }));
  const { answer, plain, full } = await filesOf(
    `MediaDownloadPath = "${folder}"\nMediaServerDownload = "https://media.example/files"`,
  );
  const URL = `https://media.example/files/${SHA}/my_notes.txt`;
  expect([answer, plain, full]).toMatchObject([
    { Name: "my notes.txt", Data: DATA, URL, SHA },
    { Name: "my notes.txt", Data: DATA, URL, SHA },
    { Name: "my notes.txt", URL, SHA },
  ]);
  expect(await readFile(path.join(folder, SHA, "my_notes.txt"), "utf8")).toBe(WORDS);
});

test("a posted file has an address of the media endpoint and its SHA for other accounts", async () => {
  const [port] = await freePorts(1);
  const { plain, full } = await filesOf(`MediaBindAddress = "127.0.0.1:${port}"`);
  for (const file of [plain, full]) {
    expect(file).toMatchObject({ Name: "my notes.txt", SHA });
    const response = await fetch(file?.URL ?? "");
    expect([response.status, await response.text()]).toEqual([200, WORDS]);
  }
});

test("without a media server, a posted file stays as it was posted", async () => {
  const { plain } = await filesOf("");
  expect(plain).toMatchObject({ Data: DATA, URL: "", SHA: "" });
});
