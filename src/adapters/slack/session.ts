import type { Opened, OpenArgs } from "../../contract/adapter.ts";
import type { Ended, Handlers } from "../../contract/session.ts";
import { misconfigured } from "../kit/ends.ts";
import { Http } from "../kit/http.ts";
import { publicBy } from "../kit/trust.ts";
import { SlackApi } from "./api.ts";
import type { capabilities } from "./capabilities.ts";
import { SlackSession } from "./live.ts";
import { APP_SCOPES_AT, BOT_SCOPES_AT, logIn, TWO_APPS } from "./login.ts";
import { apiOf, type SlackSettings, takesPartBy } from "./settings.ts";
import { openEvents, shutOut } from "./socket-mode.ts";
import { SlackWeb } from "./web.ts";
import { openWebhook } from "./webhook-out.ts";

type SlackOpened = Opened<Handlers<typeof capabilities>>;

/** Logs in at Slack, and takes up what happens in one workspace of it. */
export async function open(args: OpenArgs<SlackSettings>): Promise<SlackOpened> {
  const { settings, host } = args;
  if (takesPartBy(settings) === "webhook") return await openWebhook(args);
  const http = new Http(host.clock, publicBy(settings.Proxy));
  const opened = await begin(args, http);
  if (!opened.ok) http.close();
  return opened;
}

async function begin(args: OpenArgs<SlackSettings>, http: Http): Promise<SlackOpened> {
  const { settings, host, since, signal } = args;
  const { Token: token, AppToken: appToken } = settings;
  const { clock } = host;
  const base = apiOf(settings);
  const appWeb = new SlackWeb({ http, clock, base, token: appToken, scopesAt: APP_SCOPES_AT });
  const shut = shutOut(appWeb);
  if (shut !== null) return failed(shut);
  const web = new SlackWeb({ http, clock, base, token, scopesAt: BOT_SCOPES_AT });
  const api = new SlackApi(web, { http, base, token });
  const login = await logIn({ api, host, isFirst: since === null, signal });
  if (!login.ok) return login;
  const opened = await openEvents({ web: appWeb, host, trust: publicBy(settings.Proxy) }, signal);
  if (!opened.ok) return failed(opened.ended);
  const { events } = opened;
  if (login.me.appId !== "" && events.app !== "" && login.me.appId !== events.app) {
    events.close();
    return failed(misconfigured(TWO_APPS));
  }
  const me = { ...login.me, appId: login.me.appId || events.app };
  host.log.debug({ user: me.name, team: me.teamId, app: me.appId }, "logged in");
  const session = new SlackSession({ settings, host, http, api, me, events, since });
  web.onScopes = () => session.renewed();
  return { ok: true, session };
}

const failed = (ended: Ended): SlackOpened => ({ ok: false, ended });
