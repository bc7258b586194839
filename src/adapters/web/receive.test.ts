import { expect, test } from "vitest";
import { authorOf, deleted, edited, moved, posted, reacted, readStyle } from "./receive.ts";

const ANN = { id: "g1", name: "ann" };
const MESSAGE = {
  id: "m1",
  room: "lobby",
  author: { ...ANN, network: "" },
  style: "normal",
  text: "*hello*",
  reply: null,
  files: [],
} as const;

test.each([
  ["/me waves", "action", "waves"],
  ["/me\twaves", "action", "waves"],
  ["/me  waves\nand smiles ", "action", "waves\nand smiles "],
  ["/me", "normal", "/me"],
  ["/me  ", "normal", "/me  "],
  ["/mean words", "normal", "/mean words"],
  [" /me waves", "normal", " /me waves"],
  ["hello /me waves", "normal", "hello /me waves"],
  ["/ME waves", "normal", "/ME waves"],
] as const)("%j is said in the style %s, as %j", (typed, style, text) =>
  expect(readStyle(typed)).toEqual({ style, text }),
);

test("a guest is shown as one, and known by the id", () =>
  expect(authorOf(ANN)).toEqual({ id: "g1", identity: null, name: "ann (guest)", avatar: null }));

test("what is said goes on as it was typed, without the command of its style", () => {
  const said = posted({ ...MESSAGE, style: "action", text: "/me *waves*", reply: "m0" }, 5);
  expect(said).toMatchObject({
    kind: "posted",
    key: "m1",
    channel: "lobby",
    atMs: 5,
    messages: ["m1"],
    replyTo: "m0",
    body: { style: "action", source: { format: "markdown", text: "*waves*" }, files: [] },
  });
});

test.each([
  ["image/png", "image/png"],
  ["application/octet-stream", null],
])("of a file that was called %s the core is told %j", (mime, told) => {
  const file = { id: "f1", name: "a.png", mime, bytes: 3, caption: "look", missing: "" };
  expect(posted({ ...MESSAGE, files: [file] }, 5).body.files).toEqual([
    { ref: "f1", name: "a.png", comment: "look", mime: told, bytes: 3, url: null },
  ]);
});

test("an edit names the message, and says all of it", () => {
  const event = edited({ ...MESSAGE, text: "bye" }, "n1", 5);
  expect(event).toMatchObject({ kind: "edited", message: "m1", vouched: true, body: { source: { text: "bye" } } });
});

test.each([[authorOf(ANN)], [null]])("a deletion names the message and who did it: %j", (by) =>
  expect(deleted(MESSAGE, by, 5)).toMatchObject({ kind: "deleted", message: "m1", by, vouched: true }),
);

test.each([
  ["join", "ann (guest) joins"],
  ["leave", "ann (guest) leaves"],
  ["rename", "bea (guest) is now ann (guest)"],
] as const)("a %s is told as %j", (change, text) => {
  const move = { guest: { ...ANN, room: "lobby" }, change, before: "bea", nonce: "1" };
  const newName = change === "rename" ? "ann (guest)" : undefined;
  expect(moved(move, 5)).toMatchObject({ kind: "member", change, text, channel: "lobby" });
  expect(moved(move, 5).newName).toBe(newName);
});

test("each happening has a key of its own, the same when it is told again", () => {
  const reaction = { room: "lobby", message: "m1", guest: ANN, emoji: "👍", on: true, nonce: "1" };
  const move = { guest: { ...ANN, room: "lobby" }, change: "join", before: "", nonce: "1" } as const;
  const keysAt = (atMs: number) =>
    [
      posted(MESSAGE, atMs),
      edited(MESSAGE, "1", atMs),
      edited(MESSAGE, "2", atMs),
      deleted(MESSAGE, null, atMs),
      reacted(reaction, atMs),
      reacted({ ...reaction, on: false, nonce: "2" }, atMs),
      moved(move, atMs),
      moved({ ...move, change: "leave" }, atMs),
      moved({ ...move, nonce: "2" }, atMs),
    ].map(({ key }) => key);
  expect(keysAt(1)).not.toContain(null);
  expect(new Set(keysAt(1)).size).toBe(9);
  expect(keysAt(2)).toEqual(keysAt(1));
});
