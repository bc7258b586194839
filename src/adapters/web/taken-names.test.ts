import { expect, test } from "vitest";
import { TakenNames } from "./taken-names.ts";

const taken = new TakenNames(
  { people: ["cara", "[dora]", "bridge-bot"], labels: ["lobby", "irc.libera", "libera", "irc", "IRC", "Our café"] },
  ["ann"],
);

test.each([
  "cara",
  "CARA",
  "сara",
  "c a r a",
  "@cara",
  "«cara»",
  "dora",
  "[dora]",
  "Bridge Bot",
  "ann",
  "@ann",
  "operator",
  "Operator",
  "0perator",
  "system",
  "bridge",
  "guest",
  "admin",
  "moderator",
  "web chat",
  "Web-Chat",
  "everyone",
  "@everyone",
  "here",
  "@here",
  "channel",
  "@channel",
  "Rialto",
  "lobby",
  "irc",
  "libera",
  "irc.libera",
  "our cafe",
  "Our Café",
])("the name %j is refused", (name) => expect(taken.has(name)).toBe(true));

test.each(["bob", "caral", "Operators Club", "Ann Lee", "hereward", "🎉", "libertine"])("the name %j is free", (name) =>
  expect([taken.has(name), taken.withoutLabel(name)]).toEqual([false, null]),
);

test.each([
  ["bob (irc)", "bob"],
  ["bob [IRC]", "bob"],
  ["bob（irc）", "bob"],
  ["bob <Libera>", "bob"],
  ["bob@irc", "bob"],
  ["bob | irc.libera", "bob"],
  ["bob / lobby", "bob"],
  ["bob · IRC", "bob"],
  ["[irc] bob", "bob"],
  ["irc: bob", "bob"],
  ["Ann Lee (irc)", "Ann Lee"],
  ["bob (operator)", "bob"],
  ["bob (moderator)", "bob"],
])("of %j the label is left out: %j", (name, without) => expect(taken.withoutLabel(name)).toBe(without));

test.each(["bob (she)", "Bob irc", "bob_irc", "irc bob", "(irc)", "bob @ home"])("%j has no label", (name) =>
  expect(taken.withoutLabel(name)).toBeNull(),
);
