import fc from "fast-check";
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
  ["with something behind it", base64(`${SECRET}\0 and more`)],
  ["Latin-1 in base64", Buffer.from(SECRET, "latin1").toString("base64")],
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

test("any secret in any text, plain and in base64", () => {
  const text = fc.string({ unit: "grapheme", maxLength: 30 });
  const secret = fc.string({ unit: "grapheme", minLength: 4, maxLength: 20 }).filter((it) => !"[secret]".includes(it));
  fc.assert(
    fc.property(text, secret, text, (before, hidden, after) => {
      const scrubber = new Scrubber([hidden]);
      const both = `${before}${hidden}${after}`;
      expect(scrubber.clean(both).split("[secret]").join("")).not.toContain(hidden);
      expect(scrubber.clean(JSON.stringify({ both }))).not.toContain(JSON.stringify(hidden).slice(1, -1));
      expect(scrubber.clean(base64(both.toWellFormed()))).toContain("[secret]");
    }),
    { numRuns: 300, seed: 1 },
  );
});
