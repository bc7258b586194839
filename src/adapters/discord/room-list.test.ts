import { expect, test } from "vitest";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { findChannel } from "./find-channel.ts";
import { DiscordGuildState } from "./guild.ts";
import { ROOM_RIGHT } from "./permissions.ts";
import { channelIn, guildIn } from "./records.ts";
import { listRooms } from "./room-list.ts";

const HIDDEN = [{ id: "1", type: 0, allow: "0", deny: String(ROOM_RIGHT.viewChannel) }];
const RAW = [
  { id: "10", name: "Harbour", type: 4 },
  { id: "11", name: "Town", type: 4 },
  { id: "20", name: "general", type: 0, parent_id: "10" },
  { id: "21", name: "general", type: 0, parent_id: "11" },
  { id: "22", name: "news", type: 5 },
  { id: "23", name: "twice", type: 0, parent_id: "10" },
  { id: "24", name: "twice", type: 0, parent_id: "10" },
  { id: "25", name: "hidden", type: 0, permission_overwrites: HIDDEN },
  { id: "26", name: "a thread", type: 11, parent_id: "22", thread_metadata: { archived: false, locked: false } },
];

test("each channel that we can see goes by the shortest name that leads to it", () => {
  const channels = RAW.flatMap((one) => channelIn(one, "1") ?? []);
  const roles = [{ id: "1", name: "everyone", permissions: String(ROOM_RIGHT.viewChannel) }];
  const guild = guildIn({ id: "1", name: "Crew", owner_id: "2", roles, emojis: [] });
  if (guild === null) throw new Error("no guild");
  const self = { id: "9", roles: [], silentUntilMs: 0 };
  const state = new DiscordGuildState({ guild, channels, threads: [], self, clock: new FakeClock() });
  expect(listRooms(state)).toEqual(["Harbour/general", "Town/general", "news", "ID:23", "ID:24"]);
  expect(findChannel("Harbour/general", channels)).toMatchObject({ is: "one", channel: { id: "20" } });
});
