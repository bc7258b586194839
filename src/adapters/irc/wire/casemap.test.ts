import { expect, test } from "vitest";
import { type Casemapping, casefold } from "./casemap.ts";

test.each<[Casemapping, string, string]>([
  ["ascii", "#Chan[\\]^~Ä", "#chan[\\]^~Ä"],
  ["rfc1459", "#Chan[\\]^~Ä", "#chan{|}^^Ä"],
  ["rfc1459-strict", "#Chan[\\]^~Ä", "#chan{|}^~Ä"],
])("%s", (mapping, text, folded) => {
  expect(casefold(mapping, text)).toBe(folded);
  expect(casefold(mapping, folded)).toBe(folded);
});
