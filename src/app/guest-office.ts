import type { Config } from "../config/config.ts";
import type { Delivery } from "../delivery/delivery.ts";
import type { GuestOffice, GuestRoom } from "../http/admin/guest-office.ts";

/** The rooms of accounts that have guests, by the gateways they are in. */
export function guestOffice(config: () => Config, delivery: () => Pick<Delivery, "guests">): GuestOffice {
  const rooms = (): readonly GuestRoom[] =>
    config().gateways.flatMap(({ name, bridges }) =>
      bridges.flatMap(({ account, channel }) => {
        const desk = delivery().guests(account);
        return desk?.takesGuests(channel) !== true ? [] : [{ gateway: name, account, channel, desk }];
      }),
    );
  return {
    rooms,
    room: (gateway) => {
      const found = rooms().find((room) => room.gateway === gateway);
      if (found !== undefined) return found;
      const known = config().gateways.find(({ name }) => name === gateway);
      if (known === undefined) return { why: `there is no gateway "${gateway}"` };
      const isClosed = known.bridges.some(({ account, channel }) => {
        return delivery().guests(account)?.takesGuests(channel) === false;
      });
      if (isClosed) return { why: `the room of ${gateway} is for moderators: guests cannot join it` };
      const isWeb = known.bridges.some(({ account }) => account.startsWith("web."));
      return {
        why: isWeb
          ? `the web chat of ${gateway} is not open now: see rialto status`
          : `${gateway} has no room for guests: add a bridge of a [web.…] account to it`,
      };
    },
  };
}
