import type { ApiEvent, ApiFile, ApiMessage, ApiReceipt, MessageStyle, TextFormat } from "../contract/api-v1.ts";

/** Who says something, as people are to see it. */
export interface SaidBy {
  readonly id?: string;
  readonly name?: string;
  readonly avatar?: string | null;
}

/** What is posted; see `POST /v1/gateways/{gateway}/messages`. */
export interface PostWords {
  readonly text?: string;
  readonly format?: TextFormat;
  readonly style?: MessageStyle;
  readonly author?: SaidBy;
  readonly reply_to?: string | null;
  readonly thread?: string | null;
  /** Ids of uploaded files. */
  readonly files?: readonly string[];
  readonly mentions?: "none" | "users" | "all";
  readonly hops?: number;
}

export type EditWords = Pick<PostWords, "format" | "author" | "mentions" | "files"> & { readonly text: string };

/** `message` null: a filter of the operator dropped it; `dropped` says why. */
export interface PostAnswer {
  readonly message: (Pick<ApiMessage, "id"> & Partial<ApiMessage>) | null;
  readonly receipts?: string;
  readonly dropped?: { readonly reason: string; readonly detail: string };
}

export type UploadAnswer = Pick<ApiFile, "id" | "mime" | "bytes">;

export interface BridgeAnswer {
  readonly account: string;
  readonly protocol: string;
  readonly channel: string;
  readonly direction: "in" | "out" | "inout";
  readonly state: string;
  readonly since: string | null;
  readonly why: string | null;
  readonly remedy: string | null;
  /** What the network can do at most; null of an API account. */
  readonly capabilities: Readonly<Record<string, unknown>> | null;
}

export interface GatewayAnswer {
  readonly name: string;
  readonly bridges: readonly BridgeAnswer[];
}

export interface MemberAnswer {
  readonly account: string;
  readonly channel: string;
  readonly id: string;
  readonly name: string;
  readonly bot: boolean;
  readonly present: boolean | null;
}

export interface MembersAnswer {
  readonly members: readonly MemberAnswer[];
  readonly unknown: readonly { readonly account: string; readonly channel: string }[];
  readonly truncated: boolean;
}

export interface HistoryAsk {
  readonly before?: string;
  readonly after?: string;
  /** Words to look for. */
  readonly q?: string;
  readonly from?: string;
  readonly limit?: number;
}

export interface HistoryAnswer {
  readonly messages: readonly (Extract<ApiEvent, { type: "message.posted" | "message.edited" }> & {
    readonly edited: string | null;
  })[];
  /** Where to go on; absent: that was all. */
  readonly next?: string;
}

export interface ReceiptsAnswer {
  readonly receipts: readonly ApiReceipt[];
}

export interface MeAnswer {
  readonly account: string;
  readonly by: "open" | "configuration" | "token";
  readonly token: string | null;
  readonly name: string;
  readonly scopes: readonly ("read" | "write" | "moderate" | "admin")[];
  readonly gateways: readonly string[];
  readonly all_gateways: boolean;
}
