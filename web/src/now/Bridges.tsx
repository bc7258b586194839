import type { JSX } from "preact";
import { count, duration, latency } from "../lib/format.ts";
import { nowMs } from "../lib/live.ts";
import { State } from "../parts/State.tsx";
import { type Column, Table } from "../parts/Table.tsx";
import { type BridgeRow, isPicked, wordsOf } from "./rows.ts";
import { filter, pick, picked, rows } from "./state.ts";
import { nowTexts as texts } from "./texts.ts";

const COLUMNS: readonly Column<BridgeRow>[] = [
  { key: "account", head: texts.account, cell: (row) => row.account, by: (row) => row.account, rowHead: true },
  { key: "channel", head: texts.channel, cell: (row) => row.channel, by: (row) => row.channel },
  {
    key: "gateway",
    head: texts.gateway,
    cell: (row) => row.gateways.join(", "),
    by: (row) => row.gateways.join(", "),
    wide: true,
  },
  {
    key: "state",
    head: texts.state,
    cell: ({ state }) => (
      <State kind={state.kind} word={state.word} {...(state.why !== null && { title: state.why })} />
    ),
    by: ({ state }) => `${["bad", "warn", "none", "good"].indexOf(state.kind)} ${state.word}`,
  },
  { key: "waiting", head: texts.waiting, cell: Waiting, by: (row) => row.waiting, numeric: true },
  {
    key: "heard",
    head: texts.heard,
    cell: heard,
    by: (row) => (row.heardMs === null ? null : -row.heardMs),
    numeric: true,
  },
  {
    key: "received",
    head: texts.received,
    cell: (row) => count(row.received),
    by: (row) => row.received,
    numeric: true,
  },
  { key: "sent", head: texts.sent, cell: (row) => count(row.sent), by: (row) => row.sent, numeric: true },
  { key: "p50", head: texts.p50, cell: (row) => delay(row.p50Ms), by: (row) => row.p50Ms, numeric: true },
  { key: "p99", head: texts.p99, cell: (row) => delay(row.p99Ms), by: (row) => row.p99Ms, numeric: true },
];

function heard({ heardMs, isReader }: BridgeRow): string {
  if (heardMs !== null) return texts.ago(duration(nowMs.value - heardMs));
  return isReader ? texts.dash : texts.never;
}

const delay = (ms: number | null): string => (ms === null ? texts.dash : latency(ms));

function Waiting({ waiting, oldestMs }: BridgeRow): JSX.Element {
  if (waiting === null) return <span title={texts.unknown}>?</span>;
  if (waiting === 0 || oldestMs === null) return <>{count(waiting)}</>;
  return (
    <>
      {count(waiting)} <span class="muted">· {duration(nowMs.value - oldestMs)}</span>
    </>
  );
}

/** The rows of the picture. */
export function Bridges(): JSX.Element {
  return (
    <Table
      caption={texts.bridges}
      columns={COLUMNS}
      rows={rows.value}
      keyOf={({ key }) => key}
      filter={filter.value}
      textOf={wordsOf}
      isSelected={(row) => isPicked(row, picked.value)}
      onSelect={(row) => pick("L", row.accountKey)}
      empty={texts.noBridges}
    />
  );
}
