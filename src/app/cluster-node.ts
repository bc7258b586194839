import type { Alert, ClusterView } from "../admin/views.ts";
import type { ClusterSettings, Config } from "../config/config.ts";
import { systemClock } from "../delivery/clock.ts";
import { isStored } from "../gateway/codec.ts";
import { LogError } from "../log/errors.ts";
import { type EpochClaim, type Fence, LOG_ACCOUNT } from "../log/fence.ts";
import { type NatsLog, openNatsLog } from "../log/nats/open.ts";
import { Pulse } from "../log/nats/pulse.ts";
import type { LogObserver } from "../log/search.ts";
import type { Logger } from "../logger.ts";

/** How often a standby asks whether it is needed, in ms. */
const LOOK_MS = 100;
/** So long a warning is shown in the status, and so many of them. */
const WARNED_MS = 60 * 60 * 1000;
const WARNINGS = 5;
/** A claim that is not decided within so long is given up: this node may be unable to apply it. In ms. */
const CLAIM_MS = 10_000;
/** So long a node that stops waits until the last of what it has appended is stored, in ms. */
const LEAVE_MS = 1000;
const SHARD = "0";
/** Whose batches Rialto's own are. Marks alone belong to nobody, and the last counts. */
const OWN = ["rialto.operator", "rialto.outage", "rialto.again", "rialto.probe"];

/** This node among those that share a log. */
export interface ClusterNode {
  readonly log: NatsLog;
  /** Resolves when another node has taken over: this one must not go on. */
  readonly lost: Promise<LogError>;
  /** What the log tells from now on. */
  observe(observer: LogObserver): void;
  /** What a person should look at. */
  troubles(): readonly Alert[];
  view(): ClusterView;
  /** Tells the others that they may take over. Before it closes the log, when nothing of this node is under way. */
  leave(): Promise<void>;
}

/** A node that has opened the log and waits until it is needed. */
export interface Waiting extends Pick<ClusterNode, "log" | "troubles" | "view"> {
  /** Resolves once another node was heard that runs the accounts. */
  readonly heard: Promise<void>;
  /** Resolves when this node is the one that runs the accounts; null: it was told to stop. Rejects with a LogError. */
  turn(stopped: Promise<unknown>): Promise<ClusterNode | null>;
}

/**
 * Opens the log that several nodes share. One of them holds the log and all accounts, and runs them: the others apply
 * what it appends, and one of them takes over when it is silent or leaves. `accounts`: those that are configured, asked
 * at each claim. Rejects with a LogError.
 */
export async function joinCluster(
  { general }: Pick<Config, "general">,
  cluster: ClusterSettings,
  logger: Logger,
  accounts: () => Iterable<string>,
): Promise<Waiting> {
  const warnings = new Warnings(logger);
  let observer: LogObserver | null = null;
  const { servers, auth, isEncrypted, node } = cluster;
  const log = await openNatsLog({
    ...general,
    servers,
    auth,
    node,
    tls: isEncrypted ? {} : null,
    shard: SHARD,
    warn: (error) => warnings.add(error),
    isSound: isStored,
    observer: {
      appended: (entries, ms) => observer?.appended(entries, ms),
      refused: (why) => observer?.refused(why),
    },
  });
  const { fence } = log;
  const pulse = new Pulse(log.connection, {
    shard: SHARD,
    own: fence.own,
    epoch: () => fence.current(LOG_ACCOUNT).epoch,
    onTwin: () => warnings.add(twin(node)),
  });
  let own: number | null = null;
  const view = (): ClusterView => ({ node, holder: fence.current(LOG_ACCOUNT).node, runs: own !== null });
  const shown = { log, view, troubles: () => warnings.alerts() };
  const clusterNode = (epoch: number): ClusterNode => ({
    ...shown,
    lost: losing(fence).finally(() => pulse.stop()),
    observe: (told) => (observer = told),
    leave: async () => {
      // Behind it nothing of this node is on its way. Where it does not come through, they find out by themselves.
      const stored = log.mark([]).then(
        () => true,
        () => false,
      );
      const late = new Promise<false>((resolve) => setTimeout(resolve, LEAVE_MS, false).unref());
      if (await Promise.race([stored, late])) await pulse.leave(epoch);
      else pulse.stop();
    },
  });
  const turn = async (stopped: Promise<unknown>): Promise<ClusterNode | null> => {
    const end: { word: "stopped" | LogError | null } = { word: null };
    void stopped.then(() => (end.word ??= "stopped"));
    void log.failed.then((error) => (end.word ??= error));
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      const { word } = end;
      if (word instanceof LogError) throw word;
      if (word === "stopped") {
        pulse.stop();
        return null;
      }
      if (!pulse.isSilent) continue;
      own = await claim(log, pulse, accounts(), Promise.race([stopped, log.failed]));
      if (own !== null) return clusterNode(own);
    }
  };
  return { ...shown, heard: pulse.heard, turn };
}

/**
 * The epoch in which this node holds the log now; null: another was faster, the holder was heard again, the servers
 * could not be asked or this node could not apply what they have, or `ended` resolved before it was decided.
 */
async function claim(
  { fence }: NatsLog,
  pulse: Pulse,
  accounts: Iterable<string>,
  ended: Promise<unknown>,
): Promise<number | null> {
  const all = new Set([LOG_ACCOUNT, ...OWN, ...accounts, ...fence.held.keys()]);
  const claims = Array.from(all, (account) => next(fence, account));
  const { epoch } = next(fence, LOG_ACCOUNT);
  const holder = fence.current(LOG_ACCOUNT).run;
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), CLAIM_MS);
  const forget = pulse.hears((run) => run === holder && over.abort());
  void ended.then(() => over.abort());
  // From the moment on at which the others may see the claim.
  pulse.beat(epoch);
  const raised = await fence.raise(claims, over.signal).catch(() => []);
  clearTimeout(timer);
  forget();
  if (raised.some(({ account }) => account === LOG_ACCOUNT)) return epoch;
  pulse.rest();
  return null;
}

/** Resolves when another node holds the log. */
function losing(fence: Fence): Promise<LogError> {
  return new Promise((resolve) => {
    fence.changed(({ account, node, run }) => {
      if (run === fence.own.run) return;
      if (account === LOG_ACCOUNT) {
        resolve(
          new LogError("fenced", `The node ${node} has taken over the accounts of this one (${fence.own.node}).`),
        );
        return;
      }
      // A standby that was too late, and has more accounts in its configuration. Who has lost the log claims nothing.
      if (fence.current(LOG_ACCOUNT).run === fence.own.run) fence.raise([next(fence, account)]).catch(() => undefined);
    });
  });
}

const next = (fence: Fence, account: string): EpochClaim => ({
  account,
  epoch: fence.current(account).epoch + 1,
  ...fence.own,
});

function twin(node: string): LogError {
  const what = `Another machine, or another process of this one, says that it is the node ${node} too`;
  return new LogError("locked", `${what}. Give each its own name: Node in [general], or RIALTO_GENERAL_NODE.`);
}

/** What the log goes on in spite of. */
class Warnings {
  readonly #logger: Logger;
  readonly #told = new Map<string, { readonly code: string; sinceMs: number; lastMs: number }>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  add({ code, message }: LogError): void {
    const now = systemClock.nowMs();
    const known = this.#told.get(message);
    if (known !== undefined && now - known.lastMs < WARNED_MS) {
      known.lastMs = now;
      return;
    }
    this.#told.delete(message);
    this.#told.set(message, { code, sinceMs: now, lastMs: now });
    for (const old of this.#told.keys()) if (this.#told.size > WARNINGS) this.#told.delete(old);
    this.#logger.warn({ code, why: message }, "the log of several machines needs somebody to look at it");
  }

  alerts(): readonly Alert[] {
    const now = systemClock.nowMs();
    return [...this.#told]
      .filter(([, { lastMs }]) => now - lastMs < WARNED_MS)
      .map(([what, { sinceMs }]) => ({ of: "the log", what, remedy: null, sinceMs }));
  }
}
