import * as fc from "../../test/support/property.ts";
import { expect, test } from "vitest";
import { replaceEmoji } from "./emoji.ts";

test.each([
  [":smile:", "😄"],
  ["a :smile: b", "a 😄 b"],
  [":smile::heart:", "😄❤️"],
  [":+1: :-1:", "👍 👎"],
  [":flag-de: :flag-us:", "🇩🇪 🇺🇸"],
  [":flag-xx:", "🇽🇽"],
  [":flag-XX: :flag-xxx:", ":flag-XX: :flag-xxx:"],
  ["10:30:45", "10:30:45"],
  ["::smile:", ":😄"],
  [":::smile::", "::😄:"],
  [":smile :", ":smile :"],
  [":no such: :smile:", ":no such: 😄"],
  [":smile\u00a0:smile:", ":smile\u00a0😄"],
  [":smile\u2003:smile:", ":smile\u2003😄"],
  [":smile\ufeff:smile:", ":smile\ufeff:smile:"],
  [":Smile:", ":Smile:"],
  [":nosuchcode:smile:", ":nosuchcode:smile:"],
  [":nosuchcode::smile:", ":nosuchcode:😄"],
  [":constructor: :__proto__:", ":constructor: :__proto__:"],
  ["https://example.org:8080/", "https://example.org:8080/"],
  ["52:54:00:ad:be:ef", "52:54:00:ad:be:ef"],
  [":woman_shrugging: :thumbsup_tone3:", "🤷‍♀️ 👍🏽"],
  [":umbrella:", "☔"],
  [":", ":"],
  ["::", "::"],
  ["", ""],
])("%j becomes %j", (text, result) => {
  expect(replaceEmoji(text)).toBe(result);
});

test("agrees with reading one character at a time", () => {
  const pieces = fc.constantFrom(":", "::", " ", "\n", "smile", "heart", "30", "no_code", "é", "\ud83d", "\u00a0");
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 20 }), (list) => {
      expect(replaceEmoji(list.join(""))).toBe(slowly(list.join("")));
    }),
    { numRuns: 1000 },
  );
});

function slowly(text: string): string {
  const known: Record<string, string> = { ":smile:": "😄", ":heart:": "❤️" };
  let out = "";
  let open = "";
  for (const character of text.split("")) {
    if (open === "") {
      if (character === ":") open = ":";
      else out += character;
    } else if (character === ":" && open === ":") {
      out += ":";
    } else {
      open += character;
      if (!/[:\s]/.test(character)) continue;
      out += known[open] ?? open;
      open = "";
    }
  }
  return out + open;
}

test("a hostile text takes linear time", () => {
  const text = ":a".repeat(500_000);
  expect(replaceEmoji(`${text} ${":".repeat(500_000)}`).length).toBeGreaterThan(500_000);
});
