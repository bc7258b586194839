import { expect, test } from "vitest";
import type { OpAuthor } from "../contract/ops.ts";
import { about, ABLE, aStored, opOf, planOf, postOf } from "./plan.suite.ts";
import { anAccount } from "./samples.suite.ts";

const FORMAT = { remoteNickFormat: "[{PROTOCOL}] <{NICK}> ({USERID}) " };

function authorOf(username: string, userid = "u", sources: Parameters<typeof planOf>[1] = []): OpAuthor {
  const author = postOf(
    planOf(FORMAT, sources),
    aStored({ username, userid, account: "net.here", protocol: "net" }),
  ).author;
  if (author === null) throw new Error("nobody");
  return author;
}

test.each([
  ["eve\n[other] <bob> yes", "[net] <eve [other] <bob> yes> (u) "],
  ["\u202eeve", "[net] <eve> (u) "],
  ["\u001b[2J", "[net] <[2J> (u) "],
  ["\u200b", "[net] <?> (u) "],
  ["Rialto", "[net] <Rialto> (u) "],
])("the name %j is shown as one name, with where it is from", (username, shown) => {
  expect(authorOf(username).shown).toBe(shown);
});

test("a name forges no second sender in its line", () => {
  const plan = planOf({ remoteNickFormat: "<{NICK}> " });
  const said = aStored({ username: "np> hi <alice", account: "net.here", protocol: "net" });
  expect(postOf(plan, said).author).toMatchObject({ name: "np> hi <alice", shown: "<np>\u200b hi <alice> " });
});

test("ids are strangers' words too, and still tell people apart", () => {
  expect(authorOf("eve", "a\nb")).toMatchObject({ id: "a\nb", shown: "[net] <eve> (a b) " });
  // Who has no id is told apart by the name as it came.
  expect(authorOf("eve\n", "").id).toBe("eve\n");
  expect(authorOf("eve", "").id).toBe("eve");
});

test("what the operator makes of a name stays as it is written", () => {
  const here = anAccount("net.here", { replaceNicks: [["^eve$", "\u0002eve\u0002"]] });
  expect(authorOf("eve\u200e", "u", [here]).shown).toBe("[net] <\u0002eve\u0002> (u) ");
});

test("a message of a person never looks like a line that Rialto says itself", () => {
  expect(authorOf("").shown).toBe("[net] <> (u) ");
  expect(planOf(FORMAT).expired({ count: 2, fromMs: 0, toMs: 0 }).author).toBeNull();
});

test("who wrote what is deleted has the same name as when it was written", () => {
  const name = "e\u202eve\n";
  const plan = planOf(FORMAT, [], ABLE);
  const said = postOf(plan, aStored({ username: name, userid: "u", account: "net.here", protocol: "net" })).author;
  const author = { id: "u", account: "net.here" };
  const deleted = opOf(plan, aStored({}, { about: about("delete", { name, author }) }), { about: ["m" as never] });
  expect(deleted).toMatchObject({ kind: "delete", author: { name: said?.name, shown: said?.shown } });
});
