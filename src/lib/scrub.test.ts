import { encodeHTML as escapeHTML } from "entities";
import * as fc from "../../test/support/property.ts";
import { expect, test } from "vitest";
import { Scrubber } from "./scrub.ts";

const SECRET = `p"ä&<s w/+'7`;
const clean = (text: string, ...secrets: readonly string[]): string => new Scrubber(secrets).clean(text);
const base64 = (text: string): string => Buffer.from(text).toString("base64");

test.each([
  ["as it is", SECRET],
  ["in JSON", JSON.stringify(SECRET).slice(1, -1)],
  ["in JSON within JSON", JSON.stringify(JSON.stringify(SECRET)).slice(3, -3)],
  ["percent-encoded", encodeURIComponent(SECRET)],
  ["percent-encoded in lower case", encodeURIComponent(SECRET).replaceAll(/%../gu, (code) => code.toLowerCase())],
  ["as a form sends it", new URLSearchParams({ "": SECRET }).toString().slice(1)],
  ["as URL has it", new URL(`http://h/${encodeURIComponent(SECRET)}`).pathname.slice(1)],
  ["in HTML", SECRET.replaceAll("&", "&amp;").replaceAll("<", "&lt;")],
  ["in XML with only what must be", `p&quot;ä&amp;&lt;s w/+'7`],
  ["in an attribute", `p&quot;ä&amp;&lt;s w/+&#39;7`],
  ["in base64", base64(SECRET)],
  ["in base64url", Buffer.from(SECRET).toString("base64url")],
  ["the login of SASL PLAIN", base64(`\0rialto\0${SECRET}`)],
  ["the same with another name", base64(`\0rialt\0${SECRET}`)],
  ["the same with a third name", base64(`\0rial\0${SECRET}`)],
  ["with something after it", base64(`${SECRET}\0 and more`)],
  ["Latin-1 in base64", Buffer.from(SECRET, "latin1").toString("base64")],
  ["in hex", Buffer.from(SECRET).toString("hex")],
  ["in hex, capitals, Latin-1", Buffer.from(SECRET, "latin1").toString("hex").toUpperCase()],
  ["in JSON with all that may be escaped", String.raw`p\"\u00e4\u0026\u003cs w\/+\u00277`],
  ["in JSON in a line of JSON", String.raw`p\\\"\\u00e4\\u0026\\u003cs w\\/+'7`],
  ["in HTML by numbers", "p&#34;&#228;&#38;&#60;s w&#47;&#43;&#39;7"],
  ["in HTML by hex numbers", "p&#x22;&#xE4;&#x26;&#x3c;s w&#x2F;&#x2b;&#x27;7"],
  ["in HTML by numbers without semicolons", "p&#34&#228&#38&#60s w&#47&#43&#39;7"],
  ["in HTML by hex numbers without semicolons", "p&#x22&#xE4&#x26&#x3cs w&#x2F&#x2b&#x27;7"],
  ["as Rust and JavaScript escape", String.raw`p\"\u{e4}\u{26}\u{3C}s w/\u{2b}\u{000027}7`],
  ["in HTML by names", "p&quot;&auml;&amp;&lt;s w&sol;&plus;&apos;7"],
  ["in HTML in HTML", "p&amp;quot;&amp;auml;&amp;amp;&amp;lt;s w/+&amp;#39;7"],
  ["percent-encoded Latin-1", "p%22%E4%26%3Cs+w%2F%2B%277"],
  ["percent-encoded twice", encodeURIComponent(encodeURIComponent(SECRET))],
  ["as Python shows bytes", String.raw`p"\xc3\xa4&<s w/+\'7`.replace(String.raw`\xc3\xa4`, String.raw`\xe4`)],
  ["percent-encoded, then base64", base64(encodeURIComponent(SECRET))],
  ["in base64, escaped in an address", encodeURIComponent(base64(SECRET))],
])("%s: nothing is left of it, and all else stays", (_, form) => {
  expect(clean(`before "${form}" after`, "other", SECRET)).toBe('before "[secret]" after');
});

test("several of them, side by side, overlapping and one within another", () => {
  expect(clean("abcdef, xyzxyz, abcd", "abcd", "cdef", "xyz1", "xyzxyz")).toBe("[secret], [secret], [secret]");
  expect(clean("abcdabcd abcd-abcd", "abcd")).toBe("[secret] [secret]-[secret]");
});

test("what is shorter than four characters is not scrubbed: it would be in every line", () => {
  expect(clean("the cat", "cat", "", "t")).toBe("the cat");
});

test("one that is learned later is scrubbed from then on", () => {
  const scrubber = new Scrubber(["first"]);
  expect(scrubber.clean("first second")).toBe("[secret] second");
  scrubber.learn(["second"]);
  expect(scrubber.clean("first second")).toBe("[secret] [secret]");
});

test("all texts of plain data", () => {
  const data = { why: "no hunter22 here", lanes: [{ age: null, count: 22, words: ["hunter22"] }], hunter22: true };
  expect(new Scrubber(["hunter22"]).cleanAll(data)).toEqual({
    why: "no [secret] here",
    lanes: [{ age: null, count: 22, words: ["[secret]"] }],
    hunter22: true,
  });
});

test("a thousand secrets", () => {
  const secrets = Array.from({ length: 1000 }, (_, at) => `secret-${at}-of-many`);
  const scrubber = new Scrubber(secrets);
  expect(scrubber.clean(secrets.join(" "))).toBe(secrets.map(() => "[secret]").join(" "));
});

const text = fc.string({ unit: "grapheme", maxLength: 30 });
const aSecret = fc
  .string({ unit: "grapheme", minLength: 4, maxLength: 20 })
  .map((it) => it.toWellFormed())
  .filter((it) => !"[secret]".includes(it));

test("any secret in any text, plain and in base64", () => {
  fc.assert(
    fc.property(text, aSecret, text, (before, hidden, after) => {
      const scrubber = new Scrubber([hidden]);
      const both = `${before}${hidden}${after}`;
      expect(scrubber.clean(both).split("[secret]").join("")).not.toContain(hidden);
      expect(scrubber.clean(JSON.stringify({ both }))).not.toContain(JSON.stringify(hidden).slice(1, -1));
      expect(scrubber.clean(base64(both.toWellFormed()))).toContain("[secret]");
    }),
    { numRuns: 300 },
  );
});

const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, "0");
const percent = (bytes: Uint8Array): string => [...bytes].map((byte) => `%${hex(byte, 2)}`).join("");
const u = (character: string): string =>
  Array.from({ length: character.length }, (_, at) => `\\u${hex(character.charCodeAt(at), 4)}`).join("");

/** Ways to write one character. */
const WRITTEN: Readonly<Record<string, (character: string, code: number) => string>> = {
  "as it is": (character) => character,
  "as JSON must": (character) => JSON.stringify(character).slice(1, -1),
  "as JSON may": u,
  "as JSON may, in capitals": (character) => u(character).replaceAll(/[a-f]/gu, (digit) => digit.toUpperCase()),
  "with a backslash": (character) => (/["'\\/]/u.test(character) ? `\\${character}` : character),
  "as logs do": (character, code) => (code < 0x100 ? `\\x${hex(code, 2)}` : character),
  "as a number of HTML": (_, code) => `&#${code};`,
  "as a hex number of HTML": (_, code) => `&#x${hex(code, 1)};`,
  "as a name of HTML": (character) => escapeHTML(character),
  "as an address must": (character) => encodeURIComponent(character),
  "as an address may": (character) => percent(Buffer.from(character)),
  "as an address may, in capitals": (character) =>
    percent(Buffer.from(character)).replaceAll(/[a-f]/gu, (digit) => digit.toUpperCase()),
  "as an address in Latin-1": (character, code) => (code < 0x100 ? percent(Uint8Array.of(code)) : character),
  "as a form does": (character) => (character === " " ? "+" : encodeURIComponent(character)),
};
const ways = Object.keys(WRITTEN);
const write = (way: string, text: string): string =>
  Array.from(text, (character) => WRITTEN[way]?.(character, character.codePointAt(0) ?? 0) ?? character).join("");

/** Each character in a way of its own, then all of it once more in one way. */
const mixture = fc.tuple(
  fc.array(fc.constantFrom(...ways), { minLength: 1, maxLength: 12 }),
  fc.constantFrom("as it is", ...ways),
);

test("any secret, each character written in whatever way, and all of it once more, in any text", () => {
  fc.assert(
    fc.property(text, aSecret, text, mixture, (before, hidden, after, [each, again]) => {
      const written = Array.from(hidden, (it, at) => write(each[at % each.length] ?? "", it)).join("");
      const form = write(again, written);
      const { clean } = new Scrubber([hidden]);
      // What comes before and after it may complete an escape: only the form as a whole must not be there any more.
      expect(clean(`${before}${form}${after}`)).not.toContain(form);
      const logged = JSON.stringify({ why: `${before}${form}${after}` });
      expect(clean(logged)).not.toContain(JSON.stringify(form).slice(1, -1));
      expect(clean(`"${form}"`)).toBe('"[secret]"');
    }),
    { numRuns: 3000 },
  );
});

test.each(ways)("any secret written %s, and all of it in base64 or hex", (way) => {
  fc.assert(
    fc.property(aSecret, (hidden) => {
      const { clean } = new Scrubber([hidden]);
      expect(clean(`"${write(way, hidden)}"`)).toBe('"[secret]"');
      expect(clean(`"${write(way, base64(hidden))}"`)).toBe('"[secret]"');
      expect(clean(`"${write(way, Buffer.from(hidden).toString("hex"))}"`)).toBe('"[secret]"');
    }),
    { numRuns: 200 },
  );
});

test("a text without a secret stays as it is", () => {
  const scrubber = new Scrubber(["Kx7#q-p!2Zw", "another one of them, é"]);
  fc.assert(
    fc.property(text, fc.constantFrom(...ways), (said, way) => {
      const form = write(way, said);
      expect(scrubber.clean(form)).toBe(form);
    }),
    { numRuns: 2000 },
  );
});
