/** What a token of Rialto's may do. None includes another: `write` alone cannot read. */
export const SCOPES = ["read", "write", "moderate", "admin"] as const;
export type Scope = (typeof SCOPES)[number];

/** Who asks, once that is known. */
export interface Access {
  /** Key of the API account for which it speaks. */
  readonly account: string;
  readonly scopes: ReadonlySet<Scope>;
  /** Names of the account's gateways that it sees; null: all of them. */
  readonly gateways: ReadonlySet<string> | null;
  /**
   * `open`: the account has no Token, and the request came from where it may. `configuration`: the account's Token.
   * `token`: one of `rialto token create`, also by a ticket that was made with it. `session`: the browser of an
   * operator, at the admin server only. `proxy`: somebody whom the web server in front of that has signed in.
   */
  readonly by: "open" | "configuration" | "token" | "session" | "proxy";
  /** The eight characters of a token; null of all others. */
  readonly token: string | null;
  /** The eight characters of a session; absent of all others. */
  readonly session?: string;
  /** For logs and for `me`. */
  readonly name: string;
  /** How many requests a minute may say something; absent: as many as the default allows. */
  readonly postsPerMinute?: number;
  /** Aborted at most 5 s after the token has ended: streams and sockets end then. */
  readonly ended: AbortSignal;
}

export const maySee = ({ gateways }: Pick<Access, "gateways">, gateway: string): boolean =>
  gateways === null || gateways.has(gateway);
