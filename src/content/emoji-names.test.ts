import { expect, test } from "vitest";
import { emojiNamed, namesOfEmoji } from "./emoji-names.ts";
import { plainText } from "./plain.ts";
import { parseMattermost } from "./mattermost-parse.ts";
import { parseSlack } from "./slack-parse.ts";

test.each([
  ["+1", "👍"],
  ["simple_smile", "🙂"],
  ["+1_dark_skin_tone", "👍🏿"],
  ["wave_medium_light_skin_tone", "👋🏼"],
  ["raised_hands_light_skin_tone", "🙌🏻"],
  ["man-running_medium_skin_tone", "🏃🏽‍♂️"],
  ["nothing_light_skin_tone", null],
  ["cat_dark_skin_tone", null],
  ["flag-de", "🇩🇪"],
  ["Christmas_tree", "🎄"],
  ["OK_hand", "👌"],
  ["ATM_sign", "🏧"],
  ["flag_Germany", "🇩🇪"],
  ["flag_Côte_d’Ivoire", "🇨🇮"],
  ["men’s_room", "🚹"],
  ["jack-o-lantern", "🎃"],
  ["crazy_face", "🤪"],
  ["beach_umbrella", "🏖"],
  ["email", "📧"],
  ["Cat", null],
])("the emoji named %s", (name, emoji) => {
  expect(emojiNamed(name)?.replaceAll("\ufe0f", "") ?? null).toBe(emoji?.replaceAll("\ufe0f", "") ?? null);
});

test("networks are asked for their own codes alone, the usual one first", () => {
  expect(namesOfEmoji("🎄")).toEqual(["christmas_tree"]);
  expect(namesOfEmoji("🎃")).toEqual(["jack_o_lantern", "jack-o-lantern"]);
});

test.each([
  [":+1::skin-tone-5:", "👍🏾"],
  [":-1::skin-tone-2: ok", "👎🏻 ok"],
  [":+1:", "👍"],
  ["a :+1: b", "a 👍 b"],
  [":simple_smile:", "🙂"],
  ["10:30:45 x:+1:y 1:100:2", "10:30:45 x:+1:y 1:100:2"],
])("on Slack, %s is %s", (text, words) => {
  expect(plainText(parseSlack(text))).toBe(words);
});

test.each([
  ["```go x\n```", "```go x\n```"],
  ["```\n```", "```\n```"],
  ["a\n```\n\n```\nb *c*", "a\n```\n\n```\nb c"],
  ["![cat](https://e.example/c.png)", "cat (https://e.example/c.png)"],
  ["see **![cat](https://e.example/c.png)**!", "see cat (https://e.example/c.png)!"],
])("on Mattermost, %j is %j", (text, words) => {
  expect(plainText(parseMattermost(text))).toBe(words);
});
