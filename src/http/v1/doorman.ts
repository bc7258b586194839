import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Access, Scope } from "../../access/access.ts";
import { refusalOfPage } from "../admission.ts";
import type { HttpProblem } from "../api/problem.ts";
import { compileGuard } from "../auth.ts";
import { flawOf } from "../flaws.ts";
import type { OwnNames } from "../own-host.ts";
import { type ProblemCode, ProblemError } from "./problems.ts";
import type { Operation } from "./route.ts";

/** Who a token of Rialto's is; null: it is none, or has ended. */
type VerifyToken = (token: string) => Access | null;

export interface DoormanOptions {
  /** Key and name of the API account. */
  readonly account: { readonly key: string; readonly name: string };
  /** The account's Token; null: it has none. */
  readonly token: string | null;
  /** As `Doors.names`. */
  readonly names: (() => OwnNames) | null;
  readonly verify: VerifyToken;
  /** Who a ticket was made for; it is used up then. Null: nobody. */
  readonly redeem: (ticket: string) => Access | null;
}

export interface Knock extends Pick<IncomingMessage, "method" | "url" | "headers" | "rawHeaders"> {
  readonly path: string;
  /** What comes after the question mark. */
  readonly search: string;
  readonly socket: Pick<Socket, "remoteAddress">;
}

/** With this every token of Rialto's begins. */
const TOKEN_PREFIX = "rlt_";
const NEVER = new AbortController().signal;
const NOBODY = new Set<Scope>();

/** Lets callers in, and says what they may. */
export class Doorman {
  readonly #options: DoormanOptions;
  readonly #guard: (authorization: string | undefined) => boolean;
  readonly #owner: Access;
  readonly #nobody: Access;
  readonly #page: Parameters<typeof refusalOfPage>[1];

  constructor(options: DoormanOptions) {
    this.#options = options;
    this.#guard = compileGuard(options.token);
    const { key, name } = options.account;
    const by = options.token === null ? "open" : "configuration";
    const own = { account: key, gateways: null, by, token: null, name, ended: NEVER } as const;
    this.#owner = { ...own, scopes: new Set<Scope>(["read", "write"]) };
    this.#nobody = { ...own, scopes: NOBODY };
    this.#page = { names: options.names, tokenName: `the Token of [${name}]` };
  }

  /** Who asks; `route` null: for nothing that there is. Throws a ProblemError for whom nobody lets in. */
  admit(knock: Knock, route: Pick<Operation, "needs" | "stream"> | null): Access {
    const flaw = flawOf(knock);
    if (flaw !== null) throw fromHttp(flaw);
    if (route?.needs === null) return this.#passer(knock);
    const credential = bearerOf(knock.headers.authorization);
    if (credential?.startsWith(TOKEN_PREFIX) === true) {
      return this.#isOwn(knock) ? this.#owner : this.#holder(credential);
    }
    const ticket = route?.stream === true ? ticketOf(knock.search) : null;
    if (ticket !== null && credential === null) return this.#visitor(ticket);
    if (!this.#guard(knock.headers.authorization)) {
      throw unauthorized(
        credential === null
          ? "this address needs the header `Authorization: Bearer <token>`"
          : "the token sent is not the account's Token",
      );
    }
    if (this.#options.token === null) this.#checkPage(knock, false);
    return this.#owner;
  }

  /** Nothing keeps people from a Token that looks like one of Rialto's. */
  #isOwn({ headers }: Knock): boolean {
    return this.#options.token?.startsWith(TOKEN_PREFIX) === true && this.#guard(headers.authorization);
  }

  /** What nobody is asked for may be read by everybody, as long as the address is called by its name. */
  #passer(knock: Knock): Access {
    if (this.#options.token === null) this.#checkPage(knock, true);
    return this.#nobody;
  }

  #holder(credential: string): Access {
    const access = this.#options.verify(credential);
    if (access === null) throw unauthorized("there is no such token: it is misspelt, was revoked, or has expired");
    if (access.account !== this.#options.account.key) throw unauthorized("the token is for another account");
    return access;
  }

  #visitor(ticket: string): Access {
    const access = this.#options.redeem(ticket);
    if (access === null || access.ended.aborted) {
      throw unauthorized("the ticket was used already, is older than 30 s, or its token has ended");
    }
    return access;
  }

  #checkPage(knock: Knock, isOpen: boolean): void {
    const refusal = refusalOfPage(knock, this.#page, isOpen);
    if (refusal !== null) throw fromHttp(refusal);
  }
}

/** Throws a ProblemError `forbidden`. */
export function checkRight({ by, scopes }: Access, needs: Operation["needs"]): void {
  if (needs === null || needs === "any") return;
  if (needs === "token") {
    if (by !== "open") return;
    throw new ProblemError(
      "forbidden",
      "this needs a token: the account has no Token, and the request none of Rialto's",
    );
  }
  if (needs === "secret") {
    if (by === "configuration" || scopes.has("admin")) return;
    throw new ProblemError("forbidden", "this needs the account's Token of the configuration, or the scope `admin`");
  }
  if (!scopes.has(needs)) throw new ProblemError("forbidden", `this needs the scope \`${needs}\``);
}

const BY_STATUS: Readonly<Record<HttpProblem["status"], ProblemCode>> = {
  400: "bad_request",
  401: "unauthorized",
  403: "forbidden",
  404: "not_found",
  405: "method_not_allowed",
  408: "request_timeout",
  413: "too_large",
  415: "unsupported_media_type",
  421: "misdirected",
  422: "unprocessable",
  500: "internal",
  501: "not_implemented",
  503: "unavailable",
};

/** What the rest of the server says in the words of `/api`. */
export function fromHttp({ status, message, retryAfterS }: HttpProblem): ProblemError {
  const headers = retryAfterS === undefined ? {} : { "Retry-After": String(retryAfterS) };
  return new ProblemError(BY_STATUS[status], message, { headers });
}

const unauthorized = (detail: string): ProblemError =>
  new ProblemError("unauthorized", detail, { headers: { "WWW-Authenticate": "Bearer" } });

/** Null: there is none. */
function bearerOf(authorization: string | undefined): string | null {
  if (authorization === undefined) return null;
  return /^bearer +(?<token>.*)$/iu.exec(authorization)?.groups?.["token"]?.trim() ?? null;
}

const ticketOf = (search: string): string | null =>
  search.includes("ticket=") ? new URLSearchParams(search).get("ticket") : null;
