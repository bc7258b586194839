import type { IncomingMessage, ServerResponse } from "node:http";
import type { Chat, Refusal } from "../chat.ts";
import type { StoredGuest } from "../store/rows.ts";
import type { GuestCookies } from "./guest-cookies.ts";
import type { Incoming } from "./shares.ts";
import type { Streams } from "./streams.ts";

/** A request that has been let in. */
export interface WebCall {
  readonly chat: Chat;
  readonly streams: Streams;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly query: URLSearchParams;
  readonly cookies: GuestCookies;
  /** Decoded. */
  readonly params: readonly string[];
  /** What the account's requests that are still coming in have. */
  readonly incoming: Incoming;
  /** Whose address it is, as limits count it. */
  readonly owner: string;
  /** As bans count it. */
  readonly net: string;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

export interface GuestCall extends WebCall {
  readonly guest: StoredGuest;
}

/** What a call came to: an answer, a refusal, or it has answered itself. */
export type CallReply =
  | { readonly status: number; readonly body: object | null; readonly headers?: Readonly<Record<string, string>> }
  | Refusal
  | "taken";

export const reply = (body: object, status = 200): CallReply => ({ status, body });
export const EMPTY: CallReply = { status: 204, body: null };

export interface GuestRoute {
  readonly method: string;
  readonly path: RegExp;
  /** Something is said or changed: counted against the guest's rate. */
  readonly counts?: true;
  readonly handle: (call: GuestCall) => Promise<CallReply> | CallReply;
}
