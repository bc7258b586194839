import type { ReasonCode } from "../../contract/outcome.ts";
import type { Ended } from "../../contract/session.ts";
import { isObject, textIn } from "../kit/json.ts";
import { lost, misconfigured, needsLogin } from "../kit/ends.ts";
import { type RestDialect, type RestFailure, secondsIn } from "../kit/rest.ts";
import type { MattermostApi } from "./api.ts";
import type { MattermostUser } from "./model.ts";
import type { MattermostSettings } from "./settings.ts";

/** How refusals are worded: `message` is for people, `id` says which one it is. */
export const dialect: RestDialect = {
  words: (body) => (isObject(body) ? textIn(body, "message") : null),
  // Where there is Retry-After, it is sooner: it does not wait until nothing counts any more.
  retryAfterMs: ({ status, headers }) =>
    status === 429 && headers["retry-after"] === undefined ? secondsIn(headers["x-ratelimit-reset"]) : null,
};

/** Which refusal it is, such as `api.context.permissions.app_error`; empty for what is not one of Mattermost's. */
export function refusalId({ body }: Pick<RestFailure, "body">): string {
  return isObject(body) ? (textIn(body, "id") ?? "") : "";
}

type LogInResult =
  | { readonly ok: true; readonly me: MattermostUser; readonly token: string }
  | { readonly ok: false; readonly ended: Ended };

/** Logs in, and finds out who we are. `isFirst`: we have never been there. */
export async function logIn(
  api: MattermostApi,
  settings: MattermostSettings,
  isFirst: boolean,
  signal: AbortSignal,
): Promise<LogInResult> {
  let token = settings.Token;
  if (token === "") {
    const login = await api.login(settings.Login, settings.Password, signal);
    if (!login.ok) return { ok: false, ended: loginEnd(login.failure, settings, isFirst) };
    token = login.value.token;
  }
  api.token = token;
  const me = await api.me(signal);
  if (!me.ok) return { ok: false, ended: loginEnd(me.failure, settings, isFirst) };
  if (me.value === null || me.value.username === "" || token === "") return { ok: false, ended: elsewhere(isFirst) };
  return { ok: true, me: me.value, token };
}

function loginEnd(failure: RestFailure, settings: MattermostSettings, isFirst: boolean): Ended {
  const { why, status, message } = failure;
  const isRefused = why === "refused" && status >= 400 && status < 500 && status !== 429;
  if (why === "unreadable" || (isRefused && refusalId(failure) === "")) return elsewhere(isFirst);
  const isMfa = refusalId(failure).includes("mfa");
  if (isRefused && settings.Token === "" && !isMfa)
    return needsLogin(`${message.replace(/\.$/u, "")}; check Login and Password`);
  return endOf(failure, settings);
}

/** Where we have been before, it is a proxy with nothing behind it for now. */
function elsewhere(isFirst: boolean): Ended {
  const words = "there is no Mattermost at Server: check host, port and path";
  return isFirst ? misconfigured(words) : lost("remote_error", "something else than Mattermost answers at Server");
}

/** What a failure means for the whole session. */
export function endOf(failure: RestFailure, { Token }: Pick<MattermostSettings, "Token">): Ended {
  const { why, status, message } = failure;
  if (why === "certificate") {
    return misconfigured(
      `${message}; the server's admins must fix it, or set TLSCACertificate to the authority's certificate, or SkipTLSVerify = true to accept any`,
    );
  }
  if (why === "no_tls") return misconfigured(`${message}; check the port of Server, or set NoTLS = true`);
  if (status === 401 && refusalId(failure).includes("mfa")) {
    return needsLogin(
      `${message}; Rialto has no second factor: use Token, of a bot account or a personal access token`,
    );
  }
  if (status === 401 && Token !== "") {
    return needsLogin(
      "Mattermost does not accept Token (mistyped, revoked, expired or disabled); create a new one if it is complete",
    );
  }
  return lost(codeOf(failure), message);
}

/** The same in the words of the contract. */
export function codeOf({ why, status }: Pick<RestFailure, "why" | "status">): ReasonCode {
  if (why === "timeout") return "timeout";
  if (why === "aborted") return "stopping";
  if (why === "too_large" || status === 413) return "too_large";
  if (why === "network" || why === "certificate" || why === "no_tls") return "network";
  if (status === 401) return "auth";
  if (status === 403) return "forbidden";
  if (status === 404) return "not_found";
  if (status === 429) return "rate_limited";
  return status >= 400 && status < 500 ? "bad_content" : "remote_error";
}
