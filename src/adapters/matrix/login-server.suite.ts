import { once } from "node:events";
import http from "node:http";
import type net from "node:net";
import type { Json } from "../kit/json.ts";

/** What a server may be like. */
interface LoginServerOptions {
  /** Absent: stable. `none`: it has no OAuth. */
  readonly oauth?: "stable" | "unstable" | "none";
  /** What the token endpoint answers while the login is not allowed yet. */
  readonly polls?: readonly string[];
  readonly flows?: readonly string[];
  readonly user?: string;
  readonly interval?: number;
  readonly more?: Json;
}

export const DEVICE_CODE = "device-code-secret";
export const PASSWORD = "password-secret";
const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";

/** A homeserver with its login service: strict, and it takes each refresh token once. */
export class LoginServer {
  /** What was asked, by method and path. */
  readonly asked: string[] = [];
  readonly scopes: string[] = [];
  /** Client ids that it knows. */
  readonly clients = new Set<string>();
  /** Refusals of requests that no client may make. */
  readonly faults: string[] = [];
  /** The refresh token that is valid, and the access token. */
  refreshToken = "";
  accessToken = "";
  device = "";
  /** The status with which refreshes are answered in place of new tokens. */
  refreshStatus: number | null = null;
  /** It takes no access token, its newest neither. */
  refusesAll = false;
  knowsStable = true;
  wellKnown: string | null = null;
  isHomeserver = true;
  url = "";
  readonly #options: LoginServerOptions;
  readonly #server = http.createServer((request, response) => void this.#take(request, response));
  readonly #polls: string[];
  readonly #held: (() => void)[] = [];
  #made = 0;

  constructor(options: LoginServerOptions = {}) {
    this.#options = options;
    this.#polls = [...(options.polls ?? [])];
  }

  async start(): Promise<this> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    this.url = `http://127.0.0.1:${(this.#server.address() as net.AddressInfo).port}`;
    return this;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  count(path: string): number {
    return this.asked.filter((each) => each.endsWith(` ${path}`)).length;
  }

  /** The next tokens. */
  #tokens(isOAuth: boolean): Json {
    this.#made += 1;
    this.accessToken = `access-secret-${this.#made}`;
    this.refreshToken = `refresh-secret-${this.#made}`;
    return {
      access_token: this.accessToken,
      refresh_token: this.refreshToken,
      ...(isOAuth ? { token_type: "Bearer", expires_in: 300 } : { expires_in_ms: 300_000 }),
    };
  }

  async #take(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { pathname } = new URL(request.url ?? "", this.url);
    const text = Buffer.concat(chunks).toString();
    this.asked.push(`${request.method} ${pathname}`);
    const isForm = request.headers["content-type"] === "application/x-www-form-urlencoded";
    const body: Json =
      text === "" ? {} : isForm ? Object.fromEntries(new URLSearchParams(text)) : (JSON.parse(text) as Json);
    if (pathname.startsWith("/oauth/") && pathname !== "/oauth/register" && !isForm)
      this.faults.push(`${pathname}: no form`);
    const answer = (): void => {
      const [status, json] = this.#answer(`${request.method} ${pathname}`, body, request.headers.authorization ?? "");
      response.writeHead(status, { "Content-Type": "application/json" });
      response.end(JSON.stringify(json));
    };
    const isLong = pathname.endsWith("/sync") && request.url?.includes("rialto.invalid") === false;
    if (isLong && request.headers.authorization === `Bearer ${this.accessToken}`) this.#held.push(answer);
    else answer();
  }

  /** The access token is no longer valid, which long requests learn at once; without `mayRefresh`, all of the login. */
  revoke(mayRefresh: boolean): void {
    this.accessToken = "of somebody else";
    if (!mayRefresh) this.refreshToken = "of somebody else";
    for (const answer of this.#held.splice(0)) answer();
  }

  /** Requests that wait for something to happen. */
  get held(): number {
    return this.#held.length;
  }

  #answer(what: string, body: Json, authorization: string): readonly [number, Json] {
    const { oauth = "stable", flows = [], user = "@rialto:a.example", more = {} } = this.#options;
    const unknown = [404, { errcode: "M_UNRECOGNIZED", error: "no such thing" }] as const;
    switch (what) {
      case "GET /.well-known/matrix/client":
        return this.wellKnown === null ? unknown : [200, { "m.homeserver": { base_url: this.wellKnown } }];
      case "GET /_matrix/client/versions":
        return this.isHomeserver ? [200, { versions: ["v1.16"] }] : unknown;
      case "GET /_matrix/client/v1/auth_metadata":
        return oauth === "stable" ? [200, { ...this.#metadata(), ...more }] : unknown;
      case "GET /_matrix/client/unstable/org.matrix.msc2965/auth_metadata":
        return oauth === "unstable" ? [200, { ...this.#metadata(), ...more }] : unknown;
      case "POST /oauth/register":
        return this.#register(body);
      case "POST /oauth/device":
        return this.#begin(body);
      case "POST /oauth/token":
        return this.#token(body);
      case "GET /_matrix/client/v3/login":
        return [200, { flows: flows.map((type) => ({ type })) }];
      case "POST /_matrix/client/v3/login":
        if (body["refresh_token"] !== true) this.faults.push("a login without refresh_token");
        this.device = String(body["device_id"]);
        return body["password"] === PASSWORD
          ? [200, this.#tokens(false)]
          : [403, { errcode: "M_FORBIDDEN", error: PASSWORD }];
      case "POST /_matrix/client/v3/refresh":
        return this.#refreshed(body["refresh_token"], false, [401, { errcode: "M_UNKNOWN_TOKEN", error: "gone" }]);
      default:
        if (this.refusesAll || authorization !== `Bearer ${this.accessToken}`)
          return [401, { errcode: "M_UNKNOWN_TOKEN", error: `unknown: ${authorization}`, soft_logout: true }];
        if (what.endsWith("/whoami")) return [200, { user_id: user, device_id: this.device }];
        if (what.endsWith("/sync")) return [200, { next_batch: "s1" }];
        if (what.endsWith("/joined_rooms")) return [200, { joined_rooms: [] }];
        return what.endsWith("/publicRooms") ? [200, { chunk: [] }] : unknown;
    }
  }

  #metadata(): Json {
    return {
      issuer: `${this.url}/`,
      registration_endpoint: `${this.url}/oauth/register`,
      device_authorization_endpoint: `${this.url}/oauth/device`,
      token_endpoint: `${this.url}/oauth/token`,
      grant_types_supported: ["authorization_code", "refresh_token", DEVICE_GRANT],
    };
  }

  #register(body: Json): readonly [number, Json] {
    const { client_name: name, client_uri: uri, token_endpoint_auth_method: method, grant_types: grants } = body;
    const isRight =
      typeof name === "string" &&
      String(uri).startsWith("https://") &&
      method === "none" &&
      Array.isArray(grants) &&
      [DEVICE_GRANT, "refresh_token"].every((grant) => grants.includes(grant));
    if (!isRight) return [400, { error: "invalid_client_metadata" }];
    const id = `client-${this.clients.size + 1}`;
    this.clients.add(id);
    return [201, { ...body, client_id: id }];
  }

  #begin({ client_id: client, scope }: Json): readonly [number, Json] {
    if (!this.clients.has(String(client))) return [401, { error: "invalid_client" }];
    this.scopes.push(String(scope));
    const { prefix, device } =
      /^(?<prefix>urn:matrix:(?:org\.matrix\.msc2967\.)?client:)api:\* \k<prefix>device:(?<device>[A-Za-z\d-]{10,})$/u.exec(
        String(scope),
      )?.groups ?? {};
    if (prefix === undefined || (prefix === "urn:matrix:client:" && !this.knowsStable))
      return [400, { error: "invalid_scope" }];
    this.device = device ?? "";
    return [
      200,
      {
        device_code: DEVICE_CODE,
        user_code: "ABCD-\u001b[31mEFGH",
        verification_uri: `${this.url}/link`,
        verification_uri_complete: `${this.url}/link?code=ABCD-EFGH`,
        expires_in: 120,
        interval: this.#options.interval ?? 7,
      },
    ];
  }

  #token(body: Json): readonly [number, Json] {
    if (!this.clients.has(String(body["client_id"]))) return [401, { error: "invalid_client" }];
    if (body["grant_type"] === "refresh_token")
      return this.#refreshed(body["refresh_token"], true, [400, { error: "invalid_grant", error_description: "gone" }]);
    if (body["grant_type"] !== DEVICE_GRANT) return [400, { error: "unsupported_grant_type" }];
    if (body["device_code"] !== DEVICE_CODE) return [400, { error: "invalid_grant" }];
    const error = this.#polls.shift();
    if (error === undefined) return [200, this.#tokens(true)];
    return error === "502" ? [502, {}] : [400, { error, error_description: `${DEVICE_CODE} is not ready` }];
  }

  /** A refresh token is taken once. */
  #refreshed(token: unknown, isOAuth: boolean, refusal: readonly [number, Json]): readonly [number, Json] {
    if (this.refreshStatus !== null) return [this.refreshStatus, {}];
    return token === this.refreshToken ? [200, this.#tokens(isOAuth)] : refusal;
  }
}
