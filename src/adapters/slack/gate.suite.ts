import { onTestFinished } from "vitest";
import { RecordingHost } from "../../../test/contract/recording-host.ts";
import { addPerson, type Folk, install } from "../../../test/servers/slack/people.ts";
import { FakeSlack } from "../../../test/servers/slack/server.ts";
import type { AppRow, ChannelRow, TeamRow } from "../../../test/servers/slack/wire.ts";
import { eventually } from "../../../test/support/wait.ts";
import { Http } from "../kit/http.ts";
import { SlackApi } from "./api.ts";
import type { SlackEvent } from "./envelopes.ts";
import { APP_SCOPES_AT, BOT_SCOPES_AT } from "./login.ts";
import { apiOf } from "./settings.ts";
import { openEvents, type OpenedEvents, type SlackEvents } from "./socket-mode.ts";
import { SlackWeb } from "./web.ts";

/** A workspace with a channel, a person, and an app of ours in the channel. */
export interface SlackGate {
  readonly server: FakeSlack;
  readonly team: TeamRow;
  readonly channel: ChannelRow;
  readonly alice: Folk;
  readonly app: AppRow;
}

export async function slackGate(): Promise<SlackGate> {
  const server = await FakeSlack.start();
  onTestFinished(async () => await server.stop());
  server.hub.ackMs = 60_000;
  const team = server.world.addTeam("Crew");
  const alice = addPerson(server, team, "alice");
  const channel = server.world.addChannel(team.id, "town", alice.id);
  const app = install(server, team, "rialto", [channel]);
  return { server, team, channel, alice, app };
}

export function apiOn(
  { server, app }: SlackGate,
  more: { readonly host?: RecordingHost; readonly token?: string; readonly base?: string } = {},
): SlackApi {
  const { host = new RecordingHost(), token = app.token, base: ApiURL = server.url } = more;
  const http = new Http(host.clock);
  onTestFinished(() => http.close());
  const base = apiOf({ ApiURL });
  const web = new SlackWeb({ http, clock: host.clock, base, token, scopesAt: BOT_SCOPES_AT });
  return new SlackApi(web, { http, base, token });
}

/** `appToken`: that of the app when none is given. */
export async function tryEvents(
  { server, app }: SlackGate,
  host: RecordingHost,
  { appToken = app.appToken, signal = never }: { readonly appToken?: string; readonly signal?: AbortSignal } = {},
): Promise<OpenedEvents> {
  const http = new Http(host.clock);
  const base = apiOf({ ApiURL: server.url });
  const web = new SlackWeb({ http, clock: host.clock, base, token: appToken, scopesAt: APP_SCOPES_AT });
  const opened = await openEvents({ web, host }, signal);
  onTestFinished(() => {
    if (opened.ok) opened.events.end();
    http.close();
  });
  return opened;
}

const never = new AbortController().signal;

/** What is told of messages, in words; `done` is called at once unless `acks` is false. */
export interface Listening {
  readonly host: RecordingHost;
  readonly events: SlackEvents;
  readonly told: string[];
  readonly heard: SlackEvent[];
  gaps: number;
}

export async function listening(
  gate: SlackGate,
  { host = new RecordingHost(), acks = true }: { readonly host?: RecordingHost; readonly acks?: boolean } = {},
): Promise<Listening> {
  const opened = await tryEvents(gate, host);
  if (!opened.ok) throw new Error(opened.ended.why.message);
  const { events } = opened;
  const made: Listening = { host, events, told: [], heard: [], gaps: 0 };
  events.onGap = () => void (made.gaps += 1);
  events.listen((event) => {
    made.heard.push(event);
    const { text } = event.event;
    made.told.push(typeof text === "string" ? text : event.type);
    if (acks) event.done();
  });
  return made;
}

export async function told({ told }: Listening, words: string): Promise<void> {
  await until(
    () => told.includes(words),
    () => `${words}; had ${told.join(", ")}`,
  );
}

export async function until(is: () => boolean, what: () => string): Promise<void> {
  await eventually(async () => await Promise.resolve(is()), Boolean, what);
}
