import type { PresentationSettings } from "./presentation.ts";
import type { AccountDown, ConfigProblem } from "./problems.ts";

/**
 * The configuration after loading, validation and resolving: what the rest of the program sees.
 * Plain data, frozen by type; made by `load.ts`.
 */
export interface Config {
  /** The file it came from, absolute; null for the built-in example. */
  readonly path: string | null;
  readonly general: GeneralSettings;
  /** Accounts that at least one enabled gateway uses, by canonical name (`<protocol>.<name>`, lower case). */
  readonly accounts: ReadonlyMap<string, Account>;
  /** Enabled gateways in the order of the file. A samechannelgateway is one gateway with one room per channel. */
  readonly gateways: readonly Gateway[];
  /** What could not be read, and what the program runs without because of it. */
  readonly errors: readonly ConfigProblem[];
}

export interface GeneralSettings {
  /** Absolute. */
  readonly dataPath: string;
  /** Null: the log is of this machine alone. */
  readonly cluster: ClusterSettings | null;
  /**
   * `power`: every commit is on the disk before it is acknowledged. `process`: it survives the program, not the power.
   */
  readonly durability: "power" | "process";
  readonly retentionDays: number;
  readonly retentionBytes: number;
  readonly messageIdDays: number;
  /** How words are found at the API; null: the log keeps no index of them. */
  readonly search: "words" | "trigrams" | null;
  /** How long a message may wait for a network before it is left out. */
  readonly maxAgeMs: number;
  /** How long a network may be out of reach before the log says so. */
  readonly outageNoticeMs: number;
  /** Value of `Proxy`; empty: none. */
  readonly proxy: string;
  readonly logFile: string | null;
  readonly logFormat: LogFormat;
  readonly debug: boolean;
  /** As `hostName` writes them. */
  readonly allowedHosts: readonly string[];
  /** `host:port` of private servers that webhooks may call, lower case. */
  readonly allowPrivate: readonly string[];
  readonly media: MediaSettings;
  /** Null: operators come through the socket alone. */
  readonly admin: AdminSettings | null;
  /** Where a web server in front of it shows the dashboard, as an origin; null: nowhere else. */
  readonly dashboardUrl: string | null;
  /** All of the above as the schema names them, to tell what a change of the file has changed. */
  readonly values: Readonly<Record<string, unknown>>;
}

/** A log that several machines have together. */
export interface ClusterSettings {
  /** `host:port` of the servers that carry it. */
  readonly servers: readonly string[];
  readonly isEncrypted: boolean;
  readonly auth:
    | { readonly user: string; readonly password: string }
    | { readonly token: string }
    /** An absolute path. */
    | { readonly credentials: string }
    | null;
  /** Name of this machine among them. */
  readonly node: string;
}

/** The second way in for operators. */
export interface AdminSettings {
  /** `host:port`. */
  readonly bindAddress: string;
  /** Null only on loopback. */
  readonly token: string | null;
  /** IP addresses of web servers that say whom they have signed in. */
  readonly proxies: ReadonlySet<string>;
}

/** Of the program's own messages. `auto`: `pretty` on a terminal, `json` elsewhere. */
type LogFormat = "auto" | "json" | "pretty";

/** The files that messages carry. */
export interface MediaSettings {
  /** Bytes of one file. */
  readonly downloadSize: number;
  /** Patterns (RE2) of names. */
  readonly blackList: readonly string[];
  /** Web servers on private addresses may be asked. */
  readonly allowPrivate: boolean;
  /** Bytes of the store. */
  readonly storeBytes: number;
  /** `host:port` of the media endpoint. */
  readonly bindAddress: string | null;
  /** Its public address, without a slash at the end, and how long links hold; null without `bindAddress`. */
  readonly endpoint: { readonly url: string; readonly expiryMs: number } | null;
  /** An absolute path, and its public address. */
  readonly folder: { readonly path: string; readonly url: string } | null;
}

export interface Account {
  /** As the configuration file spells it: `<protocol>.<Name>`. Shown to people and API clients. */
  readonly name: string;
  /** Lower case; the identity in routes, marks and subjects. */
  readonly key: string;
  readonly protocol: string;
  readonly presentation: PresentationSettings;
  /** The protocol's own settings after coercion and defaults, as its schema declares them. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Why it is not started although a gateway uses it; required settings may be missing then. Null: it is. */
  readonly down: AccountDown | null;
}

/** How messages from an account and to it look, and which pass. */
export type { PresentationSettings } from "./presentation.ts";

/** [pattern, replacement] or, for ExtractNicks, [pattern on the nick, pattern on the text]. RE2 syntax. */
export type RegexRule = readonly [string, string];

export interface Gateway {
  readonly name: string;
  readonly bridges: readonly Bridge[];
  /** True for a samechannelgateway: a message only goes to bridges whose channel has the same name. */
  readonly sameChannel: boolean;
  /** How long a message may wait before it is left out; null: as `[general]` says. */
  readonly maxAgeMs: number | null;
  /** How much of what has waited is delivered; null: all that is younger than MaxAge. */
  readonly catchUp: CatchUp | null;
}

/**
 * Of what has waited so long that it is late: nothing, the newest few messages, or those that were accepted less than
 * `ms` ago.
 */
export type CatchUp =
  | { readonly is: "none" }
  | { readonly is: "newest"; readonly count: number }
  | { readonly is: "younger"; readonly ms: number };

export interface Bridge {
  /** Key of the account (lower case). */
  readonly account: string;
  readonly channel: string;
  readonly direction: "in" | "out" | "inout";
  /** `options` of the entry, keys in lower case. */
  readonly options: Readonly<Record<string, string>>;
}
