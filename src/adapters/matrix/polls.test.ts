import { expect, test } from "vitest";
import type { Json } from "../kit/json.ts";
import { pollAnswers, pollEndBody } from "./body.ts";

const ANSWERS = new Map([
  ["a", "Tea"],
  ["b", "Wine"],
]);
const words = { "m.text": [{ body: "The poll has ended. Top answer: Tea" }] };

test.each<[string, Json, typeof ANSWERS | null, string]>([
  ["its words", words, ANSWERS, "The poll has ended. Top answer: Tea"],
  [
    "its results",
    { ...words, "m.poll.results": { b: 1, a: 3 } },
    ANSWERS,
    "The poll has ended. Top answer: Tea\nTea: 3 votes\nWine: 1 vote",
  ],
  ["results of an unknown poll", { body: "Over", "m.poll.results": { x: 2 } }, null, "Over\nx: 2 votes"],
  ["results without words", { "m.poll.results": { a: 0 } }, ANSWERS, "The poll has ended\nTea: 0 votes"],
  ["nothing", {}, ANSWERS, "The poll has ended"],
  ["results that are none", { "m.poll.results": { a: "3", b: null } }, ANSWERS, "The poll has ended"],
  ["a result that is a text", { "m.poll.results": "a" }, ANSWERS, "The poll has ended"],
  [
    "the names of the draft",
    { "org.matrix.msc1767.text": "It is over", "org.matrix.msc3381.poll.results": { a: 2 } },
    ANSWERS,
    "It is over\nTea: 2 votes",
  ],
])("the end of a poll shows %s", (_, content, answers, text) => {
  expect(pollEndBody(content, answers)).toEqual({ style: "normal", source: { format: "plain", text }, files: [] });
});

test("of more answers than a poll may have, those with the most votes are shown", () => {
  const results = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`answer ${at}`, at]));
  const text = pollEndBody({ "m.poll.results": results }, null)?.source.text ?? "";
  expect(text.split("\n")).toHaveLength(21);
  expect(text).toContain("answer 499: 499 votes");
});

test.each([
  ["stable", "m.poll", "m.id"],
  ["of the draft", "org.matrix.msc3381.poll.start", "id"],
])("answers are known by their ids: %s", (_, key, id) => {
  const answers = [
    { [id]: "a", "m.text": [{ body: "Tea" }] },
    { [id]: "b", "org.matrix.msc1767.text": "Wine" },
  ];
  expect(pollAnswers({ [key]: { answers } })).toEqual(ANSWERS);
});
