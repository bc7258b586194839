import type { IncomingMessage } from "node:http";
import { compileGuard } from "./auth.ts";
import { problem, type HttpProblem } from "./api/problem.ts";
import { flawOf } from "./flaws.ts";
import { isForeign } from "./origin.ts";
import { authorityOf, isOwnHost, type OwnNames } from "./own-host.ts";

/** Whom one address lets in. */
export interface Doors {
  /** Null: nobody needs one, and then web pages are kept out by what their browsers say of them. */
  readonly token: string | null;
  /** What the token is called in the configuration. */
  readonly tokenName: string;
  /** Names that count without a token, as they are now; null: all, because no browser gets here. */
  readonly names: (() => OwnNames) | null;
  /** Readable by everybody, token or not. */
  readonly openPaths: ReadonlySet<string>;
  /** A page of `https` may be one of ours, because a proxy took TLS off; absent: it may. */
  readonly mayHaveTls?: boolean;
}

export interface Caller extends Pick<IncomingMessage, "method" | "url" | "headers" | "rawHeaders"> {
  /**
   * The route that answers it, or the path of one that none answers. A path alone can be written in more than one way.
   */
  readonly path: string;
}

/** Why a request is refused before anybody looks at what it asks; null: it is not. */
export function compileAdmission(doors: Doors): (caller: Caller) => HttpProblem | null {
  const { token, tokenName, openPaths } = doors;
  const guard = compileGuard(token);
  return (caller) => {
    const flaw = flawOf(caller);
    if (flaw !== null) return flaw;
    const isOpen = caller.method === "GET" && openPaths.has(caller.path);
    if (!guard(caller.headers.authorization) && !isOpen) {
      return problem(401, `this address needs the header \`Authorization: Bearer <token>\` with ${tokenName}`);
    }
    return token === null ? refusalOfPage(caller, doors, isOpen) : null;
  };
}

/** A page has no secret, but its browser says where it is from, and that no page can change. */
export function refusalOfPage(
  caller: Caller,
  { names, tokenName, mayHaveTls = true }: Pick<Doors, "names" | "tokenName" | "mayHaveTls">,
  isOpen: boolean,
): HttpProblem | null {
  const authority = authorityOf(caller);
  if (names !== null && authority !== undefined && !isOwnHost(authority, names())) {
    return problem(
      421,
      `without a Token this address does not answer to ${JSON.stringify(authority.slice(0, 255))}: call it by its IP address or as localhost, add the name to AllowedHosts of [general], or set ${tokenName}`,
    );
  }
  if (isOpen) return null;
  if (isForeign(caller.headers.origin, authority, { mayHaveTls })) {
    return problem(
      403,
      "a web page of another host may not use an API without a Token: set a Token, or call without Origin",
    );
  }
  const site = caller.headers["sec-fetch-site"];
  if (isApi(caller.path) && site !== undefined && site !== "same-origin" && site !== "none") {
    return problem(403, "a web page of another site may not use an API without a Token: set a Token");
  }
  return null;
}

/** The pages beside it may be opened from anywhere. */
const isApi = (path: string): boolean => /^\/(?:api|v1)(?:\/|$)/u.test(path);
