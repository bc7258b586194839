import type { FlowView, RoomTraffic, StatusView } from "../../../src/admin/views.ts";
import type { AccountStatus, ChannelStatus } from "../../../src/delivery/status.ts";
import type { StateKind } from "../parts/State.tsx";
import { nowTexts as texts } from "./texts.ts";

/** A row of the table: an account in one of its channels. */
export interface BridgeRow {
  readonly key: string;
  readonly account: string;
  readonly accountKey: string;
  readonly channel: string;
  readonly gateways: readonly string[];
  readonly state: StateWord;
  /** Of the HTTP API: nobody waits for its readers, or hears from them when they are silent. */
  readonly isReader: boolean;
  readonly waiting: number | null;
  readonly oldestMs: number | null;
  readonly heardMs: number | null;
  readonly sent: number;
  readonly received: number;
  /** Of the slowest of its lanes; null: nothing went out lately. */
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
}

interface StateWord {
  readonly kind: StateKind;
  readonly word: string;
  readonly why: string | null;
}

/** What is picked, in the picture and in the table. */
export interface Picked {
  readonly side: "L" | "R";
  readonly key: string;
}

/** An account as the picture and the cards show it, whether it is a network or the HTTP API. */
export interface AccountSight {
  readonly key: string;
  readonly name: string;
  readonly state: StateWord;
  readonly gateways: readonly string[];
  /** Null: of the HTTP API, or not started. */
  readonly status: AccountStatus | null;
}

const ACCOUNT_STATES: Readonly<Record<AccountStatus["state"], readonly [StateKind, string]>> = {
  online: ["good", texts.online],
  connecting: ["warn", texts.connecting],
  degraded: ["warn", texts.degraded],
  waiting: ["bad", texts.waits],
  "action-needed": ["bad", texts.actionNeeded],
  paused: ["none", texts.paused],
};

function stateOf({ state, why }: AccountStatus): StateWord {
  const [kind, word] = ACCOUNT_STATES[state];
  return { kind, word, why: why?.message ?? null };
}

/** What keeps the account from its rooms keeps it from each of them. */
function roomState(account: AccountStatus, { state, why }: ChannelStatus): StateWord {
  if (account.state !== "online" && account.state !== "degraded") return stateOf(account);
  if (state === "joined") return { kind: "good", word: texts.joined, why: null };
  const word = { joining: texts.joining, offline: texts.offline, waiting: texts.waits }[state];
  return { kind: state === "waiting" ? "bad" : "warn", word, why: why?.message ?? null };
}

/** Everybody who takes part in a gateway, networks first. */
export function accountsOf(view: StatusView): readonly AccountSight[] {
  const known = new Set<string>();
  const gatewaysOf = (key: string): readonly string[] => [
    ...new Set(view.bridges.filter(({ account }) => account === key).map(({ gateway }) => gateway)),
  ];
  const sights: AccountSight[] = [];
  const add = (sight: Omit<AccountSight, "gateways">): void => {
    if (known.has(sight.key)) return;
    known.add(sight.key);
    sights.push({ ...sight, gateways: gatewaysOf(sight.key) });
  };
  for (const status of view.accounts) {
    add({ key: status.key, name: status.account, state: stateOf(status), status });
  }
  for (const { account, key, down } of view.readers) {
    const state: StateWord =
      down === null
        ? { kind: "good", word: texts.listening, why: null }
        : { kind: "bad", word: texts.down, why: down.reason };
    add({ key, name: account, state, status: null });
  }
  for (const { account } of view.bridges) {
    add({ key: account, name: account, state: elsewhere(view, account), status: null });
  }
  return sights;
}

/** Of an account that does not run here. */
function elsewhere({ cluster }: StatusView, account: string): StateWord {
  const node = cluster?.accounts.find((each) => each.account === account)?.node ?? null;
  if (node === null || node === cluster?.node) return { kind: "bad", word: texts.absent, why: null };
  return { kind: "none", word: texts.runsAt(node), why: null };
}

export function rowsOf(view: StatusView): readonly BridgeRow[] {
  const networks = view.accounts.flatMap((account) =>
    account.channels.map((channel): BridgeRow => {
      const waiting = channel.lanes.map((lane) => lane.waiting);
      const oldest = channel.lanes.flatMap(({ oldestMs }) => oldestMs ?? []);
      const linked = view.bridges.filter((each) => each.account === account.key && each.channel === channel.channel);
      const gateways = [...linked, ...channel.lanes].map(({ gateway }) => gateway);
      return {
        key: `${account.key} ${channel.channel}`,
        account: account.account,
        accountKey: account.key,
        channel: channel.channel,
        gateways: [...new Set(gateways)],
        state: roomState(account, channel),
        isReader: false,
        waiting: waiting.includes(null) ? null : waiting.reduce<number>((sum, count) => sum + (count ?? 0), 0),
        oldestMs: oldest.length === 0 ? null : Math.min(...oldest),
        heardMs: channel.heardMs,
        ...flowOf(roomsOf(view, account.key).filter((room) => room.channel === channel.channel)),
      };
    }),
  );
  const readers = accountsOf(view).flatMap(({ key, name, state, gateways, status }): readonly BridgeRow[] => {
    if (status !== null) return [];
    const row = { key, account: name, accountKey: key, channel: texts.readersChannel, gateways, state };
    return [{ ...row, isReader: true, waiting: 0, oldestMs: null, heardMs: null, ...flowOf(roomsOf(view, key)) }];
  });
  return [...networks, ...readers];
}

const roomsOf = ({ traffic }: StatusView, key: string): readonly RoomTraffic[] =>
  traffic.find(({ account }) => account === key)?.rooms ?? [];

type RowFlow = Pick<BridgeRow, "sent" | "received" | "p50Ms" | "p99Ms">;

function flowOf(rooms: readonly RoomTraffic[]): RowFlow {
  const lanes = rooms.flatMap((room) => room.lanes);
  const worst = (delays: readonly (number | null)[]): number | null => {
    const known = delays.filter((delay) => delay !== null);
    return known.length === 0 ? null : Math.max(...known);
  };
  return {
    sent: lanes.reduce((sum, { out }) => sum + out.total, 0),
    received: rooms.reduce((sum, room) => sum + room.in.total, 0),
    p50Ms: worst(lanes.map(({ p50Ms }) => p50Ms)),
    p99Ms: worst(lanes.map(({ p99Ms }) => p99Ms)),
  };
}

/** All of an account together, in and out. */
export function accountFlow(view: StatusView, key: string): AccountFlow {
  const rooms = roomsOf(view, key);
  const flows = rooms.flatMap((room) => [room.in, ...room.lanes.map(({ out }) => out)]);
  const minutes = Array.from({ length: 30 }, (_, at) => flows.reduce((sum, flow) => sum + (flow.minutes[at] ?? 0), 0));
  const { p50Ms, p99Ms } = flowOf(rooms);
  return { perMinute: flows.reduce((sum, { perMinute }) => sum + perMinute, 0), minutes, p50Ms, p99Ms };
}

interface AccountFlow extends Pick<FlowView, "perMinute" | "minutes">, Pick<RowFlow, "p50Ms" | "p99Ms"> {}

/** Messages of the last minute between an account and a gateway, both ways. */
export const edgeFlow = (view: StatusView, key: string, gateway: string): number =>
  roomsOf(view, key).reduce((sum, room) => {
    const isIn = view.bridges.some(
      (bridge) => bridge.account === key && bridge.gateway === gateway && bridge.direction !== "out",
    );
    const out = room.lanes.filter((lane) => lane.gateway === gateway);
    return sum + (isIn ? room.in.perMinute : 0) + out.reduce((each, lane) => each + lane.out.perMinute, 0);
  }, 0);

/** What the filter looks at. */
export const wordsOf = ({ account, channel, gateways, state }: BridgeRow): string =>
  [account, channel, ...gateways, state.word, state.why ?? ""].join(" ");

export const isPicked = (row: BridgeRow, picked: Picked | null): boolean =>
  picked !== null && (picked.side === "L" ? row.accountKey === picked.key : row.gateways.includes(picked.key));
