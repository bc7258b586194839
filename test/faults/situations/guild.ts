import { ChannelType, MessageType } from "discord-api-types/v10";
import { addBot, addPerson, type Folk, giveRole } from "../../servers/discord/people.ts";
import type { Right } from "../../servers/discord/permissions.ts";
import { FakeDiscord } from "../../servers/discord/server.ts";
import type { AppRow, ChannelRow } from "../../servers/discord/wire.ts";
import type { Room } from "./rooms.ts";

/** A server of Discord with the guild `Our Town`, and a bot for each thing that can be wrong with one. */
export interface Guild {
  readonly server: FakeDiscord;
  readonly port: number;
  readonly alice: Folk;
  /** A channel that comes and goes, and what is read in those of its name. */
  readonly attic: ChannelRow;
  readonly room: Room;
  /** Makes another channel `attic`. */
  readonly restore: () => void;
  /** Tokens of bots, by what is the matter with them. */
  readonly tokens: Readonly<Record<"well" | "unheard" | "aloof" | "nameless" | "outside", string>>;
}

export async function foundGuild(): Promise<Guild> {
  const server = await FakeDiscord.start();
  const { world } = server;
  const guild = world.addGuild("Our Town", world.addUser("mayor"));
  const [lounge, workshop] = ["Lounge", "Workshop"].map((name) =>
    world.addChannel(guild, name, ChannelType.GuildCategory),
  );
  const attic = world.addChannel(guild, "attic");
  for (const parent of [lounge, workshop]) world.addChannel(guild, "general", ChannelType.GuildText, parent);
  const [staff, rules] = [world.addChannel(guild, "staff"), world.addChannel(guild, "rules")];
  for (const name of ["hall", "porch"]) world.addChannel(guild, name);
  const alice = addPerson(server, guild, "alice");
  const bot = (name: string, rights: readonly Right[], isIn = true): AppRow => {
    const app = world.addApp(name);
    if (!isIn) return app;
    addBot(server, guild, app);
    if (rights.length > 0) giveRole(server, guild, app.user, rights);
    return app;
  };
  const apps = {
    well: bot("rialto", ["ManageWebhooks"]),
    unheard: bot("deaf", []),
    aloof: bot("aloof", ["ManageWebhooks"]),
    nameless: bot("plain", []),
    outside: bot("stranger", [], false),
  };
  apps.unheard.portal.messageContent = false;
  apps.aloof.portal.members = false;
  world.overwrite(staff, apps.well.user.id, [], ["ViewChannel"]);
  world.overwrite(rules, apps.well.user.id, [], ["SendMessages", "ManageWebhooks"]);
  const nameOf = (channel: string): string => world.channels.get(channel)?.name ?? "";
  const room: Room = () =>
    [...world.messages.values()]
      .filter(
        ({ channel, wire }) =>
          (channel === attic.id || nameOf(channel) === "attic") && wire.type === MessageType.Default,
      )
      .map(({ wire: { author, content } }) => `${author.username}: ${content}`);
  const tokens = {
    well: apps.well.token,
    unheard: apps.unheard.token,
    aloof: apps.aloof.token,
    nameless: apps.nameless.token,
    outside: apps.outside.token,
  };
  const restore = (): void => void world.addChannel(guild, "attic");
  return { server, port: server.wire.port, alice, attic, room, restore, tokens };
}
