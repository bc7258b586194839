import type { KnownBlock, RichTextBlock } from "@slack/types";
import type { ConversationsHistoryResponse, UsersInfoResponse } from "@slack/web-api";

/**
 * What the fake server says, by the network's published types. Where these are narrower than what servers really send,
 * the difference is here and nowhere else.
 */

type HistoryMessage = NonNullable<ConversationsHistoryResponse["messages"]>[number];
type HistoryFile = NonNullable<HistoryMessage["files"]>[number];

export type WireUser = NonNullable<UsersInfoResponse["user"]>;

/** The published types list the fields of no block alike, and lack what tells of a work that is left out. */
export type WireMessage = Omit<HistoryMessage, "blocks" | "files" | "metadata" | "root" | "ts" | "type"> & {
  type: "message";
  ts: string;
  blocks?: readonly WireBlock[];
  files?: readonly WireFile[];
  metadata?: Metadata;
  root?: WireMessage;
  /** Of system messages. */
  name?: string;
  old_name?: string;
};

export type WireBlock = (KnownBlock | RichTextBlock) & { block_id?: string };

/** Of one that is hidden or deleted there is nothing but the id and the mode. */
export type WireFile = Partial<Omit<HistoryFile, "mode" | "shares">> & {
  id: string;
  mode: "hosted" | "external" | "snippet" | "hidden_by_limit" | "tombstone";
  shares?: { public?: Shares; private?: Shares };
};

type Shares = Record<string, { ts: string; channel_name: string; team_id: string; thread_ts?: string }[]>;

/**
 * What a method answers, but for `ok`: fields that the published answer has, and no others. Messages, files and users
 * are ours, and servers send null where there is nothing.
 */
export type Answered<R> = {
  [K in keyof R as string extends K ? never : K]?: K extends keyof Ours ? Ours[K] : R[K] | null;
};

interface Ours {
  message: WireMessage;
  messages: readonly WireMessage[];
  file: WireFile;
  files: readonly WireFile[];
}

export interface Metadata {
  readonly event_type: string;
  readonly event_payload: Readonly<Record<string, unknown>>;
}

export interface TeamRow {
  readonly id: string;
  readonly name: string;
  readonly domain: string;
  /** Custom emoji: their pictures, or `alias:other`. */
  readonly emoji: Map<string, string>;
  /** How groups of people are called, by their ids. */
  readonly groups: Map<string, string>;
}

export interface UserRow {
  readonly id: string;
  readonly team: string;
  wire: WireUser;
  /** Of the user of an app. */
  readonly botId?: string;
}

export interface ChannelRow {
  readonly id: string;
  readonly team: string;
  readonly isPrivate: boolean;
  readonly created: number;
  readonly creator: string;
  name: string;
  isArchived: boolean;
  topic: Note;
  purpose: Note;
  readonly members: Set<string>;
  readonly previousNames: string[];
  /** Other teams that are in it by Slack Connect. */
  readonly others: Set<string>;
  /** By its `ts`, in order. */
  readonly messages: Map<string, MessageRow>;
  /** Messages before this `ts` are hidden by the plan's limit. */
  hiddenBefore: string;
}

interface Note {
  readonly value: string;
  readonly creator: string;
  readonly last_set: number;
}

export interface MessageRow {
  readonly channel: string;
  wire: WireMessage;
  readonly reactions: { readonly name: string; readonly users: string[] }[];
  /** Of roots: the `ts` of its replies. */
  readonly replies: string[];
  /** Files by their ids. */
  files: string[];
}

export interface AppRow {
  readonly id: string;
  readonly name: string;
  readonly team: string;
  readonly user: UserRow;
  readonly botId: string;
  /** `xoxb-…` and `xapp-…`. */
  readonly token: string;
  readonly appToken: string;
  readonly scopes: Set<string>;
  /** Scopes of the token for the app itself. */
  readonly appScopes: Set<string>;
  /** What it subscribed to, as `message.channels`. */
  events: Set<string>;
  /** The switch "Enable Socket Mode". */
  socketMode: boolean;
  /** A name of its own without the scope for it: refused, else passed over. Servers have done both. */
  refusesNames: boolean;
  /** The token is no longer good, and why. */
  revoked: "account_inactive" | "token_revoked" | "token_expired" | null;
}

export interface FileRow {
  wire: WireFile;
  readonly content: Uint8Array;
  readonly user: string;
}

/** A file as somebody sends it. */
export interface Upload {
  readonly name: string;
  readonly content: Uint8Array;
  readonly mime?: string;
  readonly title?: string;
}

/** An answer that is a refusal: thrown where it is found out, sent as the network's error body. */
export class Refusal extends Error {
  readonly more: Readonly<Record<string, unknown>>;

  constructor(error: string, more: Readonly<Record<string, unknown>> = {}) {
    super(error);
    this.more = more;
  }
}

export const no = (error: string, more: Readonly<Record<string, unknown>> = {}): Refusal => new Refusal(error, more);

/** A refusal that says where the arguments are wrong. */
export const wrong = (error: string, messages: readonly string[]): Refusal =>
  new Refusal(error, { errors: messages.map(bare), response_metadata: { messages } });

const bare = (message: string): string => message.replace(/^\[ERROR\] /, "");

export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** What the network counts as characters. */
export const lengthOf = (text: string): number => Array.from(text).length;
