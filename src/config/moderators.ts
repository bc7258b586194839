import type { Account, Bridge } from "./config.ts";
import type { Context } from "./context.ts";
import { unitsOf } from "./crossing.ts";
import type { Declared } from "./declare.ts";
import type { WrittenGateway } from "./gateways.ts";
import type { LinkedGateway } from "./link.ts";
import { keepsDown } from "./problems.ts";

/** Rooms that are linked with each other. */
interface Unit {
  readonly written: WrittenGateway;
  readonly bridges: readonly Bridge[];
}

/**
 * Says where what only moderators are to read would get to others: their channel is linked with one that guests of any
 * account are in, directly or by a room that is. Where one word would decide in two accounts. And where nobody is told.
 */
export function reportModeration(
  linked: readonly LinkedGateway[],
  used: ReadonlyMap<string, Account>,
  accounts: ReadonlyMap<string, Declared>,
  { report }: Context,
): void {
  const units = linked.flatMap(({ written, running }) => unitsOf(running).map((bridges) => ({ written, bridges })));
  // Of accounts that can have guests; null: all their channels are for these.
  const channels = new Map(
    [...used].flatMap(([key, { settings }]) => {
      const find = accounts.get(key)?.manifest?.moderationChannel;
      return find === undefined ? [] : [[key, find(settings)] as const];
    }),
  );
  const isTheirs = ({ account, channel }: Bridge): boolean => channel.toLowerCase() === channels.get(account);
  const isOpen = (bridge: Bridge): boolean => channels.has(bridge.account) && !isTheirs(bridge);
  // Whoever reads an account with one channel is told the gateway of each message, and names it.
  const isOne = ({ account }: Bridge): boolean => accounts.get(account)?.manifest?.onlyChannel !== undefined;
  const open = new Set(
    units.filter(({ bridges }) => bridges.some(isOpen)).flatMap(({ bridges }) => bridges.map(roomOf)),
  );
  /** Which account's moderators are in a room. */
  const staff = new Map<string, string>();
  const unitsWith = new Map<string, Unit[]>();
  for (const unit of units) {
    for (const key of new Set(unit.bridges.map(({ account }) => account))) {
      const known = unitsWith.get(key);
      if (known === undefined) unitsWith.set(key, [unit]);
      else known.push(unit);
    }
  }
  for (const [key, channel] of channels) {
    const [account, declared] = [used.get(key), accounts.get(key)];
    if (channel === null || account === undefined || declared === undefined) continue;
    const own = ({ bridges }: Unit): boolean => bridges.some((bridge) => bridge.account === key && isTheirs(bridge));
    const its = unitsWith.get(key) ?? [];
    const theirs = its.filter(own);
    const tell = (code: string, { written }: Unit, what: string, remedy: string): void =>
      report.error(code, written.where, [what, remedy], keepsDown(account, "the gateways"));
    for (const unit of theirs) {
      const shown = (room: Bridge): string => `${room.channel} of ${accounts.get(room.account)?.name ?? room.account}`;
      const links = `${unit.written.label} links ${channel} of ${account.name}, which is for moderators, with`;
      const rooms = unit.bridges.filter((bridge) => !isOne(bridge));
      const leak = rooms.find(isOpen) ?? rooms.find((room) => open.has(roomOf(room)));
      const remedy = "give it a gateway of its own, with a room that only moderators are in";
      if (leak !== undefined) tell("open-moderation", unit, `${links} ${shown(leak)}, which guests can read`, remedy);
      const shared = rooms.find((bridge) => (staff.get(roomOf(bridge)) ?? key) !== key);
      if (shared !== undefined) {
        const other = used.get(staff.get(roomOf(shared)) ?? "")?.name ?? "";
        const what = `${links} ${shown(shared)}, where moderators of ${other} are: "approve 1" would decide in both`;
        tell("shared-moderation", unit, what, "give each account a room of moderators of its own");
      }
      for (const room of rooms) staff.set(roomOf(room), key);
    }
    const warn = (code: string, what: string, remedy: string): void =>
      report.warning(code, declared.where, [what, remedy]);
    if (!its.some(({ bridges }) => bridges.some((bridge) => bridge.account === key && isOpen(bridge)))) {
      const what = `guests can join no room of ${account.name}: gateways only have ${channel}, which is for moderators`;
      warn("no-guests", what, "name another room in Moderation, or add a gateway with a room for guests");
    }
    if (theirs.some(({ bridges }) => bridges.some((one) => isTheirs(one) && one.direction !== "out"))) continue;
    const what = `no gateway has ${channel} of ${account.name}, so moderators are told nothing there`;
    warn("idle-moderation", what, "add a gateway with it and a room of moderators");
  }
}

const roomOf = ({ account, channel }: Bridge): string => JSON.stringify([account, channel]);
