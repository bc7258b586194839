import type { IncomingHttpHeaders } from "node:http";
import { type Access, type Scope, SCOPES } from "../../../access/access.ts";
import { compileGuard } from "../../auth.ts";
import { flawOf } from "../../flaws.ts";
import { isForeign } from "../../origin.ts";
import { authorityOf, isOwnHost, type OwnNames } from "../../own-host.ts";
import { fromHttp, type Knock } from "../../v1/doorman.ts";
import { ProblemError } from "../../v1/problems.ts";
import type { Operation } from "../../v1/route.ts";

export interface OperatorDoormanOptions {
  /** `AdminToken`; null: there is none, and nobody comes in by one. */
  readonly token: string | null;
  /** As `Doors.names`, and with the name of DashboardURL. */
  readonly names: () => OwnNames;
  /** The origin of DashboardURL as it is now; null: there is none. */
  readonly publicOrigin: () => string | null;
  /** Who a token of Rialto's is; null: nobody, or nobody any more. */
  readonly verify: (token: string) => Access | null;
  /** Who sends this cookie; null: nobody, or nobody any more. */
  readonly session: (headers: Pick<IncomingHttpHeaders, "cookie">) => Access | null;
  /** Whom the web server in front has signed in; null: nobody, or it is none that is trusted. */
  readonly proxied: (knock: Knock) => Access | null;
  /** Whether the request comes from a web server in `TrustProxy`. */
  readonly isProxied: (knock: Knock) => boolean;
}

const NEVER = new AbortController().signal;
const OWN = { account: "", gateways: null, by: "configuration", token: null, name: "operator", ended: NEVER } as const;
const OPERATOR: Access = { ...OWN, scopes: new Set<Scope>(SCOPES) };
const NOBODY: Access = { ...OWN, scopes: new Set() };
const SAFE = new Set(["GET", "HEAD"]);

/** Lets operators in at the admin server: unlike at its older addresses, nobody comes in without a credential. */
export class OperatorDoorman {
  readonly #options: OperatorDoormanOptions;
  readonly #guard: ((authorization: string | undefined) => boolean) | null;

  constructor(options: OperatorDoormanOptions) {
    this.#options = options;
    this.#guard = options.token === null ? null : compileGuard(options.token);
  }

  /** Throws a ProblemError for whom nobody lets in. */
  admit(knock: Knock, route: Pick<Operation, "needs"> | null): Access {
    const flaw = flawOf(knock);
    if (flaw !== null) throw fromHttp(flaw);
    const authority = authorityOf(knock);
    if (authority === undefined || !isOwnHost(authority, this.#options.names())) throw misdirected(authority);
    if (route?.needs === null) {
      this.#checkOrigin(knock);
      return NOBODY;
    }
    const { authorization } = knock.headers;
    const proxied = this.#options.proxied(knock);
    // A web server may pass on the password that it has checked.
    if (proxied !== null && !/^bearer /iu.test(authorization ?? "")) return this.#browser(knock, proxied);
    return authorization === undefined
      ? this.#browser(knock, this.#options.session(knock.headers))
      : this.#program(authorization);
  }

  #program(authorization: string): Access {
    if (this.#guard?.(authorization) === true) return OPERATOR;
    const token = /^bearer +(?<token>rlt_\S+) *$/iu.exec(authorization)?.groups?.["token"];
    if (token === undefined) throw unauthorized("the token sent is not AdminToken of [general]");
    const access = this.#options.verify(token);
    if (access === null) throw unauthorized("there is no such token: it is misspelt, was revoked, or has expired");
    if (!access.scopes.has("admin")) throw new ProblemError("forbidden", "this needs the scope `admin`");
    if (access.gateways === null) return access;
    throw new ProblemError("forbidden", "this needs a token without a limit to some gateways");
  }

  /** What it signs in with comes along with whatever a page has it ask, so it must be a page of ours that asks. */
  #browser(knock: Knock, access: Access | null): Access {
    if (access === null) throw unauthorized("this address needs a session: `rialto dashboard` prints a link to one");
    const { origin, "x-rialto": ours, "sec-fetch-site": site } = knock.headers;
    if (site !== undefined && site !== "same-origin" && site !== "none") throw foreign();
    this.#checkOrigin(knock);
    if (SAFE.has(knock.method ?? "")) return access;
    if (origin === undefined) throw new ProblemError("forbidden", "this needs the header `Origin` with this address");
    if (ours !== "1") throw new ProblemError("forbidden", "this needs the header `X-Rialto: 1`");
    return access;
  }

  #checkOrigin(knock: Knock): void {
    const { publicOrigin, isProxied } = this.#options;
    const own = { publicOrigin: publicOrigin(), mayHaveTls: isProxied(knock) };
    if (isForeign(knock.headers.origin, authorityOf(knock), own)) throw foreign();
  }
}

const foreign = (): ProblemError =>
  new ProblemError("forbidden", "this needs a page of this address: other web pages may not use it");

const unauthorized = (detail: string): ProblemError =>
  new ProblemError("unauthorized", detail, { headers: { "WWW-Authenticate": "Bearer" } });

function misdirected(authority: string | undefined): ProblemError {
  const name = authority === undefined ? "a request without Host" : JSON.stringify(authority.slice(0, 255));
  const detail = `this address does not answer to ${name}: call it by its IP address or as localhost, set DashboardURL of [general], or add the name to AllowedHosts`;
  return new ProblemError("misdirected", detail);
}
