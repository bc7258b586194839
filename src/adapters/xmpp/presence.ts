import type { Event } from "../../contract/events.ts";
import { resourceOf } from "./jid.ts";
import { itemOf, statusOf } from "./occupants.ts";
import { authorOf } from "./receive.ts";
import type { RoomView } from "./room-view.ts";
import { attr, child, childText, type Stanza } from "./xml.ts";

type MemberEvent = Extract<Event, { kind: "member" }>;

/** Somebody who was not there has come. Call it once the presence has been taken in. */
export function joined(nick: string, room: RoomView, atMs: number): MemberEvent {
  return member(nick, room, atMs, { change: "join", text: `${shown(nick)} joins` });
}

/** Somebody leaves, or takes another nick (303). Call it before the presence is taken in. */
export function left(presence: Stanza, room: RoomView, atMs: number): MemberEvent {
  const nick = resourceOf(attr(presence, "from")) ?? "";
  const codes = statusOf(presence);
  const item = itemOf(presence);
  const name = shown(nick);
  if (codes.has("303")) {
    const newName = shown(attr(item, "nick"));
    return member(nick, room, atMs, { change: "rename", newName, text: `${name} is now known as ${newName}` });
  }
  const reason = clean(childText(item, "reason") ?? childText(presence, "status") ?? "");
  const actor = child(item, "actor");
  const actorNick = attr(actor, "nick");
  const did = codes.has("301") ? "banned" : codes.has("307") ? "kicked" : null;
  if (did === null) return member(nick, room, atMs, { change: "leave", text: `${name} leaves` });
  const words = `${actorNick === "" ? "somebody" : shown(actorNick)} ${did} ${name}${reason === null ? "" : ` (${reason})`}`;
  return member(nick, room, atMs, { change: "leave", text: words });
}

function member(
  nick: string,
  room: RoomView,
  atMs: number,
  told: Pick<MemberEvent, "change" | "newName" | "text">,
): MemberEvent {
  const who = room.occupant(nick)?.identity ?? `n:${room.nonce}:gone`;
  return {
    kind: "member",
    key: null,
    channel: room.ref,
    atMs,
    echoOf: null,
    author: authorOf(who, nick, room),
    ...told,
  };
}

function shown(nick: string): string {
  return nick.replaceAll(/\p{Cc}/gu, "");
}

function clean(text: string): string | null {
  return (
    text
      .replaceAll(/\p{Cc}+/gu, " ")
      .trim()
      .slice(0, 500) || null
  );
}
