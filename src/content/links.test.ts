import { expect, test } from "vitest";
import { endOfUrl } from "./links.ts";

test.each([
  ["a|https://e.example/a_|", "https://e.example/a_"],
  ["https://e.example/a|| b", "https://e.example/a"],
  ["https://youtu.be/abcdefghij_", "https://youtu.be/abcdefghij_"],
  ["https://e.example/__init__ and", "https://e.example/__init__"],
  ["https://e.example/a*", "https://e.example/a*"],
  ["https://e.example/#:~:text=foo_", "https://e.example/#:~:text=foo_"],
  ["(https://e.example/a_)", "https://e.example/a_"],
  ["HTTPS://E.EXAMPLE/X_", "HTTPS://E.EXAMPLE/X_"],
  ["see https://e.example/a_, ok", "https://e.example/a_"],
  ["snake_case https://e.example/a_", "https://e.example/a_"],
  ["_x_ https://e.example/a_", "https://e.example/a_"],
  ["_see https://e.example/a_", "https://e.example/a"],
  ["**https://e.example/a**", "https://e.example/a"],
  ["||https://e.example/a||", "https://e.example/a"],
  ["*b* ~https://e.example/a~!", "https://e.example/a"],
  ["https://e.example/a'.", "https://e.example/a"],
])("the address in %j is %j", (text, address) => {
  const at = text.search(/https/i);
  expect(text.slice(at, endOfUrl(text, at))).toBe(address);
});
