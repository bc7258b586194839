import type { AccountStatus, ChannelStatus, LaneStatus, LoopStatus } from "../delivery/status.ts";
import type { Shortage } from "../lib/descriptors.ts";
import type { Alert, ConfigFileView, LogView, Readiness, ReaderView, StatusView } from "./views.ts";

/** The loop being so late is felt by everybody. */
const LATE_MS = 1_000;
/** The log's clock is this far behind the newest entry before that is worth a word: the clock was set back. */
const BACK_MS = 60_000;

/** An account that is not connected, or a room that is not joined, for so long. */
const DOWN_MS = 15_000;

/** Something in the configuration that could not be read. */
export interface ConfigError {
  /** As in `rialto.toml:3:7`. */
  readonly place: string;
  readonly message: string;
  /** Empty: the message says it. */
  readonly remedy: string;
}

export interface Circumstances extends Pick<StatusView, "nowMs" | "log" | "loop" | "loops" | "accounts" | "readers"> {
  readonly gateways: readonly string[];
  readonly errors: readonly ConfigError[];
  readonly file: ConfigFileView;
  /** When the newest entry was accepted; null: there is none. */
  readonly newestMs: number | null;
  /** How long a message may wait before somebody should know. */
  readonly waitingMs: number;
  /** Of file descriptors; null: there are enough. */
  readonly shortage: Shortage | null;
}

/** Everything that a person should look at, worst first. Pure; empty: all is well. */
export function alertsOf(now: Circumstances): readonly Alert[] {
  return [
    ...ofLog(now.log),
    ...ofDescriptors(now.shortage),
    ...ofClock(now),
    ...ofLoop(now),
    ...ofGateways(now.gateways),
    ...now.loops.map(ofCircle),
    ...now.accounts.flatMap((each) => ofAccount(each, now)),
    ...now.readers.flatMap(ofReader),
    ...now.errors.map(ofError),
    ...ofFile(now.file),
  ];
}

/** The part of it that concerns whether messages are taken, now and after a restart. Pure. */
export function readinessOf(log: LogView, file: ConfigFileView): Readiness {
  return { ready: log.takes, troubles: [...ofLog(log), ...ofFile(file)] };
}

const ofFile = ({ trouble }: ConfigFileView): readonly Alert[] => (trouble === null ? [] : [trouble]);

function ofLog({ takes, why, damage }: LogView): readonly Alert[] {
  const troubles: Alert[] = [];
  if (damage.why !== null) {
    troubles.push({ of: "the log", what: `cannot be read completely: ${damage.why}`, remedy: REPAIR, sinceMs: null });
  }
  const { length: count } = damage.entries;
  if (count > 0) {
    const first = `no. ${damage.entries.slice(0, 5).join(", ")}${count > 5 ? ", …" : ""}`;
    const what = `holds ${count === 1 ? "an entry" : `${count} entries`} that cannot be read and ${count === 1 ? "was" : "were"} skipped: ${first}`;
    troubles.push({ of: "the log", what, remedy: REPAIR, sinceMs: null });
  }
  if (takes || why === damage.why) return troubles;
  const remedy =
    "Check the disk of the data folder. No accepted message is lost, and Rialto continues as soon as the disk works.";
  return [
    ...troubles,
    { of: "the log", what: `accepts no messages: ${why ?? "the reason is unknown"}`, remedy, sinceMs: null },
  ];
}

function ofDescriptors(shortage: Shortage | null): readonly Alert[] {
  if (shortage === null) return [];
  const { limit, sinceMs, refused } = shortage;
  return [
    {
      of: "file descriptors",
      what: `are running out: the limit is ${limit}, and connections of clients were refused (${refused} times)`,
      remedy:
        "Find out who opens so many connections, or raise the limit: LimitNOFILE= in the systemd unit, or ulimit -n.",
      sinceMs,
    },
  ];
}

const REPAIR =
  "Check the disk for errors. Stop Rialto, run `rialto log check` and `rialto log repair`, and start it again. Of several machines, move `log.sqlite` out of the data folder instead of repairing it.";

function ofClock({ newestMs, nowMs }: Circumstances): readonly Alert[] {
  if (newestMs === null || newestMs - nowMs < BACK_MS) return [];
  const behind = Math.round((newestMs - nowMs) / 1000);
  return [
    {
      of: "the clock",
      what: `was set back: it is ${behind} s behind the newest message`,
      remedy: "Correct the clock; until then, messages expire later than they should.",
      sinceMs: null,
    },
  ];
}

function ofLoop({ loop }: Circumstances): readonly Alert[] {
  if (loop.max < LATE_MS) return [];
  const what = `was late by ${Math.round(loop.max)} ms: the machine is overloaded, or something in Rialto takes too long`;
  return [{ of: "the event loop", what, remedy: "Check what else uses the processor.", sinceMs: null }];
}

function ofGateways(gateways: readonly string[]): readonly Alert[] {
  if (gateways.length > 0) return [];
  const remedy =
    'Link the first networks on the page Connect of the dashboard ("rialto dashboard" prints a link), or add a [[gateway]] to the configuration file.';
  return [
    { of: "the configuration", what: "no gateway is configured: no message is passed on", remedy, sinceMs: null },
  ];
}

function ofCircle({ place, through, withheld, remedy, sinceMs }: LoopStatus): Alert {
  const messages = withheld === 1 ? "1 message is" : `${withheld} messages are`;
  const what = `a loop: "${through}" repeats what Rialto writes, as another bridge between the same rooms would; ${messages} withheld`;
  return { of: place.replace("/", " "), what, remedy, sinceMs };
}

function ofReader({ account: of, down, troubles = [] }: ReaderView): readonly Alert[] {
  if (down === null) return troubles;
  return [{ of, what: `stays down: ${down.reason}`, remedy: down.remedy, sinceMs: null }, ...troubles];
}

function ofError({ place, message, remedy }: ConfigError): Alert {
  const what = remedy === "" ? message : `${message}; ${remedy}`;
  return { of: place, what, remedy: 'Correct it, then run "rialto reload".', sinceMs: null };
}

function ofAccount(account: AccountStatus, now: Circumstances): readonly Alert[] {
  const { account: of, state, why, remedy } = account;
  const sinceMs = account.downSinceMs ?? account.sinceMs;
  // Its rooms wait for the same reason.
  if (state === "action-needed" || state === "waiting" || state === "degraded") {
    return [{ of, what: `${state}: ${why?.message ?? "the reason is unknown"}`, remedy, sinceMs }];
  }
  if (state === "paused") {
    return [{ of, what: "paused by an operator", remedy, sinceMs: account.sinceMs }];
  }
  if (isLongDown(account, now)) {
    return [{ of, what: `not connected: ${why?.message ?? "the server has not let Rialto in yet"}`, remedy, sinceMs }];
  }
  return account.channels.flatMap((channel) => ofChannel(account, channel, now));
}

function ofChannel({ account }: AccountStatus, channel: ChannelStatus, now: Circumstances): readonly Alert[] {
  const { state, why, remedy } = channel;
  const of = `${account} ${channel.channel}`;
  if (state === "waiting" || isLongDown(channel, now)) {
    const sinceMs = channel.downSinceMs ?? channel.sinceMs;
    return [{ of, what: `not joined: ${why?.message ?? "the reason is unknown"}`, remedy, sinceMs }];
  }
  return channel.lanes.flatMap((lane) => ofLane(of, lane, now));
}

function isLongDown({ downSinceMs }: Pick<ChannelStatus, "downSinceMs">, { nowMs }: Circumstances): boolean {
  return downSinceMs !== null && nowMs - downSinceMs >= DOWN_MS;
}

function ofLane(of: string, lane: LaneStatus, { nowMs, waitingMs }: Circumstances): readonly Alert[] {
  const { gateway, waiting, oldest, oldestMs, why, remedy } = lane;
  if (oldestMs === null || nowMs - oldestMs < waitingMs) return [];
  const count = waiting === null ? "messages wait" : waiting === 1 ? "1 message waits" : `${waiting} messages wait`;
  const what = `${count} in gateway ${gateway}${why === null ? "" : `: ${why.message}`}`;
  const about = oldest === null ? {} : { seq: oldest.seq };
  return [{ of, what, remedy: remedy ?? UNANSWERED, sinceMs: oldestMs, ...about }];
}

const UNANSWERED =
  "The network has not confirmed it yet. If it goes on, check that the server answers; the message is kept meanwhile, up to MaxAge.";
