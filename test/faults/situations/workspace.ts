import { manifestText } from "../../../src/adapters/slack/town.suite.ts";
import { addPerson, type Folk, install } from "../../servers/slack/people.ts";
import { seen } from "../../servers/slack/seen.ts";
import { FakeSlack } from "../../servers/slack/server.ts";
import type { AppRow, ChannelRow } from "../../servers/slack/wire.ts";
import type { Room } from "./rooms.ts";

/** A workspace of Slack, and an app for each thing that can be wrong with one. */
export interface Workspace {
  readonly server: FakeSlack;
  readonly port: number;
  readonly alice: Folk;
  /** A channel that comes and goes, and what is read there. */
  readonly attic: ChannelRow;
  readonly room: Room;
  /** Token and AppToken of apps, by what is the matter with them. */
  readonly tokens: Readonly<
    Record<"well" | "walker" | "removed" | "deaf" | "closed" | "mute" | "nameless" | "mixed" | "shy", string>
  >;
}

export async function foundWorkspace(): Promise<Workspace> {
  const server = await FakeSlack.start();
  const { world } = server;
  const team = world.addTeam("Our Works");
  const alice = addPerson(server, team, "alice");
  const [attic, hall, cellar] = ["attic", "hall", "cellar"].map((name) => world.addChannel(team.id, name, alice.id));
  if (attic === undefined || hall === undefined || cellar === undefined) throw new Error("there are no channels");
  world.addChannel(team.id, "staff", alice.id, true);
  alice.archive(cellar);
  const made = (name: string, broken: (app: AppRow) => void = () => undefined): AppRow => {
    const app = install(server, team, name, [], manifestText());
    broken(app);
    return app;
  };
  const apps = {
    well: made("rialto"),
    // Of two connections of one app, each hears a part.
    walker: made("walker"),
    removed: made("removed", (app) => (app.revoked = "account_inactive")),
    deaf: made("deaf", (app) => (app.socketMode = false)),
    closed: made("closed", (app) => app.appScopes.clear()),
    mute: made("mute", (app) => app.scopes.delete("chat:write")),
    nameless: made("nameless", ({ scopes }) => {
      for (const scope of ["chat:write.customize", "reactions:read", "files:write"]) scopes.delete(scope);
    }),
    shy: made("shy", (app) => app.scopes.delete("channels:join")),
  };
  const both = ({ token, appToken }: AppRow): string => `${token} ${appToken}`;
  const tokens = {
    well: both(apps.well),
    walker: both(apps.walker),
    removed: both(apps.removed),
    deaf: both(apps.deaf),
    closed: both(apps.closed),
    mute: both(apps.mute),
    nameless: both(apps.nameless),
    shy: both(apps.shy),
    mixed: `${apps.well.token} ${apps.shy.appToken}`,
  };
  const room: Room = () =>
    [...attic.messages.values()].flatMap(({ wire }) =>
      wire.app_id === apps.well.id ? [`${wire.username ?? "rialto"}: ${seen(wire, (user) => user)}`] : [],
    );
  return { server, port: server.wire.port, alice, attic, room, tokens };
}
