import { describe, expect, test } from "vitest";
import { bodyOf, doOp, editOf, messagesOf } from "../../../test/contract/ops.ts";
import { aSharedFile, fileIdOf, someBytes } from "../../../test/contract/shared-file.ts";
import type { SharedFile } from "../../contract/content.ts";
import type { MessageRef } from "../../contract/ids.ts";
import {
  aFile,
  aPicture,
  doWhole,
  kindsOf,
  lossesOf,
  ours,
  postFiles,
  sending,
  type TelegramSendingLife,
  type TelegramSendingTown,
  sendingTown,
  textsOf,
} from "./sending.suite.ts";

const nobody = { author: null };

/** A file that nobody can open. */
const missing = (_life: TelegramSendingLife, name: string): SharedFile =>
  aSharedFile({ name, id: fileIdOf(`no ${name}`), bytes: 700 });

describe("edits of what has files", () => {
  async function posted(files: readonly string[], text = "look") {
    const town = await sendingTown();
    const life = sending(town);
    const shared = files.map((name, at) => aFile(life, name, someBytes(1_000 + at)));
    const refs = messagesOf(await postFiles(town, life, shared, text));
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
  });

  test.each([false, true])("an edit that names no files leaves them (later: %s)", async (isLater) => {
    const { town, life, refs } = await posted(["a.txt", "b.txt"], LONG);
    const now = isLater ? sending(town) : life;
    const outcome = await edit(town, now, refs, { text: "see", files: [] });
    expect(textsOf(town, town.dock)).toEqual(["see", "[document a.txt]", "[document b.txt]"]);
    expect(lossesOf(outcome)).toEqual([]);
  });

  test.each([
    ["is refused as what it is", aFile, ["look", "[document b.png]"]],
    ["is not there", missing, ["look", "b.png was shared, but could not be copied here (there is no such file)"]],
  ])("a file in place of another that %s, with a limit in the middle", async (_what, of, said) => {
    const { town, life, refs } = await posted(["a.txt"], "see");
    const picture = messagesOf(await postFiles(town, life, [aFile(life, "a.png", aPicture())], "see"));
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

  test("what an earlier try has left out is said in the receipt", async () => {
    const { town, life, refs } = await posted([]);
    town.server.limit({ path: "/sendAudio" }, 5);
    const files = [missing(life, "b.txt"), aFile(life, "c.mp3")];
    const op = editOf(life.in(town.dock), refs, "", { body: bodyOf("see", files), ...nobody });
    const tries = await doWhole(life, town, op);
    expect(kindsOf(tries)).toEqual(["deferred", "delivered"]);
    expect(tries.map(({ outcome }) => lossesOf(outcome))).toEqual([[], ["b.txt: there is no such file"]]);
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

  test("an edit that removes the last file leaves the words", async () => {
    const { town, life, refs } = await posted(["a.txt"]);
    const changed = { before: 1, added: [], removed: [{ at: 0, name: "[a.txt]" }] };
    await doOp(life, { ...editOf(life.in(town.dock), refs, "", { body: bodyOf("look", []), ...nobody }), changed });
    expect(textsOf(town, town.dock)).toEqual(["look"]);
  });
});
