import type { Block, Style } from "../../../contract/content.ts";

/** Who said something, as it was shown then. */
export interface StoredAuthor {
  readonly id: string;
  /** Without `(guest)`. */
  readonly name: string;
  /** Of somebody of another network, such as `irc`; empty for guests. */
  readonly network: string;
}

export interface StoredFile {
  /** Empty: there is nothing to fetch, for the reason of `missing`. */
  readonly id: string;
  readonly name: string;
  readonly mime: string;
  readonly bytes: number;
  readonly caption: string;
  readonly missing: string;
  /** Its sender hides it until a reader asks for it. Absent: it is open. */
  readonly spoiler?: true;
}

/**
 * `new`: the core has not taken it yet. `held`: it waits for approval. `said`: it stands in the room. `gone`: it was
 * deleted, rejected, or is too old to be shown; its id is kept.
 */
type MessageState = "new" | "held" | "said" | "gone";

export interface StoredMessage {
  readonly seq: number;
  readonly room: string;
  readonly id: string;
  readonly atMs: number;
  readonly state: MessageState;
  /** Id of the guest; empty for what comes from elsewhere. */
  readonly guest: string;
  readonly author: StoredAuthor;
  readonly style: Style;
  /** As a guest has written it. */
  readonly text: string;
  readonly blocks: readonly Block[];
  readonly reply: string | null;
  /** How often it was edited. */
  readonly revision: number;
  readonly files: readonly StoredFile[];
  /** Of the request, to tell a repetition from another one under the same key. */
  readonly print: string;
}

export type NewStored = Omit<StoredMessage, "seq" | "revision">;

/** What has happened in a room, for those who watch. */
export type Change =
  | { readonly is: "posted" | "edited" | "deleted"; readonly id: string }
  | {
      readonly is: "reacted";
      readonly id: string;
      readonly emoji: string;
      readonly on: boolean;
      readonly count: number;
      readonly author: StoredAuthor;
    }
  | {
      readonly is: "member";
      readonly change: "joined" | "left" | "renamed";
      readonly author: StoredAuthor;
      readonly before: string;
    }
  /** Only for the guest whose message it was. */
  | { readonly is: "hold"; readonly id: string; readonly approved: boolean }
  | { readonly is: "room" };

export interface StoredChange {
  readonly seq: number;
  readonly room: string;
  /** Empty: for all. */
  readonly guest: string;
  readonly change: Change;
}

export interface StoredGuest {
  readonly id: string;
  readonly room: string;
  readonly name: string;
  readonly invite: string;
  /** The address that joined, as bans count it. */
  readonly net: string;
  readonly joinedMs: number;
  readonly seenMs: number;
  readonly present: boolean;
  /** How often the guest has come. */
  readonly visits: number;
  readonly held: boolean;
  readonly muted: boolean;
  readonly banned: boolean;
  readonly messages: number;
  /** When the guest said something last, Unix ms. */
  readonly saidMs: number;
  /** When the guest edited something or took another name last, Unix ms. */
  readonly changedMs: number;
}

/** What a guest does to a message; `by` null: an operator. A nonce tells it from another one that is alike. */
export type MessageAct =
  | { readonly is: "deleted"; readonly by: ActingGuest | null }
  /** `text`: as it is from now on, as it was typed. */
  | { readonly is: "edited"; readonly text: string; readonly nonce: string }
  | {
      readonly is: "reacted";
      readonly emoji: string;
      readonly on: boolean;
      readonly by: ActingGuest;
      readonly nonce: string;
    };

type ActingGuest = Pick<StoredGuest, "id" | "name">;

/** An act that is on its way. */
export interface ActIntent {
  readonly seq: number;
  readonly room: string;
  readonly message: string;
  readonly act: MessageAct;
}

export interface StoredUpload {
  readonly id: string;
  readonly room: string;
  /** Empty for what comes from elsewhere. */
  readonly guest: string;
  /** Empty: no message has it yet. */
  readonly message: string;
  readonly name: string;
  readonly mime: string;
  readonly bytes: number;
  readonly atMs: number;
}
