import { expect, test } from "vitest";
import { settled } from "../../../test/support/fake-clock.ts";
import type { SharedFile } from "../../contract/content.ts";
import type { ReadyFile } from "../../files/files.ts";
import { withFiles } from "../plan.suite.ts";
import { connected, deferred, delivered, NONE, part, type Stage, WHY } from "../stage.suite.ts";

function filesOf(stage: Stage, call: number): readonly SharedFile[] {
  const { op } = stage.call(call);
  return "body" in op ? op.body.files : [];
}

test("a message waits for its files, and those after it wait with it", async () => {
  const stage = await connected({ inflightMax: 4 });
  const slow = Promise.withResolvers<ReadyFile>();
  stage.files.answers.set("b", slow.promise);
  await stage.say(withFiles("two files", "a", "b"), "after");
  expect(stage.texts).toEqual([]);
  slow.resolve({ ok: true, bytes: 9, mime: "image/png", sha256: "01", link: null });
  await settled();
  expect(stage.texts).toEqual(["two files", "after"]);
  expect(filesOf(stage, 1)).toEqual([
    { name: "a", comment: "a!", mime: "text/plain", bytes: 3, url: "https://files/a", id: "a", missing: null },
    { name: "b", comment: "b!", mime: "image/png", bytes: 9, url: null, id: "b", missing: null },
  ]);
});

test("a file goes under the name that the store gives it", async () => {
  const stage = await connected();
  stage.files.answers.set("cat", {
    ok: true,
    bytes: 9,
    mime: "image/png",
    sha256: "01",
    link: null,
    name: "cat.png",
  });
  await stage.say(withFiles("one", "cat"));
  expect(filesOf(stage, 1)).toMatchObject([{ name: "cat.png" }]);
});

test("one that cannot be had is replaced by the reason, at once or after ten seconds of asking", async () => {
  const stage = await connected();
  stage.files.answers.set("never", { ok: false, why: { code: "too_large", message: "it is too large" }, retry: false });
  stage.files.answers.set("later", { ok: false, why: WHY, retry: true });
  stage.files.answers.set("hangs", new Promise(() => undefined));
  await stage.say(withFiles("one", "never"), withFiles("two", "later"), withFiles("three", "hangs", "ok"));
  expect(filesOf(stage, 1)).toMatchObject([{ id: null, missing: "it is too large", comment: "never!" }]);
  await stage.end(1, delivered);
  await stage.clock.advance(9_000);
  expect(stage.calls).toHaveLength(1);
  await stage.clock.advance(1_000);
  expect(filesOf(stage, 2)).toMatchObject([{ id: null, missing: WHY.message }]);
  expect(stage.files.asked.filter((id) => id === "later").length).toBeGreaterThan(3);
  await stage.end(2, delivered);
  await stage.clock.advance(10_000);
  expect(filesOf(stage, 3)).toMatchObject([{ id: null, missing: "it did not arrive within 10 s" }, { id: "ok" }]);
});

test("a file that comes while it is asked for goes out; another try does not ask again", async () => {
  const stage = await connected();
  stage.files.answers.set("f", { ok: false, why: WHY, retry: true });
  await stage.say(withFiles("one", "f"));
  await stage.clock.advance(2_000);
  stage.files.answers.delete("f");
  await stage.clock.advance(10_000);
  expect(filesOf(stage, 1)).toMatchObject([{ id: "f", missing: null }]);
  const { length } = stage.files.asked;
  await stage.end(1, deferred(1_000));
  await stage.clock.advance(1_000);
  expect(filesOf(stage, 2)).toMatchObject([{ id: "f" }]);
  expect(stage.files.asked).toHaveLength(length);
});

test("a backlog of files whose network is away is not waited for one by one", async () => {
  const stage = await connected();
  for (const id of ["a", "b", "c"]) stage.files.answers.set(id, { ok: false, why: WHY, retry: true });
  await stage.say(withFiles("one", "a"), withFiles("two", "b"), withFiles("three", "c"));
  await stage.clock.advance(10_000);
  await stage.end(1, delivered);
  await stage.end(2, delivered);
  expect(stage.texts).toEqual(["one", "two", "three"]);
});

test("what the store knows for longer is not waited for again", async () => {
  const stage = await connected();
  stage.files.answers.set("dead", { ok: false, why: WHY, retry: true, holds: true });
  await stage.say(withFiles("one", "dead"), "two");
  expect(filesOf(stage, 1)).toMatchObject([{ id: null, missing: WHY.message, url: null }]);
  expect(stage.files.asked).toEqual(["dead"]);
});

test("files that throw cost their message, and hold up nothing", async () => {
  const stage = await connected();
  stage.files.answers.set("a", Promise.reject(new Error("oops")));
  await stage.say(withFiles("one", "a"), "two");
  expect(stage.texts).toEqual(["two"]);
  expect(await stage.receipts()).toMatchObject([{ seq: 2, state: "failed" }]);
});

test("what did not come is asked for again with the next try, unless a part of the message is out", async () => {
  const stage = await connected({ idempotency: NONE });
  stage.files.answers.set("f", { ok: false, why: WHY, retry: true });
  await stage.say(withFiles("one", "f"));
  await stage.clock.advance(10_000);
  expect(filesOf(stage, 1)).toMatchObject([{ missing: WHY.message }]);
  await stage.end(1, deferred(1_000));
  await stage.clock.advance(1_000);
  expect(filesOf(stage, 2)).toMatchObject([{ missing: WHY.message }]);
  stage.files.answers.delete("f");
  await stage.end(2, deferred(1_000));
  await stage.clock.advance(1_000);
  expect(filesOf(stage, 3)).toMatchObject([{ id: "f", missing: null }]);
  stage.files.answers.set("f", { ok: false, why: WHY, retry: false });
  await stage.call(3).attempt.sending(part(1));
  stage.call(3).attempt.sent(part(1), []);
  await stage.end(3, deferred(1_000));
  await stage.clock.advance(1_000);
  expect(filesOf(stage, 4)).toMatchObject([{ id: "f", missing: null }]);
});
