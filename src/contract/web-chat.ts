import type { Block, Style } from "./content.ts";

/**
 * The API of the web chat, as its page sees it: plain JSON below `/v1` of the address of a `web` account. Clients pass
 * over keys and types that they do not know. Times are RFC 3339 in UTC.
 */

export interface WebAuthor {
  readonly id: string;
  /** As people chose it, without `(guest)`. */
  readonly name: string;
  /** An address of this server, or null. */
  readonly avatar: string | null;
  readonly mine: boolean;
  /** Joined by an invite here; everybody else comes from another network. */
  readonly guest: boolean;
  /** The protocol of the network that somebody comes from; empty for guests, and for Rialto itself. */
  readonly network: string;
}

export interface WebReaction {
  readonly emoji: string;
  readonly count: number;
  readonly mine: boolean;
}

export interface WebFile {
  /** Below `/v1/files/`; empty when there is nothing to fetch here. */
  readonly id: string;
  readonly name: string;
  readonly mime: string;
  /** 0: nobody knows. */
  readonly bytes: number;
  readonly caption: string;
  /** Why there is nothing to fetch, for people; empty when there is. */
  readonly missing: string;
  /** Its sender hides it until a reader asks for it. Absent: it is open. */
  readonly spoiler?: true;
}

export interface WebReply {
  readonly id: string;
  readonly author: string;
  readonly excerpt: string;
}

export interface WebMessage {
  readonly id: string;
  readonly time: string;
  readonly author: WebAuthor;
  readonly style: Style;
  readonly blocks: readonly Block[];
  /** What was typed, for editing: of one's own messages; otherwise empty. */
  readonly text: string;
  readonly reply_to: WebReply | null;
  readonly edited: boolean;
  readonly reactions: readonly WebReaction[];
  readonly files: readonly WebFile[];
}

export interface WebMember {
  readonly id: string;
  readonly name: string;
  readonly guest: boolean;
  readonly network: string;
  /** Null: their network does not say. */
  readonly present: boolean | null;
  readonly mine: boolean;
}

interface WebGuest {
  readonly id: string;
  readonly name: string;
}

export interface WebRoom {
  readonly name: string;
  /** In plain words; empty: none. */
  readonly topic: string;
  /** What this guest says waits for somebody's approval. */
  readonly held: boolean;
  readonly muted: boolean;
  /** Seconds between two messages of one guest; 0: none. */
  readonly slowModeS: number;
  /** In characters. */
  readonly textMax: number;
  readonly fileBytesMax: number;
  readonly filesMax: number;
}

/** `GET /v1/me`, and `POST /v1/join` (201). */
export interface WebMe {
  readonly guest: WebGuest;
  readonly room: WebRoom;
  /** Own messages that wait for approval. */
  readonly waiting: readonly { readonly id: string; readonly text: string }[];
}

/**
 * `POST /v1/join`. With an `Idempotency-Key` of at least 20 characters, made by chance, it is the same guest each time.
 */
export interface WebJoin {
  readonly invite: string;
  readonly name: string;
}

/**
 * `POST /v1/invite`: where an invite leads, with the `Idempotency-Key` of the join. An invite that no longer works is
 * refused (410), unless this browser has joined its room.
 */
export interface WebInvite {
  readonly room: string;
  readonly topic: string;
  /** The setting RunBy, for people; may be empty. */
  readonly runBy: string;
  /** This browser has a session in the room. */
  readonly joined: boolean;
}

/** `GET /v1/rooms`: the rooms that this browser is in, by name. All other requests take the name as `room`. */
export interface WebRooms {
  readonly rooms: readonly {
    readonly name: string;
    readonly guest: WebGuest;
    /** When the newest message was said; null: there is none. */
    readonly newest: string | null;
  }[];
}

/** `GET /v1/history`: oldest first. */
export interface WebHistory {
  readonly messages: readonly WebMessage[];
  readonly more: boolean;
}

/** Those who are in the linked channels of one network now. */
export interface WebNetwork {
  readonly id: string;
  /** For people. */
  readonly title: string;
  /** How many are there; null: the network does not say. */
  readonly count: number | null;
  /** At most the first 300 by name; null: the network does not list them, or its settings keep them back. */
  readonly members: readonly WebMember[] | null;
  /** Rialto has no connection to it now. */
  readonly offline: boolean;
}

/** `GET /v1/members`. */
export interface WebMembers {
  /** Guests who are present, at most 1000. */
  readonly members: readonly WebMember[];
  readonly networks: readonly WebNetwork[];
  /** Of `networks`: see the event `members`. */
  readonly version: number;
}

/** What has changed in one network. A person with another name is another member. */
export interface WebNetworkChange extends Omit<WebNetwork, "members"> {
  /** Whether `members` is a list. */
  readonly listed: boolean;
  /** New, or different now. */
  readonly here: readonly WebMember[];
  readonly gone: readonly string[];
}

/** Leads from one version of `networks` to the next one; at most one in a second. */
export interface WebMembersChange {
  readonly type: "members";
  readonly from: number;
  readonly version: number;
  /** Ids of all networks, in their order. */
  readonly ids: readonly string[];
  readonly networks: readonly WebNetworkChange[];
}

/** `POST /v1/messages`. */
export interface WebPost {
  readonly text: string;
  readonly reply_to?: string | null;
  /** Ids that `POST /v1/files` gave; a file that is to be hidden is an object. */
  readonly files?: readonly (string | { readonly id: string; readonly spoiler?: boolean })[];
}

/** 201, and 202 for what is held. */
export type WebPosted = { readonly message: WebMessage } | { readonly held: true; readonly id: string };

/** `POST /v1/files` (201). `DELETE /v1/files/{id}` (204) takes back a file that no message has. */
export interface WebUploaded {
  readonly file: WebFile;
}

/** `GET /v1/events`: the type is the event's name too, and its id, where it has one, is for `Last-Event-ID`. */
export type WebEvent =
  | { readonly type: "message.posted" | "message.edited"; readonly message: WebMessage }
  | { readonly type: "message.deleted"; readonly id: string }
  | {
      readonly type: "reaction.added" | "reaction.removed";
      readonly id: string;
      readonly emoji: string;
      /** So many stand behind it from now on. */
      readonly count: number;
      readonly author: WebAuthor;
    }
  /** These are about guests; `members` is about everybody else. */
  | { readonly type: "member.joined" | "member.left"; readonly member: WebMember }
  | { readonly type: "member.renamed"; readonly member: WebMember; readonly before: string }
  | WebMembersChange
  | { readonly type: "typing"; readonly author: WebAuthor; readonly on: boolean }
  /** A message of one's own is through (it follows as `message.posted`), or is not. */
  | { readonly type: "hold"; readonly id: string; readonly approved: boolean }
  /** What the room and this guest may do has changed. */
  | { readonly type: "room"; readonly room: WebRoom }
  /** Where the stream stands from now on; the first event of every stream. */
  | { readonly type: "ready" }
  /** The position is not known any more: read the history again. */
  | { readonly type: "reset" };

/** Of `application/problem+json`. */
export type WebProblemCode =
  | "bad_request"
  | "unauthorized"
  | "banned"
  | "muted"
  | "forbidden"
  | "not_found"
  | "name_taken"
  | "bad_name"
  | "invite_gone"
  | "too_large"
  | "too_many"
  | "slow_mode"
  | "no_links"
  | "key_reused"
  | "unavailable"
  | "misdirected";

export interface WebProblem {
  readonly title: string;
  readonly status: number;
  readonly code: WebProblemCode;
  /** For people: what, and what to do. */
  readonly detail: string;
  /** Of `name_taken`: one that is free. */
  readonly suggestion?: string;
  /** As `Retry-After`: seconds. */
  readonly retry_after?: number;
}
