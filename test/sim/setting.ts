import type { Chance } from "./chance.ts";
import type { DiskTraits } from "./disk.ts";
import { type SimFixture, type Plan, planOf } from "./plan.ts";
import type { NetTraits } from "./server.ts";

/** What a simulation begins with. All but the plan stays the same. */
export interface Setting extends SimFixture {
  readonly plan: Plan;
  readonly disk: DiskTraits;
  /** Whether the configuration changes while the program runs. */
  readonly reloads: boolean;
}

const HOUR_MS = 3_600_000;

export function settingOf(chance: Chance): Setting {
  const rooms = ["one", "two"];
  const nets = ["ka", "lu", "mo", "ni"].slice(0, chance.between(2, 4)).map((name) => netOf(name, chance));
  const hasApi = chance.hits(0.5);
  const plan = planOf({ nets, rooms, hasApi }, chance);
  const disk = {
    slowMs: chance.weighted([
      [3, 0],
      [2, 5],
      [1, 2_000],
    ]),
    tailBytes: chance.pick([0, 400, 4_000, 1_000_000]),
    pendingBytes: chance.pick([8_000, 1_000_000]),
  };
  return { nets, rooms, hasApi, plan, disk, reloads: chance.hits(0.5) };
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
