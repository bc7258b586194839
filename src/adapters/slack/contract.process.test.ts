import { describeAdapter } from "../../../test/contract/describe-adapter.ts";
import { guestNames, onFake, ONE_AND_TWO } from "../../../test/contract/fake-site.ts";
import type { Fixture, Harness } from "../../../test/contract/fixture.ts";
import { SlackGuest } from "../../../test/servers/slack/guest.ts";
import { addPerson, install } from "../../../test/servers/slack/people.ts";
import { FakeSlack } from "../../../test/servers/slack/server.ts";
import { adapter } from "./index.ts";
import { slackSettings } from "./settings.suite.ts";
import { manifestText } from "./town.suite.ts";

const WRONG = "xoxb-1-2-openbarley";

/** With the right to speak under names of others, or without; below a path as servers of others have it, too. */
type Mode = "names" | "plain";

async function harness(mode: Mode): Promise<Harness> {
  const server = await FakeSlack.start(mode === "names" ? {} : { base: "/slack/api/" });
  // A case posts some hundred lines; what limits do is tried elsewhere.
  server.limits.off = true;
  const team = server.world.addTeam("Crew");
  const owner = addPerson(server, team, "owner");
  for (const name of ["one", "two"]) server.world.addChannel(team.id, name, owner.id);
  server.world.addChannel(team.id, "shut", owner.id, true);
  const app = install(server, team, "rialto", [], manifestText());
  if (mode === "plain") app.scopes.delete("chat:write.customize");
  const settings = slackSettings({ Token: app.token, AppToken: app.appToken, ApiURL: server.url });
  const freshName = guestNames();
  return {
    ...onFake(server),
    settings,
    wrong: {
      auth: { ...settings, Token: WRONG },
      // Another path of the same site is a web page.
      config: { ...settings, ApiURL: server.url.replace(/api\/$/u, "") },
      // Port 1 (tcpmux): nothing is listening there.
      unreachable: { ...settings, ApiURL: "http://127.0.0.1:1/api/" },
    },
    channels: ONE_AND_TWO,
    refused: { name: "shut", options: {} },
    secrets: [app.token, app.appToken, WRONG],
    burst: 3_000,
    person: () => Promise.resolve(new SlackGuest(server, team, freshName)),
  };
}

/** Nobody is kicked: the network does not say by whom. What it does to us is tried in `places.process.test.ts`. */
const fixture = (mode: Mode): Fixture => ({
  adapter,
  features: new Set([
    ...(["auth", "config", "unreachable", "refused", "leave", "stall", "edit", "erase"] as const),
    ...(["react", "reply", "thread", "file", "notified", "history", "fetch", "setTopic", "members", "rooms"] as const),
  ]),
  start: async () => await harness(mode),
});

describeAdapter("Slack, where the app may take the names of others", fixture("names"));
describeAdapter("Slack, where the app speaks for itself", fixture("plain"));
