import type { WebInvite, WebRooms } from "../../../contract/web-chat.ts";
import { type Chat, isRefusal } from "../chat.ts";
import { digestOf, inviteFlaw, isAdmitted, NO_INVITE } from "../guests.ts";
import { type CallReply, reply, type WebCall } from "./calls.ts";
import type { GuestSession } from "./guest-cookies.ts";
import { readBody, textIn } from "./requests.ts";

/** Rooms that one browser may be in: each costs a cookie in every request. */
export const ROOMS_MAX = 20;

/** The sessions that count: rooms that are closed and guests who are banned are left out. */
export const openSessions = ({ chat, cookies, request }: WebCall): readonly GuestSession[] =>
  cookies.sessions(chat.people, request).filter(({ guest }) => !guest.banned && chat.isOpen(guest.room));

export function roomsOf(chat: Chat, sessions: readonly GuestSession[]): WebRooms {
  const rooms = sessions.map(({ guest: { id, name, room } }) => {
    const newest = chat.timeline.page(room, null, 1)[0];
    const time = newest === undefined ? null : new Date(newest.atMs).toISOString();
    return { name: room, guest: { id, name }, newest: time };
  });
  return { rooms: rooms.toSorted((a, b) => a.name.localeCompare(b.name)) };
}

/** Where an invite leads, before anybody joins by it. A guest of the room gets the answer after its end too. */
export async function showInvite(call: WebCall): Promise<CallReply> {
  const { chat, cookies, request, net } = call;
  const read = await readBody(call);
  if (isRefusal(read)) return read;
  const key = request.headers["idempotency-key"]?.toString() ?? "";
  const text = textIn(read.body, "invite");
  const invite = chat.people.inviteBy(digestOf(text));
  if (invite === null || !chat.isOpen(invite.channel)) return NO_INVITE;
  const room = invite.channel;
  const guest = cookies.session(chat.people, request, room)?.guest;
  const joined = guest !== undefined && !guest.banned;
  const flaw = joined || isAdmitted(chat, key, text) ? null : inviteFlaw(chat, invite, net);
  if (flaw !== null) return flaw;
  const view: WebInvite = { room, topic: chat.records.topic(room), runBy: chat.settings.RunBy, joined };
  return reply(view);
}
