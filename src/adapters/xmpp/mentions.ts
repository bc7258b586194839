import { bareOf, resourceOf } from "./jid.ts";
import { NS } from "./ns.ts";
import type { RoomView } from "./room-view.ts";
import { attr, child, type Stanza } from "./xml.ts";

/** Mentions of one message that are looked at. */
const MENTIONS_MAX = 8;

/**
 * The nicks of people whom a message addresses beside its words (XEP-0513): elsewhere only words say to whom something
 * is said. A mention with a range stands for words that name the person already.
 */
export function addressed(message: Stanza, words: string, room: RoomView): readonly string[] {
  const mentions = message.getChildren("mention", NS.mentions).slice(0, MENTIONS_MAX);
  const nicks = mentions.flatMap((mention) => {
    const isForOne = attr(mention, "mentions") === "" && attr(mention, "begin") === "";
    const nick = isForOne && child(mention, "noping") === undefined ? nickOf(mention, room) : null;
    return nick === null || nick === room.ownNick || words.toLowerCase().includes(nick.toLowerCase()) ? [] : [nick];
  });
  return [...new Set(nicks)];
}

function nickOf(mention: Stanza, room: RoomView): string | null {
  const id = attr(mention, "occupantid");
  if (id !== "") return room.occupantIds ? room.nickOf(`o:${id}`) : null;
  const jid = attr(mention, "jid");
  if (bareOf(jid) !== room.jid) return jid === "" ? null : room.nickOf(`j:${bareOf(jid)}`);
  return room.occupant(resourceOf(jid) ?? "")?.nick ?? null;
}
