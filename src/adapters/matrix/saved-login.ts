import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Host } from "../../contract/host.ts";
import { describe } from "../../lib/describe.ts";
import { makeDurableFolder, syncFolder } from "../../lib/make-folder.ts";
import type { Http } from "../kit/http.ts";
import { isObject, type Json, numberIn, parsed, textIn } from "../kit/json.ts";
import { type MatrixFailure, refused } from "./failure.ts";
import { askOAuth, REFRESH_GRANT, safeUrl } from "./oauth.ts";

/** An access token is replaced this long before it expires, or in the last quarter of a shorter life. In ms. */
const EARLY_MS = 60_000;
/** After a failure, the refresh is tried again after this time, while the access token is still valid. In ms. */
const AGAIN_MS = 10_000;

/** A login of `rialto matrix login`, as it is in the account's folder. */
export interface SavedLogin {
  /** The homeserver that it is for, without a slash at its end. */
  readonly server: string;
  readonly user: string;
  readonly device: string;
  readonly accessToken: string;
  /** Null: the access token has no end, or nothing follows it. */
  readonly refreshToken: string | null;
  /** How long an access token lives, and when this one ends; null: it has no end. */
  readonly livesMs: number | null;
  readonly endsMs: number | null;
  /** Where tokens are refreshed by OAuth; null: by the homeserver itself, after a login with a password. */
  readonly oauth: { readonly clientId: string; readonly tokenEndpoint: string } | null;
}

const NAME = "login.json";

export const bareServer = (server: string): string => server.replace(/\/+$/u, "");

/** Null: there is none. Throws what the file system says. */
export function readLogin(folder: string): SavedLogin | null {
  let text: string;
  try {
    text = readFileSync(join(folder, NAME), "utf8");
  } catch (error) {
    if (isObject(error) && error["code"] === "ENOENT") return null;
    throw error;
  }
  const json = parsed(text);
  return isObject(json) ? loginIn(json) : null;
}

function loginIn(json: Json): SavedLogin | null {
  const [server, user, device, accessToken] = ["server", "user", "device", "accessToken"].map((key) =>
    textIn(json, key),
  );
  const { oauth } = json;
  const clientId = isObject(oauth) ? textIn(oauth, "clientId") : null;
  const tokenEndpoint = isObject(oauth) ? safeUrl(textIn(oauth, "tokenEndpoint"), server ?? "") : null;
  if (!server || !user || !device || !accessToken) return null;
  return {
    server,
    user,
    device,
    accessToken,
    refreshToken: textIn(json, "refreshToken"),
    livesMs: numberIn(json, "livesMs"),
    endsMs: numberIn(json, "endsMs"),
    oauth: clientId === null || tokenEndpoint === null ? null : { clientId, tokenEndpoint },
  };
}

/** Writes the whole file before it gets its name, readable by its owner only. Throws what the file system reports. */
export function writeLogin(folder: string, login: SavedLogin): void {
  makeDurableFolder(folder, 0o700);
  const path = join(folder, NAME);
  const beside = `${path}.new`;
  rmSync(beside, { force: true });
  const handle = openSync(beside, "wx", 0o600);
  try {
    writeFileSync(handle, `${JSON.stringify(login, null, 2)}\n`);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(beside, path);
  syncFolder(folder);
}

/** The tokens in an answer of a token endpoint, or of a login at the homeserver; null: there is none. */
export function tokensIn(
  json: Json,
  before: string | null,
  nowMs: number,
): Pick<SavedLogin, "accessToken" | "refreshToken" | "livesMs" | "endsMs"> | null {
  const accessToken = textIn(json, "access_token");
  if (accessToken === null || accessToken === "") return null;
  const seconds = numberIn(json, "expires_in");
  const lives = numberIn(json, "expires_in_ms") ?? (seconds === null ? null : seconds * 1000);
  const livesMs = lives === null || lives <= 0 ? null : lives;
  const endsMs = livesMs === null ? null : nowMs + livesMs;
  return { accessToken, refreshToken: textIn(json, "refresh_token") ?? before, livesMs, endsMs };
}

/** The server's words for an end of the login, which no later try changes. */
const OVER: ReadonlySet<string> = new Set([
  "invalid_grant",
  "invalid_client",
  "invalid_request",
  "unauthorized_client",
  "access_denied",
  "M_UNKNOWN_TOKEN",
  "M_FORBIDDEN",
  "M_USER_DEACTIVATED",
]);

interface LoginTokensOptions extends Pick<Host, "clock" | "log"> {
  readonly http: Http;
  readonly folder: string;
  readonly login: SavedLogin;
}

/** The tokens of a saved login: refreshed before they end, once at a time, and on the disk before they are used. */
export class LoginTokens {
  readonly #options: LoginTokensOptions;
  #login: SavedLogin;
  /** The access token in the file, as far as we know. */
  #onDisk: string;
  /** When the access token is to be replaced, by `monoMs`. */
  #dueMs: number;
  #refresh: Promise<MatrixFailure | null> | null = null;

  constructor(options: LoginTokensOptions) {
    this.#options = options;
    this.#login = options.login;
    this.#onDisk = options.login.accessToken;
    this.#dueMs = this.#due();
  }

  get token(): string {
    return this.#login.accessToken;
  }

  /**
   * Before a request: replaces the access token shortly before its end. `rejected`: the one that the server has just
   * refused. Resolves with why there is none to go on with; null: there is one. Never rejects.
   */
  async ready(rejected: string | null = null): Promise<MatrixFailure | null> {
    const { clock } = this.#options;
    if (rejected === null ? clock.monoMs() < this.#dueMs : rejected !== this.token) return null;
    this.#refresh ??= this.#renew().finally(() => (this.#refresh = null));
    const failure = await this.#refresh;
    return failure?.errcode === UNKNOWN || rejected !== null ? failure : null;
  }

  async #renew(): Promise<MatrixFailure | null> {
    const { clock, log, folder, http } = this.#options;
    if (this.#adopt()) return null;
    const { refreshToken, oauth, server } = this.#login;
    if (refreshToken === null) return OVER_FAILURE;
    const answer = await askOAuth(http, {
      signal: never,
      ...(oauth === null
        ? { url: `${server}/_matrix/client/v3/refresh`, json: { refresh_token: refreshToken } }
        : {
            url: oauth.tokenEndpoint,
            form: { grant_type: REFRESH_GRANT, refresh_token: refreshToken, client_id: oauth.clientId },
          }),
    });
    const tokens = answer.ok ? tokensIn(answer.value, refreshToken, clock.nowMs()) : null;
    if (tokens === null) {
      this.#dueMs = clock.monoMs() + AGAIN_MS;
      if (!answer.ok && OVER.has(answer.error)) return OVER_FAILURE;
      const message = answer.ok ? "the answer has no access token" : answer.message;
      log.warn({ why: message }, "the login could not be refreshed");
      const why = { code: "remote_error", message: `the login cannot be refreshed: ${message}` } as const;
      return { ...refused(502, {}, undefined), why };
    }
    this.#login = { ...this.#login, ...tokens };
    this.#dueMs = this.#due();
    try {
      writeLogin(folder, this.#login);
      this.#onDisk = tokens.accessToken;
    } catch (error) {
      log.warn({ error: describe(error) }, "the refreshed login cannot be saved: a restart may need a new login");
    }
    log.debug({}, "refreshed the login");
    return null;
  }

  /** Takes a login that `rialto matrix login` has saved meanwhile. */
  #adopt(): boolean {
    try {
      const saved = readLogin(this.#options.folder);
      const { server, user } = this.#login;
      if (saved === null || saved.accessToken === this.#onDisk || saved.server !== server || saved.user !== user)
        return false;
      this.#login = saved;
      this.#onDisk = saved.accessToken;
      this.#dueMs = this.#due();
      return true;
    } catch {
      return false;
    }
  }

  /** The calendar may be set at any moment: from here on, only time that passes counts. */
  #due(): number {
    const { clock } = this.#options;
    const { livesMs, endsMs } = this.#login;
    if (livesMs === null || endsMs === null) return Infinity;
    const leftMs = Math.min(Math.max(endsMs - clock.nowMs(), 0), livesMs);
    return clock.monoMs() + leftMs - Math.min(EARLY_MS, livesMs / 4);
  }
}

const never = new AbortController().signal;
const UNKNOWN = "M_UNKNOWN_TOKEN";
const OVER_FAILURE = refused(401, { errcode: UNKNOWN, error: "the saved login is over" }, undefined);
