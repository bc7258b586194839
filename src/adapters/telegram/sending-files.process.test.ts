import { describe, expect, test } from "vitest";
import { bodyOf, doOp, messagesOf, postOf } from "../../../test/contract/ops.ts";
import type { SharedFile } from "../../contract/content.ts";
import { aSharedFile, fileIdOf, someBytes } from "../../../test/contract/shared-file.ts";
import {
  aFile,
  aPicture,
  doWhole,
  kindsOf,
  lossesOf,
  ours,
  postFiles,
  sending,
  type TelegramSendingTown,
  sendingTown,
  textsOf,
} from "./sending.suite.ts";

const MB = 1024 * 1024;
const nobody = { author: null };

/** The content of each file that stands there, as the server has it. */
function contents(town: TelegramSendingTown): readonly Uint8Array[] {
  return ours(town, town.dock).flatMap(({ wire }) => {
    const { photo, document, video, audio, voice, animation } = wire;
    const file = photo?.at(-1) ?? video ?? audio ?? voice ?? animation ?? document;
    return file === undefined ? [] : [Uint8Array.from(town.server.files.get(file.file_id)?.content ?? [])];
  });
}

describe("files", () => {
  test.each([
    ["a.png", aPicture(), "look [photo]"],
    ["a.mp4", someBytes(70_000), "look [video a.mp4]"],
    ["a.gif", Buffer.from(`GIF89a${"x".repeat(500)}`), "look [animation a.gif]"],
    ["a.mp3", someBytes(5_000), "look [audio a.mp3]"],
    ["a.ogg", someBytes(5_000), "look [voice]"],
    ["a.tar.gz", someBytes(200_000), "look [document a.tar.gz]"],
    ['a "b" \u{1f600}.txt', someBytes(10), 'look [document a "b" \u{1f600}.txt]'],
  ])("%s arrives byte for byte", async (name, content, said) => {
    const town = await sendingTown();
    const life = sending(town);
    const outcome = await postFiles(town, life, [aFile(life, name, new Uint8Array(content))]);
    expect(outcome).toMatchObject({ is: "delivered", receipt: { losses: [] } });
    expect(textsOf(town, town.dock)).toEqual([said]);
    expect(contents(town)).toEqual([new Uint8Array(content)]);
  });

  test("hidden pictures are covered, each of an album too; what Telegram cannot cover is a link", async () => {
    const town = await sendingTown();
    const life = sending(town);
    const hidden = ["a.png", "b.mp4", "c.txt"].map((name): SharedFile => {
      const file = aFile(life, name, name === "a.png" ? aPicture() : someBytes(1_000));
      return Object.assign({}, file, { url: `https://media.example/${name}`, spoiler: "the ending" });
    });
    await postFiles(town, life, hidden);
    const said = ours(town, town.dock).map(({ wire }) => [wire.has_media_spoiler ?? false, wire.link_preview_options]);
    expect(textsOf(town, town.dock)).toEqual([
      "look\n[hidden file: the ending]: https://media.example/c.txt [photo]",
      "[video b.mp4]",
    ]);
    expect(said).toEqual([
      [true, undefined],
      [true, undefined],
    ]);
  });

  test("a link to a hidden file has no preview", async () => {
    const town = await sendingTown();
    const life = sending(town);
    const file = aFile(life, "c.txt", someBytes(1_000));
    await postFiles(town, life, [{ ...file, url: "https://media.example/c.txt", spoiler: true }]);
    const [message] = ours(town, town.dock);
    expect(message?.wire.link_preview_options).toEqual({ is_disabled: true });
  });

  test("albums: what may stand together does, with the words", async () => {
    const town = await sendingTown();
    const life = sending(town);
    const names = ["a.png", "b.mp4", "c.txt", "d.txt", "e.mp3"];
    const files = names.map((name, at) => aFile(life, name, at === 0 ? aPicture() : someBytes(1_000 + at)));
    const { outcome, attempt } = await doOp(life, postOf(life.in(town.dock), "", { body: bodyOf("look", files) }));
    expect(textsOf(town, town.dock)).toEqual([
      "[irc] <Bob> look [photo]",
      "[video b.mp4]",
      "[irc] <Bob> [document c.txt]",
      "[document d.txt]",
      "[irc] <Bob> [audio e.mp3]",
    ]);
    const groups = ours(town, town.dock).map(({ wire }) => wire.media_group_id);
    expect(new Set(groups).size).toBe(3);
    expect(messagesOf(outcome)).toEqual(ours(town, town.dock).map(({ id }) => String(id)));
    expect(attempt.confirmed).toHaveLength(3);
    expect(contents(town).map((content) => content.length)).toEqual([3_000, 1_001, 1_002, 1_003, 1_004]);
  });

  test("a long text comes before", async () => {
    const town = await sendingTown();
    const life = sending(town);
    const text = "word ".repeat(300).trim();
    await postFiles(town, life, [aFile(life, "a.txt")], text);
    expect(textsOf(town, town.dock)).toEqual([text, "[document a.txt]"]);
  });

  test.each([
    ["is no picture", someBytes(2_000)],
    ["has odd dimensions", aPicture(9_000, 2_000)],
    ["is far too wide", aPicture(2_100, 100)],
  ])("a picture that %s goes as a document, whole", async (_what, content) => {
    const town = await sendingTown();
    const life = sending(town);
    const outcome = await postFiles(town, life, [aFile(life, "a.png", content)]);
    expect(outcome).toMatchObject({ is: "delivered", receipt: { losses: [] } });
    expect(textsOf(town, town.dock)).toEqual(["look [document a.png]"]);
    expect(contents(town)).toEqual([content]);
  });

  test("one of an album that is refused goes as a document, the others stay together", async () => {
    const town = await sendingTown();
    const life = sending(town);
    const files = [
      aFile(life, "a.png", aPicture()),
      aFile(life, "b.png", aPicture()),
      aFile(life, "c.png", someBytes(99)),
    ];
    await postFiles(town, life, files);
    expect(textsOf(town, town.dock)).toEqual(["look [photo]", "[photo]", "[document c.png]"]);
    expect(contents(town)[2]).toEqual(someBytes(99));
  });

  test("what is too large is said, and what is not there", async () => {
    const town = await sendingTown();
    const life = sending(town, { uploadMax: 1 * MB });
    const files = [
      aFile(life, "large.iso", someBytes(MB + 1)),
      aSharedFile({ name: "gone.txt", id: fileIdOf("gone.txt"), bytes: 5 }),
      aSharedFile({ name: "never.txt", comment: "the plan" }),
      aFile(life, "ok.txt"),
    ];
    const outcome = await postFiles(town, life, files);
    const [text = ""] = textsOf(town, town.dock);
    expect(text.split("\n")).toEqual([
      "look",
      expect.stringContaining("large.iso was shared, but could not be copied here (Telegram takes files of up to 1 MB"),
      "gone.txt was shared, but could not be copied here (there is no such file)",
      "the plan: never.txt was shared, but could not be copied here (it is too large) [document ok.txt]",
    ]);
    expect(lossesOf(outcome)).toHaveLength(2);
  });

  test("a server that takes less than it says", async () => {
    const town = await sendingTown();
    town.server.files.maxUpload = 5_000;
    const life = sending(town, { uploadMax: 50 * MB });
    const files = [aFile(life, "a.txt", someBytes(6_000)), aFile(life, "b.txt", someBytes(10))];
    await postFiles(town, life, files);
    expect(textsOf(town, town.dock).join("\n")).toContain("a.txt was shared, but could not be copied here");
    expect(contents(town)).toEqual([someBytes(10)]);
  });

  test.each([
    ["is shorter than it should be", () => new Blob([someBytes(100)]).stream()],
    [
      "cannot be read to its end",
      () => new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(new Error("no")) }),
    ],
  ])("what %s is not taken for whole, and after some tries it is said", async (_what, stream) => {
    const town = await sendingTown();
    const life = sending(town);
    const files = [aFile(life, "a.txt"), aFile(life, "b.txt", someBytes(500))];
    const open = life.host.openFile.bind(life.host);
    life.host.openFile = async (id) =>
      id === files[1]?.id ? { ok: true, bytes: 500, mime: null, stream: stream() } : await open(id);
    const op = postOf(life.in(town.dock), "", { body: bodyOf("look", files), ...nobody });
    const tries = await doWhole(life, town, op);
    expect(kindsOf(tries)).toEqual(["deferred", "deferred", "deferred", "delivered"]);
    expect(textsOf(town, town.dock)).toHaveLength(1);
    expect(textsOf(town, town.dock)[0]).toMatch(/^look\nb\.txt was shared, but could not .* \[document a\.txt\]$/s);
  });

  test("a connection that breaks while a file is sent: it is sent again, once", async () => {
    const town = await sendingTown();
    const life = sending(town);
    const content = someBytes(3 * MB);
    const file = aFile(life, "a.txt", content);
    const open = life.host.openFile.bind(life.host);
    let opened = 0;
    life.host.openFile = async (...args) => {
      opened += 1;
      const answer = await open(...args);
      if (!answer.ok || opened > 1) return answer;
      // Half of it is on its way when the connection breaks.
      let read = 0;
      const half = new TransformStream<Uint8Array, Uint8Array>({
        transform: (part, controller) => {
          read += part.length;
          if (read > MB) town.server.wire.cut();
          controller.enqueue(part);
        },
      });
      return { ...answer, stream: answer.stream.pipeThrough(half) };
    };
    const tries = await doWhole(
      life,
      town,
      postOf(life.in(town.dock), "", { body: bodyOf("look", [file]), ...nobody }),
    );
    expect(kindsOf(tries)).toEqual(["deferred", "delivered"]);
    expect(textsOf(town, town.dock)).toEqual(["look [document a.txt]"]);
    expect(contents(town)).toEqual([content]);
  });

  test("a refusal after the words: it is said behind them", async () => {
    const town = await sendingTown();
    const life = sending(town);
    town.server.refuse("sendDocument", 400, "Bad Request: FILE_PARTS_INVALID");
    const text = "word ".repeat(300).trim();
    const outcome = await postFiles(town, life, [aFile(life, "a.txt"), aFile(life, "b.mp3")], text);
    const [first, second, third] = textsOf(town, town.dock);
    expect([first, third]).toEqual([text, "[audio b.mp3]"]);
    expect(second).toMatch(/^a\.txt was shared, but could not be copied here \(.*FILE_PARTS_INVALID.*\)$/);
    expect(lossesOf(outcome)).toHaveLength(1);
  });

  test("a limit between two albums: what was sent is not sent again", async () => {
    const town = await sendingTown();
    const life = sending(town);
    town.server.limits.group = { count: 10, ms: 20_000 };
    const files = Array.from({ length: 14 }, (_, at) => aFile(life, `${at}.txt`, someBytes(100 + at)));
    const op = postOf(life.in(town.dock), "", { body: bodyOf("look", files), ...nobody });
    const tries = await doWhole(life, town, op);
    expect(kindsOf(tries)).toEqual(["deferred", "delivered"]);
    expect(contents(town).map((content) => content.length)).toEqual(files.map(({ bytes }) => bytes));
  });
});

test("a server of one's own takes large files", async () => {
  const town = await sendingTown({ isLocal: true });
  const life = sending(town);
  const content = someBytes(55 * MB);
  await postFiles(town, life, [aFile(life, "a.iso", content)]);
  expect(contents(town)[0]?.length).toBe(content.length);
});
