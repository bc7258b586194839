import type { Tokens } from "../../access/tokens.ts";
import type { Account, Config } from "../../config/config.ts";
import type { Consumers } from "../../consumers/consumers.ts";
import type { Feed } from "../../consumers/feed.ts";
import type { SharedHint } from "../../consumers/hint-event.ts";
import type { Hints } from "../../consumers/hints.ts";
import type { Webhooks } from "../../consumers/webhooks.ts";
import type { ApiReceipt } from "../../contract/api-v1.ts";
import type { Capabilities } from "../../contract/capabilities.ts";
import type { Clock } from "../../contract/host.ts";
import type { Member } from "../../contract/session.ts";
import type { AccountAct, AccountActed, AccountStatus } from "../../delivery/status.ts";
import type { FileStore } from "../../files/files.ts";
import type { Routes } from "../../gateway/routes.ts";
import type { Log, Seq } from "../../log/log.ts";
import type { LogSearch } from "../../log/search.ts";
import type { Logger } from "../../logger.ts";
import type { Ingest } from "../api/ingest.ts";
import type { Quotas } from "./quotas.ts";
import type { Tickets } from "./tickets.ts";
import type { HistoryTurns } from "./history-turns.ts";

/** What the operations below `/v1` of one API account work with. */
export interface V1Deps {
  /** Both as they are now: a reload changes them. */
  readonly account: () => Account;
  readonly config: () => Config;
  /** As `Delivery.control`. */
  readonly control: (accountKey: string, act: AccountAct) => Promise<AccountActed>;
  readonly log: Log & { readonly archive: LogSearch };
  readonly routes: Routes;
  readonly feed: Feed;
  readonly hints: Hints;
  /** Reports typing to every account that reads the gateway, to this one, and to the networks of the gateway. */
  readonly tellAll: (gateway: string, hint: SharedHint) => void;
  readonly consumers: Consumers;
  readonly webhooks: Webhooks;
  readonly ingest: Ingest;
  readonly files: FileStore;
  /** Of all accounts. */
  readonly status: () => Promise<readonly AccountStatus[]>;
  /** Null: no network has this protocol. */
  readonly capabilities: (protocol: string) => Capabilities | null;
  /** The people in a channel of an account; null: they are not known. Never rejects. */
  readonly members: (accountKey: string, channel: string) => Promise<readonly Member[] | null>;
  /** What became of a message, everywhere. */
  readonly receipts: (seq: Seq) => Promise<readonly ApiReceipt[]>;
  readonly tokens: Tokens;
  readonly tickets: Tickets;
  readonly quotas: Quotas;
  /** Who reads the history of the account. */
  readonly historyTurns: HistoryTurns;
  readonly clock: Clock;
  readonly logger: Logger;
}
