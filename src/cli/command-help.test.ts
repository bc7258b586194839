import { expect, test } from "vitest";
import { COMMAND_HELP } from "./command-help.ts";
import { HELP } from "./help.ts";

test.each(Object.entries(COMMAND_HELP))(
  "the help of %s says how it is called and how it ends, and stands in the help of all",
  (name, help) => {
    expect(help).toMatch(new RegExp(`^rialto (?:${name}|\\[${name}\\])(?:[ \n])[\\s\\S]*Exit code: 0`));
    expect(HELP).toMatch(new RegExp(`\n  rialto (?:${name}\\b|\\[${name}\\])`));
  },
);

test.each(["status", "explain", "tail", "send", "reload"] as const)("%s can name the Rialto that it asks", (name) => {
  expect(COMMAND_HELP[name]).toMatch(/\n {2}-conf FILE[\s\S]*\n {2}--data DIR[\s\S]*\n {2}--socket PATH/);
});
