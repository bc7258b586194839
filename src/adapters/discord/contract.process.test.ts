import { describeAdapter } from "../../../test/contract/describe-adapter.ts";
import { guestNames, onFake, ONE_AND_TWO } from "../../../test/contract/fake-site.ts";
import type { Fixture, Harness } from "../../../test/contract/fixture.ts";
import { DiscordGuest } from "../../../test/servers/discord/guest.ts";
import { addBot, giveRole } from "../../../test/servers/discord/people.ts";
import { FakeDiscord } from "../../../test/servers/discord/server.ts";
import { adapter } from "./index.ts";
import { discordSettings } from "./settings.suite.ts";

const WRONG = "MTIzNDU2Nzg5MDEyMzQ1Njc4.Gfake0.open-barley";

type Mode = "webhooks" | "bot";

async function harness(mode: Mode): Promise<Harness> {
  const server = await FakeDiscord.start();
  // A case posts some hundred lines; what limits do is tried elsewhere.
  server.limits.off = true;
  const guild = server.world.addGuild("Crew", server.world.addUser("owner"));
  for (const name of ["one", "two"]) server.world.addChannel(guild, name);
  const shut = server.world.addChannel(guild, "shut");
  server.world.overwrite(shut, guild.id, [], ["ViewChannel"]);
  const app = server.world.addApp("rialto");
  addBot(server, guild, app);
  if (mode === "webhooks") giveRole(server, guild, app.user, ["ManageWebhooks"]);
  const ApiURL = mode === "webhooks" ? `${server.url}/v10` : server.url;
  const settings = discordSettings({ Token: app.token, Server: "Crew", ApiURL });
  const freshName = guestNames();
  return {
    ...onFake(server),
    settings,
    wrong: {
      auth: { ...settings, Token: WRONG },
      config: { ...settings, Server: "Nobody" },
      // Port 1 (tcpmux): nothing is listening there.
      unreachable: { ...settings, ApiURL: "http://127.0.0.1:1/api/v10" },
    },
    channels: ONE_AND_TWO,
    refused: { name: "shut", options: {} },
    secrets: [app.token, WRONG],
    burst: 3_000,
    typingStays: true,
    person: () => Promise.resolve(new DiscordGuest(server, guild, freshName)),
  };
}

/** Nobody is kicked: the network says neither by whom nor why, and whoever was does not come back by himself. */
const fixture = (mode: Mode): Fixture => ({
  adapter,
  features: new Set([
    ...(["auth", "config", "unreachable", "refused", "leave", "stall", "edit", "erase"] as const),
    ...(["react", "reply", "thread", "file", "notified", "history", "announces", "fetch", "rooms", "typing"] as const),
    "showsTyping",
  ]),
  start: async () => await harness(mode),
});

describeAdapter("Discord through webhooks", fixture("webhooks"));
describeAdapter("Discord as a plain bot", fixture("bot"));
