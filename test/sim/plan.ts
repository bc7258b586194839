import type { CatchUp, Config, PresentationSettings } from "../../src/config/config.ts";
import { aConfig, aGateway, anAccount } from "../../src/gateway/samples.suite.ts";
import type { Chance } from "./chance.ts";
import type { NetTraits } from "./server.ts";

/** What the configuration file says; a reload brings another one. */
export interface Plan {
  readonly gateways: readonly PlannedGateway[];
  readonly presentation: Partial<PresentationSettings>;
  readonly maxAgeMs: number;
  /** By name of the network: another number is another setting of its account, which needs another session. */
  readonly versions: Readonly<Record<string, number>>;
}

interface PlannedGateway {
  readonly name: string;
  /** As in `aGateway`. */
  readonly bridges: readonly string[];
  readonly maxAgeMs: number | null;
  readonly catchUp: CatchUp | null;
}

/** Where bridges may be. */
export interface SimFixture {
  readonly nets: readonly NetTraits[];
  readonly rooms: readonly string[];
  readonly hasApi: boolean;
}

const HOUR_MS = 3_600_000;
const GATEWAYS_MAX = 4;

export function planOf(fixture: SimFixture, chance: Chance): Plan {
  const gateways = Array.from({ length: chance.between(1, 3) }, (_, at) => gatewayOf(`g${at}`, fixture, chance));
  return { gateways, presentation: looksOf(chance), maxAgeMs: maxAgeOf(chance), versions: {} };
}

/** Something in it is another. */
export function changed(plan: Plan, fixture: SimFixture, chance: Chance): Plan {
  const { gateways, versions } = plan;
  const at = chance.below(gateways.length);
  const chosen = gateways[at];
  if (chosen === undefined) return plan;
  const make = chance.weighted<() => Plan>([
    [
      gateways.length < GATEWAYS_MAX ? 3 : 0,
      () => ({ ...plan, gateways: [...gateways, added(gateways, fixture, chance)] }),
    ],
    [gateways.length > 1 ? 2 : 0, () => ({ ...plan, gateways: gateways.filter((gateway) => gateway !== chosen) })],
    [
      4,
      () => ({ ...plan, gateways: gateways.map((each) => (each === chosen ? bridged(each, fixture, chance) : each)) }),
    ],
    [2, () => ({ ...plan, gateways: gateways.with(at, { ...chosen, ...waitsOf(chance) }) })],
    [1, () => ({ ...plan, presentation: looksOf(chance) })],
    [1, () => ({ ...plan, maxAgeMs: maxAgeOf(chance) })],
    [1, () => ({ ...plan, versions: { ...versions, [chance.pick(fixture.nets).name]: chance.below(1_000) } })],
  ]);
  return make();
}

function added(gateways: readonly PlannedGateway[], fixture: SimFixture, chance: Chance): PlannedGateway {
  const names = Array.from({ length: GATEWAYS_MAX + 1 }, (_, at) => `g${at}`);
  return gatewayOf(names.find((name) => gateways.every((each) => each.name !== name)) ?? "g", fixture, chance);
}

/** The same gateway with a bridge more, or less, or in another direction. */
function bridged(gateway: PlannedGateway, fixture: SimFixture, chance: Chance): PlannedGateway {
  const places = placesOf(fixture);
  const place = chance.pick(places);
  const rest = gateway.bridges.filter((bridge) => !bridge.endsWith(` ${place}`));
  const isThere = rest.length < gateway.bridges.length;
  const goes = isThere && rest.length > 0 && chance.hits(0.6);
  return { ...gateway, bridges: goes ? rest : [...rest, `${directionOf(chance)} ${place}`] };
}

function gatewayOf(name: string, fixture: SimFixture, chance: Chance): PlannedGateway {
  const places = placesOf(fixture);
  const chosen = [...chance.some(places, 0.45), chance.pick(places)];
  const bridges = [...new Set(chosen)].map((place) => `${directionOf(chance)} ${place}`);
  const api = fixture.hasApi && chance.hits(0.6) ? [`inout api.${chance.pick(["p", "q"])} api`] : [];
  return { name, bridges: [...bridges, ...api], ...waitsOf(chance) };
}

const placesOf = ({ nets, rooms }: SimFixture): readonly string[] =>
  nets.flatMap((net) => rooms.map((room) => `${net.name}.x ${room}`));

function directionOf(chance: Chance): string {
  return chance.weighted([
    [6, "inout"],
    [1, "in"],
    [1, "out"],
  ]);
}

function waitsOf(chance: Chance): Pick<PlannedGateway, "maxAgeMs" | "catchUp"> {
  const maxAgeMs = chance.weighted([
    [4, null],
    [1, HOUR_MS / 4],
  ]);
  const catchUp = chance.weighted<CatchUp | null>([
    [6, null],
    [1, { is: "none" }],
    [1, { is: "newest", count: 2 }],
    [1, { is: "younger", ms: HOUR_MS / 12 }],
  ]);
  return { maxAgeMs, catchUp };
}

function looksOf(chance: Chance): Plan["presentation"] {
  return {
    remoteNickFormat: "<{NICK}> ",
    editFallback: chance.pick(["diff", "whole", "none"]),
    deleteFallback: chance.pick(["note", "none"]),
    reactionFallback: chance.pick(["line", "none"]),
    syncTopic: true,
  };
}

function maxAgeOf(chance: Chance): number {
  return chance.weighted([
    [3, 6 * HOUR_MS],
    [1, HOUR_MS / 6],
  ]);
}

/** Pure. */
export function configOf({ nets }: SimFixture, { gateways, presentation, maxAgeMs, versions }: Plan): Config {
  const ofNets = nets.map(({ name }) => {
    return { ...anAccount(`${name}.x`, presentation), settings: { Version: versions[name] ?? 0 } };
  });
  const ofApi = ["api.p", "api.q"].map((name) => anAccount(name, presentation));
  const all = gateways.map(({ name, bridges, ...waits }) => ({ ...aGateway(name, bridges), ...waits }));
  const config = aConfig(all, [...ofNets, ...ofApi]);
  const used = new Set(config.gateways.flatMap(({ bridges }) => bridges.map(({ account }) => account)));
  return {
    ...config,
    accounts: new Map([...config.accounts].filter(([key]) => used.has(key))),
    general: { ...config.general, maxAgeMs },
  };
}
