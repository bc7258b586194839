import { describe, expect, test } from "vitest";
import { isOnlyTyping, membersOf, Typing } from "./hints.ts";
import { emptyRoom, type MatrixRoom } from "./room.ts";

const OURS = "@rialto:example.org";
const isOwn = (user: string): boolean => user === OURS || user.startsWith("@ghost");
const SETTINGS = { UseUserName: false, NoHomeServerSuffix: false };
const ROOM = "!a:example.org";

function aRoom(): MatrixRoom {
  const room = emptyRoom(ROOM, isOwn);
  room.joined = true;
  for (const name of ["rialto", "alice", "bob", "ghost1"])
    room.members.put(`@${name}:example.org`, { name: name === "bob" ? null : `${name} there`, avatar: null });
  return room;
}

const typingIn = (...names: readonly string[]): Record<string, unknown> => ({
  ephemeral: {
    events: [
      { type: "m.receipt", content: {} },
      { type: "m.typing", content: { user_ids: [...names.map((name) => `@${name}:example.org`), 7] } },
    ],
  },
});

const answer = (part: Record<string, unknown>, more: Record<string, unknown> = {}) => ({
  next_batch: "s2",
  rooms: { join: { [ROOM]: part }, ...more },
});

describe("typing", () => {
  test("is told when it begins and ends, of others", () => {
    const typing = new Typing({ room: () => room, settings: SETTINGS, isOwn });
    const room = aRoom();
    const told = (...names: readonly string[]) =>
      typing.take(answer(typingIn(...names))).map(({ author, on, kind, channel }) => {
        expect([kind, channel]).toEqual(["typing", ROOM]);
        return `${on ? "+" : "-"}${author.id} ${author.name}`;
      });
    expect(told("alice", "rialto", "ghost1")).toEqual(["+@alice:example.org alice there"]);
    expect(told("alice")).toEqual([]);
    expect(told("bob")).toEqual(["-@alice:example.org alice there", "+@bob:example.org bob:example.org"]);
    expect(typing.take(answer({ timeline: { events: [] } }))).toEqual([]);
    expect(told()).toEqual(["-@bob:example.org bob:example.org"]);
  });

  test("is nothing in rooms that nobody has asked for", () => {
    const room = aRoom();
    const typing = new Typing({ room: () => room, settings: SETTINGS, isOwn });
    room.unwanted = true;
    expect(typing.take(answer(typingIn("alice")))).toEqual([]);
    room.unwanted = false;
    room.joined = false;
    expect(typing.take(answer(typingIn("alice")))).toEqual([]);
  });
});

test.each<[string, unknown, boolean]>([
  ["only typing", answer(typingIn("alice")), true],
  ["with empty parts", answer({ ...typingIn("alice"), timeline: { events: [] }, state: {} }, { leave: {} }), true],
  ["something said", answer({ ...typingIn("alice"), timeline: { events: [{}] } }), false],
  ["a gap", answer({ ...typingIn("alice"), timeline: { events: [], limited: true } }), false],
  ["state", answer({ ...typingIn("alice"), state: { events: [{}] } }), false],
  ["a room that was left", answer(typingIn("alice"), { leave: { "!b:x": {} } }), false],
  ["an invitation", answer(typingIn("alice"), { invite: { "!b:x": {} } }), false],
  ["nothing", { next_batch: "s2" }, false],
])("an answer with %s", (_, response, only) => {
  expect(isOnlyTyping(response as Record<string, unknown>)).toBe(only);
});

test("the list has those who have joined, without ours", () => {
  expect(membersOf(aRoom(), SETTINGS, isOwn)).toEqual([
    { id: "@alice:example.org", name: "alice there", bot: false, present: null },
    { id: "@bob:example.org", name: "bob:example.org", bot: false, present: null },
  ]);
});
