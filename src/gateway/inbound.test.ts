import * as fc from "../../test/support/property.ts";
import { describe, expect, test } from "vitest";
import type { PresentationSettings } from "../config/config.ts";
import type { Message } from "../contract/message.ts";
import { compileMatcher } from "./filters.ts";
import { compileInbound, type InboundVerdict } from "./inbound.ts";
import { aFile, aMessage, anAccount, frozen } from "./samples.suite.ts";

function run(presentation: Partial<PresentationSettings>, fields: Partial<Message>): InboundVerdict {
  return compileInbound(anAccount("net.libera", presentation))(frozen(aMessage(fields)));
}

function outcome(result: InboundVerdict): unknown {
  return result.is === "drop"
    ? [result.reason, result.rule ?? ""].join(" ").trim()
    : [result.message.username, result.message.text];
}

describe("filters", () => {
  const file = (Comment: string) => ({ file: [aFile(), aFile({ Comment })] });
  test.each<[string, Partial<PresentationSettings>, Partial<Message>, unknown]>([
    ["no text, no Extra", {}, { text: "" }, "empty"],
    ["no text, no file", {}, { text: "", Extra: { file: [] } }, "empty"],
    ["blanks", {}, { text: "  \n\t " }, "empty"],
    ["a no-break space", {}, { text: "\u00a0" }, "empty"],
    ["no width", {}, { text: "\u200b\ufeff\u2060\u2800" }, "empty"],
    ["blanks of an action", {}, { text: " ", event: "user_action" }, "empty"],
    ["typing needs no text", {}, { text: "", event: "user_typing" }, ["bob", ""]],
    ["a file needs no text", {}, { text: "", Extra: { file: [aFile()] } }, ["bob", ""]],
    ["ignored nick", { ignoreNicks: ["alice", "^b"] }, {}, "ignored_nick ^b"],
    ["other nick", { ignoreNicks: ["alice", "^ob"] }, {}, ["bob", "hello"]],
    ["empty pattern", { ignoreNicks: [""], ignoreMessages: [""] }, {}, ["bob", "hello"]],
    ["ignored text", { ignoreMessages: ["^~~", "l{2}"] }, {}, "ignored_text l{2}"],
    ["ignored comment", { ignoreMessages: ["secret"] }, { Extra: file("a secret") }, "ignored_comment secret"],
    ["other comment", { ignoreMessages: ["secret"] }, { Extra: file("a photo") }, ["bob", "hello"]],
    ["nick before text", { ignoreNicks: ["bob"], ignoreMessages: ["hello"] }, {}, "ignored_nick bob"],
    ["empty before nick", { ignoreNicks: ["bob"] }, { text: "" }, "empty"],
    [
      "filters see the text before transforms",
      { ignoreMessages: ["x"], replaceMessages: [["hello", "x"]] },
      {},
      ["bob", "x"],
    ],
    ["join, not sent", { noSendJoinPart: true }, { event: "join" }, "join_part"],
    ["leave, not sent", { noSendJoinPart: true }, { event: "leave" }, "join_part"],
    ["join_leave, not sent", { noSendJoinPart: true }, { event: "join_leave" }, "join_part"],
    ["topic, sent all the same", { noSendJoinPart: true }, { event: "topic_change" }, ["bob", "hello"]],
    ["join, sent", {}, { event: "join" }, ["bob", "hello"]],
    ["8 hops", {}, { hops: 8 }, ["bob", "hello"]],
    ["9 hops", {}, { hops: 9 }, "loop"],
  ])("%s", (_name, presentation, fields, expected) => {
    expect(outcome(run(presentation, fields))).toEqual(expected);
  });

  test.each([
    // The reference's own table.
    ["a text message", [], null],
    ["a text message", ["text"], "text"],
    ["a text message", ["abc", "123$"], null],
    ["a text message", ["lala", "sage$"], "sage$"],
    ["user", [], null],
    ["user", ["user"], "user"],
    ["user", ["abc", "user"], "user"],
    ["user", ["abc", "def"], null],
  ])("%j ignored by %j: %s", (text, patterns, ignored) => {
    expect(compileMatcher(patterns)(text)).toBe(ignored);
  });
});

test("nothing in the name of a file turns the direction of text", () => {
  const result = run(
    {},
    { text: "", Extra: { file: [aFile({ Name: "photo_\u202egpj.exe" }), aFile({ Name: "a.png" })] } },
  );
  expect(result).toMatchObject({
    is: "pass",
    message: { Extra: { file: [{ Name: "photo_gpj.exe" }, { Name: "a.png" }] } },
  });
});

test.each<[Partial<PresentationSettings>, string, string]>([
  [{}, ":cat: a:cat:b `:cat:`", "🐱 a:cat:b `:cat:`"],
  [{ emojiCodes: "off" }, ":cat:", ":cat:"],
  [{ replaceMessages: [["secret", "***"]] }, "a secret", "a ***"],
  [{ replaceMessages: [["^$", "nothing"]] }, "", ""],
])("with %j the caption %j becomes %j", (presentation, caption, result) => {
  const file = [aFile({ Comment: caption })];
  const { message } = run(presentation, { text: "x", Extra: { file } }) as { message: Message };
  expect(message.Extra?.file.map(({ Comment }) => Comment)).toEqual([result]);
});

describe("transforms", () => {
  test.each<[string, Partial<PresentationSettings>, Partial<Message>, unknown]>([
    ["emoji", {}, { text: ":smile: hi" }, ["bob", "😄 hi"]],
    ["emoji within a word", {}, { text: "a:cat:b :cat:" }, ["bob", "a:cat:b 🐱"]],
    ["emoji everywhere", { emojiCodes: "reference" }, { text: "a:cat:b `:cat:`" }, ["bob", "a🐱b `🐱`"]],
    ["no emoji", { emojiCodes: "off" }, { text: ":cat:" }, ["bob", ":cat:"]],
    ["emoji before ReplaceMessages", { replaceMessages: [["😄", "grin"]] }, { text: ":smile:" }, ["bob", "grin"]],
    [
      "rules in turn",
      {
        replaceMessages: [
          ["a", "b"],
          ["b", "c"],
        ],
      },
      { text: "ab" },
      ["bob", "cc"],
    ],
    ["once, not per gateway", { replaceMessages: [["a", "aa"]] }, { text: "a" }, ["bob", "aa"]],
    [
      "Go's template",
      { replaceMessages: [["(\\w+) (\\w+)", "${2}, $1"]] },
      { text: "james bond" },
      ["bob", "bond, james"],
    ],
    ["all gone", { replaceMessages: [["^hello$", ""]] }, {}, "empty"],
    ["all gone but a file", { replaceMessages: [["^hello$", ""]] }, { Extra: { file: [aFile()] } }, ["bob", ""]],
    [
      "extract",
      { extractNicks: [["relay", "<(.*?)>\\s+"]] },
      { username: "relay", text: "<userx> blah" },
      ["userx", "blah"],
    ],
    [
      "extract the first match only",
      { extractNicks: [["<.*?bot>", "\\((.*?)\\)\\s+"]] },
      { username: "<matterbot>", text: "(userx) blahblah (abc) test" },
      ["userx", "blahblah (abc) test"],
    ],
    ["extract for another nick", { extractNicks: [["relay", "<(.*?)> "]] }, { text: "<x> y" }, ["bob", "<x> y"]],
    ["extract without a match", { extractNicks: [["bob", "<(.*?)> "]] }, { text: "x y" }, ["bob", "x y"]],
    ["extract without a group", { extractNicks: [["bob", "<.*?> "]] }, { text: "<x> y" }, ["bob", "<x> y"]],
    ["extract with two groups", { extractNicks: [["bob", "<(.)(.)> "]] }, { text: "<xy> z" }, ["bob", "<xy> z"]],
    [
      "extract after ReplaceMessages",
      { replaceMessages: [["\\[", "<"]], extractNicks: [["bob", "<(.)> "]] },
      { text: "[x> y" },
      ["x", "y"],
    ],
    [
      "extract in turn",
      {
        extractNicks: [
          ["bob", "<(.)> "],
          ["^x$", "\\((.)\\) "],
        ],
      },
      { text: "<x> (y) z" },
      ["y", "z"],
    ],
    ["extract leaves nothing", { extractNicks: [["bob", "<(.)>"]] }, { text: "<x>" }, "empty"],
  ])("%s", (_name, presentation, fields, expected) => {
    expect(outcome(run(presentation, fields))).toEqual(expected);
  });

  test("only text and username differ, in the same place", () => {
    const before = aMessage({ text: ":smile:", Extra: { file: [aFile()] }, hops: 2 });
    const result = run({}, before);
    expect(result).toEqual({ is: "pass", message: { ...before, text: "😄" } });
    expect(result.is === "pass" && Object.keys(result.message)).toEqual(Object.keys(before));
  });

  test("nothing to do: the same object", () => {
    const message = aMessage({ text: "10:30:45" });
    const inbound = compileInbound(
      anAccount("net.libera", { replaceMessages: [["x", "y"]], extractNicks: [["z", "(z)"]] }),
    );
    const result = inbound(message);
    expect(result.is === "pass" && result.message).toBe(message);
  });

  test("the message given is never changed, and no text throws", () => {
    const units = fc.array(fc.integer({ min: 0, max: 0xffff })).map((list) => String.fromCharCode(...list));
    const text = fc.oneof(fc.string(), units, fc.constantFrom(":smile:", "<a> b", "aaa"));
    const presentation = {
      replaceMessages: [
        ["a", "aa"],
        ["", "$0-"],
      ],
      extractNicks: [["", "<(.*?)> "]],
      ignoreMessages: ["zz"],
    } as const;
    fc.assert(
      fc.property(text, text, (username, words) => {
        const message = aMessage({ username, text: words });
        const copy = { ...message };
        compileInbound(anAccount("net.libera", presentation))(frozen(message));
        expect(message).toEqual(copy);
      }),
    );
  });
});
