import type { Ended } from "../../contract/session.ts";
import type { Client, Result } from "./client.ts";
import { banned, misconfigured, needsLogin } from "../kit/ends.ts";
import { isBarred, type MatrixFailure } from "./failure.ts";
import { type Json, textIn } from "../kit/json.ts";
import { serverOf } from "./room.ts";
import { botOf, loginWay, type MatrixSettings } from "./settings.ts";

export type LoggedIn = { readonly ok: true; readonly user: string } | { readonly ok: false; readonly ended: Ended };

/** Becomes our user; the client has its token from then on. */
export async function logIn(client: Client, settings: MatrixSettings, signal: AbortSignal): Promise<LoggedIn> {
  const way = loginWay(settings);
  const answer = await ASK[way](client, settings, signal);
  if (!answer.ok) return { ok: false, ended: endOf(answer.failure, way, true) };
  const user = textIn(answer.value, "user_id");
  if (user === null)
    return { ok: false, ended: misconfigured("the homeserver does not say who Rialto is; check Server") };
  const token = textIn(answer.value, "access_token");
  if (token !== null) client.token = token;
  if (settings.MxID !== "" && settings.MxID !== user) {
    return {
      ok: false,
      ended: misconfigured(`Rialto is ${user} there, but MxID is ${settings.MxID}; correct MxID or the login`),
    };
  }
  return { ok: true, user };
}

type Way = ReturnType<typeof loginWay>;
type Ask = (client: Client, settings: MatrixSettings, signal: AbortSignal) => Promise<Result<Json>>;

const ASK: Readonly<Record<Way, Ask>> = {
  password: async (client, { Login, Password, DeviceID }, signal) =>
    await client.login(
      {
        type: "m.login.password",
        identifier: { type: "m.id.user", user: Login },
        password: Password,
        device_id: DeviceID,
        initial_device_display_name: "Rialto",
      },
      signal,
    ),
  token: async (client, _, signal) => await client.whoami(signal),
  saved: async (client, _, signal) => await client.whoami(signal),
  appservice: async (client, settings, signal) => {
    // The user of the registration itself may not use /sync on Synapse: ours is another one of the namespace.
    const service = await client.whoami(signal);
    if (!service.ok) return service;
    const localpart = botOf(settings);
    const made = await client.register(localpart, signal);
    if (!made.ok && made.failure.errcode !== "M_USER_IN_USE") return made;
    client.user = `@${localpart}:${serverOf(textIn(service.value, "user_id") ?? "") ?? ""}`;
    return await client.whoami(signal);
  },
};

/** What a failure means for the whole session. `isLogin`: it came while we logged in. */
export function endOf(failure: MatrixFailure, way: Way, isLogin = false): Ended {
  const { why, errcode, status, certificate } = failure;
  if (certificate) return misconfigured(`${why.message}; the server's admins must fix it, or correct Server`);
  if (errcode === "M_USER_DEACTIVATED")
    return banned("Rialto's user was deactivated; create another, or ask the server's admins to restore it");
  if (isBarred(failure)) return banned(why.message);
  if (errcode === "M_UNKNOWN_TOKEN" || errcode === "M_MISSING_TOKEN")
    return way === "password" ? { cause: "lost", why } : needsLogin(TOKENS[way]);
  if (isLogin && errcode === "M_FORBIDDEN") {
    return needsLogin(way === "password" ? `${why.message}; check Login and Password` : TOKENS[way]);
  }
  if (isLogin && errcode === "M_EXCLUSIVE")
    return misconfigured(
      `${why.message}; the registration must contain the user of Login: create a new one (rialto matrix registration)`,
    );
  if (isLogin && status >= 400 && status < 500 && why.code !== "rate_limited") {
    return misconfigured(`${why.message}; check Server and the login settings`);
  }
  return { cause: "lost", why };
}

const TOKENS: Readonly<Record<Exclude<Way, "password">, string>> = {
  token: "the homeserver no longer accepts Token; create a new one, or use Login and Password",
  saved: "the homeserver no longer accepts the saved login: run `rialto matrix login <account>` again",
  appservice:
    "the homeserver does not know ASToken; give it the registration (rialto matrix registration), and restart it",
};
