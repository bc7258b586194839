import type { Adapter } from "../contract/adapter.ts";
import type { Clock, Host } from "../contract/host.ts";
import type { Reason } from "../contract/outcome.ts";
import type { ChannelRequest, Session } from "../contract/session.ts";
import { isAborted } from "../lib/abort.ts";
import { within } from "./deadline.ts";
import { trialRemedyOf } from "./remedies.ts";
import { listRooms } from "./room-list.ts";

/** One step of trying an account, for people. */
export interface TrialStep {
  readonly name: "settings" | "running" | "connect" | "channel";
  readonly ok: boolean;
  /** What was found, or why not. */
  readonly why: string;
  readonly remedy: string;
}

export interface TrialOptions {
  readonly adapter: Adapter;
  /** Validated. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** As `OpenArgs.folder`. */
  readonly folder?: string;
  /** Those that are joined. */
  readonly channels: readonly ChannelRequest[];
  readonly clock: Clock;
  readonly random: () => number;
  readonly signal: AbortSignal;
}

export interface TrialResult {
  readonly steps: readonly TrialStep[];
  /** Channels to choose from, as the configuration writes them; empty where the network lists none. */
  readonly rooms: readonly string[];
}

const OPEN_MS = 30_000;
const JOIN_MS = 20_000;
const LEAVE_MS = 5_000;

/**
 * Logs in, lists rooms, joins, and leaves again. Nothing is sent and nothing is stored, and what the network hands over
 * is not acknowledged: whoever comes after us gets it. Never rejects.
 */
export async function tryAccount(options: TrialOptions): Promise<TrialResult> {
  const { adapter, settings, folder, clock, signal } = options;
  const own = folder === undefined ? {} : { folder };
  const worries = new Map<string, Reason>();
  const over = new AbortController();
  const host = trialHost(options, worries, over.signal);
  try {
    const code = await adapter.load();
    const opened = await within({ clock, ms: OPEN_MS, signal }, async (limit) => {
      const found = await code.open({ settings, host, since: null, trial: true, signal: limit, ...own });
      // Nobody waits for it any more.
      if (isAborted(limit) && found.ok) await found.session.close(limit);
      return found;
    });
    if (opened.late) return alone(failed("connect", { code: "timeout", message: "there was no answer in time" }));
    if (!opened.value.ok) {
      const { why, cause } = opened.value.ended;
      return alone({ ...failed("connect", why), remedy: trialRemedyOf("account", why, cause) });
    }
    const { session } = opened.value;
    const connected = { name: "connect", ok: true, why: `signed in as ${session.as}`, remedy: "" } as const;
    const rooms = await listRooms(session, adapter.manifest, options);
    const joined: TrialStep[] = [];
    for (const channel of options.channels) joined.push(await join(session, channel, options));
    await within({ clock, ms: LEAVE_MS }, async (limit) => await session.close(limit));
    const [worry] = worries.values();
    return { steps: [worry === undefined ? connected : failed("connect", worry), ...joined], rooms };
  } catch (error) {
    return alone(failed("connect", { code: "bug", message: error instanceof Error ? error.message : String(error) }));
  } finally {
    over.abort();
  }
}

const alone = (step: TrialStep): TrialResult => ({ steps: [step], rooms: [] });

async function join(session: Session, channel: ChannelRequest, { clock, signal }: TrialOptions): Promise<TrialStep> {
  const joined = await within({ clock, ms: JOIN_MS, signal }, async (limit) => await session.join(channel, limit));
  const { name } = channel;
  if (joined.late) return failed("channel", { code: "timeout", message: `${name} did not let us in in time` });
  if (!joined.value.ok) return failed("channel", joined.value.why);
  return { name: "channel", ok: true, why: `joined ${name}`, remedy: "" };
}

function failed(name: "connect" | "channel", why: Reason): TrialStep {
  const remedy = trialRemedyOf(name === "connect" ? "account" : "channel", why);
  return { name, ok: false, why: why.message, remedy };
}

const NOTHING = { trace: () => undefined, debug: () => undefined, info: () => undefined, warn: () => undefined };

function trialHost({ clock, random }: TrialOptions, worries: Map<string, Reason>, over: AbortSignal): Host {
  return {
    accept: async ({ events }) => {
      if (events.length === 0) return [];
      // An answer would be acknowledged to the network.
      if (!over.aborted) await new Promise((resolve) => over.addEventListener("abort", resolve, { once: true }));
      return events.map(() => "ignored");
    },
    lost: () => undefined,
    degraded: (why, about = "connection") => {
      worries.delete(about);
      if (why !== null) worries.set(about, why);
    },
    openFile: () => Promise.resolve({ ok: false, why: { code: "unsupported", message: "nothing is sent" } }),
    publish: () => Promise.resolve(null),
    clock,
    random,
    log: NOTHING,
  };
}
