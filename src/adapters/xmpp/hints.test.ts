import { beforeEach, describe, expect, test } from "vitest";
import { awayHint, chatState, membersOf, typingHint } from "./hints.ts";
import { readMessage } from "./receive.ts";
import { OwnIds } from "./refs.ts";
import { XmppRoom } from "./room.ts";
import { parsed, ROOM } from "./xml.suite.ts";
import type { Stanza } from "./xml.ts";

let room: XmppRoom;

beforeEach(() => {
  room = new XmppRoom(ROOM, "rialto", "n", () => "us@example");
  room.state = "in";
  for (const nick of ["rialto", "alice"]) room.occupants.put(nick, presence(nick));
});

const presence = (nick: string, show = ""): Stanza =>
  parsed(`<presence from="${ROOM}/${nick}">${show === "" ? "" : `<show>${show}</show>`}</presence>`);

function typing(inner: string): boolean | null {
  const message = parsed(`<message type="groupchat" from="${ROOM}/alice">${inner}</message>`);
  const received = readMessage(message, { room, ids: new OwnIds("us"), nowMs: 0, archived: null });
  const hint = typingHint(message, received, room);
  if (hint !== null) expect(hint).toMatchObject({ kind: "typing", channel: ROOM, author: { name: "alice" } });
  return hint?.on ?? null;
}

const state = (name: string): string => `<${name} xmlns="http://jabber.org/protocol/chatstates"/>`;

describe("typing", () => {
  test.each(["active", "paused", "inactive", "gone"])("ends with %s, once", (end) => {
    expect(typing(state(end))).toBeNull();
    expect([typing(state("composing")), typing(state("composing"))]).toEqual([true, true]);
    expect([typing(state(end)), typing(state(end))]).toEqual([false, null]);
  });

  test("ends with what was typed", () => {
    expect(typing("<body>hi</body>")).toBeNull();
    expect(typing(state("composing"))).toBe(true);
    expect(typing("<body>hi</body>")).toBe(false);
  });

  test("is nothing in a room that we are not in yet, and no other extension is", () => {
    expect(typing(`<composing xmlns="urn:other"/>`)).toBeNull();
    room.state = "entered";
    expect(typing(state("composing"))).toBeNull();
  });
});

test("who is away is told when that changes", () => {
  const shows = ["", "away", "dnd", "chat", "xa"];
  const told = shows.map((show) => {
    const before = room.occupant("alice");
    room.occupants.put("alice", presence("alice", show));
    return before === null ? null : (awayHint("alice", before, room)?.on ?? null);
  });
  expect(told).toEqual([null, false, null, true, false]);
});

test("the list has the others", () => {
  room.occupants.put("bob", presence("bob", "xa"));
  expect(membersOf(room)).toEqual([
    { id: `${ROOM}/alice`, name: "alice", bot: false, present: true },
    { id: `${ROOM}/bob`, name: "bob", bot: false, present: false },
  ]);
});

test("our own typing is a chat state that archives leave out", () => {
  const room = { jid: "town@rooms.example" };
  expect(String(chatState(room, true))).toBe(
    '<message to="town@rooms.example" type="groupchat"><composing xmlns="http://jabber.org/protocol/chatstates"/><no-store xmlns="urn:xmpp:hints"/></message>',
  );
  expect(String(chatState(room, false))).toContain("<paused ");
});
