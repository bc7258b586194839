import type { Access } from "../access/access.ts";
import type { Alert } from "../admin/views.ts";
import type { Clock } from "../contract/host.ts";
import type { Log, Seq } from "../log/log.ts";
import type { Logger } from "../logger.ts";
import type { ConsumerStart, Consumers, ConsumerView, DeadPage } from "./consumers.ts";
import type { EventFilter } from "./feed.ts";

/** `PUT /v1/webhooks/{name}`. */
export interface WebhookSpec {
  readonly url: string;
  readonly filter: EventFilter;
  readonly start: ConsumerStart;
  readonly ordered: boolean;
  /** Of one attempt. */
  readonly timeoutMs: number;
}

/** The last time that something was sent to an endpoint. */
export interface WebhookAttempt {
  /** Unix ms. */
  readonly atMs: number;
  /** Of the answer; null: there was none. */
  readonly status: number | null;
  /** Why it counts as a failure; null: it was taken. */
  readonly why: string | null;
}

export interface WebhookView {
  readonly name: string;
  readonly spec: WebhookSpec;
  /** `failing`: the last attempt failed, and another will follow. `disabled`: nothing is sent until it is enabled. */
  readonly state: "active" | "failing" | "disabled";
  /** Of what is not active. */
  readonly why: string | null;
  readonly sinceMs: number | null;
  /** When the next attempt of something that failed is made; null: nothing failed. */
  readonly retryAtMs: number | null;
  readonly lastAttempt: WebhookAttempt | null;
  readonly consumer: ConsumerView;
  /** Names the configuration. */
  readonly etag: string;
}

/** What `put` did; `secret` is shown this once, and null where the endpoint keeps the one it has. */
export interface WebhookPut {
  readonly is: "created" | "same" | "changed";
  readonly view: WebhookView;
  readonly secret: string | null;
}

/**
 * The endpoints of one API account that are told what happens. Throws ConsumerError (`not_found`, `conflict`,
 * `precondition_failed`, `unprocessable`); all reject with the log's LogError.
 */
export interface Webhooks {
  put(
    name: string,
    spec: WebhookSpec,
    how: { readonly access: Access; readonly ifMatch: string | null },
  ): Promise<WebhookPut>;
  get(name: string, access: Access): Promise<WebhookView>;
  /** Also of those that a caller does not see. */
  readonly names: readonly string[];
  list(access: Access): Promise<readonly WebhookView[]>;
  remove(name: string, access: Access): Promise<boolean>;
  /** A new secret; what is sent in the next day is signed with the old one as well. */
  rotate(name: string, access: Access): Promise<string>;
  /** Sends again to an endpoint that was disabled, or is waiting for its next attempt. */
  enable(name: string, access: Access): Promise<WebhookView>;
  /** Events that were given up, with seq > after. */
  dead(name: string, after: Seq, access: Access): Promise<DeadPage>;
  /** Sends an event again that was given up, with the table from its beginning; false: it is none of them. */
  retry(name: string, seq: Seq, access: Access): Promise<boolean>;
  /** What the status says of endpoints that are disabled. */
  alerts(): readonly Alert[];
  /** Ends what is under way; all of it is sent again later. */
  close(): Promise<void>;
}

export interface WebhooksDeps {
  /** Key and name of the API account. */
  readonly account: { readonly key: string; readonly name: string };
  readonly log: Pick<Log, "mark" | "unmark" | "marks">;
  /** Of the webhooks alone: their marks are apart from those of programs. */
  readonly consumers: Consumers;
  /** `AllowPrivate` as it is now: `host:port`. */
  readonly allowPrivate: () => readonly string[];
  readonly clock: Clock;
  readonly random: () => number;
  readonly logger: Logger;
}

/** Where the webhooks of all accounts are kept. */
export const WEBHOOKS_STEM = "v1/w/";
/** Where those of an account are kept. */
export const webhookStem = (accountKey: string): string => `${WEBHOOKS_STEM}${accountKey}/`;

/** Whether there is anything to run although nobody asks: a start opens no webhooks otherwise. */
export async function hasWebhooks(log: Pick<Log, "marks">, accountKey: string): Promise<boolean> {
  return (await log.marks(webhookStem(accountKey))).size > 0;
}
