import type { ChannelRef } from "../../contract/ids.ts";
import { BoundedParser } from "./parser.ts";
import type { RoomView } from "./room-view.ts";
import type { Stanza } from "./xml.ts";

/** Reads one element, as the stream would. Throws on what is none. */
export function parsed(text: string): Stanza {
  const parser = new BoundedParser();
  const found: Stanza[] = [];
  const errors: Error[] = [];
  parser.on("element", (element) => found.push(element));
  parser.on("error", (error) => errors.push(error));
  parser.write(`<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>${text}`);
  const [element] = found;
  if (element === undefined || errors.length > 0 || found.length > 1) {
    throw new Error(`not one element (${String(errors[0])}): ${text}`);
  }
  return element;
}

export const ROOM = "town@rooms.example";

/** A room with alice and bob in it, ids and occupant ids. */
export function aRoom(given: Partial<RoomView> = {}): RoomView {
  const identities = new Map([
    ["rialto", "o:us"],
    ["alice", "o:a"],
    ["bob", "o:b"],
  ]);
  return {
    ref: ROOM as ChannelRef,
    jid: ROOM,
    ownNick: "rialto",
    ownIdentity: "o:us",
    stableIds: true,
    occupantIds: true,
    nonce: "n",
    occupant: (nick) => {
      const identity = identities.get(nick);
      return identity === undefined ? null : { nick, identity, avatar: null, role: "participant", away: false };
    },
    nickOf: (identity) => [...identities].find(([, known]) => known === identity)?.[0] ?? null,
    isKnown: () => false,
    isBy: () => false,
    tellsPast: false,
    ...given,
  };
}
