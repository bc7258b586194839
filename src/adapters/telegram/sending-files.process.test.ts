import { describe, expect, test } from "vitest";
import { bodyOf, doOp, editOf, messagesOf, postOf } from "../../../test/contract/ops.ts";
import { aSharedFile, fileIdOf, someBytes } from "../../../test/contract/shared-file.ts";
import type { SharedFile } from "../../contract/content.ts";
import type { MessageRef } from "../../contract/ids.ts";
import type { Outcome } from "../../contract/outcome.ts";
import {
  aFile,
  doWhole,
  kindsOf,
  ours,
  sending,
  type TelegramSendingLife,
  type TelegramSendingTown,
  sendingTown,
  textsOf,
} from "./sending.suite.ts";

const MB = 1024 * 1024;
const nobody = { author: null };

/** What servers take for a picture of this size. */
function aPicture(width = 90, height = 60, bytes = 3_000): Uint8Array {
  const content = Buffer.from(someBytes(bytes));
  content.writeUInt32BE(0x89_50_4e_47, 0);
  content.writeUInt32BE(width, 16);
  content.writeUInt32BE(height, 20);
  return new Uint8Array(content);
}

async function post(
  town: TelegramSendingTown,
  life: TelegramSendingLife,
  files: readonly SharedFile[],
  text = "look",
): Promise<Outcome> {
  return (await doOp(life, postOf(life.in(town.dock), "", { body: bodyOf(text, files), ...nobody }))).outcome;
}

const lossesOf = (outcome: Outcome): readonly string[] =>
  outcome.is === "delivered" ? outcome.receipt.losses.map(({ note }) => note) : [];

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
    const outcome = await post(town, life, [aFile(life, name, new Uint8Array(content))]);
    expect(outcome).toMatchObject({ is: "delivered", receipt: { losses: [] } });
    expect(textsOf(town, town.dock)).toEqual([said]);
    expect(contents(town)).toEqual([new Uint8Array(content)]);
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
    await post(town, life, [aFile(life, "a.txt")], text);
    expect(textsOf(town, town.dock)).toEqual([text, "[document a.txt]"]);
  });

  test.each([
    ["is no picture", someBytes(2_000)],
    ["has odd dimensions", aPicture(9_000, 2_000)],
    ["is far too wide", aPicture(2_100, 100)],
  ])("a picture that %s goes as a document, whole", async (_what, content) => {
    const town = await sendingTown();
    const life = sending(town);
    const outcome = await post(town, life, [aFile(life, "a.png", content)]);
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
    await post(town, life, files);
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
    const outcome = await post(town, life, files);
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
    await post(town, life, files);
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
    const outcome = await post(town, life, [aFile(life, "a.txt"), aFile(life, "b.mp3")], text);
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

/** A file that nobody can open. */
const missing = (_life: TelegramSendingLife, name: string): SharedFile =>
  aSharedFile({ name, id: fileIdOf(`no ${name}`), bytes: 700 });

describe("edits of what has files", () => {
  async function posted(files: readonly string[], text = "look") {
    const town = await sendingTown();
    const life = sending(town);
    const shared = files.map((name, at) => aFile(life, name, someBytes(1_000 + at)));
    const refs = messagesOf(await post(town, life, shared, text));
    return { town, life, shared, refs };
  }
  const edit = async (
    town: TelegramSendingTown,
    life: TelegramSendingLife,
    refs: readonly MessageRef[],
    { text, files }: { readonly text: string; readonly files: readonly SharedFile[] },
  ) => (await doOp(life, editOf(life.in(town.dock), refs, "", { body: bodyOf(text, files), ...nobody }))).outcome;

  const LONG = "word ".repeat(600).trim();

  test.each([
    ["other words", "look", "see", ["see [document a.txt]", "[document b.txt]"]],
    ["no words any more", "look", "", ["[document a.txt]", "[document b.txt]"]],
    ["words where none were", "", "see", ["see [document a.txt]", "[document b.txt]"]],
    ["the same words", "look", "look", ["look [document a.txt]", "[document b.txt]"]],
    ["words that stood before them", LONG, "see", ["see", "[document a.txt]", "[document b.txt]"]],
  ])("%s, in the same session and in a later one", async (_what, before, after, said) => {
    for (const isLater of [false, true]) {
      const { town, life, shared, refs } = await posted(["a.txt", "b.txt"], before);
      const now = isLater ? sending(town) : life;
      const outcome = await edit(town, now, refs, { text: after, files: shared });
      expect([outcome, textsOf(town, town.dock)]).toEqual([
        { is: "delivered", receipt: { messages: [], losses: [] } },
        said,
      ]);
    }
  });

  test.each([false, true])(
    "words that are too long to stand with a file go on behind it (later: %s)",
    async (isLater) => {
      const { town, life, shared, refs } = await posted(["a.txt"]);
      const now = isLater ? sending(town) : life;
      const outcome = await edit(town, now, refs, { text: LONG, files: shared });
      const rows = ours(town, town.dock);
      expect(
        rows
          .map(({ wire }) => wire.caption ?? wire.text)
          .join(" ")
          .replaceAll(/\s+/g, " "),
      ).toBe(LONG);
      expect(messagesOf(outcome)).toEqual(rows.map(({ id }) => String(id)));
      expect(messagesOf(outcome)[0]).toBe(refs[0]);
    },
  );

  test("a file in place of another, one more, and one less", async () => {
    const { town, life, shared, refs } = await posted(["a.txt", "b.txt"]);
    const other = aFile(life, "other.txt", someBytes(50));
    const [first, second] = shared;
    if (first === undefined || second === undefined) throw new Error("nothing was shared");
    await edit(town, life, refs, { text: "look", files: [other, second] });
    expect(textsOf(town, town.dock)).toEqual(["look [document other.txt]", "[document b.txt]"]);
    const more = aFile(life, "more.mp3", someBytes(70));
    const grown = await edit(town, life, refs, { text: "look", files: [other, second, more] });
    expect(textsOf(town, town.dock)).toEqual(["look [document other.txt]", "[document b.txt]", "[audio more.mp3]"]);
    const fewer = await edit(town, life, messagesOf(grown), { text: "look", files: [other] });
    expect(textsOf(town, town.dock)).toEqual(["look [document other.txt]"]);
    expect(messagesOf(fewer)).toEqual(refs.slice(0, 1));
    const none = await edit(town, life, messagesOf(fewer), { text: "look", files: [] });
    expect(textsOf(town, town.dock)).toEqual(["look"]);
    expect(messagesOf(none)).toHaveLength(1);
  });

  test.each([
    ["is refused as what it is", aFile, ["look", "[document b.png]"]],
    ["is not there", missing, ["look", "b.png was shared, but could not be copied here (there is no such file)"]],
  ])("a file in place of another that %s, with a limit in the middle", async (_what, of, said) => {
    const { town, life, refs } = await posted(["a.txt"], "see");
    const picture = messagesOf(await post(town, life, [aFile(life, "a.png", aPicture())], "see"));
    const other = of(life, "b.png", someBytes(700));
    for (const row of ours(town, town.dock)) if (refs.includes(String(row.id) as MessageRef)) town.alice.erase(row);
    town.server.limit({ path: /sendPhoto|sendDocument|sendMessage/ }, 5);
    const op = editOf(life.in(town.dock), picture, "", { body: bodyOf("look", [other]), ...nobody });
    const tries = await doWhole(life, town, op);
    expect(kindsOf(tries)).toEqual(["deferred", "delivered"]);
    expect(textsOf(town, town.dock)).toEqual(said);
    const last = tries.at(-1)?.outcome;
    expect(last === undefined ? [] : messagesOf(last)).toEqual(ours(town, town.dock).map(({ id }) => String(id)));
  });

  test("a file that is too many, and too old to be deleted, has no words any more", async () => {
    const { town, life, refs } = await posted(["a.txt", "b.mp3"], "secret");
    town.clock.pass(49 * 3_600_000);
    const files = [aFile(life, "c.ogg")];
    const outcome = await edit(town, life, refs, { text: "see", files });
    expect(textsOf(town, town.dock)).toEqual(["[document a.txt]", "[audio b.mp3]", "see", "[voice]"]);
    expect(lossesOf(outcome)).toHaveLength(2);
  });

  test("a file in place of another that goes at the second try: what was found out with the first holds", async () => {
    const { town, life, refs } = await posted(["a.txt"]);
    const other = missing(life, "b.txt");
    town.server.limit({ path: "/sendMessage" }, 5);
    const op = editOf(life.in(town.dock), refs, "", { body: bodyOf("see", [other]), ...nobody });
    expect((await doOp(life, op)).outcome.is).toBe("deferred");
    town.clock.pass(5_000);
    if (other.id !== null) life.host.files.set(other.id, someBytes(700));
    await doWhole(life, town, op);
    expect(textsOf(town, town.dock)).toEqual([
      "see",
      "b.txt was shared, but could not be copied here (there is no such file)",
    ]);
  });

  test("a file in place of another is sent once, however slow the chat is", async () => {
    const { town, life, refs } = await posted(["a.txt", "b.txt"]);
    town.server.limits.group = { count: 1, ms: 5_000 };
    const files = [aFile(life, "c.txt"), aFile(life, "d.txt")];
    const op = editOf(life.in(town.dock), refs, "", { body: bodyOf("see", files), ...nobody });
    const tries = await doWhole(life, town, op);
    expect(kindsOf(tries)).toEqual(["deferred", "delivered"]);
    expect(textsOf(town, town.dock)).toEqual(["see [document c.txt]", "[document d.txt]"]);
  });

  test("a file that comes to a text in a later session", async () => {
    const { town, refs } = await posted([], "look");
    const life = sending(town);
    await edit(town, life, refs, { text: "see", files: [aFile(life, "a.txt")] });
    expect(textsOf(town, town.dock)).toEqual(["see", "[document a.txt]"]);
  });

  test("a file that comes to others in a later session: nobody knows which it is, and that is said", async () => {
    const { town, life: before, shared, refs } = await posted(["a.txt"]);
    const life = sending(town);
    for (const [id, content] of before.host.files) life.host.files.set(id, content);
    const outcome = await edit(town, life, refs, { text: "look", files: [...shared, aFile(life, "b.txt")] });
    expect(lossesOf(outcome)).toEqual(["not all files of the edit are there"]);
  });

  test("a file that somebody has deleted does not come again in a later session", async () => {
    const { town, shared, refs } = await posted(["a.txt"], LONG);
    for (const row of ours(town, town.dock)) if (row.wire.document !== undefined) town.alice.erase(row);
    await edit(town, sending(town), refs, { text: "see", files: shared });
    expect(textsOf(town, town.dock)).toEqual(["see"]);
  });

  test("one file less in a later session: nobody knows which, and that is said", async () => {
    const { town, shared, refs } = await posted(["a.txt", "b.txt"]);
    const outcome = await edit(town, sending(town), refs, { text: "see", files: shared.slice(1) });
    expect(lossesOf(outcome)).toEqual(["files that the edit has no more may be there"]);
  });

  test("a later session takes the files for those that stand", async () => {
    const { town, refs } = await posted(["a.txt"]);
    const life = sending(town);
    await edit(town, life, refs, { text: "see", files: [aFile(life, "renamed.txt", someBytes(9))] });
    expect(textsOf(town, town.dock)).toEqual(["see [document a.txt]"]);
  });
});

test("a server of one's own takes large files", async () => {
  const town = await sendingTown({ isLocal: true });
  const life = sending(town);
  const content = someBytes(55 * MB);
  await post(town, life, [aFile(life, "a.iso", content)]);
  expect(contents(town)[0]?.length).toBe(content.length);
});
