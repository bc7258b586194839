import type { Host } from "../../contract/host.ts";
import type { Ended } from "../../contract/session.ts";
import { lost, misconfigured, needsLogin } from "../kit/ends.ts";
import type { SlackApi, SlackAuth } from "./api.ts";
import { AUTH_ERRORS, factsOf } from "./errors.ts";
import { codeOf, type SlackFailure } from "./result.ts";

const APPS = "api.slack.com/apps > the app";
export const BOT_SCOPES_AT = `${APPS} > OAuth & Permissions > Bot Token Scopes`;
export const APP_SCOPES_AT = `${APPS} > Basic Information > App-Level Tokens`;
const MANIFEST = "`rialto slack manifest <account>` prints all that an app needs";

/** Who we are there. What the server does not say is empty. */
export interface SlackIdentity extends Omit<SlackAuth, "isOrgWide"> {
  /** What the app may do now. */
  readonly scopes: Pick<ReadonlySet<string>, "has">;
}

export type SlackLogin =
  | { readonly ok: true; readonly me: SlackIdentity }
  | { readonly ok: false; readonly ended: Ended };

interface LoginOptions {
  readonly api: SlackApi;
  readonly host: Pick<Host, "degraded">;
  /** We have never been there. */
  readonly isFirst: boolean;
  readonly signal: AbortSignal;
}

/** Finds out who we are, and what we may do. */
export async function logIn({ api, host, isFirst, signal }: LoginOptions): Promise<SlackLogin> {
  const auth = await api.authTest(signal);
  if (!auth.ok) {
    const { failure } = auth;
    return failed(isElsewhere(failure) ? elsewhere(isFirst) : endOf(failure, "Token"));
  }
  const { userId, teamId, isOrgWide } = auth.value;
  if (isOrgWide) return failed(misconfigured(ORG_WIDE));
  if (userId === "" || teamId === "") return failed(elsewhere(isFirst));
  const { scopes } = api;
  if (scopes?.has("bot") === true && !scopes.has("chat:write")) return failed(misconfigured(CLASSIC));
  const fatal = scopes === null ? null : fatalOf(scopes);
  if (fatal !== null) return failed(misconfigured(fatal));
  adviseScopes(api, host);
  const appId = await appOf(api, auth.value, signal);
  // Servers that do not say it refuse what is not allowed when it is done.
  const now = { has: (scope: string): boolean => api.scopes?.has(scope) ?? true };
  return { ok: true, me: { ...auth.value, appId, scopes: now } };
}

/** Says which scopes lack, or that it is none any more. */
export function adviseScopes({ scopes }: Pick<SlackApi, "scopes">, host: Pick<Host, "degraded">): void {
  const missing = scopes === null ? [] : SCOPES.filter(([scope]) => !scopes.has(scope));
  host.degraded(missing.length === 0 ? null : { code: "config", message: lacking(missing) }, "scopes");
}

const failed = (ended: Ended): SlackLogin => ({ ok: false, ended });

async function appOf(api: SlackApi, { appId, botId }: SlackAuth, signal: AbortSignal): Promise<string> {
  if (appId !== "" || botId === "") return appId;
  const app = await api.appOf(botId, signal);
  // The scope for it may be missing; the socket's greeting says it, too.
  return app.ok ? app.value : "";
}

export const TWO_APPS = `Token and AppToken are of two apps: take both from the same one (${APPS})`;

const CLASSIC =
  "Token is of a classic app, which Slack no longer connects: make a new app (`rialto slack manifest <account>` prints its manifest), and take Token and AppToken from that";

const ORG_WIDE = `Token is of an app that is installed for a whole organisation: install it in one workspace (${APPS} > OAuth & Permissions), and take Token from there`;

/** What does not work without a scope. That for names is said where names are. */
const SCOPES: readonly (readonly [string, string])[] = [
  ["channels:history", "public channels are not heard"],
  ["channels:join", "the app has to be invited to public channels"],
  ["channels:read", "public channels are not found"],
  ["emoji:read", "custom emoji are not known"],
  ["files:read", "files are not fetched"],
  ["files:write", "files are not sent"],
  ["groups:history", "private channels are not heard"],
  ["groups:read", "private channels are not found"],
  ["reactions:read", "reactions are not heard"],
  ["reactions:write", "reactions are not shown"],
  ["users:read", "people have no names"],
];

type Scopes = Pick<ReadonlySet<string>, "has">;

const lacking = (missing: typeof SCOPES): string =>
  `the app lacks ${missing.map(([scope, means]) => `${scope} (${means})`).join(", ")}: add what is wanted of it at ${BOT_SCOPES_AT}, and install the app anew; ${MANIFEST}`;

/** Without these there is nothing to do. */
function fatalOf(scopes: Scopes): string | null {
  const lacks = [
    ...(scopes.has("chat:write") ? [] : ["chat:write (nothing can be sent)"]),
    ...(scopes.has("channels:history") || scopes.has("groups:history")
      ? []
      : ["channels:history or groups:history (no channel is heard)"]),
  ];
  return lacks.length === 0
    ? null
    : `the app lacks ${lacks.join(" and ")}: add it at ${BOT_SCOPES_AT}, and install the app anew; ${MANIFEST}`;
}

const isElsewhere = ({ why, error, status }: SlackFailure): boolean =>
  why === "unreadable" || (why === "refused" && error === "" && status >= 300 && status < 500);

/** Where we have been before, it is a proxy with nothing behind it for now. */
function elsewhere(isFirst: boolean): Ended {
  return isFirst
    ? misconfigured("there is no API like Slack's at ApiURL: check it")
    : lost("remote_error", "something else than Slack answers at ApiURL");
}

/** What a failure means for the whole session. `setting`: the token with which it was asked. */
export function endOf(failure: SlackFailure, setting: "Token" | "AppToken"): Ended {
  const { error, why, message } = failure;
  if (why === "certificate" || why === "no_tls") return misconfigured(`${message}; check ApiURL`);
  if (error === "not_allowed_token_type") {
    return misconfigured(
      setting === "Token"
        ? `Slack does not take Token for this: it must be the token of the app's bot, which begins with xoxb- (${APPS} > OAuth & Permissions)`
        : `Slack does not take AppToken for Socket Mode: it must be a token of the app itself, which begins with xapp- (${APP_SCOPES_AT})`,
    );
  }
  if (AUTH_ERRORS.has(error)) {
    const where = setting === "Token" ? `${APPS} > OAuth & Permissions > Bot User OAuth Token` : APP_SCOPES_AT;
    return needsLogin(
      `Slack does not accept ${setting} (${error}: ${factsOf(error).says || "mistyped or revoked"}); take it anew from ${where}`,
    );
  }
  if (error === "missing_scope") return misconfigured(setting === "AppToken" ? `AppToken: ${message}` : message);
  if (error.startsWith("socket_mode") || error === "forbidden_team") return misconfigured(SOCKET_MODE_OFF);
  return lost(codeOf(failure), message);
}

export const SOCKET_MODE_OFF = `Socket Mode is off: turn it on at ${APPS} > Socket Mode`;
