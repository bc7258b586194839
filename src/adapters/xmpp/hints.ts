import type { Hint } from "../../contract/host.ts";
import type { Member } from "../../contract/session.ts";
import { NS } from "./ns.ts";
import type { Occupant } from "./occupants.ts";
import { authorOf, type Received } from "./receive.ts";
import type { XmppRoom } from "./room.ts";
import { el, type Stanza } from "./xml.ts";

/** Who type at once in a room; of more nothing is told. */
const TYPING_MAX = 1000;

/**
 * What a message of now says of its author's typing (XEP-0085 §5.5), null when it says nothing new: every message has
 * a state, and most of them that nobody types.
 */
export function typingHint(message: Stanza, { nick, who }: Received, room: XmppRoom): Hint | null {
  if (nick === "" || room.state !== "in") return null;
  const state = message.getChildElements().find((one) => one.getNS() === NS.chatStates)?.name;
  const isText = message.getChild("body") !== undefined;
  if (state === undefined && !isText) return null;
  const on = state === "composing" && !isText;
  const told: Hint = { kind: "typing", channel: room.ref, author: authorOf(who, nick, room), on };
  if (!on) return room.typing.delete(nick) ? told : null;
  if (room.typing.size >= TYPING_MAX) return null;
  room.typing.add(nick);
  return told;
}

/** Says in a room that we type, or no longer (XEP-0085). Archives are asked to leave it out (XEP-0334). */
export function chatState(room: Pick<XmppRoom, "jid">, on: boolean): Stanza {
  const state = el(on ? "composing" : "paused", { xmlns: NS.chatStates });
  return el("message", { to: room.jid, type: "groupchat" }, state, el("no-store", { xmlns: NS.hints }));
}

/** Somebody is away now, or back. Call it once the presence is taken in; `before`: as it was until then. */
export function awayHint(nick: string, before: Occupant, room: XmppRoom): Hint | null {
  const now = room.occupant(nick);
  if (now === null || now.away === before.away || room.state !== "in") return null;
  return { kind: "presence", channel: room.ref, author: authorOf(now.identity, nick, room), on: !now.away };
}

/** The others in a room. */
export function membersOf(room: XmppRoom): readonly Member[] {
  return room.occupants.nicks.flatMap((nick) => {
    const occupant = room.occupant(nick);
    if (occupant === null || nick === room.ownNick) return [];
    const { id, name } = authorOf(occupant.identity, nick, room);
    return [{ id, name, bot: false, present: !occupant.away }];
  });
}
