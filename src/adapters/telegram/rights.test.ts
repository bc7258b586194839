import { expect, test } from "vitest";
import { membershipIn } from "./model-chats.ts";
import { lacking, notIn } from "./rights.ts";

test.each([
  [{ status: "member" }, null],
  [{ status: "left" }, "left"],
  [{ status: "kicked" }, "kicked"],
  [{ status: "restricted", is_member: true }, null],
  [{ status: "restricted", is_member: false }, "left"],
])("%j is in, but for: %j", (said, out) => {
  const membership = membershipIn(said);
  expect(membership === null ? "none" : notIn(membership)).toBe(out);
});

test.each([
  ["private", true, { status: "administrator" }, null],
  ["group", false, { status: "member" }, /privacy mode is on/u],
  ["supergroup", false, { status: "administrator" }, null],
  ["supergroup", true, { status: "member" }, null],
  ["supergroup", true, { status: "restricted", is_member: true }, /may not write/u],
  ["supergroup", true, { status: "restricted", is_member: true, can_send_messages: true }, null],
  ["channel", true, { status: "member" }, /no administrator of the channel/u],
  ["channel", true, { status: "administrator" }, /may not post/u],
  ["channel", true, { status: "administrator", can_post_messages: true }, null],
] as const)("in a %s, reading all: %j, as %j", (type, readsAll, said, words) => {
  const membership = membershipIn(said);
  if (membership === null) throw new Error("no membership");
  const lacks = lacking({ readsAll, username: "rialto_bot" }, type, membership);
  if (words === null) expect(lacks).toBeNull();
  else expect(lacks).toMatch(words);
});
