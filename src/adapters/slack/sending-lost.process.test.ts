import { describe, expect, test } from "vitest";
import { bodyOf, doOp, editOf, messagesOf, postOf } from "../../../test/contract/ops.ts";
import { RecordingAttempt } from "../../../test/contract/recording-attempt.ts";
import { aSharedFile, fileIdOf, someBytes } from "../../../test/contract/shared-file.ts";
import type { SharedFile } from "../../contract/content.ts";
import { END } from "../../contract/ids.ts";
import { messageRef } from "./ids.ts";
import { isLaterTs, slackTimeOf, tsAt } from "./model.ts";
import { doWhole, ours, sending, type SendingLife, sendingTown, textsOf } from "./sending.suite.ts";

const long = (word: string, count = 1_000): string =>
  Array.from({ length: count }, (_, at) => `${word}${at}`).join(" ");

function aFile({ host }: SendingLife, name: string, size = 100): SharedFile {
  host.files.set(fileIdOf(name), someBytes(size));
  return aSharedFile({ name, id: fileIdOf(name), bytes: size });
}

describe("an answer that never came", () => {
  test.each(["loseAnswer", "break"] as const)("of a post: %s", async (what) => {
    const town = await sendingTown();
    const life = sending(town);
    town.server.faults[what]({ path: "/chat.postMessage" });
    const op = postOf(life.dock, "hi");
    const outcomes = await doWhole(life, op);
    expect(outcomes.map(({ is }) => is)).toEqual(["unknown", "delivered"]);
    expect(textsOf(town)).toEqual(["hi"]);
    expect(messagesOf(outcomes.at(-1) ?? { is: "rejected", why: { code: "bug", message: "" } })).toEqual(
      ours(town, town.dock).map(({ wire }) => wire.ts),
    );
  });

  test("of a post that people have answered with many others", async () => {
    const town = await sendingTown();
    const life = sending(town);
    await doOp(life, postOf(life.dock, "before"));
    town.server.faults.loseAnswer({ path: "/chat.postMessage" });
    const op = postOf(life.dock, "hi");
    await doOp(life, op);
    for (let at = 0; at < 450; at += 1) town.alice.say(town.dock, `later ${at}`);
    expect((await doOp(life, op)).outcome.is).toBe("delivered");
    expect(textsOf(town)).toEqual(["before", "hi"]);
  });

  test("of the second part, and of the last", async () => {
    const town = await sendingTown();
    const life = sending(town);
    await doOp(life, postOf(life.dock, "before"));
    const op = postOf(life.dock, long("word", 2_000));
    let asked = 0;
    const { attempt } = await (async () => {
      // The second answer is lost.
      const done = life.link.api.post.bind(life.link.api);
      life.link.api.post = async (message, signal) => {
        asked += 1;
        if (asked === 2 || asked === 4) town.server.faults.loseAnswer({ path: "/chat.postMessage" });
        return await done(message, signal);
      };
      return await doOp(life, op);
    })();
    const resume = attempt.confirmed.at(-1) ?? null;
    const outcomes = await doWhole(life, { ...op, resume });
    expect(outcomes.at(-1)?.is).toBe("delivered");
    const texts = textsOf(town).slice(1);
    expect(texts.length).toBeGreaterThanOrEqual(4);
    expect(texts.join(" ").match(/word\d+/g)).toEqual(long("word", 2_000).split(" "));
  });

  test("of a post in a thread", async () => {
    const town = await sendingTown();
    const life = sending(town);
    const root = town.alice.say(town.dock, "root");
    town.server.faults.loseAnswer({ path: "/chat.postMessage" });
    const reply = { target: messageRef(root.wire.ts), name: "Alice", excerpt: "root" };
    const outcomes = await doWhole(life, postOf(life.dock, "hi", { reply }));
    expect(outcomes.map(({ is }) => is)).toEqual(["unknown", "delivered"]);
    expect(ours(town, town.dock).map(({ wire }) => [wire.text, wire.thread_ts])).toEqual([["hi", root.wire.ts]]);
  });

  test.each(["words", ""])("of files that are shared with %j", async (words) => {
    const town = await sendingTown();
    const life = sending(town);
    town.server.faults.loseAnswer({ path: "/files.completeUploadExternal" });
    const op = postOf(life.dock, words, { author: null, body: bodyOf(words, [aFile(life, "a.bin")]) });
    const outcomes = await doWhole(life, op);
    expect(outcomes.map(({ is }) => is)).toEqual(["unknown", "delivered"]);
    expect(ours(town, town.dock).map(({ files }) => files.length)).toEqual([1]);
    expect(town.server.world.files.size).toBe(1);
  });

  test("of an upload", async () => {
    const town = await sendingTown();
    const life = sending(town);
    town.server.faults.loseAnswer({ path: "/upload/v1/" });
    const op = postOf(life.dock, "look", { body: bodyOf("look", [aFile(life, "a.bin")]) });
    const outcomes = await doWhole(life, op);
    expect(outcomes.at(-1)?.is).toBe("delivered");
    expect(ours(town, town.dock).map(({ files }) => files.length)).toEqual([1]);
  });

  test("of a message that an edit makes", async () => {
    const town = await sendingTown();
    const life = sending(town);
    const first = messagesOf((await doOp(life, postOf(life.dock, "short"))).outcome);
    const edit = editOf(life.dock, first, long("word"));
    town.server.faults.loseAnswer({ path: "/chat.postMessage" });
    expect((await doOp(life, edit)).outcome.is).toBe("unknown");
    expect((await doOp(life, edit)).outcome.is).toBe("delivered");
    expect(
      textsOf(town)
        .join(" ")
        .match(/word\d+/g),
    ).toEqual(long("word").split(" "));
  });
});

describe("a doubt that lasts", () => {
  test("is settled by a later life, whatever happened meanwhile", async () => {
    const town = await sendingTown();
    const life = sending(town);
    const root = messageRef(town.alice.say(town.dock, "root").wire.ts);
    const ops = [postOf(life.dock, "hi"), postOf(life.dock, "there", { thread: root })];
    town.server.faults.loseAnswer({ path: "/chat.postMessage" }, 2);
    for (const op of ops) expect((await doOp(life, op)).outcome.is).toBe("unknown");
    // Nobody may look for hours, and events go on: the cursor stands behind them.
    town.server.limit({ path: "/conversations.history" }, 3_600);
    const later = tsAt(slackTimeOf(root) + 10 * 3_600_000);
    const after = sending(town, { before: life, toldTs: later });
    for (const op of ops) expect((await doOp(after, op)).outcome.is).toBe("deferred");
    town.server.faults.clear();
    const last = sending(town, { before: after, toldTs: later });
    for (const op of ops) expect((await doOp(last, op)).outcome.is).toBe("delivered");
    expect(textsOf(town)).toEqual(["hi", "there"]);
  });

  test("of files without a word is settled by a later life as well", async () => {
    const town = await sendingTown();
    const life = sending(town);
    town.server.faults.loseAnswer({ path: "/files.completeUploadExternal" });
    const op = postOf(life.dock, "", { author: null, body: bodyOf("", [aFile(life, "a.bin")]) });
    expect((await doOp(life, op)).outcome.is).toBe("unknown");
    const after = sending(town, { before: life });
    aFile(after, "a.bin");
    expect((await doOp(after, op)).outcome.is).toBe("delivered");
    expect(ours(town, town.dock).map(({ files }) => files.length)).toEqual([1]);
  });

  test("is looked for where it would be, and not in all that was said since", async () => {
    const town = await sendingTown();
    const life = sending(town);
    await doOp(life, postOf(life.dock, "before"));
    town.server.faults.loseAnswer({ path: "/chat.postMessage" });
    const op = postOf(life.dock, "hi");
    await doOp(life, op);
    const [doubt] = life.link.doubts.all.values();
    expect(isLaterTs(ours(town, town.dock)[1]?.wire.ts ?? "", doubt?.floor ?? "")).toBe(true);
    expect(isLaterTs(doubt?.until ?? "", ours(town, town.dock)[1]?.wire.ts ?? "")).toBe(true);
    expect((await doOp(life, op)).outcome.is).toBe("delivered");
    // The next one that has ended says that this one is on disk.
    expect(life.link.doubts.all.size).toBe(1);
    await doOp(life, postOf(life.dock, "after"));
    expect(life.link.doubts.all.size).toBe(0);
    expect(textsOf(town)).toEqual(["before", "hi", "after"]);
  });
});

describe("a life that was killed", () => {
  test("leaves messages that the next one finds and does not make again", async () => {
    const town = await sendingTown();
    const before = sending(town);
    const op = postOf(before.dock, long("word", 2_000));
    const first = await doOp(before, op);
    expect(first.outcome.is).toBe("delivered");
    const count = ours(town, town.dock).length;
    for (let at = 0; at < 30; at += 1) town.alice.say(town.dock, `later ${at}`);
    const after = sending(town);
    const again = await doOp(after, op);
    expect(again.outcome).toEqual(first.outcome);
    expect(ours(town, town.dock)).toHaveLength(count);
    // It goes on behind what the core knows to be sent.
    const rest = await doOp(sending(town), { ...op, resume: first.attempt.confirmed[1] ?? null });
    expect(messagesOf(rest.outcome)).toEqual(messagesOf(first.outcome).slice(2));
    expect((await doOp(sending(town), { ...op, resume: END })).outcome.is).toBe("delivered");
    expect(ours(town, town.dock)).toHaveLength(count);
  });

  test("goes on where it was cut, though the next one cuts otherwise", async () => {
    const town = await sendingTown();
    const op = postOf(sending(town).dock, long("word", 2_000));
    const before = sending(town, { settings: { PrefixMessagesWithNick: true } });
    const attempt = new RecordingAttempt();
    attempt.onSent = () => {
      if (attempt.confirmed.length === 2) attempt.abort();
    };
    await before.handlers.post(op, attempt);
    expect(ours(town, town.dock)).toHaveLength(2);
    const after = sending(town);
    expect((await doOp(after, op)).outcome.is).toBe("delivered");
    const texts = textsOf(town);
    expect(texts.join(" ").match(/word\d+/g)).toEqual(long("word", 2_000).split(" "));
  });

  test("in a thread, and with files, leaves what is found as well", async () => {
    const town = await sendingTown();
    const before = sending(town);
    const root = messageRef(town.alice.say(town.dock, "root").wire.ts);
    const inThread = postOf(before.dock, "answer", { thread: root });
    const withFile = postOf(before.dock, "look", { body: bodyOf("look", [aFile(before, "a.bin")]) });
    for (const op of [inThread, withFile]) await doOp(before, op);
    const after = sending(town, { toldTs: root });
    aFile(after, "a.bin");
    for (const op of [inThread, withFile]) expect((await doOp(after, op)).outcome.is).toBe("delivered");
    expect(ours(town, town.dock)).toHaveLength(2);
    expect(town.server.world.files.size).toBe(1);
  });
});
