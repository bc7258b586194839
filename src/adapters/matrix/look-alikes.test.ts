import { expect, test } from "vitest";
import { toldApart } from "./look-alikes.ts";

const OURS = ["@rialto:a.example", "rialto", "The Bridge", ""];

test.each([
  ["Rialto", true],
  ["RIALTO", true],
  ["R i a l t o", true],
  ["Ria\u200blto", true],
  ["Riálto", true],
  ["Ｒｉａｌｔｏ", true],
  ["Riаltо", true],
  ["RiaIto", true],
  ["Ria1t0", true],
  ["the  bridge", true],
  ["@rialto:a.example", true],
  ["Rialtos", false],
  ["rio", false],
  ["", false],
  ["日本", false],
])("%j looks like ourselves: %j", (name, isAlike) => {
  expect(toldApart(name, "api.web", OURS)).toBe(isAlike ? `${name} (api.web)` : name);
});
