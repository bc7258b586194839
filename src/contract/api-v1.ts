/**
 * The shapes of the API below `/v1`, as programs see them: plain types without an import, so that `rialto/client` can
 * publish them as they are. Numbers of the log are texts of digits. Clients pass over keys and types they do not know.
 */

export type DurableType =
  | "message.posted"
  | "message.edited"
  | "message.deleted"
  | "reaction.added"
  | "reaction.removed"
  | "member.joined"
  | "member.left"
  | "member.renamed"
  | "topic.changed"
  | "place.lost"
  | "place.back"
  /** Only of one's own messages. */
  | "receipt.changed";

/** Never in the log, and on streams and sockets only. */
export type EphemeralType = "typing" | "presence";

export interface ApiSource {
  /** `<protocol>.<name>`, as in the configuration. */
  readonly account: string;
  readonly protocol: string;
  readonly channel: string;
}

export interface ApiAuthor {
  /** As its network has the person; may be empty. */
  readonly id: string;
  /** As its network shows it: no RemoteNickFormat. */
  readonly name: string;
  readonly avatar: string | null;
  readonly bot: boolean;
  /** Said through the account that reads it. */
  readonly mine: boolean;
}

export interface ApiFile {
  /**
   * For `GET /v1/files/{id}`: `s256_` and the SHA-256 of the content in base64url of what was uploaded, otherwise
   * opaque; empty where only `url` is known.
   */
  readonly id: string;
  readonly name: string;
  readonly mime: string;
  /** 0: nobody knows. */
  readonly bytes: number;
  readonly caption: string;
  /** Where it can be had; empty: by its id only. */
  readonly url: string;
  /** RFC 3339: when `url` ends; null: nobody knows, or it does not. */
  readonly expires: string | null;
  /** Its sender hides it and its caption until a reader asks for it: true, or the reason. Absent: it is open. */
  readonly spoiler?: true | string;
}

export type TextFormat = "markdown" | "plain";
export type MessageStyle = "normal" | "action" | "notice";

export interface ApiMessage {
  readonly id: string;
  readonly text: string;
  readonly format: TextFormat;
  readonly style: MessageStyle;
  /** Ids of other messages. */
  readonly reply_to: string | null;
  readonly thread: string | null;
  /** How many programs have carried it from one gateway to another. */
  readonly hops: number;
  readonly files: readonly ApiFile[];
}

interface EventBase {
  readonly seq: string;
  /** When it was accepted, RFC 3339 in UTC. */
  readonly time: string;
  /** Those in which the reader sees it. */
  readonly gateways: readonly string[];
  readonly source: ApiSource;
}

/** One entry of the log, as one account of the API sees it. */
export type ApiEvent =
  | (EventBase & {
      readonly type: "message.posted" | "message.edited";
      readonly author: ApiAuthor;
      readonly message: ApiMessage;
    })
  | (EventBase & {
      readonly type: "message.deleted";
      readonly author: ApiAuthor;
      readonly message: { readonly id: string };
    })
  | (EventBase & {
      readonly type: "reaction.added" | "reaction.removed";
      readonly author: ApiAuthor;
      readonly message: { readonly id: string };
      readonly reaction: { readonly emoji: string };
    })
  | (EventBase & {
      readonly type: "member.joined" | "member.left";
      readonly author: ApiAuthor;
      /** In the words of its network. */
      readonly text: string;
    })
  | (EventBase & {
      readonly type: "member.renamed";
      readonly author: ApiAuthor;
      /** The name that the person has now; null: an earlier version of Rialto stored the event. */
      readonly member: { readonly name: string | null };
      /** In the words of its network. */
      readonly text: string;
    })
  | (EventBase & {
      readonly type: "topic.changed";
      readonly author: ApiAuthor;
      /** Empty: there is none any more. Null: nobody knows, or something else about the room has changed. */
      readonly topic: string | null;
      /** In the words of its network. */
      readonly text: string;
    })
  | (EventBase & { readonly type: "place.lost" | "place.back"; readonly text: string })
  | (EventBase & {
      readonly type: "receipt.changed";
      readonly message: { readonly id: string };
      readonly receipt: ApiReceipt;
    });

/** What retention took before it was read; no entry of the log. `from` and `to`: the gap, both included. */
export interface SkippedEvent {
  readonly type: "skipped";
  readonly from: string;
  readonly to: string;
  readonly count: number;
}

export interface HintEvent {
  readonly type: EphemeralType;
  readonly time: string;
  readonly gateways: readonly string[];
  readonly source: ApiSource;
  readonly author: ApiAuthor;
  /** Of `typing`: whether somebody does. Of `presence`: whether somebody is there. */
  readonly on: boolean;
}

export type StreamEvent = ApiEvent | SkippedEvent | HintEvent;

/** What became of a message at one destination. `state`: as in the status of Rialto. */
export interface ApiReceipt {
  readonly gateway: string;
  readonly account: string;
  readonly channel: string;
  readonly state: string;
  readonly why: string | null;
  readonly remedy: string | null;
  /** RFC 3339. */
  readonly retry_at: string | null;
  readonly tries: number | null;
  readonly refs: readonly string[];
  readonly losses: readonly { readonly what: string; readonly note: string }[];
}
