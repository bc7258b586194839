import * as fc from "../../../test/support/property.ts";
import { expect, test } from "vitest";
import type { MessageRef, OpId } from "../../contract/ids.ts";
import { authorRef, keyOf, OwnIds, readRef, refOf, roomRef, soundId } from "./refs.ts";

test("refs read back, and no two messages share one", () => {
  const text = fc.string({ unit: fc.constantFrom(":", "%", "a", "@", "/", "é", " ") });
  fc.assert(
    fc.property(text, text, text, text, (who, id, otherWho, otherId) => {
      expect(readRef(authorRef(who, id))).toEqual({ by: "author", who, id });
      expect(readRef(roomRef(id))).toEqual({ by: "room", id });
      const same = who === otherWho && id === otherId;
      expect(authorRef(who, id) === authorRef(otherWho, otherId)).toBe(same);
      expect(authorRef(who, id)).not.toBe(roomRef(otherId));
    }),
  );
  expect(readRef("what" as MessageRef)).toBeNull();
  expect(refOf({ by: "room", id: "x" })).toBe("sid:x");
});

test("ids of an op are the same each time, differ by account, op and part, and are short", () => {
  const [one, other] = [new OwnIds("bot@example.org"), new OwnIds("bot2@example.org")];
  const id = one.make("lane:7" as OpId, "0");
  expect(new OwnIds("bot@example.org").make("lane:7" as OpId, "0")).toBe(id);
  const all = [
    id,
    other.make("lane:7" as OpId, "0"),
    one.make("lane:8" as OpId, "0"),
    one.make("lane:7" as OpId, "f0"),
  ];
  expect(new Set(all).size).toBe(4);
  expect(id.length).toBeLessThan(64);
  expect([one.isOurs(id), other.isOurs(id), one.isOurs("x")]).toEqual([true, false, false]);
  const kinds = ["0", "f12", "c0"].map((part) => one.kindOf(one.make("lane:7" as OpId, part)));
  expect([...kinds, one.kindOf("x-f1")]).toEqual(["text", "file", "caption", "text"]);
});

test("keys and sound ids", () => {
  expect(keyOf("r@s", "1", "alice", "m")).toBe("r@s 1");
  expect(keyOf("r@s", null, "alice", "m")).toBe("r@s/alice m");
  expect(keyOf("r@s", null, "alice", null)).toBeNull();
  expect([soundId(""), soundId("x"), soundId("x".repeat(1025))]).toEqual([null, "x", null]);
});
