import type { Access } from "../access/access.ts";
import type { EventFilter } from "./feed.ts";
import type { ConsumerStart } from "./consumers.ts";

/** `PUT /v1/webhooks/{name}`. */
export interface WebhookSpec {
  readonly url: string;
  readonly filter: EventFilter;
  readonly start: ConsumerStart;
  readonly ordered: boolean;
  /** Of one attempt. */
  readonly timeoutMs: number;
}

/** The endpoints of one API account that are told what happens. All reject with the log's LogError. */
export interface Webhooks {
  put(name: string, spec: WebhookSpec, access: Access): Promise<unknown>;
  list(access: Access): Promise<readonly unknown[]>;
  get(name: string, access: Access): Promise<unknown>;
  remove(name: string, access: Access): Promise<boolean>;
  close(): Promise<void>;
}
