import { expect, test } from "vitest";
import type { SharedFile } from "../../contract/content.ts";
import type { UserRef } from "../../contract/ids.ts";
import { type CallsToAll, captionOf, fileInWords, isCallToAll, oneLine, withCallsToAll } from "./words.ts";

const CALLS: CallsToAll = {
  all: "<all>" as UserRef,
  channel: "<channel>" as UserRef,
  here: "<here>" as UserRef,
};

test.each([
  ["a\r\nb\u2028c\u0000", "a b c "],
  ["", ""],
])("%j on one line", (text, expected) => {
  expect(oneLine(text)).toBe(expected);
});

test.each<[Partial<SharedFile>, string]>([
  [{ url: "https://a.example/1" }, "cat.png: https://a.example/1"],
  [{ url: "https://a.example/1", comment: " look\nhere " }, "look here: https://a.example/1"],
  [{ url: "https://a.example/1", name: "" }, "file: https://a.example/1"],
  [{}, "cat.png was shared, but could not be copied here"],
  [{ name: "", missing: "too\nlarge" }, "a file was shared, but could not be copied here (too large)"],
  [{ comment: "look" }, "look: cat.png was shared, but could not be copied here"],
])("a file %j in words", (given, expected) => {
  const file: SharedFile = {
    id: null,
    name: "cat.png",
    comment: "",
    mime: null,
    bytes: null,
    url: null,
    missing: null,
    ...given,
  };
  expect(fileInWords(file)).toBe(expected);
});

test("a caption is on one line", () => {
  expect(captionOf({ comment: " look\nhere " })).toBe("look here");
});

test.each([
  ["hi", "hi"],
  ["", ""],
  ["@all", "<all>"],
  ["@Everyone, @room!", "<all>, <all>!"],
  ["hi @channel and @here", "hi <channel> and <here>"],
  ["(@here)", "(<here>)"],
  ["a@all é@all x/@all @@all @allé @hereby", "a@all é@all x/@all @@all @allé @hereby"],
])("%j calls everybody as %j", (text, expected) => {
  const inlines = withCallsToAll(text, CALLS);
  expect(inlines.map((inline) => ("text" in inline ? inline.text : "?")).join("")).toBe(expected);
  expect(inlines.filter(({ t }) => t === "mention").length).toBe(expected.split("<").length - 1);
});

test("names that mean everybody are nobody's", () => {
  expect(["all", "everyone", "room", "channel", "here", "ann"].map(isCallToAll)).toEqual([
    true,
    true,
    true,
    true,
    true,
    false,
  ]);
});
