import { expect } from "vitest";
import type { RemoteFile } from "../../../src/contract/content.ts";
import type { OpenedFile, Session } from "../../../src/contract/session.ts";
import type { SentFile } from "../fixture.ts";
import { aSharedFile, fileIdOf, readAll, someBytes } from "../shared-file.ts";
import type { Room, Stage } from "../stage.ts";
import { wordsOf } from "../texts.ts";
import type { Case } from "./case.ts";

function seen({ person, channel }: Room): string {
  return person
    .heard(channel.name)
    .map(({ text, file }) => [text, file ?? ""].join("\n"))
    .join("\n");
}

async function filesWithoutContent(stage: Stage): Promise<void> {
  const room = await stage.room();
  const url = "https://media.example.org/a1b2/map.png";
  await stage.deliver(room, { text: "see", files: [aSharedFile({ name: "map.png", bytes: 9, url })] });
  await stage.until(
    () => seen(room).includes(url) && seen(room).includes("see"),
    () => `the address of the file; heard: ${JSON.stringify(seen(room))}`,
  );
  await stage.deliver(room, { text: "", files: [aSharedFile({ name: "chart.pdf", comment: "of the lagoon" })] });
  await stage.until(
    () => seen(room).includes("chart.pdf") && seen(room).includes("of the lagoon"),
    () => `a line that names the file without an address, and its caption; heard: ${JSON.stringify(seen(room))}`,
  );
}

const CHART = someBytes(50_000);
const MAP = someBytes(3_000);

async function filesGoOut(stage: Stage): Promise<void> {
  const room = await stage.room();
  const chart = { name: "chart.bin", comment: "of the lagoon", id: fileIdOf("chart"), bytes: CHART.length };
  const map = { name: "map.bin", comment: "of the ghetto", id: fileIdOf("map"), bytes: MAP.length };
  room.host.files.set(chart.id, CHART).set(map.id, MAP);
  const mime = "application/octet-stream";
  const files = [chart, map].map((fields) => aSharedFile({ ...fields, mime }));
  await stage.deliver(room, { text: "two papers", files });
  const names = (): readonly string[] => room.person.heard(room.channel.name).flatMap(({ file }) => file ?? []);
  await stage.until(
    () => names().length >= 2,
    () => `two files to be seen; heard: ${JSON.stringify(seen(room))}`,
  );
  expect(names(), "the files, in order").toEqual(["chart.bin", "map.bin"]);
  for (const words of ["two papers", "of the lagoon", "of the ghetto"]) {
    expect(seen(room).split(words).length - 1, `how often "${words}" is seen`).toBe(1);
  }
  for (const { file, handle } of room.person.heard(room.channel.name)) {
    if (file === undefined || handle === undefined) continue;
    const content = await room.person.fetch?.(room.channel.name, handle);
    expect(same(content, file === "map.bin" ? MAP : CHART), `the content of ${file}`).toBe(true);
  }
}

function same(found: Uint8Array | undefined, wanted: Uint8Array): boolean {
  return found !== undefined && Buffer.from(found).equals(Buffer.from(wanted));
}

async function contentThatIsGone(stage: Stage): Promise<void> {
  const room = await stage.room();
  const lost = aSharedFile({ name: "lost.bin", id: fileIdOf("lost"), mime: "application/octet-stream", bytes: 9 });
  const outcome = await stage.post(room, { text: "where is it?", files: [lost] }).outcome;
  if (outcome.is !== "delivered") {
    expect(["rejected", "deferred"], "the outcome without the content").toContain(outcome.is);
    return;
  }
  const losses = outcome.receipt.losses.map(({ what }) => what);
  expect(losses, "a file that could not cross is named in the receipt").toContain("file");
  await stage.until(
    () => seen(room).includes("where is it?"),
    () => "the text beside the file",
  );
}

const PICTURE: SentFile = {
  name: "picture.bin",
  mime: "application/octet-stream",
  content: someBytes(70_000),
  comment: "a caption",
};

async function open(session: Session, { ref, url }: RemoteFile): Promise<OpenedFile | null> {
  if (ref !== null) return (await session.openFile?.(ref, new AbortController().signal)) ?? null;
  if (url === null) return null;
  const { body } = await fetch(url);
  return body === null ? null : { ok: true, bytes: null, mime: null, stream: body };
}

async function filesComeIn(stage: Stage): Promise<void> {
  const room = await stage.room();
  if (room.person.sendFile === undefined) throw new Error("the harness offers `file`, but there is no Person.sendFile");
  await room.person.sendFile(room.channel.name, PICTURE);
  const event = await stage.until(
    () => room.host.posted.find(({ body }) => body.files.length > 0) ?? null,
    () => `an event with a file; ${room.host.posted.length} without came`,
  );
  const [file] = event.body.files;
  if (file === undefined) return;
  expect(file.name, "the name of the file").toBe(PICTURE.name);
  if (file.bytes !== null) expect(file.bytes, "its size").toBe(PICTURE.content.length);
  const again = await stage.reopen(room);
  const opened = await stage.within(open(again.session, file), "openFile()");
  if (opened?.ok !== true) throw new Error(`the file does not open: ${JSON.stringify(opened)}`);
  const content = await stage.within(readAll(opened.stream), "the content of a file");
  expect(same(content, PICTURE.content), "the content as it was sent").toBe(true);
  const words = room.host.posted.flatMap(({ body }) => [[wordsOf(body)], body.files.map(({ comment }) => comment)]);
  expect(words.flat().filter((text) => text.includes("a caption")).length, "the caption, once").toBe(1);
}

async function aFileNobodyHas(stage: Stage): Promise<void> {
  const room = await stage.room();
  await room.person.sendFile?.(room.channel.name, PICTURE);
  const event = await stage.until(
    () => room.host.posted.find(({ body }) => body.files.length > 0) ?? null,
    () => "an event with a file",
  );
  const ref = event.body.files[0]?.ref ?? null;
  await stage.harness.cut();
  await stage.within(room.session.ended, "`ended` after the connection was cut");
  if (ref === null || room.session.openFile === undefined) return;
  const opened = await stage.within(
    room.session.openFile(ref, AbortSignal.abort()),
    "openFile() on a session that has ended, given up",
  );
  if (opened.ok) await opened.stream.cancel();
  else expect(opened.why.message, "why, for people").not.toBe("");
}

export const files: readonly Case[] = [
  { name: "a file without content is named, with its address if it has one", run: filesWithoutContent },
  {
    name: "files go out with their captions, whole",
    when: ({ fileOut }, features) => fileOut === "native" && features.has("fetch"),
    run: filesGoOut,
  },
  {
    name: "a file whose content is gone is a loss, and takes nothing with it",
    when: ({ fileOut }) => fileOut === "native",
    run: contentThatIsGone,
  },
  {
    name: "files of people come in with their captions, and open whole in a later session",
    when: ({ fileIn }, features) => fileIn !== "none" && features.has("file"),
    run: filesComeIn,
  },
  {
    name: "a file that cannot be opened is a value",
    when: ({ fileIn }, features) => fileIn !== "none" && features.has("file"),
    run: aFileNobodyHas,
  },
];
