import { expect, test } from "vitest";
import { bareOf, domainOf, isRoomJid, localOf, resourceOf, roomJid } from "./jid.ts";

test.each([
  ["town@rooms.example/alice", "town@rooms.example", "alice", "town", "rooms.example"],
  ["town@rooms.example/a@b/c", "town@rooms.example", "a@b/c", "town", "rooms.example"],
  ["town@rooms.example/", "town@rooms.example", "", "town", "rooms.example"],
  ["rooms.example", "rooms.example", null, null, "rooms.example"],
  ["rooms.example/x@y", "rooms.example", "x@y", null, "rooms.example"],
])("%s", (jid, bare, resource, local, domain) => {
  expect([bareOf(jid), resourceOf(jid), localOf(jid), domainOf(jid)]).toEqual([bare, resource, local, domain]);
});

test.each([
  ["town", "town@rooms.example", true],
  ["Town@Other.example", "town@other.example", true],
  ["", "@rooms.example", false],
  ["a b", "a b@rooms.example", false],
  ["a/b", "a/b@rooms.example", false],
  ["a\nb", "a\nb@rooms.example", false],
  ["x".repeat(1100), `${"x".repeat(1100)}@rooms.example`, false],
])("the room %j", (name, jid, sound) => {
  expect(roomJid(name, "rooms.example")).toBe(jid);
  expect(isRoomJid(jid)).toBe(sound);
});
