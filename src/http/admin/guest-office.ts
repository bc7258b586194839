import type { GuestDesk, GuestReport, GuestRules, HeldMessage, Invite, RoomGuest } from "../../contract/guests.ts";
import { parseSpan } from "../../lib/duration.ts";
import { isObject } from "../../lib/shapes.ts";

/** A room for guests. */
export interface GuestRoom {
  readonly gateway: string;
  readonly account: string;
  readonly channel: string;
  readonly desk: GuestDesk;
}

/** Where guests come in, over all accounts. */
export interface GuestOffice {
  /** Those that are open now. */
  rooms(): readonly GuestRoom[];
  /** Or why there is none, for people. */
  room(gateway: string): GuestRoom | { readonly why: string };
}

export type Placed<T> = Omit<T, "channel"> & Pick<GuestRoom, "gateway" | "account" | "channel">;

/** A room and what guests may do in it. */
export type GuestRoomView = Omit<GuestRoom, "desk"> & GuestRules;

export interface InviteOrder {
  readonly gateway: string;
  readonly uses: number;
  readonly expiresInMs: number;
  readonly hold: boolean;
}

export type InviteMade =
  | { readonly ok: true; readonly invite: Placed<Invite> & { readonly url: string } }
  | { readonly ok: false; readonly message: string };

const DAY_MS = 24 * 60 * 60_000;
const USES_MAX = 100_000;
const EXPIRES_MAX_MS = 365 * DAY_MS;

/** `{gateway, uses?, expires?, hold?}`, or what is wrong with it. */
export function readInviteOrder(body: unknown): InviteOrder | string {
  if (!isObject(body) || typeof body["gateway"] !== "string") return "gateway names the gateway that guests join";
  const { gateway, uses = 1, expires = "7d", hold = false } = body;
  if (!Number.isInteger(uses) || Number(uses) < 1 || Number(uses) > USES_MAX)
    return `uses must be a whole number from 1 to ${USES_MAX}`;
  const expiresInMs = typeof expires === "string" ? parseSpan(expires) : null;
  if (expiresInMs === null || expiresInMs <= 0 || expiresInMs > EXPIRES_MAX_MS)
    return 'expires must be a duration of at most a year, such as "2h" or "7d"';
  if (typeof hold !== "boolean") return "hold must be true or false";
  return { gateway, uses: Number(uses), expiresInMs, hold };
}

/** Makes one, in the room of the gateway. */
export async function makeInvite(office: GuestOffice, order: InviteOrder): Promise<InviteMade> {
  const room = office.room(order.gateway);
  if ("why" in room) return { ok: false, message: room.why };
  const { uses, expiresInMs, hold } = order;
  const invite = await room.desk.invite({ channel: room.channel, uses, expiresInMs, hold });
  if (invite === null) return { ok: false, message: `${room.account} has not opened ${room.channel} yet: try again` };
  return { ok: true, invite: placed(room, invite) };
}

const placed = <T extends object>(room: GuestRoom, thing: T) => ({
  ...thing,
  gateway: room.gateway,
  account: room.account,
  channel: room.channel,
});

/** Those of which the rules can be changed: one for each gateway. */
export function roomViews(office: GuestOffice): readonly GuestRoomView[] {
  const gateways = new Set(office.rooms().map(({ gateway }) => gateway));
  return [...gateways].flatMap((gateway) => {
    const room = office.room(gateway);
    const rules = "why" in room ? null : room.desk.moderation(room.channel);
    return "why" in room || rules === null ? [] : [placed(room, rules)];
  });
}

/** What is in the rooms that are open, of each kind. */
export function inRooms<T extends Invite | RoomGuest | HeldMessage | GuestReport>(
  office: GuestOffice,
  read: (desk: GuestDesk) => readonly T[],
): readonly Placed<T>[] {
  const rooms = office.rooms();
  const desks = new Set(rooms.map(({ desk }) => desk));
  return [...desks].flatMap((desk) =>
    read(desk).flatMap((thing) => {
      const room = rooms.find((one) => one.desk === desk && one.channel.toLowerCase() === thing.channel);
      return room === undefined ? [] : [placed(room, thing)];
    }),
  );
}
