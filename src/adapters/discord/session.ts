import type { Opened, OpenArgs } from "../../contract/adapter.ts";
import type { Host } from "../../contract/host.ts";
import type { Ended, Handlers } from "../../contract/session.ts";
import { lost, misconfigured } from "../kit/ends.ts";
import { Http } from "../kit/http.ts";
import { publicBy } from "../kit/trust.ts";
import { numberIn, objectIn, textIn } from "../kit/json.ts";
import { DiscordApi } from "./api.ts";
import type { capabilities } from "./capabilities.ts";
import { endOf, membersIntent } from "./endings.ts";
import { findGuild, inviteLink } from "./find-guild.ts";
import { openGateway } from "./gateway.ts";
import { DiscordGuildState } from "./guild.ts";
import { DiscordSession } from "./live.ts";
import { DiscordPositions } from "./positions.ts";
import { DiscordRest } from "./rest.ts";
import type { DiscordFailure, DiscordResult } from "./rest-result.ts";
import { apiOf, type DiscordSettings, tokenOf } from "./settings.ts";
import { siteOf } from "./site.ts";
import { isGateway } from "./shard.ts";

type DiscordOpened = Opened<Handlers<typeof capabilities>>;

/** `ApplicationFlags`: the switches of the portal, for bots of many servers and of few. */
const MEMBERS_FLAGS = (1 << 14) | (1 << 15);
const CONTENT_FLAGS = (1 << 18) | (1 << 19);

/** `GatewayIntentBits`: guilds, expressions, webhooks, messages, reactions, who types, and what is in messages. */
const INTENTS = (1 << 0) | (1 << 3) | (1 << 5) | (1 << 9) | (1 << 10) | (1 << 11) | (1 << 15);
const MEMBERS = 1 << 1;

/** Logs in at Discord, and takes up what happens on one server of it. */
export async function open(args: OpenArgs<DiscordSettings>): Promise<DiscordOpened> {
  const { settings, host } = args;
  const http = new Http(host.clock, publicBy(settings.Proxy));
  const { clock, log } = host;
  const degraded: Host["degraded"] = (why, about) => host.degraded(why, about);
  const rest = new DiscordRest({ http, clock, log, degraded, ...apiOf(settings), token: tokenOf(settings) });
  const opened = await begin(args, { http, rest, api: new DiscordApi(rest, http) });
  if (opened.ok) return opened;
  rest.close();
  http.close();
  return opened;
}

interface Reach {
  readonly http: Http;
  readonly rest: DiscordRest;
  readonly api: DiscordApi;
}

async function begin(args: OpenArgs<DiscordSettings>, reach: Reach): Promise<DiscordOpened> {
  const { settings, host, since, signal } = args;
  const { api } = reach;
  const site = siteOf(settings);
  const me = await api.me(signal);
  if (!me.ok) return failed(isElsewhere(me.failure) ? elsewhere(since === null) : endOf(me.failure, site.portal));
  const application = await api.application(signal);
  if (!application.ok) return failed(endOf(application.failure, site.portal));
  const { id, flags } = application.value;
  // Servers like Discord's have no such switches: whether content is granted, the gateway says.
  const hearsOfMembers = (flags & MEMBERS_FLAGS) !== 0 || (flags & CONTENT_FLAGS) === 0;
  const guilds = await api.guilds(signal);
  if (!guilds.ok) return failed(endOf(guilds.failure, site.portal));
  const guild = findGuild(settings.Server, guilds.value, inviteLink(id, site.web));
  if ("cause" in guild) return failed(guild);
  const state = await stateOf(api, guild.id, me.value.id, args);
  if (!state.ok) return failed(endOf(state.failure, site.portal));
  const entrance = await entranceOf(api, site.portal, signal);
  if ("cause" in entrance) return failed(entrance);
  const positions = new DiscordPositions(since);
  const intents = hearsOfMembers ? INTENTS | MEMBERS : INTENTS;
  const [token, { version }] = [tokenOf(settings), apiOf(settings)];
  const trust = publicBy(settings.Proxy);
  const own = { version, token, intents, guild: guild.id, portal: site.portal };
  const wanted = { host, ...entrance, ...own, trust, signal };
  const opened = await openGateway(wanted, positions.durable);
  if (!opened.ok) return failed(opened.ended);
  if (!hearsOfMembers) host.degraded({ code: "config", message: membersIntent(site.portal) }, "members");
  const { gateway, resumed } = opened;
  host.log.debug({ user: me.value.username, guild: guild.name, resumed }, "logged in");
  const session = new DiscordSession({
    ...reach,
    settings,
    host,
    me: me.value,
    application: id,
    state: state.value,
    gateway,
    resumed,
    positions,
    hearsOfMembers,
  });
  return { ok: true, session };
}

/** What the gateway tells only whoever begins anew. */
async function stateOf(
  api: DiscordApi,
  id: string,
  me: string,
  { host, signal }: Pick<OpenArgs<DiscordSettings>, "host" | "signal">,
): Promise<DiscordResult<DiscordGuildState>> {
  const guild = await api.guild(id, signal);
  if (!guild.ok) return guild;
  // Everybody has a role, so a guild without roles is one whose roles the server lists elsewhere.
  const roles =
    guild.value.roles.length > 0 ? ({ ok: true, value: guild.value.roles } as const) : await api.roles(id, signal);
  if (!roles.ok) return roles;
  const channels = await api.channels(id, signal);
  if (!channels.ok) return channels;
  const threads = await api.activeThreads(id, signal);
  // A server without threads has no such list.
  if (!threads.ok && threads.failure.status !== 404) return threads;
  const self = await api.self(id, me, signal);
  if (!self.ok) return self;
  const value = new DiscordGuildState({
    guild: { ...guild.value, roles: roles.value },
    channels: channels.value,
    threads: threads.ok ? threads.value : [],
    self: self.value,
    clock: host.clock,
  });
  return { ok: true, value };
}

/** Where the gateway is. `full`: why no new session can be begun there; null: one can. */
async function entranceOf(
  api: DiscordApi,
  portal: string,
  signal: AbortSignal,
): Promise<{ readonly url: string; readonly full: Ended | null } | Ended> {
  const gateway = await api.gateway(signal);
  if (!gateway.ok) return endOf(gateway.failure, portal);
  const url = textIn(gateway.value, "url") ?? "";
  if (!isGateway(url)) return lost("remote_error", "Discord does not say where its gateway is");
  const limit = objectIn(gateway.value, "session_start_limit");
  if (numberIn(limit, "remaining") !== 0) return { url, full: null };
  const hours = Math.ceil((numberIn(limit, "reset_after") ?? 0) / 3_600_000);
  const message = `the bot has logged in so often that Discord lets it in again only in ${hours} h; something else may use its token`;
  return { url, full: lost("rate_limited", message) };
}

/** An answer that is none of Discord's. */
const isElsewhere = ({ why, status, code }: DiscordFailure): boolean =>
  why === "unreadable" || (status === 404 && code === 0);

/** Where we have been before, it is a proxy with nothing behind it for now. */
function elsewhere(isFirst: boolean): Ended {
  return isFirst
    ? misconfigured("there is no API of Discord at ApiURL: check it, or remove it")
    : lost("remote_error", "something else than Discord answers at ApiURL");
}

const failed = (ended: Ended): DiscordOpened => ({ ok: false, ended });
