import type { AdapterLog, Clock, Hint, Host, LinkedChannels, LinkedReader } from "../../contract/host.ts";
import type { ChannelRef } from "../../contract/ids.ts";
import type { Reason } from "../../contract/outcome.ts";
import type { Files } from "../../files/files.ts";
import type { Logger } from "../../logger.ts";
import type { Intake } from "../intake.ts";
import type { LinkedOfAccount } from "../linked-people.ts";
import type { NameOf } from "../names.ts";

/** What a session's host needs of the core. */
export interface HostOptions {
  /** As people know it. */
  readonly account: string;
  readonly intake: Intake;
  readonly nameOf: NameOf;
  readonly clock: Clock;
  readonly random: () => number;
  readonly logger: Logger;
  readonly files: Pick<Files, "open" | "publish">;
  readonly lost: Host["lost"];
  /** The newest of the reasons that stand; null: none does any more. */
  readonly degraded: (why: Reason | null) => void;
  /** Called with the channels of which something came. */
  readonly heard: (channels: ReadonlySet<ChannelRef>) => void;
  /** Called with the name of the channel in the configuration; absent: there is no listener. */
  readonly hinted?: (channel: string, hint: Hint) => void;
  /** Absent: no session asks who is in other channels. */
  readonly linked?: LinkedOfAccount;
}

/**
 * The host of one try to have a session. What the session hands over counts until `end`, also what is stored after it;
 * every later call that tells something is answered, and does nothing: another session may be there already.
 */
export function createHost(options: HostOptions): { readonly host: Host; readonly end: () => void } {
  const { account, intake, nameOf, files, clock, random, logger, linked } = options;
  let ended = false;
  const watches = new Set<() => void>();
  const moved = (channels: Iterable<ChannelRef>): void => {
    for (const channel of channels) {
      const name = nameOf(channel);
      if (typeof name === "string") linked?.moved(name);
    }
  };
  const reasons = new Map<string, Reason>();
  const host: Host = {
    accept: async (batch) => {
      if (ended) return batch.events.map(() => "ignored");
      if (batch.events.length > 0) options.heard(new Set(batch.events.map(({ channel }) => channel)));
      moved(new Set(batch.events.filter(({ kind }) => kind === "member").map(({ channel }) => channel)));
      return await intake.accept(batch, nameOf);
    },
    lost: (channel, why, retryInMs) => {
      if (!ended) options.lost(channel, why, retryInMs);
    },
    degraded: (why, about = "connection") => {
      if (ended) return;
      reasons.delete(about);
      if (why !== null) reasons.set(about, why);
      options.degraded([...reasons.values()].at(-1) ?? null);
    },
    hint: (hint) => {
      const name = ended ? null : nameOf(hint.channel);
      // Whatever waits for its name is late already.
      if (typeof name === "string") options.hinted?.(name, hint);
      if (!ended && hint.kind === "presence") moved([hint.channel]);
    },
    ...(linked !== undefined && { linked: readerOf(linked, nameOf, watches) }),
    openFile: async (id, signal) => await files.open(id, signal),
    publish: async (text) => await files.publish(text),
    clock,
    random,
    log: accountLog(logger, account),
  };
  return {
    host,
    end: () => {
      ended = true;
      for (const stop of watches) stop();
    },
  };
}

function readerOf(linked: LinkedOfAccount, nameOf: NameOf, watches: Set<() => void>): LinkedReader {
  return {
    read: async (channel) => {
      const name = nameOf(channel);
      return typeof name === "string" ? await linked.read(name) : NOT_LINKED;
    },
    watch: (channel, task) => {
      const named = (): string | null => {
        const name = nameOf(channel);
        return typeof name === "string" ? name : null;
      };
      const end = linked.watch(named, task);
      const stop = (): void => {
        end();
        watches.delete(stop);
      };
      watches.add(stop);
      return stop;
    },
  };
}

const NOT_LINKED: LinkedChannels = { channels: [], people: [], labels: [] };

function accountLog(logger: Logger, account: string): AdapterLog {
  return {
    trace: (fields, message) => logger.trace({ account, ...fields }, message),
    debug: (fields, message) => logger.debug({ account, ...fields }, message),
    info: (fields, message) => logger.info({ account, ...fields }, message),
    warn: (fields, message) => logger.warn({ account, ...fields }, message),
  };
}
