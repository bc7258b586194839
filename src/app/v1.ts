import { randomBytes } from "node:crypto";
import type { Tokens } from "../access/tokens.ts";
import { type ApiSettings, apiSettings } from "../adapters/api/index.ts";
import { adapters } from "../adapters/registry.ts";
import { Destinations } from "../admin/destinations.ts";
import type { Alert, Destination } from "../admin/views.ts";
import type { Account, Config } from "../config/config.ts";
import type { Consumers } from "../consumers/consumers.ts";
import { hintEventOf, type SharedHint } from "../consumers/hint-event.ts";
import { CONSUMERS_STEM, PUSHED_STEM } from "../consumers/marks.ts";
import { openConsumers } from "../consumers/open.ts";
import { type OpenFeed, openFeed } from "../consumers/open-feed.ts";
import { openHints } from "../consumers/open-hints.ts";
import { openWebhooks } from "../consumers/open-webhooks.ts";
import type { ApiReceipt } from "../contract/api-v1.ts";
import type { Clock } from "../contract/host.ts";
import type { Delivery } from "../delivery/delivery.ts";
import type { FileStore } from "../files/files.ts";
import type { Routes } from "../gateway/routes.ts";
import { subjectOf } from "../gateway/subject.ts";
import type { Ingest } from "../http/api/ingest.ts";
import type { OwnNames } from "../http/own-host.ts";
import type { V1Deps } from "../http/v1/deps.ts";
import { Doorman } from "../http/v1/doorman.ts";
import type { V1Host, V1Service } from "../http/v1/index.ts";
import { RateLimits } from "../http/v1/limits.ts";
import type { Quotas } from "../http/v1/quotas.ts";
import { Router } from "../http/v1/router.ts";
import { serveSocket } from "../http/v1/socket.ts";
import { v1Routes } from "../http/v1/routes/index.ts";
import { Tickets } from "../http/v1/tickets.ts";
import { HistoryTurns } from "../http/v1/history-turns.ts";
import { type Log, ownMarks, type Seq } from "../log/log.ts";
import type { LogSearch } from "../log/search.ts";
import type { Logger } from "../logger.ts";

/** What `/v1` of one API account is made of. */
export interface V1Sources {
  /** As they are now. */
  readonly account: () => Account;
  readonly config: () => Config;
  /** Null: nothing is connected yet. */
  readonly delivery: () => Pick<Delivery, "control" | "members" | "status"> | null;
  /** All of the program's. Rejects with a LogError. */
  readonly tokens: () => Promise<Tokens>;
  readonly names: (() => OwnNames) | null;
  readonly log: Log & { readonly archive: LogSearch };
  readonly files: FileStore;
  readonly routes: Routes;
  readonly ingest: Ingest;
  /** As in ApiCore. */
  readonly hint: (accountKey: string, gateway: string, hint: SharedHint) => void;
  /** What is said by any account is known by its id from now on. */
  readonly keepIds: () => void;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Reads the state, and serves. Rejects with a LogError. */
export async function openV1(sources: V1Sources, host: V1Host): Promise<V1Service> {
  const { account, log, routes, files, clock, logger } = sources;
  sources.keepIds();
  const { key, name, settings } = account();
  const tokens = await sources.tokens();
  const tickets = new Tickets({ monoMs: () => clock.monoMs(), bytes: randomBytes });
  const { Token, ...limits } = apiSettings(settings);
  const quotas = quotasOf(limits);
  const feed = openFeed({ account: key, log, routes, files, logger });
  const state = await openState({ ...sources, feed }).catch((error: unknown) => {
    feed.close();
    throw error;
  });
  const deps: V1Deps = {
    account,
    config: sources.config,
    log,
    routes,
    feed,
    hints: openHints(() => clock.monoMs()),
    tellAll: (gateway, hint) => sources.hint(key, gateway, hint),
    consumers: state.consumers,
    webhooks: state.webhooks,
    ingest: sources.ingest,
    files,
    status: async () => (await sources.delivery()?.status()) ?? [],
    control: async (key, act) => (await sources.delivery()?.control(key, act)) ?? { is: "unknown" },
    capabilities: (protocol) => adapters.get(protocol)?.capabilities ?? null,
    members: async (accountKey, channel) => (await sources.delivery()?.members(accountKey, channel)) ?? null,
    receipts: async (seq) => await receiptsOf(seq, deps),
    tokens,
    tickets,
    quotas,
    historyTurns: new HistoryTurns(),
    clock,
    logger,
  };
  const doorman = new Doorman({
    account: { key, name },
    token: Token === "" ? null : Token,
    names: sources.names,
    verify: (token) => tokens.verify(token),
    redeem: (ticket) => tickets.redeem(ticket),
  });
  return new Router({
    routes: v1Routes,
    deps,
    doorman,
    limits: new RateLimits(() => clock.monoMs(), quotas),
    quotas,
    serveSocket,
    host,
    alerts: () => [...unreadable(deps.consumers, name), ...deps.webhooks.alerts()],
    webhooks: deps.webhooks,
    hint: (accountKey, channel, hint) => {
      const source = sources.config().accounts.get(accountKey);
      const seen = routes.seen(key).get(subjectOf(accountKey, channel));
      if (source === undefined || seen === undefined) return;
      if (hint.kind === "typing" && ![source, account()].every(showsTyping)) return;
      const { name: of, protocol } = source;
      const place = { account: of, protocol, channel: protocol === "api" ? "api" : channel };
      deps.hints.tell(hintEventOf(hint, place, seen, clock.nowMs()));
    },
    close: async () => {
      await state.close();
      feed.close();
    },
  });
}

const showsTyping = ({ presentation }: Account): boolean => presentation.showUserTyping;

const quotasOf = (settings: Omit<ApiSettings, "Token">): Quotas => ({
  postsPerMinute: settings.PostsPerMinute,
  readsPerMinute: settings.ReadsPerMinute,
  streams: settings.StreamsPerToken,
  sockets: settings.SocketsPerToken,
  uploads: settings.UploadsPerToken,
});

const unreadable = (consumers: Consumers, account: string): readonly Alert[] =>
  consumers.unreadable.map((name) => ({
    of: account,
    what: `the consumer "${name}" cannot be read from the log, and is left out: nobody knows where it stood`,
    remedy: `Make it again, with a \`start\` from which it is to go on: PUT /v1/consumers/${name}; or delete it.`,
    sinceMs: null,
  }));

interface State extends Pick<V1Deps, "consumers" | "webhooks"> {
  readonly close: () => Promise<void>;
}

/** What the log keeps of consumers and webhooks. Rejects with a LogError, with nothing left open but the feed. */
async function openState({ account, config, feed, log, clock, logger }: StateSources): Promise<State> {
  const { key, name, settings } = account();
  const { ConsumersPerToken, WebhooksPerToken } = apiSettings(settings);
  const own = { accountKey: key, feed, log: ownMarks(log, key), clock };
  const quota = { of: "consumers", setting: "ConsumersPerToken", count: ConsumersPerToken } as const;
  const pushedQuota = { of: "webhooks", setting: "WebhooksPerToken", count: WebhooksPerToken } as const;
  const consumers = await openConsumers({ ...own, stem: CONSUMERS_STEM, quota });
  const pushed = await openConsumers({ ...own, stem: PUSHED_STEM, quota: pushedQuota });
  const allowPrivate = (): readonly string[] => config().general.allowPrivate;
  const { random } = Math;
  const webhooks = await openWebhooks({
    account: { key, name },
    log: own.log,
    consumers: pushed,
    allowPrivate,
    clock,
    random,
    logger,
  });
  return {
    consumers,
    webhooks,
    close: async () => {
      await webhooks.close();
      await Promise.all([consumers.close(), pushed.close()]);
    },
  };
}

type StateSources = Pick<V1Sources, "account" | "config" | "log" | "clock" | "logger"> & { readonly feed: OpenFeed };

type ReceiptSources = Pick<V1Deps, "log" | "routes" | "status">;

/** What became of a message; empty: nobody knows it any more. Rejects with a LogError. */
async function receiptsOf(seq: Seq, { log, routes, status }: ReceiptSources): Promise<readonly ApiReceipt[]> {
  const entry = await log.archive.entry(seq);
  const known = entry ?? (await log.ids.get(seq));
  if (known === null) return [];
  const destinations = new Destinations({ log, routes, accounts: await status() });
  const asked = { seq, subject: known.subject, label: entry?.label ?? "", gone: entry === null };
  return (await destinations.of(asked, await log.archive.receiptsOf(seq))).map(receiptOf);
}

function receiptOf({
  gateway,
  account,
  channel,
  state,
  why,
  remedy,
  retryMs,
  tries,
  refs,
  losses,
}: Destination): ApiReceipt {
  const retryAt = retryMs === null ? null : new Date(retryMs).toISOString();
  return { gateway, account, channel, state, why, remedy, retry_at: retryAt, tries, refs, losses };
}
