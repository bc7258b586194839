import { describe, expect, test } from "vitest";
import { bodyOf, doOp, editOf, messagesOf, postOf } from "../../../test/contract/ops.ts";
import { CountingClock } from "../../../test/contract/recording-host.ts";
import { aSharedFile, fileIdOf, someBytes } from "../../../test/contract/shared-file.ts";
import type { SharedFile } from "../../contract/content.ts";
import { messageRef } from "./ids.ts";
import { doWhole, ours, sending, type SendingLife, type SendingTown, sendingTown } from "./sending.suite.ts";

function aFile({ host }: SendingLife, name: string, size = 1_000, more: Partial<SharedFile> = {}): SharedFile {
  host.files.set(fileIdOf(name), someBytes(size));
  return aSharedFile({ name, id: fileIdOf(name), bytes: size, ...more });
}

/** Twenty seconds are one. */
class HastyClock extends CountingClock {
  override after(ms: number, task: () => void): () => void {
    return super.after(ms / 20, task);
  }
}

const shown = (town: SendingTown) =>
  ours(town, town.dock).map(({ wire, files }) => [
    wire.text === "" ? JSON.stringify(wire.blocks ?? "") : wire.text,
    files.map((id) => town.server.world.files.get(id)?.wire.name),
  ]);

describe("files", () => {
  test("are in one message with the words and who says them, ten at most; their bytes are the same", async () => {
    const town = await sendingTown();
    const life = sending(town);
    const files = Array.from({ length: 11 }, (_, at) => aFile(life, `f${at}.bin`, 3_000 + at));
    const op = postOf(life.dock, "look", { body: bodyOf("look", files) });
    const { outcome, attempt } = await doOp(life, op);
    const rows = ours(town, town.dock);
    expect(rows.map((row) => row.files.length)).toEqual([10, 1]);
    expect(JSON.stringify(rows[0]?.wire.blocks)).toContain("[irc] <Bob> look");
    expect(JSON.stringify(rows[1]?.wire.blocks)).toContain("[irc] <Bob>");
    expect(outcome).toEqual({ is: "delivered", receipt: { messages: rows.map(({ wire }) => wire.ts), losses: [] } });
    expect(attempt.messages).toEqual(rows.map(({ wire }) => wire.ts));
    const all = rows.flatMap((row) => row.files.map((id) => town.server.world.files.get(id)));
    expect(all.map((file) => file?.wire.name)).toEqual(files.map(({ name }) => name));
    for (const [at, file] of all.entries())
      expect(Buffer.from(file?.content ?? [])).toEqual(Buffer.from(someBytes(3_000 + at)));
  });

  test.each([0, 3, 20])("are found in their message when that is said late: %d times not", async (times) => {
    const town = await sendingTown();
    const life = sending(town, { clock: new HastyClock() });
    town.server.files.lateShares = times;
    const op = postOf(life.dock, "look", { body: bodyOf("look", [aFile(life, "a.bin")]) });
    const first = await doOp(life, op);
    const last = first.outcome.is === "delivered" ? first : await doOp(life, op);
    expect(first.outcome.is).toBe(times === 20 ? "unknown" : "delivered");
    expect(messagesOf(last.outcome)).toEqual(ours(town, town.dock).map(({ wire }) => wire.ts));
    expect(town.server.world.files.size).toBe(1);
  });

  test("come in the thread, and say nothing when nobody said anything", async () => {
    const town = await sendingTown();
    const life = sending(town);
    const root = town.alice.say(town.dock, "root");
    const thread = messageRef(root.wire.ts);
    await doOp(life, postOf(life.dock, "", { author: null, thread, body: bodyOf("", [aFile(life, "a.bin")]) }));
    expect(ours(town, town.dock).map(({ wire, files }) => [wire.thread_ts, wire.blocks, files.length])).toEqual([
      [root.wire.ts, undefined, 1],
    ]);
  });

  test("too large ones are links, refused ones are named, and the others go", async () => {
    const town = await sendingTown();
    const life = sending(town);
    town.server.world.maxFile = 5_000;
    const files = [
      aFile(life, "big.bin", 6_000, { url: "https://e.example/big.bin" }),
      aFile(life, "bigger.bin", 7_000),
      aFile(life, "ok.bin", 4_000, { comment: "the map" }),
      aSharedFile({ name: "gone.bin" }),
    ];
    const { outcome } = await doOp(life, postOf(life.dock, "look", { body: bodyOf("look", files) }));
    const [row] = ours(town, town.dock);
    expect(row?.files).toHaveLength(1);
    const words = JSON.stringify(row?.wire.blocks);
    for (const one of [
      "look",
      "https://e.example/big.bin",
      "bigger.bin was shared, but",
      "the map",
      "gone.bin was shared",
    ])
      expect(words).toContain(one);
    expect(outcome).toMatchObject({ is: "delivered", receipt: { losses: [{ what: "file" }, { what: "file" }] } });
  });

  test("without the right to files they are words", async () => {
    const town = await sendingTown();
    const life = sending(town);
    town.app.scopes.delete("files:write");
    const { outcome } = await doOp(life, postOf(life.dock, "look", { body: bodyOf("look", [aFile(life, "a.bin")]) }));
    expect(outcome).toMatchObject({ is: "delivered", receipt: { losses: [{ what: "file" }] } });
    const [row] = ours(town, town.dock);
    expect(row?.wire.username).toBe("[irc] <Bob>");
    expect(row?.wire.text).toContain("files:write");
  });

  test("where it is refused to share them, the words go", async () => {
    const town = await sendingTown();
    const life = sending(town);
    await doOp(life, postOf(life.dock, "before"));
    town.server.refuse("files.completeUploadExternal", "slack_connect_file_upload_sharing_blocked");
    const { outcome } = await doOp(life, postOf(life.dock, "look", { body: bodyOf("look", [aFile(life, "a.bin")]) }));
    expect(outcome).toMatchObject({ is: "delivered", receipt: { losses: [{ what: "file" }] } });
    expect(shown(town)).toMatchObject([
      ["before", []],
      [expect.stringContaining("a.bin was shared") as string, []],
    ]);
  });

  /** The host for files, or the way to it, is in trouble for good. */
  const refusals: readonly (readonly [string, (server: SendingTown["server"]) => void])[] = [
    ["HTTP 403", ({ faults }) => faults.fail({ path: "/upload/v1/" }, 403, 100)],
    ["HTTP 503", ({ faults }) => faults.fail({ path: "/upload/v1/" }, 503, 100)],
    ["the connection", ({ faults }) => faults.break({ path: "/upload/v1/" }, 100)],
    ["internal_error", (server) => server.refuse("files.getUploadURLExternal", "internal_error", 100)],
  ];

  test.each(refusals)("that cannot be brought are words after some tries: %s", async (words, refuse) => {
    const town = await sendingTown();
    const life = sending(town);
    refuse(town.server);
    const op = postOf(life.dock, "look", { body: bodyOf("look", [aFile(life, "a.bin")]) });
    const outcomes = await doWhole(life, op);
    expect(outcomes.map(({ is }) => is)).toEqual(["deferred", "deferred", "deferred", "delivered"]);
    expect(outcomes.at(-1)).toMatchObject({ receipt: { losses: [{ what: "file" }] } });
    expect(outcomes[0]).toMatchObject({ scope: "channel" });
    expect(shown(town)).toEqual([[expect.stringMatching(/^look\na\.bin was shared, but could not/u), []]]);
    expect(shown(town)[0]?.[0]).toContain(words);
    // Another one goes as soon as that is over.
    town.server.faults.clear();
    await doOp(life, postOf(life.dock, "look", { body: bodyOf("look", [aFile(life, "b.bin")]) }));
    expect(ours(town, town.dock).at(-1)?.files).toHaveLength(1);
  });

  test("wait for as long as Slack does not answer at all", async () => {
    const town = await sendingTown();
    const life = sending(town);
    town.server.faults.fail({ path: "/files.getUploadURLExternal" }, 503, 8);
    const op = postOf(life.dock, "look", { body: bodyOf("look", [aFile(life, "a.bin")]) });
    const outcomes = await doWhole(life, op);
    expect(outcomes.map(({ is }) => is)).toEqual([...Array.from({ length: 8 }, () => "deferred"), "delivered"]);
    expect(ours(town, town.dock).map(({ files }) => files.length)).toEqual([1]);
  });

  test("that lie there and are not shared are words after some tries", async () => {
    const town = await sendingTown();
    const life = sending(town);
    town.server.refuse("files.completeUploadExternal", "internal_error", 100);
    const op = postOf(life.dock, "look", { body: bodyOf("look", [aFile(life, "a.bin")]) });
    const outcomes = await doWhole(life, op);
    expect(outcomes.map(({ is }) => is)).toEqual(["unknown", "unknown", "unknown", "unknown", "delivered"]);
    expect(shown(town)).toEqual([[expect.stringContaining("a.bin was shared, but"), []]]);
  });

  test("come with the last part of a long text", async () => {
    const town = await sendingTown();
    const life = sending(town);
    const text = Array.from({ length: 1_000 }, (_, at) => `word${at}`).join(" ");
    const { outcome } = await doOp(life, postOf(life.dock, text, { body: bodyOf(text, [aFile(life, "a.bin")]) }));
    const rows = ours(town, town.dock);
    expect(rows.map((row) => row.files.length)).toEqual([0, 0, 1].slice(-rows.length));
    expect(messagesOf(outcome)).toHaveLength(rows.length);
    expect(rows[0]?.wire.username).toBe("[irc] <Bob>");
    const words = rows.map(({ wire }) => JSON.stringify(wire.blocks)).join(" ");
    expect(words.match(/word\d+/g)).toEqual(text.split(" "));
  });

  test("stay with their message when it is edited, and those that are added have one of their own", async () => {
    const town = await sendingTown();
    const life = sending(town);
    const files = [aFile(life, "a.bin"), aFile(life, "b.bin", 2_000)];
    const [first] = files;
    const made = messagesOf(
      (await doOp(life, postOf(life.dock, "one", { body: bodyOf("one", first === undefined ? [] : [first]) }))).outcome,
    );
    const edited = await doOp(life, editOf(life.dock, made, "two", { body: bodyOf("two", files) }));
    expect(messagesOf(edited.outcome)).toEqual(ours(town, town.dock).map(({ wire }) => wire.ts));
    const [one, other] = ours(town, town.dock);
    expect([one?.files.length, other?.files.length]).toEqual([1, 1]);
    expect(one?.wire.text).toBe("[irc] &lt;Bob&gt; two");
    const again = await doOp(
      life,
      editOf(life.dock, messagesOf(edited.outcome), "three", { body: bodyOf("three", files) }),
    );
    expect(messagesOf(again.outcome)).toEqual([]);
    expect(ours(town, town.dock).map((row) => row.files.length)).toEqual([1, 1]);
  });

  test.each([
    ["with words", "look", 2],
    ["alone", "", 1],
  ])("a file %s that an edit replaces is deleted, and the new one is shared", async (_case, text, messages) => {
    const town = await sendingTown();
    const life = sending(town);
    const [old, other] = [aFile(life, "old.bin"), aFile(life, "new.bin", 2_000)];
    const made = messagesOf((await doOp(life, postOf(life.dock, text, { body: bodyOf(text, [old]) }))).outcome);
    const changed = { before: 1, added: [0], removed: [{ at: 0, name: "[old.bin]" }] };
    const edit = { ...editOf(life.dock, made, text, { body: bodyOf(text, [other]) }), changed };
    const { outcome } = await doOp(life, edit);
    const rows = ours(town, town.dock);
    expect(rows).toHaveLength(messages);
    expect(messagesOf(outcome)).toEqual(rows.map(({ wire }) => wire.ts));
    expect([...town.server.world.files.values()].map(({ wire }) => wire.name)).toEqual(["new.bin"]);
    expect(JSON.stringify(rows.at(-1)?.wire)).toContain("Bob");
  });

  test("a file that an edit removes is deleted with its message, and the others stay", async () => {
    const town = await sendingTown();
    const life = sending(town);
    const [first, second] = [aFile(life, "a.bin"), aFile(life, "b.bin", 2_000)];
    const made = messagesOf(
      (await doOp(life, postOf(life.dock, "hi", { body: bodyOf("hi", [first, second]) }))).outcome,
    );
    const names = () => [...town.server.world.files.values()].map(({ wire }) => wire.name);
    const edit = async (files: readonly SharedFile[], removed: string) =>
      await doOp(life, {
        ...editOf(life.dock, made, "hi", { body: bodyOf("hi", files) }),
        changed: { before: files.length + 1, added: [], removed: [{ at: 0, name: removed }] },
      });
    await edit([{ ...second, id: null, missing: "gone" }], "[a.bin]");
    expect(names()).toEqual(["b.bin"]);
    await edit([], "[b.bin]");
    expect(names()).toEqual([]);
    expect(ours(town, town.dock).map(({ wire }) => wire.text)).toEqual(["[irc] &lt;Bob&gt; hi"]);
  });

  test("a file that Slack does not delete stays, and the receipt says so", async () => {
    const town = await sendingTown();
    const life = sending(town);
    const made = messagesOf(
      (await doOp(life, postOf(life.dock, "hi", { body: bodyOf("hi", [aFile(life, "a.bin")]) }))).outcome,
    );
    town.server.refuse("files.delete", "cant_delete_file", 1);
    const changed = { before: 1, added: [], removed: [{ at: 0, name: "[a.bin]" }] };
    const { outcome } = await doOp(life, { ...editOf(life.dock, made, "hi", { body: bodyOf("hi") }), changed });
    const losses = outcome.is === "delivered" ? outcome.receipt.losses : [];
    expect(losses).toMatchObject([{ what: "file", note: expect.stringContaining("a.bin stays: ") as string }]);
  });
});
