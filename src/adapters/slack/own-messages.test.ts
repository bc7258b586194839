import { describe, expect, test } from "vitest";
import { END } from "../../contract/ids.ts";
import { opIdAgain } from "./ids.ts";
import { messageIn, type SlackMessage } from "./model.ts";
import { blockIdOf, metadataOf, SlackOwnMessages } from "./own-messages.ts";
import { markOf, NOTHING_SENT, progressOf, readMark, sentBy } from "./progress.ts";

const ME = { userId: "U1", botId: "B1", appId: "A1" };

function aMessage(more: object): SlackMessage {
  const message = messageIn({ ts: "1700000000.000100", ...more });
  if (message === null) throw new Error("it is none");
  return message;
}

describe("a message of ours is known", () => {
  const op = opIdAgain("gate/slack.a/out: a/b/17/1700000000000");
  const part = { op, mark: markOf("3", END) };

  test.each([
    ["by its metadata", { metadata: metadataOf(part) }],
    ["by the id of its first block", { blocks: [{ type: "rich_text", block_id: blockIdOf(part) }] }],
  ])("%s", (_, more) => {
    const own = new SlackOwnMessages(ME);
    expect(own.note("C1", aMessage(more))).toEqual(part);
    expect(own.find(op, "3")).toEqual({ ref: "1700000000.000100", upTo: END, unnamed: false });
    expect(own.find(op, "2")).toBeNull();
  });

  test("that lacks the name it was given, until it has one; events do not tell", () => {
    const own = new SlackOwnMessages(ME);
    const isUnnamed = (more: Parameters<typeof aMessage>[0]): boolean | undefined => {
      own.note("C1", aMessage(more));
      return own.find(op, "3")?.unnamed;
    };
    const blocks = [{ block_id: blockIdOf(part) }];
    expect(isUnnamed({ metadata: metadataOf(part, true), username: "Bob" })).toBe(false);
    expect(isUnnamed({ metadata: metadataOf(part, true) })).toBe(true);
    expect(isUnnamed({ blocks })).toBe(true);
    expect(isUnnamed({ metadata: metadataOf(part) })).toBe(false);
    expect(isUnnamed({ blocks })).toBe(false);
  });

  test("by its files, in the life that sent them", () => {
    const own = new SlackOwnMessages(ME);
    const message = aMessage({ files: [{ id: "F1" }] });
    expect(own.note("C1", message)).toBeNull();
    own.making(part, ["F1"]);
    expect(own.note("C1", message)).toEqual(part);
  });

  test("by a short id of a long name, in that life", () => {
    const long = { ...part, op: opIdAgain("x".repeat(300)) };
    const id = blockIdOf(long);
    expect(id.length).toBeLessThanOrEqual(255);
    const own = new SlackOwnMessages(ME);
    const message = aMessage({ blocks: [{ block_id: id }] });
    expect(own.note("C1", message)).toBeNull();
    own.making(long, []);
    expect(own.note("C1", message)).toEqual(long);
  });

  test.each([
    ["metadata of others", { metadata: { event_type: "task", event_payload: { op: "a", upTo: "1.end" } } }],
    ["metadata without their content", { metadata: { event_type: "rialto_op" } }],
    ["blocks of people", { blocks: [{ block_id: "a/b" }, { block_id: blockIdOf(part) }] }],
    ["a text", { text: `rialto/${op}/1.end` }],
  ])("and not by %s", (_, more) => {
    expect(new SlackOwnMessages(ME).note("C1", aMessage(more))).toBeNull();
  });

  test.each([
    [{ user: "U1" }, true],
    [{ bot_id: "B1", username: "Bob" }, true],
    [{ app_id: "A1" }, true],
    [{ user: "U2", bot_id: "B2" }, false],
    [{}, false],
  ])("%j is ours: %j", (more, is) => {
    expect(new SlackOwnMessages(ME).isOurs(aMessage(more))).toBe(is);
  });

  test("servers that do not say who we are make nobody ours", () => {
    const own = new SlackOwnMessages({ userId: "U1", botId: "", appId: "" });
    expect(own.isOurs(aMessage({ user: "U2" }))).toBe(false);
  });
});

test("progress and marks are read as they were written, and what is none is the beginning", () => {
  const sent = { parts: 2, block: 7, at: 3_950, files: 10 };
  expect(sentBy(progressOf(sent))).toEqual(sent);
  expect(readMark(markOf("2", progressOf(sent)))).toEqual({ key: "2", upTo: progressOf(sent) });
  expect(readMark(markOf("new1", END))).toEqual({ key: "new1", upTo: END });
  expect(sentBy(null)).toEqual(NOTHING_SENT);
});
