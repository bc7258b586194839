import type { MessageRef, Progress } from "./ids.ts";

/** How an op ended: always a value. A handler that throws has a bug, and its op counts as `unknown`. */
export type Outcome =
  | { readonly is: "delivered"; readonly receipt: Receipt }
  /**
   * What was not yet sent certainly was not: try again after `retryInMs`. `session`: this holds for all its channels.
   */
  | {
      readonly is: "deferred";
      readonly why: Reason;
      readonly retryInMs: number;
      readonly scope: "channel" | "session";
    }
  /** Not sent, and never will be. */
  | { readonly is: "rejected"; readonly why: Reason }
  /**
   * What was announced by `Attempt.sending` may have been sent or not; with `upTo`, nothing after that was. `final`: no
   * later try can find that out, although the network usually lets us: what is in doubt up to `upTo` is not sent again.
   */
  | { readonly is: "unknown"; readonly why: Reason; readonly upTo?: Progress }
  | { readonly is: "unknown"; readonly why: Reason; readonly upTo: Progress; readonly final: true };

interface Receipt {
  /**
   * What this attempt made, in the order of the parts; empty where the network gives its messages no ids. The first is
   * the one to reply to. Of an edit: the list that stands from now on, empty when it is the same as before. Of other
   * ops: empty.
   */
  readonly messages: readonly MessageRef[];
  readonly losses: readonly Loss[];
}

/** Something of the message that could not cross. `note`: for people. */
export interface Loss {
  readonly what:
    | "format"
    | "file"
    | "reply"
    | "thread"
    | "length"
    | "identity"
    | "charset"
    | "edit"
    | "delete"
    | "reaction"
    | "mention"
    | "topic";
  readonly note: string;
}

/** `message`: for people; holds no secret and no text of a message. */
export interface Reason {
  readonly code: ReasonCode;
  readonly message: string;
}

export type ReasonCode =
  | "rate_limited"
  | "network"
  | "timeout"
  | "auth"
  | "config"
  | "forbidden"
  | "not_found"
  | "too_large"
  | "unsupported"
  | "bad_content"
  | "remote_error"
  | "stopping"
  | "bug";
