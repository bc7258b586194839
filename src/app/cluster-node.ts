import type { Duplex } from "node:stream";
import type { Alert, ClusterView } from "../admin/views.ts";
import { HintWire, type OnNodeHint } from "../cluster/hint-wire.ts";
import { ClusterMember, type MemberOptions } from "../cluster/member.ts";
import { Tunnels } from "../cluster/tunnel/tunnels.ts";
import type { ClusterSettings, Config } from "../config/config.ts";
import { systemClock } from "../delivery/clock.ts";
import { within } from "../delivery/deadline.ts";
import type { DeliveryOptions } from "../delivery/delivery.ts";
import { isStored } from "../gateway/codec.ts";
import { LogError } from "../log/errors.ts";
import { Beats } from "../log/nats/beats.ts";
import { type NatsLog, openNatsLog } from "../log/nats/open.ts";
import { SHARD } from "../log/nats/stream.ts";
import type { LogObserver } from "../log/search.ts";
import type { Logger } from "../logger.ts";
import { ReadWriteLock } from "../lib/read-write-lock.ts";
import type { Running } from "./change.ts";
import { ClusterAccounts } from "./cluster-accounts.ts";
import { Homes } from "./homes.ts";
import { logServers } from "./log-servers.ts";
import { PassedOn } from "./passing.ts";
import { Warnings } from "./warnings.ts";
import { keepersIn, wishOf } from "./wish.ts";

/** So long a node that stops waits until others have what it ran, in ms. */
const LEAVE_MS = 6_000;
/** Connections that are passed on, to this machine and from it. */
const TUNNELS = 20_000;

/** This node among those that share a log. */
export interface ClusterNode {
  readonly log: NatsLog;
  /** What the log tells from now on. */
  observe(observer: LogObserver): void;
  /** See DeliveryOptions. */
  readonly terms: { readonly sharing: ReadWriteLock } & Required<Pick<DeliveryOptions, "mayCall" | "whereIs">>;
  /** Reports something of now to the other machines. Must be quick. */
  hint: OnNodeHint;
  /** Takes its share of the accounts from now on. */
  join(running: Running): void;
  /** The configuration has changed. */
  follow(config: Config): void;
  /** What a person should look at. */
  troubles(): readonly Alert[];
  view(): ClusterView;
  /** Hands over what runs here, and takes nothing more. To be called once, before anything else stops. */
  leave(): Promise<void>;
  /** Says no more that it lives. */
  close(): void;
}

/** Opens the log that several nodes share. Rejects with a LogError. */
export async function joinCluster(
  { general }: Pick<Config, "general">,
  cluster: ClusterSettings,
  logger: Logger,
): Promise<ClusterNode> {
  const warnings = new Warnings(logger);
  let observer: LogObserver | null = null;
  let part: Part | null = null;
  const { node } = cluster;
  const log = await openNatsLog({
    ...general,
    ...logServers(cluster),
    warn: (error) => warnings.add(error),
    isSound: isStored,
    observer: {
      appended: (entries, ms) => observer?.appended(entries, ms),
      refused: (why) => observer?.refused(why),
    },
  });
  const wire = await Beats.open(log.connection, SHARD, log.replicas);
  const view = (): ClusterView => {
    const { own: _own, ...seen } = part?.member.view ?? { ...NOTHING, own: node };
    return { node, ...seen, ...log.streamFaults };
  };
  const onTwin = (): void => warnings.add(twin(node));
  return {
    log,
    observe: (told) => (observer = told),
    terms: {
      sharing: new ReadWriteLock(),
      mayCall: (accountKey) => log.fence.current(accountKey).run === log.fence.own.run && part?.member.isSure === true,
      whereIs: (accountKey) => {
        const holder = log.fence.current(accountKey);
        return holder.node === node ? null : holder.node || null;
      },
    },
    join: (running) => (part = takePart(running, { log, wire, view, onTwin, logger })),
    hint: (...of) => part?.hint(...of),
    follow: (next) => part?.follow(next),
    troubles: () => [...warnings.alerts(), ...differences(view())],
    view,
    leave: async () => await part?.leave(),
    close: () => part?.close(),
  };
}

/** What this node does among the others. */
interface Part extends Pick<ClusterNode, "hint" | "follow" | "leave" | "close"> {
  readonly member: ClusterMember;
}

function takePart(
  running: Running,
  {
    log,
    wire,
    view,
    onTwin,
    logger,
  }: Pick<ClusterNode, "log" | "view"> & Pick<MemberOptions, "wire" | "onTwin"> & { readonly logger: Logger },
): Part {
  const { fence } = log;
  const tunnels = new Tunnels({ nc: log.connection, shard: SHARD, run: fence.own.run, connections: TUNNELS });
  const take = (key: string, socket: Duplex): boolean => {
    const server = running.servers.all.find(({ account }) => account.key === key);
    return server?.http.take(socket) ?? false;
  };
  tunnels.serve(take);
  const { descriptors } = running.share;
  const passing = new PassedOn(running.config, { take, tunnels, fence, descriptors, logger });
  const accounts = new ClusterAccounts(running, { view, logger });
  const member = new ClusterMember({
    fence,
    wire,
    runner: accounts.runner,
    isStuck: () => log.isStuck,
    caughtUp: async () => await log.mark([]).then(() => true),
    wish: wishOf(running.config),
    onTwin,
    monoMs: () => systemClock.monoMs(),
    nowMs: () => systemClock.nowMs(),
  });
  // A post that waits is answered while its connection still stands.
  log.refuseWhile(() => member.isIsolated);
  const homes = new Homes({
    log,
    fence,
    accounts: () => keepersIn(running.config),
    lives: (node) => member.view.nodes.some(({ name }) => name === node),
    told: (found) => member.bringHome(found),
    nowMs: () => systemClock.nowMs(),
  });
  const hints = hintsWith(running, log, member);
  return {
    member,
    hint: hints.say,
    follow: (next) => {
      member.want(wishOf(next));
      passing.follow(next);
    },
    leave: async () => {
      await within({ clock: systemClock, ms: LEAVE_MS }, () => member.leave());
      await passing.close();
    },
    close: () => {
      hints.end();
      member.close();
      homes.close();
      accounts.close();
      tunnels.close();
    },
  };
}

/** Typing to and from the other machines. */
function hintsWith(
  running: Running,
  log: NatsLog,
  member: Pick<ClusterMember, "hasVoice">,
): { readonly say: OnNodeHint; readonly end: () => void } {
  const monoMs = (): number => systemClock.monoMs();
  const wire = new HintWire({ nc: log.connection, shard: SHARD, run: log.fence.own.run, monoMs });
  const end = wire.listen((...of) => {
    running.servers.hint(...of);
    running.delivery.typing(...of);
  });
  return {
    say: (...of) => {
      // What is said without a connection would be kept, and come late.
      if (member.hasVoice) wire.say(...of);
    },
    end,
  };
}

const NOTHING: Pick<ClusterView, "hasVoice" | "nodes" | "accounts"> = { hasVoice: false, nodes: [], accounts: [] };

function twin(node: string): LogError {
  const what = `Another machine, or another process of this one, says that it is the node ${node} too`;
  return new LogError("locked", `${what}. Give each its own name: Node in [general], or RIALTO_GENERAL_NODE.`);
}

/** Machines that would run the same account differently. */
function differences({ nodes }: ClusterView): readonly Alert[] {
  const names = nodes.filter(({ isAlike }) => !isAlike).map(({ name }) => name);
  if (names.length === 0) return [];
  const what = `the configuration of ${names.join(", ")} is not that of this machine`;
  return [{ of: "the machines", what, remedy: "give all the same one, and reload each of them", sinceMs: null }];
}
