import { onTestFinished } from "vitest";
import { after, type Beginning, enterTown, type Life, tryToOpen } from "../../../test/contract/life.ts";
import { addPerson, type Folk } from "../../../test/servers/mattermost/people.ts";
import { FakeMattermost, type MattermostOptions } from "../../../test/servers/mattermost/server.ts";
import type { PostRow, ServerChannel, Team } from "../../../test/servers/mattermost/wire.ts";
import { open } from "./session.ts";
import type { MattermostSettings } from "./settings.ts";
import { mattermostSettings } from "./settings.suite.ts";

/** A server with a team, a channel, a person, and our bot in both. */
export interface MattermostTown {
  readonly server: FakeMattermost;
  readonly team: Team;
  readonly channel: ServerChannel;
  readonly alice: Folk;
  readonly bot: Folk;
  readonly token: string;
}

export async function mattermostTown(options: MattermostOptions = {}): Promise<MattermostTown> {
  const server = await FakeMattermost.start(options);
  onTestFinished(async () => await server.stop());
  const team = server.world.addTeam("team");
  const channel = server.world.addChannel(team.id, "town");
  const alice = addPerson(server, team, "alice", { nickname: "Alice" });
  const bot = addPerson(server, team, "rialto", { is_bot: true });
  alice.enter(channel);
  bot.enter(channel);
  return { server, team, channel, alice, bot, token: bot.token() };
}

export async function tryOpen(
  { server, token }: MattermostTown,
  { settings: given, ...beginning }: Beginning & { readonly settings?: Partial<MattermostSettings> } = {},
) {
  const settings = mattermostSettings({ Server: server.address, NoTLS: true, Team: "team", Token: token, ...given });
  return await tryToOpen(open, settings, beginning);
}

/** `before`: the life that it continues, with what the core knows, or another host than usual. */
export async function live(town: MattermostTown, before: Pick<Life, "host"> | null = null): Promise<Life> {
  return await enterTown(await tryOpen(town, after(before)));
}

/** What stands in the channel and our bot has posted, the oldest first. */
export function ours({ server, bot, channel }: MattermostTown): readonly PostRow[] {
  return [...server.world.posts.values()].filter(
    ({ user_id: user, channel_id: place, delete_at: gone, original_id: of, type }) =>
      user === bot.id && place === channel.id && gone === 0 && of === "" && type === "",
  );
}
