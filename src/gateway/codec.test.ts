import * as fc from "../../test/support/property.ts";
import { describe, expect, test } from "vitest";
import type { FileId } from "../contract/ids.ts";
import type { Message } from "../contract/message.ts";
import { type About, decode, decodeStored, encode, encodeStored, isBare, type Stored } from "./codec.ts";
import { aFile, aMessage, frozen } from "./samples.suite.ts";

const KEYS = [
  "text",
  "channel",
  "username",
  "userid",
  "avatar",
  "account",
  "event",
  "protocol",
  "gateway",
  "parent_id",
  "timestamp",
  "id",
  "Extra",
];

test("the 13 keys in their order, compact, whatever the order and the additions of the object", () => {
  const message = aMessage({ text: "a b" });
  const shuffled = Object.fromEntries(Object.entries({ ...message, secret: 1 }).reverse()) as unknown as Message;
  expect(encode(shuffled)).toBe(
    '{"text":"a b","channel":"#room","username":"bob","userid":"u1","avatar":"","account":"net.libera","event":"","protocol":"net",' +
      '"gateway":"","parent_id":"","timestamp":"2026-01-02T03:04:05.678Z","id":"","Extra":null}',
  );
});

test.each([
  [undefined, KEYS],
  [0, KEYS],
  [1, [...KEYS, "hops"]],
])("hops %s", (hops, keys) => {
  const message = hops === undefined ? aMessage() : aMessage({ hops });
  expect(Object.keys(JSON.parse(encode(message)) as object)).toEqual(keys);
});

test("files have their eight keys in order", () => {
  const file = Object.fromEntries(Object.entries({ ...aFile(), more: 1 }).reverse()) as unknown as ReturnType<
    typeof aFile
  >;
  expect(encode(aMessage({ Extra: { file: [file] } }))).toContain(
    '"Extra":{"file":[{"Name":"a.txt","Data":"aGk=","Comment":"","URL":"","Size":2,"Avatar":false,"SHA":"","NativeID":""}]}',
  );
});

test("what some clients take for a line end is escaped", () => {
  const json = encode(aMessage({ text: "a\u2028b\u2029c\u0085d\ne\r\\", username: "\u0085" }));
  expect(json).toContain(String.raw`a\u2028b\u2029c\u0085d\ne\r\\`);
  expect(json).toContain(String.raw`"username":"\u0085"`);
  expect(json).not.toMatch(/[\u0085\u2028\u2029\n\r]/);
});

test("decode gives back what was encoded", () => {
  const text = fc
    .array(fc.oneof(fc.string(), fc.constantFrom("\u2028", "\u0085", "\\", '"', "é", "😀")))
    .map((list) => list.join(""));
  const file = fc.record({ Name: text, Comment: text, Size: fc.nat(), Avatar: fc.boolean() }).map(aFile);
  const extra = fc.option(fc.record({ file: fc.array(file, { maxLength: 3 }) }));
  fc.assert(
    fc.property(
      fc.record({ text, username: text, gateway: text, Extra: extra }),
      fc.integer({ min: 1, max: 9 }),
      (fields, hops) => {
        const message = frozen(aMessage({ ...fields, hops }));
        expect(decode(encode(message))).toEqual(message);
        expect(encode(message)).not.toMatch(/[\u0085\u2028\u2029\n]/);
      },
    ),
  );
});

describe("what stands after the thirteen keys", () => {
  const message = frozen(aMessage({ text: "loud", hops: 1 }));
  const BARE: Stored = { message, source: null, about: null, files: [], avatar: null, topic: null };
  const ABOUT: About = {
    is: "reply",
    seq: 7,
    name: "ann",
    excerpt: "hello\u2028",
    thread: null,
    author: null,
    emoji: "",
    on: false,
  };
  const FILE = "f1" as FileId;

  test("is in one order, and readers are not shown it", () => {
    const source = { text: "*loud*\u2028", format: "some" };
    const stored = encodeStored({ ...BARE, source });
    expect(stored).toBe(
      `${encode(message).slice(0, -1)},"source":{"format":"some","text":"*loud*${String.raw`\u2028`}"},"internal":true}`,
    );
    expect(encode(decodeStored(stored).message)).toBe(encode(message));
  });

  test.each<[string, Partial<Stored>]>([
    ["a source", { source: { format: "some", text: "<b>" } }],
    ["what it is about", { about: ABOUT }],
    ["files, of which some cannot be had", { files: [null, FILE] }],
    ["the file of an avatar", { avatar: FILE }],
    ["a topic", { topic: "ships\u2028three" }],
    ["that there is none any more", { topic: "" }],
    ["that its author is a program", { bot: true }],
    ["whom it may notify", { mentions: "none" }],
    ["the new name of a member", { newName: "rob" }],
    ["all", { source: { format: "some", text: "" }, about: ABOUT, files: [FILE], avatar: FILE, topic: "x" }],
  ])("comes back: %s", (_name, more) => {
    const stored = encodeStored({ ...BARE, ...more });
    expect(decodeStored(stored)).toEqual({ ...BARE, ...more });
    expect(isBare(stored)).toBe(false);
  });

  test("what a version before this one reads of a topic is the message, and shows it as ever", () => {
    const now = encodeStored({ ...BARE, topic: "ships" });
    expect(now).toBe(`${encode(message).slice(0, -1)},"topic":"ships","internal":true}`);
  });

  test("of a program only that is said, and readers of the API see the message as ever", () => {
    const stored = encodeStored({ ...BARE, bot: true });
    expect(stored).toBe(`${encode(message).slice(0, -1)},"bot":true,"internal":true}`);
    expect(encode(decodeStored(stored).message)).toBe(encode(message));
  });

  test("nothing is nothing, and what earlier versions stored is read", () => {
    expect(encodeStored(BARE)).toBe(encode(message));
    expect(encodeStored({ ...BARE, files: [null] })).toBe(encode(message));
    expect(encodeStored({ ...BARE, bot: false })).toBe(encode(message));
    expect(decodeStored(encode(message))).toEqual(BARE);
    const earlier = `${encode(message).slice(0, -1)},"source":{"format":"some","text":"x"}}`;
    expect(decodeStored(earlier)).toEqual({ ...BARE, source: { format: "some", text: "x" } });
  });

  test("keys have the names of format 4, and those of earlier ones are read", () => {
    const now = encodeStored({ ...BARE, avatar: FILE });
    expect(now).toBe(`${encode(message).slice(0, -1)},"avatarFile":"f1","internal":true}`);
    const earlier = `${encode(message).slice(0, -1)},"picture":"f1","behind":true}`;
    expect(decodeStored(earlier)).toEqual(decodeStored(now));
    expect(isBare(earlier)).toBe(false);
  });

  test("no text of a message looks like it", () => {
    const ends = ["internal", "behind"].flatMap((name) => [`,"${name}":true}`, `"${name}":true}`]);
    const text = fc.constantFrom(...ends, "x");
    fc.assert(
      fc.property(text, text, fc.nat(2), (said, name, hops) => {
        const extra = { file: [aFile({ NativeID: name })] };
        expect(isBare(encode(aMessage({ text: said, id: name, Extra: extra, hops })))).toBe(true);
      }),
    );
  });
});
