import { DISCORD_API } from "./settings.ts";
import { describe, expect, test } from "vitest";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { parse } from "../../content/formats.ts";
import { aMessage, ALICE } from "./message.suite.ts";
import { type DiscordMember, discordMemberIn } from "./model.ts";
import { namesIn } from "./text.ts";
import { clean, DiscordPeople } from "./people.ts";
import type { DiscordFailure, DiscordResult } from "./rest-result.ts";

function aMember(given: object = {}, user: object = {}): DiscordMember {
  const member = discordMemberIn({ user: { ...ALICE, ...user }, nick: null, avatar: null, roles: [], ...given });
  if (member === null) throw new Error("this is no member");
  return member;
}

const FAILED: DiscordFailure = {
  why: "refused",
  status: 503,
  code: 0,
  message: "HTTP 503",
  certain: true,
  retryAfterMs: null,
  scope: null,
};

function peopleOf(members: readonly DiscordMember[] | null, settings: object = {}) {
  const clock = new FakeClock();
  const asked: string[] = [];
  const answer = { hangs: false };
  const give = async <T>(what: string, value: T | undefined): Promise<DiscordResult<T>> => {
    asked.push(what);
    if (answer.hangs) await new Promise<never>(() => undefined);
    return await Promise.resolve(value === undefined ? { ok: false, failure: FAILED } : { ok: true, value });
  };
  const people = new DiscordPeople({
    api: {
      member: async (_, id) =>
        await give(
          id,
          members?.find(({ user }) => user.id === id),
        ),
      membersNamed: async (_, name) => await give(name, members ?? undefined),
    },
    clock,
    settings: { ApiURL: DISCORD_API, UseUserName: false, UseDiscriminator: false, ...settings },
    guild: "1",
  });
  return { people, asked, clock, answer };
}

test.each([
  ["the name in the guild", {}, aMember({ nick: "Al" }), "Al"],
  ["the name of the account", {}, aMember(), "Alice"],
  ["the user name", {}, aMember({}, { global_name: null }), "alice"],
  ["UseUserName", { UseUserName: true }, aMember({ nick: "Al" }), "alice"],
  ["UseDiscriminator", { UseDiscriminator: true }, aMember({ nick: "Al" }, { discriminator: "0042" }), "Al#0042"],
  ["UseDiscriminator without one", { UseDiscriminator: true }, aMember({ nick: "Al" }), "Al"],
  ["signs that break lines", {}, aMember({ nick: "A\nl\u202e" }), "A l"],
  ["a name of nothing", {}, aMember({ nick: "\n" }, { global_name: " ", username: "" }), "somebody"],
])("names: %s", (_, settings, member, name) => {
  expect(peopleOf([], settings).people.nameOf(member)).toBe(name);
});

test.each([
  ["of the guild", aMember({ avatar: "a1" }), "https://cdn.discordapp.com/guilds/1/users/100/avatars/a1.png"],
  ["of the account", aMember({}, { avatar: "a2" }), "https://cdn.discordapp.com/avatars/100/a2.png"],
  ["of who has none", aMember({}, { id: "175928847299117063" }), "https://cdn.discordapp.com/embed/avatars/2.png"],
  ["of who has none, of old", aMember({}, { discriminator: "0007" }), "https://cdn.discordapp.com/embed/avatars/2.png"],
])("pictures: %s", (_, member, url) => {
  expect(peopleOf([]).people.author(member).avatar).toMatchObject({ url, ref: null });
});

test("who writes by a webhook is another by each name; an answer to a command is its bot's", () => {
  const { people } = peopleOf([]);
  const author = { ...ALICE, id: "66", username: "CI", global_name: null };
  expect(people.writer(aMessage({ author, webhook_id: "66" }))).toMatchObject({ id: "66/CI", name: "CI" });
  const bot = { ...ALICE, id: "77", username: "poller", global_name: null, bot: true };
  const answer = aMessage({ author: bot, webhook_id: "77", application_id: "77" });
  expect(people.writer(answer)).toMatchObject({ id: "77", name: "poller" });
});

describe("look-ups", () => {
  test("happen once for all, and not for who is known", async () => {
    const { people, asked } = peopleOf([aMember()]);
    people.note(aMember({ nick: "Bo" }, { id: "101" }));
    const found = await Promise.all(["100", "100", "101", ""].map(async (id) => await people.get(id)));
    expect(found.map((member) => member?.nick ?? null)).toEqual(["", "", "Bo", null]);
    expect(asked).toEqual(["100"]);
  });

  test("that fail are not repeated for a while", async () => {
    const { people, asked, clock } = peopleOf(null);
    expect([await people.get("100"), await people.get("100")]).toEqual([null, null]);
    expect(asked).toEqual(["100"]);
    await clock.advance(60_001);
    await people.get("100");
    expect(asked).toEqual(["100", "100"]);
  });

  test("that hang are given up", async () => {
    const { people, clock, answer } = peopleOf([aMember()]);
    answer.hangs = true;
    const looking = people.get("100");
    await clock.advance(5_000);
    expect([await looking, people.isKnown("100"), clock.waiting]).toEqual([null, true, 0]);
  });
});

test.each([
  ["by the name in the guild", "AL", [aMember({ nick: "Al" })], "100"],
  ["by the name of the account", "alice", [aMember({ nick: "Al" })], "100"],
  ["nobody", "bob", [aMember()], null],
  ["a name that only begins so", "ali", [aMember()], null],
  ["several", "al", [aMember({ nick: "Al" }), aMember({ nick: "al" }, { id: "101" })], null],
  ["no name", " ", [aMember()], null],
])("who is meant: %s", async (_, name, members, id) => {
  expect((await peopleOf(members).people.named(name))?.user.id ?? null).toBe(id);
});

describe("a text calls", () => {
  const lookUpAll = async ({ people }: ReturnType<typeof peopleOf>, text: string): Promise<void> => {
    for (const name of namesIn(parse("plain", text), { users: true, everyone: false })) await people.named(name);
  };

  test.each([
    ["<@1> <#123456789012345678> and more", ["1"]],
    ["x <@123456789012345678> <:parrot:123456789012345678>", []],
    ["<@&5> @ann lee is here", ["&5", "ann"]],
    ["@ann lee, @ann smith and @anna", ["ann"]],
    ["@bo\n@bo!\n@al", ["bo", "al"]],
  ])("%j: members are searched only by words that can begin a name", async (text, expected) => {
    const town = peopleOf([]);
    await lookUpAll(town, text);
    await lookUpAll(town, text);
    expect(town.asked).toEqual(expected);
  });

  test("somebody who has come since, and somebody whose name a minute later begins so", async () => {
    const town = peopleOf([]);
    await lookUpAll(town, "@ann lee");
    town.people.note(aMember({ nick: "Ann Lee" }));
    await lookUpAll(town, "@ann lee");
    await town.clock.advance(60_001);
    await lookUpAll(town, "@ann lee");
    expect(town.asked).toEqual(["ann", "ann lee", "ann"]);
  });
});

test("another name is found, and the old one no more", async () => {
  const members = [aMember({ nick: "Al" })];
  const { people } = peopleOf(members);
  await people.named("al");
  members[0] = aMember({ nick: "Queen" });
  people.note(members[0]);
  expect([(await people.named("al")) === null, (await people.named("queen"))?.user.id]).toEqual([true, "100"]);
});

test("long names are cut", () => {
  expect(clean("x".repeat(200))).toHaveLength(80);
});
