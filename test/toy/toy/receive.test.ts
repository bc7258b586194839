import { expect, test } from "vitest";
import { type Push, receive } from "./receive.ts";

const bob = { id: "u2", name: "bob" };
const base = { room: "one", at: 1_700_000_000_000, number: 7, by: bob };

test.each<readonly [Push, object]>([
  [
    { ...base, event: "say", id: "m1", text: "hi", style: "action", reply: "m0" },
    {
      kind: "posted",
      messages: ["m1"],
      replyTo: "m0",
      body: { style: "action", source: { format: "plain", text: "hi" } },
    },
  ],
  [
    { ...base, event: "edit", id: "m1", text: "hey" },
    { kind: "edited", message: "m1", vouched: true },
  ],
  [
    { ...base, event: "delete", id: "m1" },
    { kind: "deleted", message: "m1", by: { name: "bob" }, vouched: true },
  ],
  [
    { ...base, event: "react", id: "m1", emoji: "👍", on: false },
    { kind: "reacted", message: "m1", emoji: "👍", on: false },
  ],
  [
    { ...base, event: "join" },
    { kind: "member", change: "join", text: "bob joins" },
  ],
  [
    { ...base, event: "leave", reason: "bye" },
    { kind: "member", change: "leave", text: "bob leaves" },
  ],
  [
    { ...base, event: "kick", who: { id: "u3", name: "eve" }, reason: "loud" },
    { kind: "member", change: "leave", author: { name: "eve" }, text: "eve was kicked by bob (loud)" },
  ],
  [
    { ...base, event: "rename", before: "rob" },
    { kind: "member", change: "rename", text: "rob is now bob" },
  ],
])("$0.event", (push, wanted) => {
  const common = { key: "7", channel: "one", atMs: base.at };
  expect(receive(push, "u1")).toMatchObject({ ...common, echoOf: null, ...wanted });
  expect(receive(push, "u2")).toMatchObject({ ...common, echoOf: "self", ...wanted });
});
