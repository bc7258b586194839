import type { PresentationSettings } from "../../src/config/config.ts";
import type { Chance } from "./chance.ts";
import type { DiskTraits } from "./disk.ts";
import type { NetTraits } from "./server.ts";

/** What stays the same through a simulation: networks, gateways, settings. */
export interface Setting {
  readonly nets: readonly NetTraits[];
  readonly rooms: readonly string[];
  /** As in `aGateway`: name and bridges. */
  readonly gateways: readonly { readonly name: string; readonly bridges: readonly string[] }[];
  readonly presentation: Partial<PresentationSettings>;
  readonly disk: DiskTraits;
  readonly maxAgeMs: number;
  readonly hasApi: boolean;
}

const HOUR_MS = 3_600_000;

export function settingOf(chance: Chance): Setting {
  const rooms = ["one", "two"];
  const nets = ["ka", "lu", "mo", "ni"].slice(0, chance.between(2, 4)).map((name) => netOf(name, chance));
  const hasApi = chance.hits(0.5);
  const gateways = Array.from({ length: chance.between(1, 3) }, (_, at) =>
    gatewayOf(`g${at}`, nets, rooms, hasApi, chance),
  );
  return {
    nets,
    rooms,
    gateways,
    presentation: {
      remoteNickFormat: "<{NICK}> ",
      editFallback: chance.pick(["diff", "whole", "none"]),
      deleteFallback: chance.pick(["note", "none"]),
      reactionFallback: chance.pick(["line", "none"]),
    },
    disk: {
      slowMs: chance.weighted([
        [3, 0],
        [2, 5],
        [1, 2_000],
      ]),
      tailBytes: chance.pick([0, 400, 4_000, 1_000_000]),
      pendingBytes: chance.pick([8_000, 1_000_000]),
    },
    maxAgeMs: chance.weighted([
      [3, 6 * HOUR_MS],
      [1, HOUR_MS / 6],
    ]),
    hasApi,
  };
}

function netOf(name: string, chance: Chance): NetTraits {
  const by = chance.pick(["none", "key", "echo"] as const);
  return {
    name,
    idempotency: by === "key" ? { by, windowMs: chance.pick([HOUR_MS / 2, 48 * HOUR_MS]) } : { by },
    rich: chance.hits(0.6),
    history: chance.hits(0.6),
    inflightMax: chance.pick([1, 2, 8]),
    latencyMs: chance.pick([0, 3, 200]),
  };
}

function gatewayOf(
  name: string,
  nets: readonly NetTraits[],
  rooms: readonly string[],
  hasApi: boolean,
  chance: Chance,
): Setting["gateways"][number] {
  const places = nets.flatMap((net) => rooms.map((room) => `${net.name}.x ${room}`));
  const chosen = [...chance.some(places, 0.45), chance.pick(places)];
  const direction = (): string =>
    chance.weighted([
      [6, "inout"],
      [1, "in"],
      [1, "out"],
    ]);
  const bridges = [...new Set(chosen)].map((place) => `${direction()} ${place}`);
  const api = hasApi && chance.hits(0.6) ? [`inout api.${chance.pick(["p", "q"])} api`] : [];
  return { name, bridges: [...bridges, ...api] };
}
