import { expect, test } from "vitest";
import { protocols } from "../adapters/registry.ts";
import { noConfigFile } from "../config/example.ts";
import { START_ERRORS } from "../errors.ts";
import { accountHelp, COMMAND_HELP } from "./command-help.ts";
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

const accounts = [...protocols.values()].filter(({ commands }) => commands !== undefined);

test.each(accounts)("the help of the commands of $protocol names each of them", (manifest) => {
  const help = accountHelp(manifest);
  for (const { name } of manifest.commands ?? []) {
    expect(help).toContain(`rialto ${manifest.protocol} ${name} ACCOUNT`);
    expect(HELP).toContain(`rialto ${manifest.protocol} ${name} ACCOUNT`);
  }
  expect(help).toContain("Exit code: 0");
});

test("no line of a help text is longer than 80 columns", () => {
  const texts = [HELP, noConfigFile, ...Object.values(COMMAND_HELP), ...accounts.map(accountHelp)];
  expect(texts.flatMap((text) => text.split("\n")).filter(({ length }) => length > 80)).toEqual([]);
});

test("the help of all lists every exit code with its meaning", () => {
  const words = HELP.replaceAll(/\s+/gu, " ");
  for (const { exit, what } of Object.values(START_ERRORS)) expect(words).toContain(`${exit} ${what}`);
});
