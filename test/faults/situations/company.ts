import { addBot, addPerson, type Folk } from "../../servers/mattermost/people.ts";
import { FakeMattermost } from "../../servers/mattermost/server.ts";
import type { ServerChannel } from "../../servers/mattermost/wire.ts";
import type { Room } from "./rooms.ts";

/** A Mattermost server with the team `sales`. */
export interface Company {
  readonly server: FakeMattermost;
  readonly port: number;
  /** A channel that comes and goes, and what is read there. */
  readonly attic: ServerChannel;
  readonly room: Room;
  readonly alice: Folk;
  /** Tokens of two bots, of which one may not post. */
  readonly token: string;
  readonly mute: string;
}

export async function foundCompany(): Promise<Company> {
  const server = await FakeMattermost.start();
  const team = server.world.addTeam("sales");
  const [attic, hall] = [server.world.addChannel(team.id, "attic"), server.world.addChannel(team.id, "hall")];
  const [alice, bot, mute] = [
    addPerson(server, team, "alice"),
    addBot(server, team, "rialto"),
    addBot(server, team, "mute"),
  ];
  for (const folk of [alice, bot]) folk.enter(attic);
  mute.enter(hall);
  mute.account.denied.add("create_post");
  const room: Room = () =>
    [...server.world.posts.values()]
      .filter(({ channel_id: channel, type }) => channel === attic.id && !type.startsWith("system_"))
      .map(
        ({ props: { override_username: name }, message }) =>
          `${typeof name === "string" ? name : "rialto"}: ${message}`,
      );
  return { server, port: server.wire.port, attic, room, alice, token: bot.token(), mute: mute.token() };
}
