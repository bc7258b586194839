import { describe, expect, test } from "vitest";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { DiscordGuildState } from "./guild.ts";
import { ROOM_RIGHT } from "./permissions.ts";
import { channelIn, type DiscordChannel, guildIn } from "./records.ts";

const VIEW = ROOM_RIGHT.viewChannel;
const role = (id: string, permissions: bigint) => ({ id, name: id, permissions: String(permissions) });
const raw = (id: string, more: object = {}) => ({ id, type: 0, name: `c${id}`, guild_id: "1", ...more });
const thread = (id: string, archived: boolean) =>
  raw(id, { type: 11, parent_id: "10", thread_metadata: { archived, locked: false } });

function channel(given: object): DiscordChannel {
  const made = channelIn(given, "1");
  if (made === null) throw new Error("no channel");
  return made;
}

function stateOf(channels: readonly object[] = [raw("10")]): DiscordGuildState {
  const guild = guildIn({ id: "1", name: "Crew", owner_id: "2", roles: [role("1", VIEW)], emojis: [] });
  if (guild === null) throw new Error("no guild");
  const self = { id: "9", roles: [], silentUntilMs: 0 };
  return new DiscordGuildState({ guild, channels: channels.map(channel), threads: [], self, clock: new FakeClock() });
}

const event = (type: string, data: object) => ({ type, data: { guild_id: "1", ...data } });

describe("what events say of a server", () => {
  test.each([
    ["CHANNEL_CREATE", raw("11"), true],
    ["CHANNEL_UPDATE", raw("10", { name: "new" }), true],
    ["CHANNEL_DELETE", raw("10"), true],
    ["CHANNEL_DELETE", raw("77"), false],
    ["CHANNEL_CREATE", raw("11", { guild_id: "2" }), false],
    ["CHANNEL_CREATE", { id: "x" }, false],
    ["THREAD_CREATE", thread("12", false), true],
    ["THREAD_LIST_SYNC", { threads: [thread("12", false)] }, true],
    ["GUILD_ROLE_UPDATE", { role: role("1", 0n) }, true],
    ["GUILD_ROLE_CREATE", { role: null }, false],
    ["GUILD_ROLE_DELETE", { role_id: "1" }, true],
    ["GUILD_MEMBER_UPDATE", { user: { id: "9" }, roles: ["5"] }, true],
    ["GUILD_MEMBER_UPDATE", { user: { id: "8" }, roles: ["5"] }, false],
    ["GUILD_ROLE_DELETE", { guild_id: "2", role_id: "1" }, false],
    ["GUILD_UPDATE", { id: "1", name: "Other" }, true],
    ["GUILD_CREATE", { id: "1", unavailable: true }, false],
    ["GUILD_CREATE", { id: "2" }, false],
    ["MESSAGE_CREATE", raw("11"), false],
  ])("%s %j changes what we may do: %j", (type, data, changes) => {
    expect(stateOf().take(event(type, data))).toBe(changes);
  });

  test.each([
    [{}, null],
    [{ nsfw: true }, "age-restricted channel"],
    [{ flags: 2_097_152 }, "spoiler channel"],
    [{ flags: 2 }, null],
  ])("%j hides the files of a channel and of its threads: %j", (more, why) => {
    const state = stateOf();
    state.take(event("THREAD_CREATE", thread("12", false)));
    state.take(event("CHANNEL_UPDATE", raw("10", more)));
    expect([state.hidden("10"), state.hidden("12"), state.hidden("77")]).toEqual([why, why, null]);
  });

  test("roles and overwrites count at once, of a thread those of its channel", () => {
    const state = stateOf();
    state.take(event("THREAD_CREATE", thread("12", false)));
    expect([state.rights("10"), state.rights("12"), state.rights("77")]).toEqual([VIEW, VIEW, 0n]);
    const denied = { permission_overwrites: [{ id: "1", type: 0, allow: "0", deny: String(VIEW) }] };
    state.take(event("CHANNEL_UPDATE", raw("10", denied)));
    expect([state.rights("10"), state.rights("12")]).toEqual([0n, 0n]);
    state.take(event("GUILD_ROLE_CREATE", { role: role("5", ROOM_RIGHT.administrator) }));
    state.take(event("GUILD_MEMBER_UPDATE", { user: { id: "9" }, roles: ["5"] }));
    expect(state.rights("12") & VIEW).toBe(VIEW);
  });

  test("emojis are found as they are written, else but for case where that is plain", () => {
    const state = stateOf();
    const emojis = ["Ship", "ship", "Oar"].map((name, at) => ({ id: String(at + 50), name }));
    state.take(event("GUILD_EMOJIS_UPDATE", { emojis }));
    const found = ["Ship", "ship", "oar", "SHIP", "none"].map((name) => state.emojiNamed(name)?.id ?? null);
    expect(found).toEqual(["50", "51", "52", null, null]);
  });

  test("a server that is told anew keeps its archived threads, and nothing else that is not there", () => {
    const state = stateOf([raw("10"), raw("11"), thread("12", true), thread("13", false)]);
    state.take({
      type: "GUILD_CREATE",
      data: { id: "1", name: "Crew", owner_id: "2", channels: [raw("10")], threads: [] },
    });
    expect(state.channels.map(({ id }) => id)).toEqual(["10", "12"]);
  });

  test("archived threads that nobody uses are forgotten one day", () => {
    const state = stateOf();
    state.put(channel(thread("12", true)));
    state.keep("12", true);
    for (let id = 1_000; id < 6_000; id += 1) state.put(channel(thread(String(id), true)));
    expect(state.channels.length).toBe(3_000);
    expect([state.channel("10"), state.channel("12"), state.channel("5999")].map((one) => one?.id)).toEqual([
      "10",
      "12",
      "5999",
    ]);
  });
});
