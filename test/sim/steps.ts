import type { Chance } from "./chance.ts";
import type { DiskMode } from "./disk.ts";
import { changed, type Plan } from "./plan.ts";
import type { JoinFault, NetFault, OpenFault } from "./server.ts";
import type { Setting } from "./setting.ts";

/** What happens around the program, one thing after the other. `which`, 0 to 1, picks among what there is then. */
export type Step =
  | {
      readonly is: "say";
      readonly net: string;
      readonly room: string;
      readonly by: string;
      readonly parts: number;
      readonly reply: number | null;
    }
  | {
      readonly is: "edit";
      readonly net: string;
      readonly room: string;
      readonly by: string;
      readonly which: number;
      readonly forged: boolean;
    }
  | {
      readonly is: "delete";
      readonly net: string;
      readonly room: string;
      readonly which: number;
      readonly moderator: boolean;
    }
  | {
      readonly is: "react";
      readonly net: string;
      readonly room: string;
      readonly by: string;
      readonly which: number;
      readonly on: boolean;
    }
  | { readonly is: "topic"; readonly net: string; readonly room: string; readonly by: string }
  | { readonly is: "post"; readonly account: string; readonly gateway: string }
  | { readonly is: "poll"; readonly account: string; readonly breaks: boolean }
  | { readonly is: "wait"; readonly ms: number }
  | { readonly is: "cut" | "hush" | "down" | "up" | "lock" | "unlock" | "stutter"; readonly net: string }
  | { readonly is: "fault"; readonly net: string; readonly faults: readonly NetFault[] }
  | { readonly is: "open fault"; readonly net: string; readonly faults: readonly OpenFault[] }
  | { readonly is: "join fault"; readonly net: string; readonly faults: readonly JoinFault[] }
  | { readonly is: "kick" | "ban" | "unban" | "forget"; readonly net: string; readonly room: string }
  | { readonly is: "disk"; readonly mode: DiskMode }
  | { readonly is: "kill"; readonly after: number }
  | { readonly is: "stop" | "start" }
  | { readonly is: "jump"; readonly ms: number }
  /** The file says something else, and the program is told so. */
  | { readonly is: "reload"; readonly plan: Plan };

const NET_FAULTS: readonly NetFault[] = [
  "drop before",
  "drop after",
  "drop answered",
  "answer late",
  "answer twice",
  "rate limit channel",
  "rate limit session",
  "reject",
  "hang",
  "silence",
  "throw before",
  "throw after",
];
const OPEN_FAULTS: readonly OpenFault[] = ["refused", "auth", "hang", "throw", "slow"];
const JOIN_FAULTS: readonly JoinFault[] = ["banned", "hang", "throw"];
const PEOPLE = ["anna", "bert", "cleo"];
const MINUTE_MS = 60_000;

/** A story: some forty steps, of which the first brings the program up. */
export function storyOf(setting: Setting, chance: Chance): readonly Step[] {
  const steps: Step[] = [{ is: "start" }, { is: "wait", ms: 1_000 }];
  const length = chance.between(10, 50);
  const file = { plan: setting.plan };
  while (steps.length < length) steps.push(...next(setting, file, chance));
  return steps;
}

/** `file`: what the configuration file says by now. */
function next(setting: Setting, file: { plan: Plan }, chance: Chance): readonly Step[] {
  const { name: net } = chance.pick(setting.nets);
  const room = chance.pick(setting.rooms);
  const by = chance.pick(PEOPLE);
  const which = chance.next();
  const apis = file.plan.gateways.flatMap(({ name, bridges }) =>
    bridges
      .filter((bridge) => bridge.includes(" api."))
      .map((bridge) => ({ gateway: name, account: bridge.split(" ")[1] ?? "" })),
  );
  const say = (): Step => {
    const reply = chance.hits(0.2) ? chance.next() : null;
    return { is: "say", net, room, by: chance.pick(PEOPLE), parts: chance.pick([1, 1, 1, 2, 3]), reply };
  };
  const wait = (): Step => ({ is: "wait", ms: chance.pick([0, 1, 20, 300, 2_000, 15_000, 90_000, 11 * MINUTE_MS]) });
  const read = (): readonly Step[] => [
    say(),
    { is: "wait", ms: 1_000 },
    { is: "poll", account: chance.pick(apis).account, breaks: chance.hits(0.3) },
    { is: "wait", ms: 300 },
  ];
  const reload = (): Step => {
    file.plan = changed(file.plan, setting, chance);
    return { is: "reload", plan: file.plan };
  };
  const make = chance.weighted<() => readonly Step[]>([
    [10, () => [say()]],
    [2, () => Array.from({ length: chance.between(2, 12) }, say)],
    [8, () => [wait()]],
    [2, () => [{ is: "edit", net, room, by, which, forged: chance.hits(0.3) }]],
    // Of what was said a moment ago, and is on its way.
    [
      3,
      () => [
        say(),
        { is: "wait", ms: chance.pick([20, 1_000]) },
        { is: "edit", net, room, by, which, forged: chance.hits(0.5) },
      ],
    ],
    [2, () => [{ is: "delete", net, room, which, moderator: chance.hits(0.3) }]],
    [2, () => [{ is: "react", net, room, by, which, on: chance.hits(0.8) }]],
    [2, () => Array.from({ length: chance.between(1, 3) }, () => ({ is: "topic", net, room, by }))],
    [apis.length > 0 ? 3 : 0, () => [{ is: "post", ...chance.pick(apis) }]],
    [apis.length > 0 ? 6 : 0, read],
    [
      6,
      () => [
        { is: "fault", net, faults: Array.from({ length: chance.between(1, 3) }, () => chance.pick(NET_FAULTS)) },
        say(),
      ],
    ],
    [
      1,
      () => [
        { is: "open fault", net, faults: [chance.pick(OPEN_FAULTS)] },
        { is: "cut", net },
      ],
    ],
    [
      1,
      () => [
        { is: "join fault", net, faults: [chance.pick(JOIN_FAULTS)] },
        { is: "cut", net },
      ],
    ],
    [4, () => [{ is: chance.pick(["cut", "hush", "down", "up", "lock", "unlock", "stutter"]), net }]],
    [2, () => [{ is: chance.pick(["kick", "ban", "unban", "forget"]), net, room }]],
    [
      2,
      () => [
        { is: "disk", mode: chance.pick(["well", "fails", "full", "floor", "unreadable"]) },
        say(),
        wait(),
        { is: "disk", mode: "well" },
      ],
    ],
    [3, () => [{ is: "kill", after: chance.below(60) }, say(), wait(), { is: "start" }]],
    [apis.length > 0 ? 2 : 0, () => [...read(), ...read(), { is: "kill", after: 0 }, { is: "start" }]],
    [1, () => [{ is: "stop" }, say(), { is: "start" }]],
    [setting.reloads ? 5 : 0, () => [say(), reload(), say(), wait()]],
    [
      setting.reloads ? 2 : 0,
      () => [{ is: "kill", after: chance.below(40) }, reload(), say(), wait(), { is: "start" }],
    ],
    [setting.reloads ? 1 : 0, () => [{ is: "stop" }, reload(), { is: "start" }]],
    [1, () => [{ is: "jump", ms: chance.pick([-2 * 60, -1, 1, 2 * 60]) * MINUTE_MS }]],
  ]);
  return make();
}
