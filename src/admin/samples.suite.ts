/** Small statuses for tests; all is well by default. */
import type { AccountStatus, ChannelStatus, LaneStatus } from "../delivery/status.ts";
import type { ReaderView, StatusView } from "./views.ts";

export const NOW = Date.UTC(2026, 0, 2, 12, 0, 0);

export function aLane(fields: Partial<LaneStatus> = {}): LaneStatus {
  return {
    gateway: "g",
    channel: "#room",
    state: "idle",
    waiting: 0,
    oldestMs: null,
    oldest: null,
    why: null,
    remedy: null,
    retryMs: null,
    ...fields,
  };
}

export function aRoom(fields: Partial<ChannelStatus> = {}): ChannelStatus {
  return {
    channel: "#room",
    state: "joined",
    sinceMs: NOW - 60_000,
    downSinceMs: null,
    heardMs: null,
    why: null,
    remedy: null,
    retryMs: null,
    lanes: [aLane()],
    ...fields,
  };
}

export function aStatus(fields: Partial<AccountStatus> = {}): AccountStatus {
  return {
    account: "net.home",
    key: "net.home",
    protocol: "net",
    state: "online",
    sinceMs: NOW - 120_000,
    downSinceMs: null,
    as: "rialto",
    heardMs: null,
    why: null,
    remedy: null,
    retryMs: null,
    reconnects: 0,
    accepted: 0,
    dropped: {},
    delivered: 0,
    channels: [aRoom()],
    ...fields,
  };
}

export function aReader(fields: Partial<ReaderView> = {}): ReaderView {
  const counts = { accepted: 3, dropped: {}, skipped: 0 };
  return { account: "api.web", key: "api.web", down: null, url: "http://127.0.0.1:1", ...counts, ...fields };
}

export function aView(fields: Partial<StatusView> = {}): StatusView {
  return {
    ok: fields.troubles === undefined || fields.troubles.length === 0,
    version: "1.2.3",
    nowMs: NOW,
    startedMs: NOW - 3_600_000,
    troubles: [],
    notices: [],
    log: {
      head: 14336,
      total: 7,
      takes: true,
      why: null,
      damage: { why: null, entries: [] },
      freeBytes: 5 * 1024 ** 3,
    },
    loop: { p50: 0, p99: 1, max: 2 },
    accounts: [aStatus()],
    readers: [aReader()],
    gateways: ["g"],
    bridges: [{ gateway: "g", account: "net.home", channel: "room", direction: "inout" }],
    loops: [],
    traffic: [],
    ...fields,
  };
}
