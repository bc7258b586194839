import { describe, expect, test } from "vitest";
import type { About, Stored } from "../../gateway/codec.ts";
import type { OpDraft } from "../../gateway/planned.ts";
import type { Seq } from "../../log/log.ts";
import { mustFollow } from "./coalesce.ts";
import { payloadOf, PLAN } from "../plan.suite.ts";
import { WindowItem } from "./window.ts";

type Said = readonly [is: About["is"], seq: Seq | null, thread?: Seq];

function storedOf([is, seq, thread]: Said): Stored {
  return PLAN.read(payloadOf(is, 0, "text", { seq, thread: thread ?? null }));
}

/** What is under way; without `said` a message that is about no other. */
function anItem(seq: Seq, said: Said | null = null): WindowItem {
  const item = new WindowItem({ seq, at: 0, label: "", payload: "text" });
  item.stored = said === null ? PLAN.read("text") : storedOf(said);
  return item;
}

describe("what is said has to wait for what is under way", () => {
  test.each<[string, Said, WindowItem]>([
    ["the message that it answers", ["reply", 4, 2], anItem(4)],
    ["the first message of the thread that it is said in", ["reply", 4, 2], anItem(2)],
    ["the first message of a thread, where it answers none", ["reply", null, 2], anItem(2)],
    ["an edit of the message that it answers", ["reply", 4, 2], anItem(6, ["edit", 4])],
    ["an edit of the first message of its thread", ["reply", 4, 2], anItem(6, ["edit", 2])],
    ["a deletion of the first message of its thread", ["reply", null, 2], anItem(6, ["delete", 2])],
    ["the message that it edits", ["edit", 2], anItem(2)],
    ["another edit of the message that it edits", ["edit", 2], anItem(4, ["edit", 2])],
    ["a reaction to the message that it deletes", ["delete", 2], anItem(4, ["reaction", 2])],
  ])("%s", (_what, said, underWay) => {
    expect(mustFollow(storedOf(said), underWay)).toBe(true);
  });

  test.each<[string, Said, WindowItem]>([
    ["a message that it is not about", ["reply", 4, 2], anItem(6)],
    ["another answer in its thread", ["reply", 4, 2], anItem(6, ["reply", 2, 2])],
    ["another answer to the same message", ["reply", 4], anItem(6, ["reply", 4])],
    ["a change of another message", ["reply", 4, 2], anItem(8, ["edit", 6])],
    ["a change of an unknown message, where its own is unknown too", ["reply", null], anItem(6, ["edit", null])],
  ])("but not for %s", (_what, said, underWay) => {
    expect(mustFollow(storedOf(said), underWay)).toBe(false);
  });

  test("an answer and a deletion wait for an answer that quotes the same message", () => {
    const underWay = anItem(6, ["reply", 4]);
    underWay.op = { kind: "post", quotes: true } as OpDraft;
    expect(mustFollow(storedOf(["reply", 4]), underWay)).toBe(true);
    expect(mustFollow(storedOf(["delete", 4]), underWay)).toBe(true);
    expect(mustFollow(storedOf(["reply", 2]), underWay)).toBe(false);
  });

  test("but not if it is about no other", () => {
    expect(mustFollow(PLAN.read("text"), anItem(2))).toBe(false);
  });

  test("but not for what cannot be read", () => {
    const unreadable = anItem(6);
    unreadable.stored = null;
    expect(mustFollow(storedOf(["reply", 4, 2]), unreadable)).toBe(false);
  });
});
