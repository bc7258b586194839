import type { AdapterLog, Clock, Hint, Host } from "../../contract/host.ts";
import type { ChannelRef } from "../../contract/ids.ts";
import type { Reason } from "../../contract/outcome.ts";
import type { Files } from "../../files/files.ts";
import type { Logger } from "../../logger.ts";
import type { Intake } from "../intake.ts";
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
  /** Called with the name of the channel in the configuration. */
  readonly hinted: (channel: string, hint: Hint) => void;
}

/**
 * The host of one try to have a session. What the session hands over counts until `end`, also what is stored after it;
 * every later call that tells something is answered, and does nothing: another session may be there already.
 */
export function createHost(options: HostOptions): { readonly host: Host; readonly end: () => void } {
  const { account, intake, nameOf, files, clock, random, logger } = options;
  let ended = false;
  const reasons = new Map<string, Reason>();
  const host: Host = {
    accept: async (batch) => {
      if (ended) return batch.events.map(() => "ignored");
      if (batch.events.length > 0) options.heard(new Set(batch.events.map(({ channel }) => channel)));
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
      if (typeof name === "string") options.hinted(name, hint);
    },
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
    },
  };
}

function accountLog(logger: Logger, account: string): AdapterLog {
  return {
    trace: (fields, message) => logger.trace({ account, ...fields }, message),
    debug: (fields, message) => logger.debug({ account, ...fields }, message),
    info: (fields, message) => logger.info({ account, ...fields }, message),
    warn: (fields, message) => logger.warn({ account, ...fields }, message),
  };
}
