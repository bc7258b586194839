import type { Bridge, Gateway } from "./config.ts";
import type { Context } from "./context.ts";
import type { Declared } from "./declare.ts";
import type { WrittenGateway } from "./gateways.ts";
import type { LinkedGateway } from "./link.ts";
import { keyAt } from "./section.ts";

/**
 * Says where nothing can cross; fatal when that is everywhere. To be called when it is known which accounts are kept
 * down. `isServed`: there is a dashboard, in which the first gateway can be added.
 */
export function reportNothingToRun(
  written: readonly WrittenGateway[],
  linked: readonly LinkedGateway[],
  accounts: ReadonlyMap<string, Declared>,
  { report, isServed }: Pick<Context, "report"> & { readonly isServed: boolean },
): void {
  if (!written.some(({ enabled }) => enabled)) return reportNoGateway(written, { report, isServed });
  // What cannot be read at all may hold the rest.
  if (report.failed) return;
  const up = linked.map(({ running, ...gateway }) => {
    const bridges = running.bridges.filter(({ account }) => !report.downs.has(account));
    return { ...gateway, bridges, crosses: crosses({ ...running, bridges }, accounts) };
  });
  const isMeant = up.some(({ meant }) => meant > 1);
  if (!up.some((gateway) => gateway.crosses) && (isMeant || up.every(({ bridges }) => bridges.length === 0))) {
    const first = up[0]?.written ?? written[0];
    const what = "nothing can run: no gateway has two rooms whose accounts this version supports and can start";
    report.fatal("nothing-to-run", first?.where ?? keyAt([]), [what, "correct the errors, or add a room"]);
    return;
  }
  for (const { written: gateway, bridges } of up.filter((each) => !each.crosses && each.meant > 0)) {
    const what = `nothing crosses in ${gateway.label}: ${leftOf(bridges)}`;
    const remedy = "a gateway needs a room to read from and another one to write to";
    report.warning("gateway-idle", gateway.where, [what, remedy]);
  }
}

function reportNoGateway(
  written: readonly WrittenGateway[],
  { report, isServed }: Pick<Context, "report"> & { readonly isServed: boolean },
): void {
  const first = written[0];
  if (first !== undefined) {
    const remedy = `set enable = true in one, such as ${first.label}`;
    report.fatal("no-gateway", first.where, ["no gateway is enabled", remedy]);
    return;
  }
  const what = "no gateway is configured";
  if (isServed) report.warning("no-gateway", keyAt([]), [what, `${IN_DASHBOARD}, or ${ADD}`]);
  else report.fatal("no-gateway", keyAt([]), [what, `${ADD}; or ${SERVE}`]);
}

const ADD = "add a [[gateway]] with a name, enable = true and [[gateway.inout]] entries";
const IN_DASHBOARD = "link the first networks on the page Connect of the dashboard";
const SERVE =
  'set AdminBindAddress = "127.0.0.1:4290" in [general]: then Rialto starts without a gateway, and its dashboard adds the first one';

/** Warns of gateways that link the same rooms: messages arrive there once for each gateway. */
export function warnOfSameRooms(
  linked: readonly LinkedGateway[],
  accounts: ReadonlyMap<string, Declared>,
  { report }: Context,
): void {
  // By room, of the first few gateways that have it: a room in thousands of gateways is not thousands squared
  // comparisons.
  const known = new Map<string, Unit[]>();
  for (const { written, running } of linked) {
    const units = unitsOf(running).map((bridges) => ({ written, bridges: byRoom(bridges) }));
    const duplicate = units.flatMap((unit) =>
      others(unit, known).filter((other) => overlaps(unit, other, accounts)),
    )[0];
    if (duplicate !== undefined) {
      const what = `${written.label} and ${duplicate.written.label} link the same rooms, so messages arrive there twice`;
      report.warning(
        "same-rooms",
        written.where,
        [what, "remove these rooms from one of them"],
        duplicate.written.where,
      );
    }
    for (const unit of units) {
      for (const room of unit.bridges.keys()) {
        const before = known.get(room) ?? [];
        if (before.length < COMPARED_MAX) known.set(room, [...before, unit]);
      }
    }
  }
}

const COMPARED_MAX = 8;

const hasOneChannel = ({ account }: Bridge, accounts: ReadonlyMap<string, Declared>): boolean =>
  accounts.get(account)?.manifest?.onlyChannel !== undefined;

/** Rooms that are all linked with each other. */
interface Unit {
  readonly written: WrittenGateway;
  readonly bridges: ReadonlyMap<string, Bridge>;
}

/** The rooms of a gateway that are linked with each other. */
export function unitsOf({ sameChannel, bridges }: Gateway): readonly (readonly Bridge[])[] {
  return sameChannel ? [...Map.groupBy(bridges, ({ channel }) => channel).values()] : [bridges];
}

const byRoom = (bridges: readonly Bridge[]): ReadonlyMap<string, Bridge> =>
  new Map(bridges.map((bridge) => [JSON.stringify([bridge.account, bridge.channel]), bridge]));

const others = ({ bridges }: Unit, known: ReadonlyMap<string, readonly Unit[]>): readonly Unit[] => [
  ...new Set([...bridges.keys()].flatMap((room) => known.get(room) ?? [])),
];

function overlaps(one: Unit, two: Unit, accounts: ReadonlyMap<string, Declared>): boolean {
  // A large gateway may meet thousands of small ones.
  const [small, large] = one.bridges.size < two.bridges.size ? [one, two] : [two, one];
  const shared = [...small.bridges].flatMap(([room, bridge]) => {
    const duplicate = large.bridges.get(room);
    if (duplicate === undefined) return [];
    // Who posts to an account with one channel names the gateway, so what is read there crosses once.
    const isRead = reads(bridge) && reads(duplicate) && !hasOneChannel(bridge, accounts);
    return [{ reads: isRead, writes: writes(bridge) && writes(duplicate) }];
  });
  return carries(shared);
}

const reads = ({ direction }: Bridge): boolean => direction !== "out";
const writes = ({ direction }: Bridge): boolean => direction !== "in";

/** Whether anything that is said in one of its rooms is said in another one. */
function crosses({ bridges, ...gateway }: Gateway, accounts: ReadonlyMap<string, Declared>): boolean {
  const { one = [], many = [] } = Object.groupBy(bridges, (bridge) =>
    hasOneChannel(bridge, accounts) ? "one" : "many",
  );
  // Accounts with one channel hear those of all names.
  const units = [...unitsOf({ ...gateway, bridges: many }), []];
  return units.some((unit) =>
    carries([...unit, ...one].map((bridge) => ({ reads: reads(bridge), writes: writes(bridge) }))),
  );
}

function carries(rooms: readonly { readonly reads: boolean; readonly writes: boolean }[]): boolean {
  const [read, written] = [rooms.filter((room) => room.reads), rooms.filter((room) => room.writes)];
  return read.length > 0 && written.length > 0 && (read.length > 1 || written.length > 1 || read[0] !== written[0]);
}

function leftOf(bridges: readonly Bridge[]): string {
  if (bridges.length === 0) return "none of its rooms can run";
  if (bridges.length === 1) return "it has only one room that can run";
  return "it reads from none of its rooms, or writes to none";
}
