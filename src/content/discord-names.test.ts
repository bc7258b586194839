import { expect, test } from "vitest";
import {
  channelMention,
  type DiscordHere,
  nameMentions,
  passDiscord,
  roleMention,
  userMention,
  writtenDiscord,
} from "./discord-names.ts";
import { parse } from "./formats.ts";
import { plainText } from "./plain.ts";

const NAMES = {
  user: (id: string) => (id === "1" ? "Alice" : id === "2" ? "a_b|<c>\n@everyone **x** 😀" : null),
  role: (id: string) => (id === "3" ? "mods" : null),
  channel: (id: string) => (id === "4" ? "general" : null),
};

test.each([
  ["<@1> <@!1> <@9>", "<@1|Alice> <@1|Alice> <@9>", "@Alice @Alice @unknown-user"],
  ["<@&3> <#4>", "<@&3|mods> <#4|general>", "@mods #general"],
  ["`<@1>` ```\n<@1>``` \\<@1>", "`<@1>` ```\n<@1>``` \\<@1>", "<@1> \n<@1>\n <@1>"],
  ["`<@1> \\`<@1>", "`<@1> \\`<@1|Alice>", "<@1> \\@Alice"],
  ["<@1|Bob> <@|x>", "\\<@1|Bob> <@|x>", "<@1|Bob> <@|x>"],
  ["**<@2>** ||<@2>||", null, "@a_b|<c>\n@everyone **x** 😀 @a_b|<c>\n@everyone **x** 😀"],
])("names in %j", (content, source, words) => {
  const named = nameMentions(content, NAMES);
  if (source !== null) expect(named).toBe(source);
  expect(plainText(parse("discord", named))).toBe(words);
});

test("a name has no sign that means something, and an end", () => {
  expect(userMention("1", "a_b>|*\\")).toBe("<@1|a%5Fb%3E%7C%2A%5C>");
  expect(channelMention("1", "")).toBe("<#1>");
  const long = roleMention("1", "😀".repeat(500));
  expect(plainText(parse("discord", `${long}x`))).toBe(`@${"😀".repeat(100)}x`);
});

test("people who know no ids read names", () => {
  expect(writtenDiscord("**<@1|Alice>** <:cat:2> in <#4|general> `<@1>` \\*")).toBe(
    "**@Alice** :cat: in #general `<@1>` \\*",
  );
});

const NOWHERE: DiscordHere = { user: () => false, role: () => false, channel: () => false };
const SOURCE = "**<@1|Alice>** <@&3|mo%2Ads> <#4|general> <@9> <:cat:2> <t:1:R> @everyone `<@1>` \\<@1|x>";

test("a text goes on as it is, but for whom it does not know", () => {
  expect(passDiscord(SOURCE, { user: (id) => id === "1", role: () => true, channel: () => true })).toBe(
    "**<@1>** <@&3> <#4> @unknown-user <:cat:2> <t:1:R> @everyone `<@1>` \\<@1|x>",
  );
  expect(passDiscord(SOURCE, NOWHERE)).toBe(
    "**@Alice** @mo\\*ds #general @unknown-user <:cat:2> <t:1:R> @everyone `<@1>` \\<@1|x>",
  );
});
