import type { Alert, StatusView } from "../admin/views.ts";
import type { AccountStatus, ChannelStatus, LaneStatus } from "../delivery/status.ts";
import { dropWords } from "../gateway/drops.ts";
import { ago } from "../lib/ago.ts";
import { printable } from "../lib/printable.ts";
import { clusterLine } from "./cluster-view.ts";
import { type Cell, type Colour, paint, type Screen, table } from "./table.ts";

/** The status as an operator reads it in a terminal. Pure. */
export function statusText(status: StatusView, screen: Screen): string {
  const { version, nowMs, startedMs, troubles, notices, log, accounts, readers, cluster } = status;
  const well = troubles.length === 0;
  const verdict = paint(well ? "is well" : "is NOT WELL", well ? "green" : "red", screen);
  const disk = log.freeBytes === null ? "" : `${gibibytes(log.freeBytes)} free`;
  const takes = log.takes ? "accepts messages" : paint("accepts NO messages", "red", screen);
  const total = log.total === null ? "" : `${log.total} so far`;
  const numbers = [total, disk].filter((text) => text !== "").join(", ");
  const head = [
    `Rialto ${printable(version)} ${verdict}${well ? beginning(accounts) : ""}. It has run for ${ago(nowMs - startedMs)}.`,
    ...(cluster === undefined ? [] : [clusterLine(cluster)]),
    `The log ${takes}${numbers === "" ? "" : ` (${numbers})`}.`,
  ];
  const list = [
    ...troubles.map((trouble) => alertLine("!", "red", trouble, nowMs, screen)),
    ...notices.map((notice) => alertLine("-", "yellow", notice, nowMs, screen)),
  ];
  const rows = accounts.flatMap((account) => rowsOf(account, nowMs));
  const titles = ["", "STATE", "FOR", "IN", "OUT", "HEARD", "WAITING", "OLDEST", "WHY"].map((text): Cell => ({
    text,
    colour: "bold",
  }));
  const clients = readers.map(({ account, url, down, accepted, skipped }) =>
    [
      account,
      down === null ? (url ?? "") : "stays down",
      `${accepted} accepted`,
      skipped === 0 ? "" : `${skipped} skipped`,
    ].map((text) => ({ text })),
  );
  const drops = [...accounts, ...readers].flatMap(dropRows);
  return [
    head.join("\n"),
    ...(list.length > 0 ? [list.join("\n")] : []),
    ...(rows.length > 0 ? [table([titles, ...rows], screen).trimEnd()] : []),
    ...(clients.length > 0 ? [table(clients, screen).trimEnd()] : []),
    ...(drops.length > 0 ? [`Not relayed since the start:\n${table(drops, screen).trimEnd()}`] : []),
  ]
    .join("\n\n")
    .concat("\n");
}

function alertLine(
  sign: string,
  colour: Colour,
  { of, what, remedy, sinceMs }: Alert,
  nowMs: number,
  screen: Screen,
): string {
  const since = sinceMs === null ? "" : ` for ${ago(nowMs - sinceMs)}`;
  const fix = remedy === null ? "" : `\n    → ${printable(remedy)}`;
  return `  ${paint(sign, colour, screen)} ${printable(of)}${since}: ${printable(what)}${fix}`;
}

/** An account is no trouble while it connects for the first time, and is not well either. */
function beginning(accounts: StatusView["accounts"]): string {
  const count = accounts.filter(({ state }) => state === "connecting").length;
  if (count === 0) return "";
  return count === 1 ? "; 1 account is still connecting" : `; ${count} accounts are still connecting`;
}

/** Echoes of our own messages and repeated events are normal, and left out. */
function dropRows({ account, dropped }: Pick<AccountStatus, "account" | "dropped">): readonly (readonly Cell[])[] {
  const { own: _own, duplicate: _duplicate, ...others } = dropped;
  return Object.entries(others).map(([reason, count]) => [
    { text: `  ${account}` },
    { text: String(count) },
    { text: dropWords(reason) },
  ]);
}

function rowsOf(account: AccountStatus, nowMs: number): readonly (readonly Cell[])[] {
  const { state } = account;
  const sinceMs = account.downSinceMs ?? account.sinceMs;
  return [
    row({ text: account.account, colour: "bold" }, { ...account, state, sinceMs, nowMs }, null, whyOf(account, nowMs)),
    ...account.channels.flatMap((channel) => roomRows(channel, account, nowMs)),
  ];
}

function roomRows(channel: ChannelStatus, account: AccountStatus, nowMs: number): readonly (readonly Cell[])[] {
  const { state, lanes } = channel;
  const sinceMs = channel.downSinceMs ?? channel.sinceMs;
  // What is in the line above is not repeated.
  const news = (own: Reasoned, above: readonly Reasoned[]): string =>
    above.some(({ why }) => why?.message === own.why?.message) ? "" : whyOf(own, nowMs);
  const [only, ...others] = lanes;
  const times = { state, sinceMs, nowMs, heardMs: channel.heardMs };
  const name = `  ${channel.channel}`;
  // One lane needs no separate line.
  if (only !== undefined && others.length === 0) {
    const why = news(channel, [account]) || news(only, [account, channel]);
    return [row({ text: `${name} ← ${only.gateway}` }, times, only, why)];
  }
  return [
    row({ text: name }, times, null, news(channel, [account])),
    ...lanes.map((lane) =>
      row(
        { text: `    ← ${lane.gateway}`, colour: "dim" },
        { state: lane.state, sinceMs: null, nowMs },
        lane,
        news(lane, [account, channel]),
      ),
    ),
  ];
}

type Reasoned = Pick<LaneStatus, "why" | "remedy" | "retryMs">;

interface Times {
  readonly state: string;
  readonly sinceMs: number | null;
  readonly nowMs: number;
  readonly accepted?: number;
  readonly delivered?: number;
  readonly heardMs?: number | null;
}

function row(
  name: Cell,
  { state, sinceMs, nowMs, accepted, delivered, heardMs = null }: Times,
  lane: LaneStatus | null,
  why: string,
): readonly Cell[] {
  const waiting = lane === null || lane.waiting === 0 ? "" : (lane.waiting?.toString() ?? "?");
  const oldest = lane?.oldestMs === null || lane === null ? "" : ago(nowMs - lane.oldestMs);
  return [
    name,
    { text: state, colour: COLOURS[state] ?? null },
    { text: sinceMs === null ? "" : ago(nowMs - sinceMs) },
    { text: String(accepted ?? "") },
    { text: String(delivered ?? "") },
    { text: heardMs === null ? "" : ago(nowMs - heardMs) },
    { text: waiting },
    { text: oldest },
    { text: why },
  ];
}

const COLOURS: Readonly<Record<string, Colour>> = {
  online: "green",
  joined: "green",
  connecting: "yellow",
  joining: "yellow",
  degraded: "yellow",
  waiting: "yellow",
  paused: "yellow",
  "action-needed": "red",
};

function whyOf({ why, remedy, retryMs }: Reasoned, nowMs: number): string {
  if (why === null) return "";
  const again = retryMs === null || retryMs <= nowMs ? "" : ` (again in ${ago(retryMs - nowMs)})`;
  return `${why.message}${again}${remedy === null ? "" : ` → ${remedy}`}`;
}

function gibibytes(bytes: number): string {
  const mebibytes = bytes / 1024 ** 2;
  return mebibytes < 1024 ? `${mebibytes.toFixed(0)} MiB` : `${(mebibytes / 1024).toFixed(1)} GiB`;
}
