import { expect, test } from "vitest";
import { siteOf } from "./site.ts";

const DISCORD = ["https://discord.com", "https://cdn.discordapp.com", "discord.com/developers/applications"];

test.each([
  ["https://discord.com/api/v10", DISCORD],
  ["https://canary.discord.com/api", DISCORD],
  ["https://discordapp.com/api/v9", DISCORD],
  ["not an address", DISCORD],
  [
    "https://chat.example.org:8443/api/v9",
    ["https://chat.example.org:8443", "https://chat.example.org:8443", "chat.example.org:8443"],
  ],
  ["https://notdiscord.com/api/v9", ["https://notdiscord.com", "https://notdiscord.com", "notdiscord.com"]],
  [
    "https://discord.com.example.org/api",
    ["https://discord.com.example.org", "https://discord.com.example.org", "discord.com.example.org"],
  ],
])("what the API at %s belongs to", (ApiURL, expected) => {
  const { web, cdn, portal } = siteOf({ ApiURL });
  expect([web, cdn, portal]).toEqual(expected);
});
