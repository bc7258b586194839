import { PermissionFlagsBits } from "discord-api-types/v10";
import { expect, test } from "vitest";
import { ROOM_RIGHT, rightsIn } from "./permissions.ts";
import type { DiscordOverwrite, DiscordRole, DiscordSelf } from "./records.ts";

const { viewChannel: VIEW, sendMessages: SEND, readHistory: READ, administrator: ADMIN } = ROOM_RIGHT;
const NOW = 1_000;

const role = (id: string, permissions: bigint): DiscordRole => ({ id, name: id, permissions, mentionable: false });
const over = (id: string, allow: bigint, deny: bigint, isRole = true): DiscordOverwrite => ({
  id,
  isRole,
  allow,
  deny,
});

function rights(
  roles: readonly DiscordRole[],
  overwrites: readonly DiscordOverwrite[],
  self: Partial<DiscordSelf> = {},
  owner = "owner",
): bigint {
  const guild = { id: "guild", owner, roles };
  return rightsIn(guild, { id: "me", roles: ["a", "b"], silentUntilMs: 0, ...self }, { overwrites }, NOW);
}

const everyone = role("guild", VIEW | SEND | READ);

test.each([
  ["what everybody may", rights([everyone], []), VIEW | SEND | READ],
  ["what our roles allow on top", rights([role("guild", VIEW), role("a", SEND), role("c", READ)], []), VIEW | SEND],
  ["a channel shut for everybody", rights([everyone], [over("guild", 0n, VIEW)]), SEND | READ],
  [
    "and open for a role of ours",
    rights([everyone], [over("guild", 0n, VIEW), over("a", VIEW, 0n)]),
    VIEW | SEND | READ,
  ],
  [
    "a role of ours allows what another denies",
    rights([everyone], [over("a", 0n, SEND), over("b", SEND, 0n)]),
    VIEW | SEND | READ,
  ],
  ["a role that is not ours", rights([everyone], [over("c", 0n, SEND)]), VIEW | SEND | READ],
  [
    "our own overwrite has the last word",
    rights([everyone], [over("a", SEND, 0n), over("me", 0n, SEND, false)]),
    VIEW | READ,
  ],
  ["one of somebody else", rights([everyone], [over("you", 0n, SEND, false)]), VIEW | SEND | READ],
  ["a time-out", rights([everyone], [], { silentUntilMs: NOW + 1 }), VIEW | READ],
  ["one that is over", rights([everyone], [], { silentUntilMs: NOW }), VIEW | SEND | READ],
])("%s", (_, given, expected) => {
  expect(given).toBe(expected);
});

test.each([
  [
    "an administrator",
    rights([role("guild", 0n), role("a", ADMIN)], [over("guild", 0n, VIEW), over("me", 0n, SEND, false)]),
  ],
  ["the owner", rights([role("guild", 0n)], [over("guild", 0n, VIEW)], { silentUntilMs: NOW + 1 }, "me")],
])("%s may do everything", (_, given) => {
  for (const bit of Object.values(PermissionFlagsBits)) expect(given & bit).toBe(bit);
});

test("the bits are the network's", () => {
  const bits = PermissionFlagsBits;
  expect(ROOM_RIGHT).toEqual({
    administrator: bits.Administrator,
    viewChannel: bits.ViewChannel,
    sendMessages: bits.SendMessages,
    addReactions: bits.AddReactions,
    readHistory: bits.ReadMessageHistory,
    connect: bits.Connect,
    manageWebhooks: bits.ManageWebhooks,
    manageThreads: bits.ManageThreads,
    sendInThreads: bits.SendMessagesInThreads,
  });
});
