import { expect, test } from "vitest";
import { RoomMembers, personIn } from "./members.ts";
import { nameOf } from "./names.ts";

const members = new RoomMembers();
members.put("@alice:a", { name: "Alice", avatar: null });
members.put("@alice:b", { name: " ALICE ", avatar: null });
members.put("@bob:a", { name: "Bob", avatar: null });
members.put("@carol:a", { name: "bob", avatar: null });
members.put("@dave:a", { name: null, avatar: null });
members.put("@eve:a", { name: "Eve\u202e\nx", avatar: null });

test.each([
  ["@alice:a", "Alice", {}, "Alice (@alice:a)"],
  ["@alice:a", "Alice", { NoHomeServerSuffix: true }, "Alice"],
  ["@alice:a", "Alice", { UseUserName: true }, "alice"],
  ["@dave:a", null, {}, "dave:a"],
  ["@dave:a", "", { NoHomeServerSuffix: true }, "dave"],
  ["@eve:a", "Eve\u202e\nx", {}, "Eve x"],
  ["@new:a", "Alice", {}, "Alice (@new:a)"],
])("%s called %j with %j", (id, name, given, shown) => {
  const settings = { UseUserName: false, NoHomeServerSuffix: false, ...given };
  expect(nameOf(id, name, members, settings)).toBe(shown);
});

test("names and pictures of any size take little room", () => {
  const person = personIn({ displayname: "a".repeat(60_000), avatar_url: `mxc://a/${"b".repeat(60_000)}` });
  expect([person.name?.length, person.avatar]).toEqual([200, null]);
});

test("a name is found when exactly one person has it, as display name or as local part", () => {
  expect(members.find("dave")).toBe("@dave:a");
  expect(members.find("EVE")).toBe("@eve:a");
  expect(members.find("Alice")).toBeNull();
  expect(members.find("bob")).toBeNull();
  expect(members.find("nobody")).toBeNull();
  members.remove("@bob:a");
  expect(members.find("Bob")).toBe("@carol:a");
});
