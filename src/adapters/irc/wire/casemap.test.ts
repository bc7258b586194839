import { expect, test } from "vitest";
import { type Casemapping, fold } from "./casemap.ts";

test.each<[Casemapping, string, string]>([
  ["ascii", "#Chan[\\]^~Ä", "#chan[\\]^~Ä"],
  ["rfc1459", "#Chan[\\]^~Ä", "#chan{|}^^Ä"],
  ["rfc1459-strict", "#Chan[\\]^~Ä", "#chan{|}^~Ä"],
])("%s", (mapping, text, folded) => {
  expect(fold(mapping, text)).toBe(folded);
  expect(fold(mapping, folded)).toBe(folded);
});
