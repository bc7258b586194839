import { describe, expect, test } from "vitest";
import type { WebMessage } from "../../../src/contract/web-chat.ts";
import { ChatTimeline } from "./timeline.ts";

const author = { id: "ann", name: "ann", avatar: null, mine: false, guest: true, network: "" };

const message = (id: number | string, more: Partial<WebMessage> = {}): WebMessage => ({
  id: String(id),
  time: "2026-05-03T14:03:22.000Z",
  author,
  style: "normal",
  blocks: [],
  text: "",
  reply_to: null,
  edited: false,
  reactions: [],
  files: [],
  ...more,
});

const many = (from: number, to: number): readonly WebMessage[] =>
  Array.from({ length: to - from + 1 }, (_, index) => message(from + index));

const ids = (timeline: ChatTimeline): readonly number[] =>
  timeline.blocks.flatMap(({ messages }) => messages.map(({ id }) => Number(id)));

const range = (from: number, to: number): readonly number[] => many(from, to).map(({ id }) => Number(id));

describe("messages of a room", () => {
  test("each is there once, in the order in which they came, also when it is told again", () => {
    const timeline = new ChatTimeline();
    timeline.append(many(1, 120));
    timeline.append([...many(110, 130), ...many(125, 131)]);
    expect(ids(timeline)).toEqual(range(1, 131));
    expect(timeline.count).toBe(131);
    expect(timeline.newest?.id).toBe("131");
  });

  test("older ones stand before them, and those that are known stay where they are", () => {
    const timeline = new ChatTimeline();
    timeline.append(many(101, 110));
    timeline.prepend(many(31, 102));
    timeline.prepend(many(1, 30));
    timeline.append(many(111, 112));
    expect(ids(timeline)).toEqual(range(1, 112));
    expect(new Set(timeline.blocks.map(({ key }) => key)).size).toBe(timeline.blocks.length);
    expect(timeline.oldest?.id).toBe("1");
  });

  test("what changes in one leaves the blocks of the others the same objects", () => {
    const timeline = new ChatTimeline();
    timeline.append(many(1, 150));
    const [first, second, third] = timeline.blocks;
    timeline.replace(message(60, { edited: true }));
    expect(timeline.find("60")?.edited).toBe(true);
    expect(timeline.blocks[0]).toBe(first);
    expect(timeline.blocks[1]).not.toBe(second);
    expect(timeline.blocks[2]).toBe(third);
    timeline.append(many(151, 151));
    expect(timeline.blocks[2]).toBe(third);
  });

  test("what is deleted is gone, what nobody knows changes nothing, and an empty block goes", () => {
    const timeline = new ChatTimeline();
    timeline.append(many(1, 51));
    timeline.remove("51");
    timeline.remove("51");
    timeline.replace(message(999));
    expect(ids(timeline)).toEqual(range(1, 50));
    expect(timeline.blocks).toHaveLength(1);
    timeline.append(many(52, 53));
    expect(ids(timeline)).toEqual([...range(1, 50), 52, 53]);
  });

  test("only the newest are kept, in whole blocks", () => {
    const timeline = new ChatTimeline();
    timeline.append(many(1, 300));
    expect(timeline.trim(200)).toBe(true);
    expect(timeline.trim(200)).toBe(false);
    expect(ids(timeline)).toEqual(range(101, 300));
    expect(timeline.has("100")).toBe(false);
    expect(timeline.find("100")).toBeUndefined();
  });

  test("reactions count as the server says, and are one's own by who made them", () => {
    const timeline = new ChatTimeline();
    timeline.append(many(1, 2));
    const react = (type: "reaction.added" | "reaction.removed", count: number, mine: boolean): unknown => {
      timeline.react({ type, id: "1", emoji: "👍", count, author: { ...author, mine } });
      return timeline.find("1")?.reactions;
    };
    expect(react("reaction.added", 1, false)).toEqual([{ emoji: "👍", count: 1, mine: false }]);
    expect(react("reaction.added", 2, true)).toEqual([{ emoji: "👍", count: 2, mine: true }]);
    expect(react("reaction.added", 2, true)).toEqual([{ emoji: "👍", count: 2, mine: true }]);
    expect(react("reaction.removed", 1, false)).toEqual([{ emoji: "👍", count: 1, mine: true }]);
    expect(react("reaction.removed", 0, true)).toEqual([]);
  });

  test("the newest of one's own is found", () => {
    const timeline = new ChatTimeline();
    timeline.append([message(1, { text: "a" }), ...many(2, 120)]);
    expect(timeline.findLast(({ text }) => text !== "")?.id).toBe("1");
    expect(timeline.findLast(({ text }) => text === "b")).toBeUndefined();
  });
});
