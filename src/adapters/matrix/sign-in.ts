import { type Acted, type ActingArgs, settingsBy } from "../../contract/manifest.ts";
import { describe } from "../../lib/describe.ts";
import { printable, shorten } from "../../lib/printable.ts";
import { Http } from "../kit/http.ts";
import { isObject, type Json, listIn, numberIn, objectIn, textIn } from "../kit/json.ts";
import { publicBy } from "../kit/trust.ts";
import { Client } from "./client.ts";
import { askOAuth, DEVICE_GRANT, type OAuthAnswer, REFRESH_GRANT, safeUrl } from "./oauth.ts";
import { bareServer, readLogin, type SavedLogin, tokensIn, writeLogin } from "./saved-login.ts";
import { type MatrixSettings, schema } from "./settings.ts";

/** RFC 8628 §3.2: how often to ask where the server does not say it, and by how much less often after `slow_down`. */
const INTERVAL_S = 5;
/** A code that lasts longer is waited for no longer. */
const WAIT_MAX_S = 3_600;
const INTERVAL_MAX_S = 60;

/** MSC2967: what a login may do. The first are in the specification; older login services know the others alone. */
const SCOPES = ["urn:matrix:client:", "urn:matrix:org.matrix.msc2967.client:"] as const;
const METADATA = ["/_matrix/client/v1/auth_metadata", "/_matrix/client/unstable/org.matrix.msc2965/auth_metadata"];

/** Whom users are shown when they allow the login (MSC2966). */
const REGISTRATION = {
  client_name: "Rialto",
  client_uri: "https://rialto.chat/",
  application_type: "native",
  token_endpoint_auth_method: "none",
  grant_types: [DEVICE_GRANT, REFRESH_GRANT],
  response_types: [],
};

/** `rialto matrix login`: logs in, and saves what the account's sessions go on with (MSC2965, 2966, 2967, 4341). */
export async function act(args: ActingArgs): Promise<Acted> {
  const http = new Http(args.clock, publicBy(settingsBy(schema, args.settings).Proxy));
  try {
    const login = new SignIn(args, http);
    return await login.run();
  } catch (error) {
    if (error instanceof Refused) return { ok: false, why: error.message };
    throw error;
  } finally {
    http.close();
  }
}

/** Why there is no login: a sentence for people, without a secret. */
class Refused extends Error {}

interface OAuthService {
  readonly scopes: readonly string[];
  readonly tokenEndpoint: string;
  readonly deviceEndpoint: string;
  readonly registrationEndpoint: string | null;
}

interface DeviceCode {
  readonly clientId: string;
  readonly code: string;
  readonly answer: Json;
}

class SignIn {
  readonly #args: ActingArgs;
  readonly #http: Http;
  readonly #settings: MatrixSettings;

  constructor(args: ActingArgs, http: Http) {
    this.#args = args;
    this.#http = http;
    this.#settings = settingsBy(schema, args.settings);
  }

  async run(): Promise<Acted> {
    const { folder, name, say } = this.#args;
    const server = await this.#findServer();
    const before = this.#before(server);
    const service = await this.#findService(server);
    const device = before?.device ?? this.#newDevice();
    const login =
      service === null
        ? await this.#withPassword(server, device)
        : await this.#withBrowser(server, device, service, before?.oauth?.clientId ?? null);
    try {
      writeLogin(folder, login);
    } catch (error) {
      throw new Refused(`the login cannot be saved in ${folder}: ${describe(error)}`);
    }
    say(`Logged in as ${printable(login.user)}. The login is saved in ${folder}.`);
    const { Server, SavedLogin, Password, Token, ASToken } = this.#settings;
    if (bareServer(Server) !== server) say(`Set Server of ${name} to ${server}`);
    if (!SavedLogin) say(`Set SavedLogin = true for ${name}.`);
    const idle = Object.entries({ Password, Token, ASToken }).filter(([, value]) => value !== "");
    if (idle.length > 0) say(`Remove ${idle.map(([setting]) => setting).join(" and ")} of ${name}.`);
    say("If Rialto runs already and the account is down, reconnect it on the dashboard, or restart Rialto.");
    return { ok: true };
  }

  /** The login that is saved already: the homeserver recognises repeated messages by its device. */
  #before(server: string): SavedLogin | null {
    try {
      const saved = readLogin(this.#args.folder);
      return saved?.server === server ? saved : null;
    } catch {
      return null;
    }
  }

  /** Login services want at least ten characters, and only these. */
  #newDevice(): string {
    const wanted = this.#settings.DeviceID.replaceAll(/[^A-Za-z\d-]/gu, "-");
    return wanted.length >= 10 ? wanted : `${wanted}-${this.#args.random().slice(0, 10).toUpperCase()}`;
  }

  /** `Server`, or the homeserver that it names for its ids. */
  async #findServer(): Promise<string> {
    const server = bareServer(this.#settings.Server);
    const answer = await this.#ask({ url: `${server}/_matrix/client/versions` });
    if (answer.ok && listIn(answer.value, "versions").length > 0) return server;
    const known = await this.#ask({ url: `${new URL(server).origin}/.well-known/matrix/client` });
    const named = known.ok ? safeUrl(textIn(objectIn(known.value, "m.homeserver"), "base_url"), server) : null;
    if (named !== null) {
      const other = bareServer(named);
      const found = await this.#ask({ url: `${other}/_matrix/client/versions` });
      if (found.ok && listIn(found.value, "versions").length > 0) return other;
    }
    const why = answer.ok ? "it does not list the versions of a homeserver" : answer.message;
    throw new Refused(`there is no homeserver at Server, and no .well-known that names one: ${why}`);
  }

  /** Null: the homeserver has no OAuth. */
  async #findService(server: string): Promise<OAuthService | null> {
    for (const path of METADATA) {
      const answer = await this.#ask({ url: server + path });
      if (!answer.ok && (answer.status === 404 || answer.error === "M_UNRECOGNIZED")) continue;
      if (!answer.ok) throw new Refused(`the homeserver does not say how to log in: ${answer.message}`);
      const [token, device, registration] = [
        "token_endpoint",
        "device_authorization_endpoint",
        "registration_endpoint",
      ].map((key) => safeUrl(textIn(answer.value, key), server));
      const grants = listIn(answer.value, "grant_types_supported");
      if (!token || !device || (grants.length > 0 && !grants.includes(DEVICE_GRANT)))
        throw new Refused("the homeserver's login service has no login with a code (RFC 8628); use Token or ASToken");
      return {
        scopes: path === METADATA[0] ? SCOPES : SCOPES.slice(1),
        tokenEndpoint: token,
        deviceEndpoint: device,
        registrationEndpoint: registration ?? null,
      };
    }
    return null;
  }

  async #withBrowser(server: string, device: string, service: OAuthService, known: string | null): Promise<SavedLogin> {
    const { say, clock } = this.#args;
    const { clientId, code, answer } = await this.#deviceCode(service, device, known);
    const { tokenEndpoint } = service;
    const [whole, page] = ["verification_uri_complete", "verification_uri"].map((key) =>
      safeUrl(textIn(answer, key), server),
    );
    const address = whole ?? page;
    if (!address) throw new Refused("the login service names no page to open");
    const waitS = Math.min(numberIn(answer, "expires_in") ?? WAIT_MAX_S, WAIT_MAX_S);
    say(`Open this page in a browser, and log in there as the bot's user:\n\n  ${printable(address)}\n`);
    say(`The page asks for this code, or shows it: ${printable(shorten(textIn(answer, "user_code") ?? "", 60))}`);
    say(`Allow Rialto there. The code is valid for ${Math.ceil(waitS / 60)} minutes.`);
    const form = { grant_type: DEVICE_GRANT, device_code: code, client_id: clientId };
    const said = await this.#poll(tokenEndpoint, form, {
      waitS,
      intervalS: numberIn(answer, "interval") ?? INTERVAL_S,
    });
    const tokens = tokensIn(said, null, clock.nowMs());
    if (tokens === null) throw new Refused("the login service gives no access token");
    return await this.#checked({ server, device, ...tokens, oauth: { clientId, tokenEndpoint } });
  }

  /** With the client that is registered already, if the service still knows it, and the names that it knows. */
  async #deviceCode(service: OAuthService, device: string, known: string | null): Promise<DeviceCode> {
    let clientId = known ?? (await this.#register(service));
    let isNew = known === null;
    let refusal = "";
    for (let at = 0; at < service.scopes.length;) {
      const scope = [`${service.scopes[at]}api:*`, `${service.scopes[at]}device:${device}`].join(" ");
      const answer = await this.#ask({ url: service.deviceEndpoint, form: { client_id: clientId, scope } });
      const code = answer.ok ? textIn(answer.value, "device_code") : null;
      if (answer.ok && code !== null) return { clientId, code, answer: answer.value };
      refusal = answer.ok ? "the answer has no code" : answer.message;
      if (!answer.ok && !isNew && /^(?:invalid|unauthorized)_client$/u.test(answer.error)) {
        clientId = await this.#register(service);
        isNew = true;
      } else if (!answer.ok && answer.error === "invalid_scope") at += 1;
      else break;
    }
    throw new Refused(`the login service does not begin a login: ${refusal}`);
  }

  async #register({ registrationEndpoint: url }: OAuthService): Promise<string> {
    if (url === null) throw new Refused("the login service does not let programs register; use Token or ASToken");
    const answer = await this.#ask({ url, json: REGISTRATION });
    const clientId = answer.ok ? textIn(answer.value, "client_id") : null;
    if (clientId !== null) return clientId;
    throw new Refused(`the login service does not register Rialto: ${answer.ok ? "it gives no id" : answer.message}`);
  }

  /** Asks until the login was allowed or refused, or the code has ended (RFC 8628 §3.5). */
  async #poll(
    url: string,
    form: Readonly<Record<string, string>>,
    { waitS, intervalS }: { readonly waitS: number; readonly intervalS: number },
  ): Promise<Json> {
    const { pause, signal } = this.#args;
    let everyS = Math.min(Math.max(intervalS, 1), INTERVAL_MAX_S);
    for (let passedS = everyS; passedS <= waitS; passedS += everyS) {
      await pause(everyS * 1000);
      if (signal.aborted) break;
      const answer = await this.#ask({ url, form });
      if (answer.ok) return answer.value;
      const { error, status } = answer;
      if (error === "slow_down") everyS = Math.min(everyS + INTERVAL_S, INTERVAL_MAX_S);
      // RFC 8628 §3.5: less often while it does not answer.
      else if (status === 0 || status === 429 || status >= 500) everyS = Math.min(everyS * 2, INTERVAL_MAX_S);
      else if (error !== "authorization_pending") throw new Refused(REFUSALS[error] ?? answer.message);
    }
    throw new Refused(signal.aborted ? "the login was cancelled" : LATE);
  }

  /** A homeserver without OAuth. The password is used once, and not saved. */
  async #withPassword(server: string, device: string): Promise<SavedLogin> {
    const { name, clock, say } = this.#args;
    const { Login, Password } = this.#settings;
    const url = `${server}/_matrix/client/v3/login`;
    const answer = await this.#ask({ url });
    const listed = answer.ok ? listIn(answer.value, "flows") : [];
    const flows = listed.map((flow) => (isObject(flow) ? textIn(flow, "type") : null));
    if (!flows.includes("m.login.password"))
      throw new Refused(`the homeserver has neither OAuth nor a login with a password${otherWays(flows)}; use Token`);
    say("The homeserver has no OAuth, but a login with a password.");
    if (Login === "" || Password === "") {
      const variable = `RIALTO_${name.replaceAll(/\W/gu, "_").toUpperCase()}_PASSWORD`;
      throw new Refused(
        `set Login and Password of ${name}, which is enough for Rialto; to keep no password in the configuration, set Login, run this with ${variable} in the environment, and the login is saved instead`,
      );
    }
    const done = await this.#ask({
      url,
      json: {
        type: "m.login.password",
        identifier: { type: "m.id.user", user: Login },
        password: Password,
        device_id: device,
        initial_device_display_name: "Rialto",
        refresh_token: true,
      },
    });
    if (!done.ok) {
      const isWrong = done.error === "M_FORBIDDEN";
      throw new Refused(isWrong ? "the homeserver refuses Login and Password" : `no login: ${done.message}`);
    }
    const tokens = tokensIn(done.value, null, clock.nowMs());
    if (tokens === null) throw new Refused("the homeserver gives no access token");
    return await this.#checked({ server, device, ...tokens, oauth: null });
  }

  /** Whose login it is. */
  async #checked(login: Omit<SavedLogin, "user">): Promise<SavedLogin> {
    const { signal } = this.#args;
    const { MxID } = this.#settings;
    const client = new Client({ http: this.#http, server: login.server, token: login.accessToken });
    const answer = await client.whoami(signal);
    const user = answer.ok ? textIn(answer.value, "user_id") : null;
    if (user === null) {
      const why = answer.ok ? "" : ` (${answer.failure.errcode || `HTTP ${answer.failure.status}`})`;
      throw new Refused(`the homeserver does not say whose login it is${why}`);
    }
    if (MxID !== "" && MxID !== user)
      throw new Refused(`you have logged in as ${printable(user)}, but MxID is ${MxID}: nothing is saved`);
    return { ...login, user, device: (answer.ok ? textIn(answer.value, "device_id") : null) ?? login.device };
  }

  async #ask(request: Omit<Parameters<typeof askOAuth>[1], "signal">): Promise<OAuthAnswer> {
    return await askOAuth(this.#http, { ...request, signal: this.#args.signal });
  }
}

const LATE = "the code has ended before the login was allowed; run the command again";
const REFUSALS: Readonly<Record<string, string>> = {
  expired_token: LATE,
  access_denied: "the login was refused in the browser; run the command again to try once more",
  invalid_grant: "the login service no longer knows the code; run the command again",
};

const otherWays = (flows: readonly (string | null)[]): string => {
  const known = flows.filter((flow) => flow !== null && /^[\w.]{1,60}$/u.test(flow)).slice(0, 5);
  return known.length === 0 ? "" : ` (it has ${known.join(", ")})`;
};
