import { expect, test } from "vitest";
import { COMMANDS, MANNERS } from "../../contract/texts.ts";
import { actionIn, jumpIn, seen, typed } from "./markdown.ts";

test("what somebody types to be shown as it is, is", () => {
  for (const text of [...MANNERS, ...COMMANDS]) expect(seen(typed(text))).toBe(text);
});

test.each([
  [String.raw`C:\dir \\server \* \\\*`, String.raw`C:\dir \server * \*`],
  ["&amp; <https://a.example/_b_> <@12> <@!13>", "&amp; https://a.example/_b_ @user12 @user13"],
])("%j is seen as %j", (content, text) => {
  expect(seen(content, (user) => `user${user}`)).toBe(text);
});

test("what is emphasized as a whole is an action", () => {
  const texts = ["*waves*", "_waves_", "**waves**", "*a* b", "2 * 3"];
  expect(texts.map(actionIn)).toEqual(["waves", "waves", null, null, null]);
});

test("a small line with a link to a message says what is answered", () => {
  const line = "-# ↪ [Bob: hello](<https://discord.com/channels/1/2/3>)";
  expect(jumpIn(`${line}\nto you`)).toEqual({ message: "3", rest: "to you" });
  expect(jumpIn(`to you\n${line}`)).toBeNull();
});
