import { expect, test } from "vitest";
import { saslprep } from "./saslprep.ts";

test.each([
  // RFC 4013 §3.
  ["a soft hyphen is nothing", "I\u00adX", "IX"],
  ["nothing happens to plain letters", "user", "user"],
  ["nor to capitals", "USER", "USER"],
  ["a feminine ordinal is an a", "\u00aa", "a"],
  ["a Roman numeral is its letters", "\u2168", "IX"],
  ["nothing", "", ""],
  ["all of ASCII that is printed", " ~!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}", " ~!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}"],
  ["spaces of every kind are spaces", "a\u00a0b\u2003c\u3000d", "a b c d"],
  // In the tables of both spaces and nothing; libidn takes it so as well.
  ["a space without width is a space", "a\u200bb", "a b"],
  ["a letter and its accent are one", "e\u0301", "é"],
  ["what is one stays one", "zoë", "zoë"],
  ["full width is ordinary width", "ｐａｓｓ１", "pass1"],
  ["other scripts", "пароль 密码", "пароль 密码"],
  ["from right to left", "\u0627\u0628", "\u0627\u0628"],
  ["letters from right to left around a digit", "\u06271\u0628", "\u06271\u0628"],
  ["newer than the tables", "pass🔑🫠", "pass🔑🫠"],
])("%s", async (_, text, prepared) => {
  expect(await saslprep(text)).toEqual({ ok: true, text: prepared });
});

test.each([
  // RFC 4013 §3.
  ["a control character", "\u0007", /^character 1 in it is forbidden/u],
  ["a digit behind letters from right to left", "\u06271", /^where letters are written from right to left/u],
  ["both directions", "\u0627a\u0628", /^where letters are written from right to left/u],
  ["a control character of ASCII among other letters", "паро\u007fль", /^character 5 /u],
  ["one behind a pair of surrogates", "🔑\u0085", /^character 2 /u],
  ["for private use", "a\ue000", /^character 2 /u],
  ["half a character", "a\ud800b", /^character 2 /u],
  ["what is no character", "a\uffff", /^character 2 /u],
  ["what changes how others are shown", "pass\u202eword", /^character 5 /u],
  ["a tag", "pass\u{e0041}", /^character 5 /u],
  ["a replacement character", "pa\ufffd\ufffd", /^character 3 /u],
  ["nothing that is seen", "\u00ad\u2060", /^it has only characters that nobody sees/u],
  ["a book", "é".repeat(1025), /^it has more than 1024 characters/u],
])("not: %s", async (_, text, why) => {
  const preparation = await saslprep(text);
  expect(preparation.ok ? preparation.text : preparation.why).toMatch(why);
  expect(preparation.ok).toBe(false);
});

test("why it is refused says nothing of it", async () => {
  const preparation = await saslprep("geheim\u0007ŋ");
  expect(JSON.stringify(preparation)).not.toMatch(/geheim|ŋ/u);
});
