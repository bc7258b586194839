import { onTestFinished } from "vitest";
import { doOp } from "../../../test/contract/ops.ts";
import { RecordingHost } from "../../../test/contract/recording-host.ts";
import { addPerson, type Folk, install } from "../../../test/servers/slack/people.ts";
import { FakeSlack } from "../../../test/servers/slack/server.ts";
import type { AppRow, ChannelRow, MessageRow, TeamRow } from "../../../test/servers/slack/wire.ts";
import type { ChannelRef } from "../../contract/ids.ts";
import type { PostOp } from "../../contract/ops.ts";
import type { Outcome } from "../../contract/outcome.ts";
import type { Clock } from "../../contract/host.ts";
import type { Handlers } from "../../contract/session.ts";
import { Http } from "../kit/http.ts";
import { SlackApi } from "./api.ts";
import type { capabilities } from "./capabilities.ts";
import { handlersOf } from "./handlers.ts";
import { channelRef } from "./ids.ts";
import { KeptDoubts } from "./kept-doubts.ts";
import type { SlackLink } from "./link.ts";
import { SlackOwnMessages } from "./own-messages.ts";
import { SlackPeople } from "./people.ts";
import { SlackRoots } from "./roots.ts";
import { slackSettings } from "./settings.suite.ts";
import type { SlackSettings } from "./settings.ts";
import { SlackWeb } from "./web.ts";

/** A workspace with two channels, a person, and our app in both. */
export interface SendingTown {
  readonly server: FakeSlack;
  readonly team: TeamRow;
  readonly dock: ChannelRow;
  readonly pier: ChannelRow;
  readonly alice: Folk;
  readonly app: AppRow;
}

export async function sendingTown(): Promise<SendingTown> {
  const server = await FakeSlack.start();
  onTestFinished(async () => await server.stop());
  const team = server.world.addTeam("Crew");
  const alice = addPerson(server, team, "alice", { profile: { display_name: "Alice" } });
  const dock = server.world.addChannel(team.id, "dock", alice.id);
  const pier = server.world.addChannel(team.id, "pier", alice.id);
  const app = install(server, team, "rialto", [dock, pier]);
  return { server, team, dock, pier, alice, app };
}

/** One life of an account, as far as it sends: nothing comes back to it by a socket. */
export interface SendingLife {
  readonly host: RecordingHost;
  readonly link: SlackLink;
  readonly handlers: Handlers<typeof capabilities>;
  readonly dock: ChannelRef;
  readonly pier: ChannelRef;
}

export function sending(
  { server, app, team, dock, pier }: SendingTown,
  more: {
    readonly settings?: Partial<SlackSettings>;
    readonly toldTs?: string;
    /** The life that it continues. */
    readonly before?: SendingLife;
    readonly clock?: Clock;
  } = {},
): SendingLife {
  const host = new RecordingHost(more.clock);
  const http = new Http(host.clock);
  onTestFinished(() => http.close());
  const settings = slackSettings({ Token: app.token, ApiURL: server.url, ...more.settings });
  const base = new URL(server.url);
  const web = new SlackWeb({ http, clock: host.clock, base, token: app.token, scopesAt: "the app's page" });
  const api = new SlackApi(web, { http, base, token: app.token });
  const me = {
    userId: app.user.id,
    botId: app.botId,
    appId: app.id,
    teamId: team.id,
    name: app.name,
    teamUrl: "",
    scopes: app.scopes,
  };
  const rooms = new Map(
    [dock, pier].map(({ id, name }) => [channelRef(id), { id, name, isPrivate: false, joined: true }]),
  );
  const link: SlackLink = {
    api,
    host,
    settings,
    me,
    people: new SlackPeople({ api, clock: host.clock, settings }),
    own: new SlackOwnMessages(me),
    roots: new SlackRoots(api),
    doubts: new KeptDoubts(more.before?.link.doubts.write()),
    toldTs: more.toldTs ?? "",
    hasEmoji: (name) => team.emoji.has(name),
    room: (channel) => rooms.get(channel) ?? null,
    lose: (channel, why, retryInMs) => host.lost(channel, why, retryInMs),
  };
  return { host, link, handlers: handlersOf(link), dock: channelRef(dock.id), pier: channelRef(pier.id) };
}

/** Tried again and again as the core does it, until it has ended, at the times that the outcomes ask for. */
export async function doWhole(life: SendingLife, op: PostOp): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  let { resume } = op;
  for (let tries = 1; tries <= 10; tries += 1) {
    const { outcome, attempt } = await doOp(life, { ...op, resume, attempt: tries });
    outcomes.push(outcome);
    resume = attempt.confirmed.at(-1) ?? resume;
    if (outcome.is !== "deferred" && outcome.is !== "unknown") return outcomes;
  }
  return outcomes;
}

/** What stands in the channel and our app has posted, the oldest first. */
export function ours({ server, app }: SendingTown, channel: ChannelRow): readonly MessageRow[] {
  return [...server.world.channel(channel.id).messages.values()].filter(
    ({ wire }) => wire.app_id === app.id && wire.subtype !== "tombstone",
  );
}

export const textsOf = (town: SendingTown): readonly string[] =>
  ours(town, town.dock).map(({ wire }) => wire.text ?? "");
