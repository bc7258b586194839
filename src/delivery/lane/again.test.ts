import { expect, test } from "vitest";
import { settled } from "../../../test/support/fake-clock.ts";
import { END, type MessageRef } from "../../contract/ids.ts";
import type { Outcome } from "../../contract/outcome.ts";
import { refs } from "../plan.suite.ts";
import { connected, deferred, delivered, KEY, LANE, NONE, part, rejected, Stage, WHY } from "../stage.suite.ts";

function made(...messages: readonly string[]): Outcome {
  return { is: "delivered", receipt: { messages: refs(...messages), losses: [] } };
}

/** `2 failed, 4 sent`: the receipts there are. */
async function states(stage: Stage): Promise<string> {
  return (await stage.receipts()).map(({ seq, state }) => `${seq} ${state}`).join(", ");
}

const kinds = (stage: Stage): readonly string[] => stage.calls.map(({ op, text }) => `${op.kind} ${text}`.trim());

async function failed(stage: Stage): Promise<void> {
  await stage.say("one");
  await stage.end(1, rejected);
}

test("it is sent as another op, its receipt is that of the message, and what changes the message finds its copies", async () => {
  const stage = await connected();
  await failed(stage);
  await stage.again(2, "one");
  await stage.end(2, made("a", "b"));
  expect(stage.call(2).op.id).not.toBe(stage.call(1).op.id);
  expect(await states(stage)).toBe("2 sent");
  await stage.act("edit", 2, "two");
  await stage.end(3, made("a"));
  await stage.act("reaction", 2);
  await stage.end(4, delivered);
  await stage.act("delete", 2);
  expect(kinds(stage)).toEqual(["post one", "post one", "edit two", "react", "delete"]);
  expect(stage.call(3).op).toMatchObject({ target: ["a", "b"] });
  expect(stage.call(5).op).toMatchObject({ target: ["a"] });
  expect(await stage.log.ids.find("net.b/#to", ["a"])).toMatchObject({ seq: 2 });
});

test("where a network gives no ids, the receipt says that it was sent as well", async () => {
  const stage = await connected({ idempotency: NONE });
  await failed(stage);
  await stage.again(2, "one");
  await stage.end(2, delivered);
  expect(await states(stage)).toBe("2 sent");
});

test("it is refused once more", async () => {
  const stage = await connected();
  await failed(stage);
  await stage.again(2, "one");
  await stage.end(2, rejected);
  expect(await states(stage)).toBe("2 failed");
  expect(stage.cursorOnDisk).toBe(stage.log.head);
});

test("an edit behind it goes out with it, and a deletion cancels it", async () => {
  const stage = await connected();
  await stage.say("one", "other");
  for (const call of [1, 2]) await stage.end(call, rejected);
  stage.lane.disconnect(WHY);
  await stage.again(2, "one");
  await stage.act("edit", 2, "two");
  await stage.again(4, "other");
  await stage.act("delete", 4);
  await stage.connect();
  await stage.end(3, made("a"));
  expect(kinds(stage)).toEqual(["post one", "post other", "post two"]);
  expect(await states(stage)).toBe("2 sent, 4 cancelled, 8 folded, 12 omitted");
});

test("parts that are there are not repeated, and nothing changes what follows them before they are all there", async () => {
  const stage = new Stage({ idempotency: KEY });
  await stage.open();
  await stage.say("one");
  await stage.connect();
  stage.call(1).attempt.sent(part(1), refs("a"));
  await stage.end(1, rejected);
  expect(JSON.parse((await stage.receipts())[0]?.detail ?? "")).toEqual({ messages: ["a"], why: WHY, from: part(1) });
  stage.lane.disconnect(WHY);
  await stage.again(2, "one", { from: part(1), messages: refs("a") });
  await stage.act("edit", 2, "two");
  await stage.connect();
  expect(stage.call(2)).toMatchObject({ text: "one", op: { resume: part(1) } });
  await stage.end(2, deferred(100));
  await stage.clock.advance(100);
  await stage.end(3, made("b"));
  expect(stage.call(4).op).toMatchObject({ kind: "edit", target: ["a", "b"] });
});

test.each([
  ["a deletion", true, ["old"]],
  ["an edit", false, ["old", "new"]],
])("%s that came before it leaves nothing to send", async (_, isGone, copies) => {
  const stage = await connected();
  await failed(stage);
  stage.disk.ids.copies("g/net.b/#to", { of: 2, place: "net.b/#to", refs: copies });
  if (isGone) stage.disk.ids.note(3, "net.a/#from", 0, { is: "gone", of: 2 });
  await stage.again(2, "one", { messages: refs("old") });
  expect(kinds(stage)).toEqual(["post one"]);
  expect(await states(stage)).toBe("2 cancelled");
});

test("after a kill while it was sent, the message is what is unconfirmed", async () => {
  const stage = await connected({ idempotency: NONE });
  await failed(stage);
  await stage.again(2, "one");
  void stage.call(2).attempt.sending(END);
  await settled();
  const after = stage.next();
  await after.open();
  await after.connect();
  expect(after.calls).toEqual([]);
  expect(await states(after)).toBe("2 unconfirmed");
});

test("after a kill before it was sent, it is sent, once", async () => {
  const stage = new Stage({ idempotency: NONE });
  await stage.open();
  await stage.say("one");
  await stage.connect();
  await stage.end(1, rejected);
  stage.lane.disconnect(WHY);
  await stage.again(2, "one", { messages: [] as MessageRef[] });
  const after = stage.next();
  await after.open();
  await after.connect();
  await after.end(1, delivered);
  await after.lane.stop(new AbortController().signal);
  const last = after.next();
  await last.open();
  await last.connect();
  expect([kinds(after), kinds(last), await states(last)]).toEqual([["post one"], [], "2 sent"]);
});

test("MaxAge counts from the wish, CatchUp not at all, and no line stands for what it was too late for", async () => {
  const stage = new Stage({ maxAgeMs: 600_000, catchUp: { is: "none" } });
  await stage.open();
  await stage.again(2, "one");
  await stage.clock.advance(300_000);
  await stage.connect();
  await stage.end(1, delivered);
  stage.lane.disconnect(WHY);
  await stage.again(4, "two");
  await stage.clock.advance(601_000);
  await stage.connect();
  expect(stage.texts).toEqual(["one"]);
  expect(await states(stage)).toBe("2 sent, 4 expired");
});

/** A message of which a part is there, refused. */
async function failedInPart(stage: Stage): Promise<void> {
  await stage.open();
  await stage.say("one");
  await stage.connect();
  stage.call(1).attempt.sent(part(1), refs("a"));
  await stage.end(1, rejected);
}

/** The receipt of the first message. */
async function detail(stage: Stage): Promise<unknown> {
  const [receipt] = await stage.receipts();
  return [receipt?.state, JSON.parse(receipt?.detail ?? "null")];
}

const PARTS = { from: part(1), messages: refs("a") };

test.each([
  ["while it waits", false],
  ["in its first attempt", true],
])("after a kill %s, parts that are there are not repeated, where the network knows a key", async (_, isBegun) => {
  const stage = new Stage({ idempotency: KEY });
  await failedInPart(stage);
  if (!isBegun) await stage.say("other");
  await stage.again(2, "one", PARTS);
  const after = stage.next();
  await after.open();
  await after.connect();
  if (!isBegun) await after.end(1, delivered);
  const call = isBegun ? 1 : 2;
  expect(after.call(call)).toMatchObject({ text: "one", op: { resume: part(1) } });
  await after.end(call, made("b"));
  expect(await detail(after)).toEqual(["sent", { messages: ["a", "b"] }]);
  expect(await after.log.ids.refs(2, LANE)).toEqual(["a", "b"]);
});

test("after a kill when all of it is known to be there, but its end is not written, the message is sent", async () => {
  const stage = await connected({ idempotency: NONE, inflightMax: 2 });
  await failed(stage);
  await stage.say("other");
  await stage.again(2, "one");
  for (const call of [2, 3]) void stage.call(call).attempt.sending(END);
  await settled();
  stage.call(3).attempt.sent(END, []);
  await stage.end(2, delivered);
  expect(await states(stage)).toBe("2 failed");
  const after = stage.next();
  await after.open();
  await after.connect();
  expect([after.calls, await states(after)]).toEqual([[], "2 sent"]);
});

test("where the network shows what it repeats, a deletion behind it finds the copy that an earlier run has made", async () => {
  const stage = await connected({ idempotency: { by: "echo" } });
  await failed(stage);
  await stage.again(2, "one");
  await stage.act("delete", 2);
  stage.disk.ids.note(0, "net.a/#from", 0, { is: "gone", of: 2 });
  expect(kinds(stage)).toEqual(["post one", "post one"]);
  const after = stage.next();
  await after.open();
  await after.connect();
  await after.end(1, made("a"));
  expect(kinds(after)).toEqual(["post one", "delete"]);
  expect(after.call(2).op).toMatchObject({ target: ["a"] });
});

test("one that expires before it is begun leaves the parts known that are there", async () => {
  const stage = new Stage({ idempotency: KEY, maxAgeMs: 600_000 });
  await failedInPart(stage);
  stage.lane.disconnect(WHY);
  await stage.again(2, "one", PARTS);
  await stage.clock.advance(601_000);
  await stage.connect();
  expect(await detail(stage)).toMatchObject(["expired", { messages: ["a"], from: part(1) }]);
});

test("a message that expires after a restart leaves its copies of before", async () => {
  const stage = new Stage({ idempotency: KEY, maxAgeMs: 600_000 });
  await stage.open();
  await stage.say("one");
  await stage.connect();
  stage.call(1).attempt.sent(part(1), refs("a"));
  await stage.end(1, deferred(1_000));
  await stage.lane.stop(new AbortController().signal);
  const after = stage.next();
  await after.clock.advance(601_000);
  await after.open();
  await after.connect();
  expect(await detail(after)).toMatchObject(["expired", { messages: ["a"], from: part(1) }]);
  expect(await after.log.ids.refs(2, LANE)).toEqual(["a"]);
  await after.act("delete", 2);
  // The line that stands for it comes first.
  await after.end(1, delivered);
  expect(after.call(2).op).toMatchObject({ kind: "delete", target: ["a"] });
});
