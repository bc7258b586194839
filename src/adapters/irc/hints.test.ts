import { describe, expect, test } from "vitest";
import type { Hint } from "../../contract/host.ts";
import type { ChannelRef } from "../../contract/ids.ts";
import { addressOf, ChannelMembers } from "./channels/members.ts";
import { hintsOf, memberOf } from "./hints.ts";
import { type IrcReceiveContext, toEvents } from "./receive.ts";
import { NO_ISUPPORT } from "./wire/isupport.ts";
import { parseLine } from "./wire/wire.ts";

const ref = (name: string): ChannelRef => name as ChannelRef;

const CONTEXT: IrcReceiveContext = {
  ownNick: "Rialto",
  isupport: NO_ISUPPORT,
  channelRef: (name) => (name === "#c" ? ref("#c") : null),
  channelsOf: (nick) => (nick === "alice" ? [ref("#c"), ref("#d")] : []),
  verboseJoinPart: false,
  nowMs: 0,
};

function hints(text: string): readonly Hint[] {
  const line = parseLine(text);
  return line === null ? [] : hintsOf(line, CONTEXT);
}

const ALICE = ":alice!al@host.example";

describe("typing", () => {
  test.each([
    ["+typing=active", true],
    ["+draft/typing=active", true],
    ["+typing=paused", false],
    ["+typing=done", false],
  ])("%s", (tag, on) => {
    expect(hints(`@${tag} ${ALICE} TAGMSG #c`)).toMatchObject([
      { kind: "typing", channel: "#c", on, author: { name: "alice", id: "al@host.example" } },
    ]);
  });

  test.each([
    ["our own", "@+typing=active :Rialto!r@h TAGMSG #c"],
    ["elsewhere", `@+typing=active ${ALICE} TAGMSG #other`],
    ["to us alone", `@+typing=active ${ALICE} TAGMSG Rialto`],
    ["of no known state", `@+typing=loudly ${ALICE} TAGMSG #c`],
    ["another tag", `@+draft/react=x ${ALICE} TAGMSG #c`],
    ["of nobody", "@+typing=active TAGMSG #c"],
  ])("%s is none", (_, line) => {
    expect(hints(line)).toEqual([]);
  });
});

test("who is away is so in all channels, and it is no event", () => {
  expect(hints(`${ALICE} AWAY :at lunch`).map(({ kind, channel, on }) => [kind, channel, on])).toEqual([
    ["presence", "#c", false],
    ["presence", "#d", false],
  ]);
  expect(hints(`${ALICE} AWAY`).map(({ on }) => on)).toEqual([true, true]);
  expect(hints(":Rialto!r@h AWAY :x")).toEqual([]);
  const line = parseLine(`${ALICE} AWAY :at lunch`);
  expect(line === null ? null : toEvents(line, CONTEXT)).toEqual([]);
});

test("what lines have told of people stays with them until they go", () => {
  const members = new ChannelMembers();
  members.add("#c", "alice", { nick: "Alice", address: "al@host" });
  members.away("alice", true);
  members.add("#c", "alice", { nick: "Alice", address: null });
  expect(members.in("#c").map(memberOf)).toEqual([{ id: "al@host", name: "Alice", bot: false, present: false }]);
  members.rename("alice", "anna", "Anna");
  expect(members.in("#c").map(memberOf)).toEqual([{ id: "al@host", name: "Anna", bot: false, present: false }]);
  members.away("anna", false);
  members.add("#c", "bob", { nick: "Bob", address: null });
  expect(
    members
      .in("#c")
      .map(memberOf)
      .map(({ id, present }) => [id, present]),
  ).toEqual([
    ["al@host", true],
    ["Bob", true],
  ]);
  members.quit("anna");
  expect(members.in("#c")).toHaveLength(1);
  expect(members.in("#other")).toEqual([]);
});

test.each([
  ["@alice!al@host", "al@host"],
  ["alice", null],
  ["alice!", null],
])("the address in the name %s", (name, address) => {
  expect(addressOf(name)).toBe(address);
});

test("an author with the tag of bots is a program", () => {
  const authorIn = (text: string): unknown => {
    const line = parseLine(text);
    const [event] = line === null ? [] : toEvents(line, CONTEXT);
    return event?.kind === "posted" ? (event.author.bot ?? false) : null;
  };
  expect(authorIn(`@bot ${ALICE} PRIVMSG #c :hi`)).toBe(true);
  expect(authorIn(`@draft/bot ${ALICE} PRIVMSG #c :hi`)).toBe(true);
  expect(authorIn(`${ALICE} PRIVMSG #c :hi`)).toBe(false);
});
