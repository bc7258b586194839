import { hash } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Opened, OpenArgs } from "../../contract/adapter.ts";
import type { Ended, Handlers } from "../../contract/session.ts";
import { lost, misconfigured } from "../kit/ends.ts";
import { proxyOf } from "../../lib/proxy.ts";
import { Http } from "../kit/http.ts";
import { Rest } from "../kit/rest.ts";
import type { ServerTrust } from "../kit/trust.ts";
import type { HandshakeRefusal } from "../kit/web-socket.ts";
import { MattermostApi } from "./api.ts";
import type { capabilities } from "./capabilities.ts";
import { openHooks } from "./hook-session.ts";
import { MattermostSession } from "./live.ts";
import { dialect, endOf, logIn } from "./login.ts";
import type { MattermostUser } from "./model.ts";
import { MattermostPositions } from "./positions.ts";
import { baseOf, type MattermostSettings, takesPartBy } from "./settings.ts";
import { openStream } from "./stream.ts";

type MattermostOpened = Opened<Handlers<typeof capabilities>>;

/** Logs in at a Mattermost server, and takes up the stream of what happens there. */
export async function open(args: OpenArgs<MattermostSettings>): Promise<MattermostOpened> {
  const { settings, host } = args;
  const trust = await trustOf(settings);
  if ("cause" in trust) return failed(trust);
  if (takesPartBy(settings) === "webhooks") return await openHooks(args, trust);
  const base = baseOf(settings);
  if (base === null) return failed(misconfigured("Server must be a host, such as chat.example.org"));
  const http = new Http(host.clock, trust);
  const { clock } = host;
  // Its limiter counts all endpoints together.
  const rest = new Rest({ http, clock, base, who: "Mattermost", scheme: "Bearer", dialect, limit: "all" });
  const api = new MattermostApi(rest);
  const opened = await begin(args, { http, base, trust, api });
  if (opened.ok) return opened;
  await api.logout();
  http.close();
  return opened;
}

interface Reach {
  readonly http: Http;
  readonly base: URL;
  readonly trust: ServerTrust;
  readonly api: MattermostApi;
}

async function begin(args: OpenArgs<MattermostSettings>, { http, base, trust, api }: Reach): Promise<MattermostOpened> {
  const { settings, host, since, signal } = args;
  const login = await logIn(api, settings, since === null, signal);
  if (!login.ok) return login;
  const { me, token } = login;
  const limits = await api.limits(signal);
  if (!limits.ok) return failed(endOf(limits.failure, settings));
  const team = await findTeam(api, settings, me, signal);
  if ("cause" in team) return failed(team);
  // A login by password is another one each time.
  const positions = new MattermostPositions(since, settings.Token === "" ? null : digestOf(settings.Token));
  const wsBase = new URL(base);
  wsBase.protocol = base.protocol === "https:" ? "wss:" : "ws:";
  const from = positions.stream;
  const opened = await openStream({ base: wsBase, token, trust, clock: host.clock, signal, from });
  if (!opened.ok) return failed(streamEnd(opened.refusal));
  const { version } = limits.value;
  host.log.debug({ user: me.username, bot: me.isBot, version, resumed: opened.resumed }, "logged in");
  const { stream, resumed } = opened;
  const session = new MattermostSession({
    settings,
    host,
    http,
    api,
    me,
    limits: limits.value,
    team,
    stream,
    resumed,
    positions,
  });
  return { ok: true, session };
}

async function findTeam(
  api: MattermostApi,
  settings: MattermostSettings,
  me: MattermostUser,
  signal: AbortSignal,
): Promise<{ readonly id: string; readonly name: string } | Ended> {
  const name = settings.Team.toLowerCase();
  const add = `add @${me.username} to the team`;
  const team = await api.team(name, signal);
  if (!team.ok && (team.failure.status === 404 || team.failure.status === 403 || team.failure.status === 400)) {
    return misconfigured(
      `there is no team ${JSON.stringify(name)}, or @${me.username} is not in it: write Team as in the address of its pages, or ${add}`,
    );
  }
  if (!team.ok) return endOf(team.failure, settings);
  if (team.value === null) return lost("remote_error", "the server answers without a team");
  const member = await api.isInTeam(team.value, me.id, signal);
  if (!member.ok && member.failure.status !== 403) return endOf(member.failure, settings);
  if (!member.ok || !member.value) {
    return misconfigured(`@${me.username} is not in the team ${JSON.stringify(name)}: ${add}, or correct Team`);
  }
  return { id: team.value, name };
}

/** Its certificate is good, and it knows the token: REST has said so. */
function streamEnd({ why, status, message }: HandshakeRefusal): Ended {
  if (status >= 400 && status < 500 && status !== 429) {
    return lost(
      "remote_error",
      `the WebSocket at /api/v4/websocket is refused (${message}): a proxy before Mattermost must pass on Upgrade`,
    );
  }
  return lost(why === "timeout" ? "timeout" : "network", `the WebSocket cannot be opened: ${message}`);
}

async function trustOf({ SkipTLSVerify, TLSCACertificate, Proxy }: MattermostSettings): Promise<ServerTrust | Ended> {
  const known = { verify: !SkipTLSVerify, proxy: proxyOf(Proxy) };
  if (TLSCACertificate === "") return { ...known, ca: null };
  try {
    return { ...known, ca: await readFile(TLSCACertificate, "utf8") };
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    return misconfigured(`TLSCACertificate cannot be read: ${words}`);
  }
}

/** Tells a token from another one, and not what it is. */
const digestOf = (token: string): string => hash("sha256", token, "hex").slice(0, 16);

const failed = (ended: Ended): MattermostOpened => ({ ok: false, ended });
