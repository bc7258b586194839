/** Who takes part, and what a person's program has shown. */

export const NETWORKS = ["irc", "xmpp", "matrix", "mattermost", "discord", "slack", "telegram", "web", "api"] as const;
export type Network = (typeof NETWORKS)[number];
/** Those whose servers others made. */
export const REAL_NETWORKS = ["irc", "xmpp", "matrix", "api"] as const satisfies readonly Network[];
export type RealNetwork = (typeof REAL_NETWORKS)[number];
/** `plain`: an account of the API without FullEvents, which only reads. */
export type Reader = Network | "plain";

export type Style = "normal" | "action" | "notice";

export type SightKind = Style | "edit" | "delete" | "reaction" | "unreaction" | "join" | "leave" | "topic";

/** One thing that came, in the network's own writing. */
export interface Sight {
  readonly kind: SightKind;
  /** The text as it stands in the message: IRC's codes, HTML, XEP-0393, Markdown; an emoji of a reaction. */
  readonly text: string;
  /** Names of the message here; empty where it has none. */
  readonly ids: readonly string[];
  /** The message that it answers or acts on. */
  readonly target: string | null;
  /** The first message of the thread that it stands in, where the network has threads. */
  readonly thread?: string | null;
  /** The network alerts the person who reads. */
  readonly alerts: boolean;
  /** A file in the network's own way. */
  readonly file: {
    readonly name: string;
    readonly fetch: () => Promise<Uint8Array>;
    /** It is covered until the reader asks for it. */
    readonly hidden?: boolean;
  } | null;
}

export interface Shared {
  readonly name: string;
  readonly mime: string;
  readonly content: Uint8Array;
}

/** A person on a network. What the network does not have is null. Resolves to the message's name there. */
export interface Place {
  readonly network: Network;
  /** The name of the person. */
  readonly name: string;
  /** What came from others so far, in order. */
  sights(): readonly Sight[];
  say(text: string, style: Style): Promise<string>;
  readonly reply: ((text: string, to: string) => Promise<void>) | null;
  readonly thread: ((text: string, first: string) => Promise<void>) | null;
  readonly edit: ((message: string, text: string) => Promise<void>) | null;
  readonly erase: ((message: string) => Promise<void>) | null;
  readonly react: ((message: string, emoji: string, on: boolean) => Promise<void>) | null;
  /** Several at once only where a message can have them. */
  readonly share: ((file: Shared) => Promise<void>) | null;
  readonly caption: ((file: Shared, words: string) => Promise<void>) | null;
  /** Shares a picture that is hidden; absent: the network has no way. */
  readonly hide?: (file: Shared) => Promise<void>;
  readonly shareAll: ((files: readonly Shared[], words: string) => Promise<void>) | null;
  readonly setTopic: ((topic: string) => Promise<void>) | null;
  /** Somebody of this name comes in and goes again. */
  readonly visit: ((name: string) => Promise<void>) | null;
  quit(): Promise<void>;
}

/** Who takes part in the conversation: nobody's name is part of another's. */
export const NAMES: Readonly<Record<Network, string>> = {
  irc: "ira",
  xmpp: "xena",
  matrix: "mona",
  mattermost: "judy",
  discord: "dora",
  slack: "sven",
  telegram: "tess",
  web: "wilma",
  api: "anna",
};

/** As everybody else sees them. */
export const shownName = (network: Network, name: string = NAMES[network]): string =>
  network === "web" ? `${name} (guest)` : name;
