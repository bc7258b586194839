import { describe, expect, test } from "vitest";
import { settled } from "../../../test/support/fake-clock.ts";
import type { MessageRef } from "../../contract/ids.ts";
import type { Outcome } from "../../contract/outcome.ts";
import type { ReadyFile } from "../../files/files.ts";
import { refs, withFiles } from "../plan.suite.ts";
import { connected, deferred, delivered, KEY, LANE, NONE, rejected, Stage, unknown } from "../stage.suite.ts";

/** Delivered, with the messages that it made, or that stand from now on. */
function made(...messages: readonly string[]): Outcome {
  return { is: "delivered", receipt: { messages: refs(...messages), losses: [] } };
}

/** `2 sent, 4 folded`: the receipts there are. */
async function states(stage: Stage): Promise<string> {
  return (await stage.receipts()).map(({ seq, state }) => `${seq} ${state}`).join(", ");
}

function kinds(stage: Stage): readonly string[] {
  return stage.calls.map(({ op, text }) => `${op.kind} ${text}`.trim());
}

const targetOf = (stage: Stage, call: number): unknown => {
  const { op } = stage.call(call);
  return "target" in op ? op.target : "reply" in op ? op.reply?.target : null;
};

describe("what is said about a message that was delivered", () => {
  test("an edit, a reaction and a deletion find all its remote messages; the lane's cursor follows", async () => {
    const stage = await connected();
    await stage.say("one");
    await stage.end(1, made("a", "b"));
    await stage.act("edit", 2, "two");
    await stage.end(2, made("a", "c"));
    await stage.act("reaction", 2);
    await stage.end(3, delivered);
    await stage.act("delete", 2);
    await stage.end(4, delivered);
    expect(kinds(stage)).toEqual(["post one", "edit two", "react", "delete"]);
    expect([2, 3, 4].map((call) => targetOf(stage, call))).toEqual([["a", "b"], "a", ["a", "c"]]);
    expect(stage.call(3).op).toMatchObject({ emoji: "👍", on: true, standing: [{ emoji: "👍", names: ["anna"] }] });
    expect(stage.cursorOnDisk).toBe(stage.log.head);
    expect(await stage.log.ids.find("net.b/#to", ["c"])).toMatchObject({ seq: 2 });
  });

  test("after a restart, too", async () => {
    const stage = await connected();
    await stage.say("one");
    await stage.end(1, made("a"));
    await stage.lane.stop(new AbortController().signal);
    const again = stage.next();
    await again.open();
    await again.connect();
    await again.act("edit", 2, "two");
    await again.end(1, made());
    await again.act("reply", 2, "an answer");
    expect(again.call(1).op).toMatchObject({ kind: "edit", target: ["a"] });
    expect(again.call(1).op.id).toMatch(new RegExp(`^${LANE}/4/\\d+$`, "u"));
    expect(again.call(2).op).toMatchObject({ kind: "post", reply: { target: "a", name: "bob" } });
  });

  test("a message that was said at the destination itself is known by its own refs", async () => {
    const stage = await connected();
    stage.disk.ids.note(1, "net.b/#to", 0, { is: "said", refs: ["own"], author: "x", name: "x", excerpt: "" });
    await stage.act("reply", 1, "an answer");
    expect(targetOf(stage, 1)).toBe("own");
  });

  test("a message that is not known here is answered without, and an edit of it said in words", async () => {
    const stage = await connected();
    await stage.act("reply", 1, "an answer");
    await stage.end(1, made("a"));
    await stage.act("edit", 1, "new words");
    await stage.end(2, made("b"));
    expect(kinds(stage)).toEqual(["post an answer", "post * new words"]);
    expect(await states(stage)).toBe("2 sent, 4 sent");
  });

  test("reactions of people at the destination do not stand in our name", async () => {
    const stage = await connected();
    await stage.say("one");
    await stage.end(1, made("a"));
    const who = 'net.b/#to ["ben",null]';
    stage.disk.ids.note(0, "net.b/#to", 0, { is: "reacted", of: 2, who, name: "ben", emoji: "👍", on: true });
    await stage.act("reaction", 2, "", { emoji: "🎉" });
    expect(stage.call(2).op).toMatchObject({ standing: [{ emoji: "🎉", names: ["anna"] }] });
    await stage.end(2, delivered);
    await stage.act("reaction", 2, "", { emoji: "🎉", on: false });
    expect(stage.call(3).op).toMatchObject({ on: false, standing: [] });
  });

  test("what the channel goes without is said in words, and its refs join the copies", async () => {
    const stage = new Stage();
    await stage.open();
    await stage.connect(stage.sink(["edit", "delete"]));
    await stage.say("one");
    await stage.end(1, made("a"));
    await stage.act("edit", 2, "two");
    await stage.end(2, made("b"));
    await stage.act("delete", 2);
    expect(kinds(stage)).toEqual(["post one", "post * two"]);
    expect(await stage.log.ids.refs(2, LANE)).toEqual(["a", "b"]);
    expect(await states(stage)).toBe("2 sent, 4 sent, 6 omitted");
    expect((await stage.receipts()).at(-1)?.detail).toContain("not shown here");
  });

  test("what changes a message that was refused or expired is omitted, but for an edit of a refused one", async () => {
    const stage = await connected({ maxAgeMs: 1_000 });
    await stage.say("refused");
    await stage.end(1, rejected);
    await stage.act("reaction", 2);
    await stage.act("delete", 2);
    await stage.act("edit", 2, "better");
    await stage.end(2, made("a"));
    stage.lane.disconnect({ code: "network", message: "down" });
    await stage.say("too late");
    await stage.clock.advance(2_000);
    await stage.connect();
    await stage.end(3, delivered);
    await stage.act("edit", 10, "edited");
    await stage.act("reaction", 10);
    expect(kinds(stage)).toEqual(["post refused", "post * better", "post 1 expired in 0 s"]);
    expect(await states(stage)).toBe("2 failed, 4 omitted, 6 omitted, 8 sent, 10 expired, 12 omitted, 14 omitted");
  });

  test("a change that waited too long is no message that was left out", async () => {
    const stage = await connected({ maxAgeMs: 1_000 });
    await stage.say("one");
    await stage.end(1, made("a"));
    stage.lane.disconnect({ code: "network", message: "down" });
    await stage.act("reaction", 2);
    await stage.clock.advance(2_000);
    await stage.connect();
    expect(kinds(stage)).toEqual(["post one"]);
    expect(await states(stage)).toBe("2 sent, 4 expired");
  });
});

describe("order", () => {
  test("what is about a message waits until that has ended, with many at once", async () => {
    const stage = await connected({ inflightMax: 4 });
    await stage.say("one", "two");
    await stage.act("reply", 2, "an answer");
    await stage.say("three");
    expect(kinds(stage)).toEqual(["post one", "post two"]);
    await stage.end(1, made("a"));
    expect(kinds(stage)).toEqual(["post one", "post two", "post an answer", "post three"]);
    expect(targetOf(stage, 3)).toBe("a");
  });

  test("two edits of one message go one after the other", async () => {
    const stage = await connected({ inflightMax: 4 });
    await stage.say("one");
    await stage.end(1, made("a"));
    await stage.act("edit", 2, "two");
    await stage.act("edit", 2, "three");
    await stage.say("other");
    expect(kinds(stage)).toEqual(["post one", "edit two"]);
    await stage.end(2, made("b"));
    expect(kinds(stage)).toEqual(["post one", "edit two", "edit three", "post other"]);
    expect(targetOf(stage, 3)).toEqual(["b"]);
  });

  test("a channel that goes while something is looked up: it begins again with the next, once", async () => {
    const stage = await connected();
    await stage.say("one");
    await stage.end(1, made("a"));
    stage.put('{"text":"x"}');
    const { promise, resolve } = Promise.withResolvers<never>();
    stage.files.answers.set("f", promise);
    stage.put(withFiles("with a file", "f"));
    stage.lane.wake();
    await settled();
    await stage.end(2, delivered);
    expect(stage.files.asked).toEqual(["f"]);
    stage.lane.disconnect({ code: "network", message: "down" });
    await settled();
    stage.files.answers.clear();
    await stage.connect();
    expect(stage.texts).toEqual(["one", "x", "with a file"]);
    expect(stage.call(3).op).toMatchObject({ body: { files: [{ id: "f", missing: null }] } });
    resolve(undefined as never);
    await settled();
    expect(stage.calls).toHaveLength(3);
  });

  test("while the log refuses marks or answers nothing, what acts on others waits, and goes on by itself", async () => {
    const stage = await connected();
    await stage.say("one");
    stage.log.refuses = "disk_full";
    await stage.end(1, made("a"));
    await stage.act("edit", 2, "two");
    expect(kinds(stage)).toEqual(["post one"]);
    stage.log.refuses = null;
    await stage.clock.advance(60_000);
    expect(targetOf(stage, 2)).toEqual(["a"]);
    await stage.end(2, made());
    stage.put("plain");
    stage.lane.wake();
    await settled();
    await stage.end(3, delivered);
    await stage.act("edit", 2, "three");
    await stage.end(4, deferred(500));
    stage.log.unreadable = true;
    await stage.clock.advance(500);
    expect(stage.calls).toHaveLength(4);
    stage.log.unreadable = false;
    await stage.clock.advance(120_000);
    expect(kinds(stage).at(-1)).toBe("edit three");
  });

  test("a stop does not wait for what is looked up", async () => {
    const stage = await connected();
    stage.files.answers.set("f", new Promise(() => undefined));
    await stage.say(withFiles("with a file", "f"));
    expect(stage.files.asked).toEqual(["f"]);
    await stage.lane.stop(new AbortController().signal);
    expect([stage.calls.length, stage.cursorOnDisk]).toEqual([0, 0]);
  });
});

describe("folding", () => {
  test("edits of a message that waits go out with it", async () => {
    const stage = new Stage({ inflightMax: 2 });
    await stage.open();
    await stage.say("first", "between");
    await stage.act("edit", 2, "second");
    await stage.act("edit", 2, "third");
    await stage.act("edit", 4, "between, too");
    await stage.connect();
    await stage.end(1, made("a"));
    await stage.end(2, made("b"));
    expect(kinds(stage)).toEqual(["post third", "post between, too"]);
    expect(await states(stage)).toBe("2 sent, 4 sent, 6 folded, 8 folded, 10 folded");
    expect(stage.cursorOnDisk).toBe(stage.log.head);
  });

  test("a message that is taken back is never sent, nor its edits and reactions", async () => {
    const stage = new Stage();
    await stage.open();
    await stage.say("never", "after");
    await stage.act("edit", 2, "never at all");
    await stage.act("reaction", 2);
    await stage.act("delete", 2);
    await stage.connect();
    await stage.end(1, made("a"));
    expect(kinds(stage)).toEqual(["post after"]);
    expect(await states(stage)).toBe("2 cancelled, 4 sent, 6 cancelled, 8 omitted, 10 omitted");
    expect(stage.cursorOnDisk).toBe(stage.log.head);
  });

  test("also between two tries, while nothing of it was sent", async () => {
    const stage = await connected();
    await stage.say("first");
    await stage.end(1, deferred(1_000));
    await stage.act("edit", 2, "second");
    await stage.clock.advance(1_000);
    await stage.end(2, deferred(1_000));
    await stage.act("edit", 2, "third");
    await stage.clock.advance(1_000);
    await stage.end(3, made("a"));
    expect(kinds(stage)).toEqual(["post first", "post second", "post third"]);
    expect(await states(stage)).toBe("2 sent, 4 folded, 6 folded");
  });

  test("what was begun goes on as it was, and the edit comes after it", async () => {
    const stage = await connected({ idempotency: NONE });
    await stage.say("first");
    await stage.call(1).attempt.sending("1" as never);
    stage.call(1).attempt.sent("1" as never, ["a" as MessageRef]);
    await stage.end(1, deferred(1_000));
    await stage.act("edit", 2, "second");
    await stage.clock.advance(1_000);
    await stage.end(2, made("b"));
    await stage.end(3, made());
    expect(kinds(stage)).toEqual(["post first", "post first", "edit second"]);
    expect(targetOf(stage, 3)).toEqual(["a", "b"]);
  });

  test("an answer that was begun as one to nobody known ends as one", async () => {
    const stage = await connected({ idempotency: NONE });
    stage.disk.ids.note(1, "net.c/#other", 0, { is: "said", refs: [], author: "x", name: "x", excerpt: "" });
    await stage.act("reply", 1, "an answer");
    await stage.call(1).attempt.sending("1" as never);
    stage.call(1).attempt.sent("1" as never, ["a" as MessageRef]);
    await stage.end(1, deferred(1_000));
    stage.disk.ids.copies(LANE, { of: 1, place: "net.b/#to", refs: ["late"] });
    await stage.clock.advance(1_000);
    expect(stage.call(2).op).toMatchObject({ kind: "post", reply: null });
  });

  test("an edit that comes while the files of a message are fetched goes out with it", async () => {
    const stage = await connected();
    const slow = Promise.withResolvers<ReadyFile>();
    stage.files.answers.set("f", slow.promise);
    await stage.say(withFiles("first", "f"));
    await stage.act("edit", 2, "second");
    slow.resolve({ ok: true, bytes: 9, mime: "image/png", sha256: "01", link: null });
    await settled();
    await stage.end(1, made("a"));
    expect(kinds(stage)).toEqual(["post second"]);
    expect(await states(stage)).toBe("2 sent, 4 folded");
  });

  test("what may have been sent is not changed, also not by an earlier run", async () => {
    const stage = await connected({ idempotency: KEY });
    await stage.say("first");
    await stage.end(1, unknown);
    await stage.act("edit", 2, "second");
    await stage.clock.advance(60_000);
    expect(kinds(stage)).toEqual(["post first", "post first"]);
    const again = stage.next();
    await again.open();
    await again.connect();
    expect(kinds(again)).toEqual(["post first"]);
  });

  test("after a restart they fold where the disk says that nothing was sent", async () => {
    const stage = new Stage({ idempotency: NONE });
    await stage.open();
    await stage.say("first");
    await stage.act("edit", 2, "second");
    const again = stage.next();
    await again.open();
    await again.connect();
    expect(kinds(again)).toEqual(["post second"]);
  });

  test("when the message is refused its edits stand for themselves", async () => {
    const stage = new Stage();
    await stage.open();
    await stage.say("first");
    await stage.act("edit", 2, "second");
    await stage.connect();
    await stage.end(1, rejected);
    expect(kinds(stage)).toEqual(["post second", "post * second"]);
  });

  test("what may have gone out with a message is not said again", async () => {
    const stage = new Stage({ idempotency: NONE });
    await stage.open();
    await stage.say("first");
    await stage.act("edit", 2, "second");
    await stage.connect();
    await stage.call(1).attempt.sending("end" as never);
    await stage.end(1, unknown);
    await stage.clock.advance(60_000);
    expect(kinds(stage)).toEqual(["post second"]);
    expect(await states(stage)).toBe("2 unconfirmed, 4 unconfirmed");
    expect(stage.cursorOnDisk).toBe(stage.log.head);
  });

  test("an answer with an edit keeps what it answers", async () => {
    const stage = await connected();
    await stage.say("question");
    await stage.end(1, made("q"));
    stage.lane.disconnect({ code: "network", message: "down" });
    await stage.act("reply", 2, "anser");
    await stage.act("edit", 4, "answer");
    await stage.connect();
    expect(stage.call(2)).toMatchObject({ text: "answer", op: { kind: "post", reply: { target: "q" } } });
  });
});
