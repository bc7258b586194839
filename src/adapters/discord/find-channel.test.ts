import { describe, expect, test } from "vitest";
import { findChannel } from "./find-channel.ts";
import { findGuild, inviteLink } from "./find-guild.ts";
import { channelIn, type DiscordChannel } from "./records.ts";

const INVITE = inviteLink("9", "https://discord.com");
const TYPES = { text: 0, voice: 2, category: 4, news: 5, forum: 15 } as const;

function channel(id: string, name: string, type: keyof typeof TYPES, parent = ""): DiscordChannel {
  const made = channelIn({ id, name, type: TYPES[type], parent_id: parent }, "1");
  if (made === null) throw new Error("no channel");
  return made;
}

const channels = [
  channel("10", "Harbour", "category"),
  channel("11", "Town", "category"),
  channel("20", "general", "text", "10"),
  channel("21", "general", "text", "11"),
  channel("22", "news", "news"),
  channel("23", "lobby", "text"),
  channel("24", "Lobby", "voice"),
  channel("25", "ahoy/there", "forum", "10"),
  channel("26", "Straße", "voice", "11"),
];

describe("a channel by name", () => {
  test.each([
    ["news", ["22"]],
    ["News", ["22"]],
    ["general", ["20", "21"]],
    ["Harbour/general", ["20"]],
    ["harbour/general", ["20"]],
    ["Town/general", ["21"]],
    ["lobby", ["23"]],
    // As it is written, the name is the other's.
    ["Lobby", ["24"]],
    ["LOBBY", ["23"]],
    ["ahoy/there", ["25"]],
    ["Harbour/ahoy/there", ["25"]],
    ["Stra\u00dfe", ["26"]],
    ["Harbour", []],
    ["/news", ["22"]],
    ["nowhere/news", []],
    ["", []],
  ])("%j", (name, ids) => {
    const found = findChannel(name, channels);
    const which = found.is === "one" ? [found.channel] : found.is === "many" ? found.channels : [];
    expect(which.map(({ id }) => id)).toEqual(ids);
  });
});

describe("a server by name or id", () => {
  const guilds = [
    { id: "123456789012345678", name: "Crew" },
    { id: "223456789012345678", name: "Twins" },
    { id: "323456789012345678", name: "Twins" },
    { id: "423456789012345678", name: "crew" },
    { id: "523456789012345678", name: "Other" },
  ];
  test.each([
    ["Crew", "123456789012345678"],
    ["crew", "423456789012345678"],
    [" Other ", "523456789012345678"],
    ["OTHER", "523456789012345678"],
    ["ID:323456789012345678", "323456789012345678"],
    ["323456789012345678", "323456789012345678"],
  ])("%j", (server, id) => {
    expect(findGuild(server, guilds, INVITE)).toMatchObject({ id });
  });

  test("several of one name are told apart by their ids", () => {
    expect(findGuild("Twins", guilds, INVITE)).toMatchObject({
      cause: "config",
      why: {
        message: expect.stringMatching(/set Server to one of ID:223456789012345678, ID:323456789012345678$/u) as string,
      },
    });
  });

  test.each([
    [guilds.slice(0, 1), /it is on "Crew"/u],
    [[], /it is on no server yet/u],
  ])("where the bot is not, it is said how it gets there", (given, words) => {
    expect(findGuild("nowhere", given, INVITE)).toMatchObject({
      cause: "config",
      why: { message: expect.stringMatching(words) as string },
    });
    expect(findGuild("nowhere", given, INVITE)).toMatchObject({
      why: { message: expect.stringContaining(INVITE) as string },
    });
    expect(INVITE).toContain("oauth2/authorize?client_id=9&scope=bot&permissions=");
  });
});
