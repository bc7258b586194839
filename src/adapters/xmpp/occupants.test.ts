import { describe, expect, test } from "vitest";
import { NS } from "./ns.ts";
import { Occupants } from "./occupants.ts";
import { joined, left } from "./presence.ts";
import { aRoom, parsed, ROOM } from "./xml.suite.ts";

const WITH = { occupantIds: true, nonce: "n" };
const WITHOUT = { occupantIds: false, nonce: "n" };

function presence(nick: string, inner: string, type = "") {
  const shown = type === "" ? "" : ` type="${type}"`;
  return parsed(`<presence from="${ROOM}/${nick}"${shown}>${inner}</presence>`);
}

const user = (item: string, ...codes: readonly string[]): string =>
  `<x xmlns="${NS.mucUser}">${item}${codes.map((code) => `<status code="${code}"/>`).join("")}</x>`;
const occupantId = `<occupant-id xmlns="${NS.occupantId}" id="o1"/>`;
const realJid = user(`<item jid="Alice@Example.org/phone" role="visitor"/>`);

describe("who somebody is", () => {
  test.each([
    ["the occupant id", occupantId + realJid, WITH, "o:o1"],
    ["not one that the room did not promise", occupantId, WITHOUT, "n:n:1"],
    ["the real address, where it is shown", occupantId + realJid, WITHOUT, "j:alice@example.org"],
    ["which of the joins it was", "", WITH, "n:n:1"],
  ])("%s", (_, inner, telling, identity) => {
    const occupants = new Occupants();
    occupants.put("alice", presence("alice", inner));
    expect(occupants.get("alice", telling)?.identity).toBe(identity);
  });

  test("whoever takes a nick later is somebody else, and a nick that changes is the same person", () => {
    const occupants = new Occupants();
    const identity = (nick: string): string | undefined => occupants.get(nick, WITHOUT)?.identity;
    occupants.put("alice", presence("alice", ""));
    const first = identity("alice");
    occupants.put("alice", presence("alice", user(`<item role="moderator"/>`)));
    expect(identity("alice")).toBe(first);
    occupants.rename("alice", "alicia");
    occupants.put("alicia", presence("alicia", ""));
    expect(identity("alicia")).toBe(first);
    occupants.put("alice", presence("alice", ""));
    expect(identity("alice")).not.toBe(first);
    occupants.remove("alicia");
    occupants.put("alicia", presence("alicia", ""));
    expect(identity("alicia")).not.toBe(first);
  });

  test("role and picture", () => {
    const occupants = new Occupants();
    const photo = (text: string): string => `<x xmlns="${NS.vcardUpdate}"><photo>${text}</photo></x>`;
    occupants.put("alice", presence("alice", realJid + photo("A".repeat(40))));
    expect(occupants.get("alice", WITH)).toMatchObject({ role: "visitor", avatar: "a".repeat(40) });
    occupants.put("bob", presence("bob", photo("../etc")));
    expect(occupants.get("bob", WITH)).toMatchObject({ avatar: null });
  });

  test("a flood of them is not kept", () => {
    const occupants = new Occupants();
    const element = presence("x", "");
    for (let at = 0; at < 20_001; at += 1) occupants.put(`p${at}`, element);
    expect([occupants.has("p19999"), occupants.has("p20000")]).toEqual([true, false]);
  });
});

describe("coming and going", () => {
  const actor = `<item><actor nick="bob"/><reason>spam</reason></item>`;

  test.each([
    ["leaves", `<status>bye</status>${user("<item/>")}`, "leave", "alice leaves"],
    ["is kicked", user(actor, "307"), "leave", "bob kicked alice (spam)"],
    ["is banned", user(actor, "301"), "leave", "bob banned alice (spam)"],
    ["is kicked by nobody", user("<item/>", "307"), "leave", "somebody kicked alice"],
    ["is renamed", user(`<item nick="alicia"/>`, "303"), "rename", "alice is now known as alicia", "alicia"],
  ])("alice %s", (_, inner, change, text, newName?: string) => {
    const event = left(presence("alice", inner, "unavailable"), aRoom(), 5);
    expect(event).toMatchObject({ kind: "member", change, text, author: { identity: "o:a" }, atMs: 5 });
    expect(event?.newName).toBe(newName);
  });

  test("alice joins", () => {
    expect(joined("alice", aRoom(), 5)).toMatchObject({
      change: "join",
      text: "alice joins",
      author: { name: "alice" },
    });
  });
});
