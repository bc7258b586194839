import { describe, expect, test } from "vitest";
import type { Capabilities } from "../contract/capabilities.ts";
import { becomes, type Feature } from "./becomes.ts";
import { capabilities } from "./plan.suite.ts";
import { anAccount } from "./samples.suite.ts";

const NOTHING = capabilities();
const ALL: Capabilities = {
  ...NOTHING,
  ops: { edit: "native", delete: "native", react: "native", topic: "native" },
  reply: "native",
  thread: "native",
  mention: "native",
  notice: "native",
  fileOut: "native",
  history: "native",
};

const { presentation } = anAccount("net.a");

test("a network that can do all", () => {
  const natives = Object.entries(becomes(ALL, presentation)).filter(([, how]) => how !== "native");
  expect(natives).toEqual([
    ["join", "not shown"],
    ["topic", "not shown"],
  ]);
});

describe("a network that cannot", () => {
  test.each<[Feature, Partial<Capabilities>, Partial<typeof presentation>, string]>([
    ["edit", {}, {}, "in words: `s/old/new/`, or `* new text` where that is shorter"],
    ["edit", {}, { editFallback: "whole" }, "in words: `* new text`"],
    ["edit", {}, { editFallback: "none" }, "not shown"],
    ["delete", {}, {}, "not shown"],
    ["delete", {}, { deleteFallback: "note" }, "in words: a note"],
    ["reply", {}, {}, "in words: a quote before it"],
    ["reply", { reply: "emulated", replyWords: "address" }, {}, "in words: `name: text`"],
    ["reply", {}, { quoteDisable: true }, "in words: an ordinary message"],
    ["reply", { reply: "native" }, { preserveThreading: false }, "in words: an ordinary message"],
    ["thread", { reply: "native" }, {}, "in words: a reply to its first message"],
    ["thread", {}, {}, "in words: a quote before it"],
    ["thread", { thread: "native" }, { preserveThreading: false }, "in words: an ordinary message"],
    ["reaction", {}, {}, "not shown"],
    ["reaction", {}, { reactionFallback: "line" }, "in words: a line"],
    [
      "reaction",
      { ops: { ...ALL.ops, react: "none" } },
      { reactionFallback: "line" },
      "in words: one line for all, which is edited",
    ],
    ["reaction", { ops: ALL.ops }, { reactionDisable: true }, "not shown"],
    ["file", {}, {}, "not shown"],
    ["file", { fileOut: "emulated" }, {}, "in words: a link"],
    ["mention", {}, {}, "in words: the name, which notifies nobody"],
    ["mention", { mention: "emulated" }, {}, "native"],
    ["mention", { mention: "native" }, { allowMention: [] }, "in words: the name, which notifies nobody"],
    ["notice", {}, {}, "not shown"],
    ["notice", { notice: "emulated" }, {}, "in words: an ordinary message"],
    ["join", {}, { showJoinPart: true }, "in words: a line"],
    ["topic", {}, { showTopicChange: true }, "in words: a line"],
    ["topic", {}, { syncTopic: true }, "in words: a line"],
    ["topic", { ops: ALL.ops }, { syncTopic: true }, "native"],
    ["topic", { ops: ALL.ops }, { syncTopic: true, showTopicChange: true }, "native"],
    ["topic", { ops: ALL.ops }, { showTopicChange: true }, "in words: a line"],
    ["history", { history: "emulated" }, {}, "in words: as far as the server keeps it"],
    ["history", {}, {}, "not shown"],
  ])("%s, %j, %j", (feature, able, settings, expected) => {
    expect(becomes({ ...NOTHING, ...able }, { ...presentation, ...settings })[feature]).toBe(expected);
  });
});
