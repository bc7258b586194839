import { describeAdapter } from "../../../test/contract/describe-adapter.ts";
import { guestNames, onFake, ONE_AND_TWO } from "../../../test/contract/fake-site.ts";
import type { Fixture, Harness } from "../../../test/contract/fixture.ts";
import { MattermostGuest } from "../../../test/servers/mattermost/guest.ts";
import { addBot } from "../../../test/servers/mattermost/people.ts";
import { FakeMattermost } from "../../../test/servers/mattermost/server.ts";
import { adapter } from "./index.ts";
import { mattermostSettings } from "./settings.suite.ts";

const TEAM = "crew";
const WRONG = "open-barley";
const PASSWORD = "open-sesame";

type Mode = "token" | "password";

async function harness(mode: Mode): Promise<Harness> {
  const server = await FakeMattermost.start({ subpath: mode === "token" ? "" : "/chat" });
  const team = server.world.addTeam(TEAM);
  for (const name of ["one", "two"]) server.world.addChannel(team.id, name);
  server.world.addChannel(team.id, "shut", { type: "P" });
  const bot = addBot(server, team, "rialto");
  const user = server.world.addUser("rialto.user");
  user.password = PASSWORD;
  server.world.members.get(team.id)?.add(user.user.id);
  const token = bot.token();
  const login = mode === "token" ? { Token: token } : { Login: "rialto.user", Password: PASSWORD };
  const settings = mattermostSettings({ Server: server.address, Team: TEAM, NoTLS: true, ...login });
  const freshName = guestNames();
  return {
    ...onFake(server),
    settings,
    wrong: {
      auth: { ...settings, ...(mode === "token" ? { Token: WRONG } : { Password: WRONG }) },
      config: { ...settings, Team: "nobody" },
      // Port 1 (tcpmux): nothing is listening there.
      unreachable: { ...settings, Server: "127.0.0.1:1" },
    },
    channels: ONE_AND_TWO,
    refused: { name: "shut", options: {} },
    secrets: [token, WRONG, PASSWORD],
    kicksWithoutReason: true,
    typingStays: true,
    burst: 3_000,
    person: () => Promise.resolve(new MattermostGuest(server, team, freshName)),
  };
}

const fixture = (mode: Mode): Fixture => ({
  adapter,
  features: new Set([
    ...(["auth", "config", "unreachable", "refused", "kick", "leave", "stall", "edit", "erase"] as const),
    ...(["react", "reply", "thread", "file", "notified", "history", "fetch", "setTopic"] as const),
    ...(["members", "rooms", "typing", "showsTyping"] as const),
  ]),
  start: async () => await harness(mode),
});

describeAdapter("Mattermost, as a bot with a token", fixture("token"));
describeAdapter("Mattermost, as a user with a password below a path", fixture("password"));
