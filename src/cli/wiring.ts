import type { Bridge, Config, Gateway } from "../config/config.ts";
import type { Manifest } from "../contract/manifest.ts";

/** What is linked with what, a line for each gateway: `lobby: net.local #bridge ↔ other.home town ↔ api.game`. Pure. */
export function wiringOf(config: Config, protocols: ReadonlyMap<string, Manifest>): string {
  return config.gateways.map((gateway) => `${gateway.name}: ${linksOf(gateway, { config, protocols })}\n`).join("");
}

interface Names {
  readonly config: Config;
  readonly protocols: ReadonlyMap<string, Manifest>;
}

function linksOf({ sameChannel, bridges }: Gateway, names: Names): string {
  if (!sameChannel) return arrows(bridges.map((bridge) => shownAs(bridge, roomOf(bridge, names))));
  const rooms = bridges.filter((bridge) => !hasOneChannel(bridge, names));
  const channels = [...new Set(rooms.map(({ channel }) => channel))];
  if (channels.length === 0) return arrows(accountsOf(bridges, names));
  if (channels.length === 1) return `${arrows(accountsOf(bridges, names))} in ${channels.join("")}`;
  const linked = `${arrows(accountsOf(rooms, names))} in each of ${channels.join(", ")}`;
  // What a client posts names no channel, and so goes to none of several.
  const readers = bridges.filter((bridge) => hasOneChannel(bridge, names));
  return readers.length === 0 ? linked : `${linked}; all of them → ${arrows(accountsOf(readers, names))}`;
}

function accountsOf(bridges: readonly Bridge[], names: Names): readonly Room[] {
  const first = new Map(bridges.map((bridge) => [bridge.account, bridge]));
  return [...first.values()].map((bridge) => shownAs(bridge, accountOf(bridge, names)));
}

interface Room extends Pick<Bridge, "direction"> {
  readonly shown: string;
}

const shownAs = ({ direction }: Bridge, shown: string): Room => ({ direction, shown });

/** Rooms that are only read come first, rooms that are only written last, and the others between them. */
function arrows(rooms: readonly Room[]): string {
  const those = (direction: Bridge["direction"], link: string): string =>
    rooms.flatMap((room) => (room.direction === direction ? [room.shown] : [])).join(link);
  const groups = [those("in", ", "), those("inout", " ↔ "), those("out", ", ")];
  return groups.filter((group) => group !== "").join(" → ");
}

function roomOf(bridge: Bridge, names: Names): string {
  return hasOneChannel(bridge, names) ? accountOf(bridge, names) : `${accountOf(bridge, names)} ${bridge.channel}`;
}

function hasOneChannel({ account }: Bridge, { config, protocols }: Names): boolean {
  return protocols.get(config.accounts.get(account)?.protocol ?? "")?.onlyChannel !== undefined;
}

function accountOf({ account }: Bridge, { config }: Names): string {
  const known = config.accounts.get(account);
  return `${known?.name ?? account}${known?.down === null ? "" : " (down)"}`;
}
