import type { LinkFor } from "../gateway/with-links.ts";
import type { Routes } from "../gateway/routes.ts";
import type { Log } from "../log/log.ts";
import type { Logger } from "../logger.ts";
import type { Feed } from "./feed.ts";

export interface FeedOptions {
  /** Key of the API account. */
  readonly account: string;
  readonly log: Log;
  /** Those that a reload swaps: the feed sees by itself that they are others. */
  readonly routes: Pick<Routes, "seen">;
  readonly linkFor: LinkFor;
  readonly logger: Logger;
}

/** A feed over the log; `close` ends what it listens to. */
export interface OpenFeed extends Feed {
  close(): void;
}

/** Reads nothing yet: at once, and never fails. */
export function openFeed(options: FeedOptions): OpenFeed {
  throw new Error(`the feed of ${options.account} is not built yet`);
}
