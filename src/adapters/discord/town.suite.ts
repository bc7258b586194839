import { onTestFinished } from "vitest";
import { after, type Beginning, enterTown, type Life, tryToOpen } from "../../../test/contract/life.ts";
import { addBot, addPerson, type Folk, giveRole } from "../../../test/servers/discord/people.ts";
import type { Right } from "../../../test/servers/discord/permissions.ts";
import { type DiscordOptions, FakeDiscord } from "../../../test/servers/discord/server.ts";
import type { AppRow, ChannelRow, GuildRow } from "../../../test/servers/discord/wire.ts";
import { open } from "./session.ts";
import type { DiscordSettings } from "./settings.ts";
import { discordSettings } from "./settings.suite.ts";

/** A server with a guild, a channel, a person, and our bot in the guild. */
export interface DiscordTown {
  readonly server: FakeDiscord;
  readonly guild: GuildRow;
  readonly channel: ChannelRow;
  readonly alice: Folk;
  readonly app: AppRow;
}

/** `rights`: what our bot may do more than everybody. */
export async function discordTown(
  options: DiscordOptions & { readonly rights?: readonly Right[] } = {},
): Promise<DiscordTown> {
  const server = await FakeDiscord.start(options);
  onTestFinished(async () => await server.stop());
  const guild = server.world.addGuild("Crew", server.world.addUser("owner"));
  const channel = server.world.addChannel(guild, "town");
  const alice = addPerson(server, guild, "alice", { global_name: "Alice" });
  const app = server.world.addApp("rialto");
  addBot(server, guild, app);
  giveRole(server, guild, app.user, options.rights ?? ["ManageWebhooks", "ManageMessages"]);
  return { server, guild, channel, alice, app };
}

export async function tryOpen(
  { server, app }: DiscordTown,
  { settings: given, ...beginning }: Beginning & { readonly settings?: Partial<DiscordSettings> } = {},
) {
  const settings = discordSettings({
    Token: app.token,
    Server: "Crew",
    ApiURL: `${server.url}/v${server.sockets.version}`,
    ...given,
  });
  return await tryToOpen(open, settings, beginning);
}

/** `before`: the life that it continues, with what the core knows. */
export async function live(
  town: DiscordTown,
  before: Life | null = null,
  settings: Partial<DiscordSettings> = {},
): Promise<Life> {
  return await enterTown(await tryOpen(town, { settings, ...after(before) }));
}
