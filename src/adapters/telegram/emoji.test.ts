import { expect, test } from "vitest";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { type Json, listIn } from "../kit/json.ts";
import type { TelegramApi } from "./api.ts";
import { TelegramEmoji } from "./emoji.ts";

const picture = (id: string): Json => ({ type: "custom_emoji", custom_emoji_id: id });

/** `stickers`: what the server knows of pictures; one that is absent fails. */
function emojiOf(stickers: Readonly<Record<string, Json | null>>) {
  const asked: string[] = [];
  const call: TelegramApi["call"] = async (_, args) => {
    const id = String(listIn(args, "custom_emoji_ids")[0]);
    asked.push(id);
    const sticker = stickers[id];
    await Promise.resolve();
    return sticker === undefined
      ? { ok: false, failure: { ...FAILURE } }
      : { ok: true, value: sticker === null ? [] : [sticker] };
  };
  return { asked, emoji: new TelegramEmoji({ call }, new FakeClock()) };
}

const FAILURE = {
  code: "network",
  why: "network",
  status: 0,
  description: "",
  message: "away",
  retryAfterMs: null,
  migrateTo: null,
  certain: true,
} as const;

test.each<readonly [string, Json, string]>([
  ["an emoji", { type: "emoji", emoji: "❤" }, "❤️"],
  ["stars that were paid", { type: "paid" }, "⭐"],
  ["a picture that stands for an emoji", picture("5000000000000000001"), "🦀"],
  ["a picture that stands for none", picture("5000000000000000002"), ":custom_emoji_000002:"],
  ["a picture that is unknown", picture("5000000000000000003"), ":custom_emoji_000003:"],
  ["a picture whose look-up failed", picture("5000000000000000004"), ":custom_emoji_000004:"],
  ["a kind to come", { type: "aura" }, ""],
])("%s", async (_, reaction, shown) => {
  const { emoji } = emojiOf({
    "5000000000000000001": { emoji: "🦀" },
    "5000000000000000002": { emoji: "" },
    "5000000000000000003": null,
  });
  await emoji.ask([reaction]);
  expect(emoji.shown(reaction)).toBe(shown);
});

test("each picture is asked for once, and taking it off names what was put on", async () => {
  const stickers: Record<string, Json> = {};
  const { asked, emoji } = emojiOf(stickers);
  await emoji.ask([picture("1"), picture("2")]);
  expect([emoji.shown(picture("1")), emoji.shown(picture("2"))]).toEqual([":custom_emoji_1:", ":custom_emoji_2:"]);
  stickers["1"] = { emoji: "🦀" };
  expect(emoji.ask([picture("1")])).toBeNull();
  expect(emoji.shown(picture("1"))).toBe(":custom_emoji_1:");
  expect(asked).toEqual(["1", "2"]);
});
