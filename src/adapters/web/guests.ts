import { createHmac, hash, randomBytes } from "node:crypto";
import type { Invite } from "../../contract/guests.ts";
import type { LinkedChannels } from "../../contract/host.ts";
import { type Chat, MUTED, NO_MORE, type Refusal, refusal, UNAVAILABLE, whyNot } from "./chat.ts";
import { hasLink } from "./links.ts";
import { skeleton } from "./look-alikes.ts";
import { readName, suggestName } from "./names.ts";
import { moved } from "./receive.ts";
import type { StoredChange, StoredGuest } from "./store/rows.ts";
import { looksOf, TakenNames } from "./taken-names.ts";
import { guestAuthor } from "./views.ts";

export interface JoinRequest {
  /** The same in each try of one browser, and nobody else's. */
  readonly key: string;
  readonly invite: string;
  readonly name: string;
  /** The address, as bans count it. */
  readonly net: string;
}

export type JoinedGuest = { readonly guest: StoredGuest; /** For the cookie. */ readonly secret: string } | Refusal;

export const newSecret = (): string => randomBytes(32).toString("base64url");

/** Secrets are random: what is stored of them needs no salt. */
export const digestOf = (secret: string): Buffer => hash("sha256", secret, "buffer");

export const NO_INVITE = refusal(
  "invite_gone",
  "this invite is used up, has expired or was taken back: ask for another one",
);

/** The secret of whoever knows the key. What is stored, the salt, does not tell it. */
const secretOf = (key: string, salt: Uint8Array): string => createHmac("sha256", salt).update(key).digest("base64url");

const ticketOf = (key: string, invite: string): Buffer => digestOf(JSON.stringify([key, invite]));

/** Whether a guest has joined by this request already, perhaps without having heard the answer. */
export const isAdmitted = (chat: Chat, key: string, invite: string): boolean =>
  chat.people.admitted(ticketOf(key, invite)) !== null;

/** The reason that an invite does not let a guest in from this network address; null: the guest can join. */
export function inviteFlaw(chat: Chat, invite: Invite, net: string): Refusal | null {
  const { expiresMs, used, uses, channel } = invite;
  if (expiresMs <= chat.nowMs || used >= uses || !chat.isOpen(channel)) return NO_INVITE;
  if (chat.people.isBanned(net, channel, chat.nowMs))
    return refusal("banned", "somebody who looks after the room does not let you in");
  if (chat.people.count(channel) >= chat.settings.MaxGuests)
    return refusal("unavailable", "the room is full: try again later", { retryS: 600 });
  return null;
}

/**
 * Somebody comes in by an invite. Asked again under the same key, as after an answer that was lost, it is the same
 * guest with the same secret, and the invite is used once.
 */
export async function join(chat: Chat, request: JoinRequest): Promise<JoinedGuest> {
  const { key, invite: text, name: wanted, net } = request;
  const ticket = ticketOf(key, text);
  const known = chat.people.admitted(ticket);
  if (known !== null) return await joinAgain(chat, known, request);
  const taken = await takenIn(chat, chat.people.inviteBy(digestOf(text))?.channel ?? "");
  if (chat.store.closed) return UNAVAILABLE;
  const salt = randomBytes(32);
  const secret = secretOf(key, salt);
  const digest = digestOf(secret);
  const id = `guest:${randomBytes(12).toString("base64url")}`;
  let refused = null as Refusal | null;
  try {
    await chat.change(() => {
      const now = chat.nowMs;
      const invite = chat.people.inviteBy(digestOf(text));
      refused = null;
      // Another try was faster.
      if (chat.people.admitted(ticket) !== null) return [];
      refused = invite === null ? NO_INVITE : inviteFlaw(chat, invite, net);
      if (invite === null || refused !== null) return [];
      const room = invite.channel;
      const named = nameFor({ chat, room, taken }, wanted);
      if (typeof named !== "string") {
        refused = named;
        return [];
      }
      const held = invite.hold || chat.rules(room).hold;
      chat.people.useInvite(invite.id);
      const newcomer = newGuest({ id, room, name: named, invite: invite.id, net, nowMs: now, held });
      chat.people.add(newcomer, skeleton(named), { digest, ticket, salt });
      const mute = chat.people.muteOf(newcomer, now);
      if (mute !== null) chat.people.mute(id, mute);
      return [];
    });
    if (refused !== null) return refused;
    const admitted = chat.people.admitted(ticket);
    return admitted === null ? NO_INVITE : await joinAgain(chat, admitted, request);
  } catch (error) {
    return whyNot(error);
  }
}

/** Who is in already, perhaps under a name that was chosen before. */
async function joinAgain(
  chat: Chat,
  { guest, salt }: NonNullable<ReturnType<Chat["people"]["admitted"]>>,
  { key, name: wanted }: JoinRequest,
): Promise<JoinedGuest> {
  if (guest.banned) return NO_MORE;
  if (!chat.isOpen(guest.room)) return NO_INVITE;
  try {
    const read = readName(wanted, chat.settings.NameLength);
    const isSame = read.ok && read.name === guest.name;
    const named = isSame ? guest : await rename(chat, guest, wanted);
    if ("refused" in named) return named;
    await came(chat, named);
    return { guest: chat.people.find(guest.id) ?? named, secret: secretOf(key, salt) };
  } catch (error) {
    return whyNot(error);
  }
}

type Newcomer = Pick<StoredGuest, "id" | "room" | "name" | "invite" | "net" | "held"> & { readonly nowMs: number };

const newGuest = ({ nowMs, ...guest }: Newcomer): StoredGuest => ({
  ...guest,
  joinedMs: nowMs,
  seenMs: nowMs,
  present: false,
  visits: 0,
  muted: false,
  banned: false,
  messages: 0,
  saidMs: 0,
  changedMs: 0,
});

/** What the people and the networks of a room are called, as far as it is not stored. */
const takenIn = async (chat: Chat, room: string): Promise<Taken> => await chat.linked.names(room);

type Taken = Pick<LinkedChannels, "people" | "labels">;

interface NameRules {
  readonly chat: Chat;
  readonly room: string;
  readonly taken: Taken;
}

/** The name as it is shown, unless a person of the room has a name that looks like it. `but`: the guest that has it. */
function nameFor({ chat, room, taken }: NameRules, wanted: string, but = ""): string | Refusal {
  const max = chat.settings.NameLength;
  const read = readName(wanted, max);
  if (!read.ok) return refusal("bad_name", read.why);
  const guest = chat.people.find(but);
  // Somebody else with this name may have come since.
  if (guest?.name === read.name) return read.name;
  const { linksAfter } = chat.rules(room);
  if ((guest?.messages ?? 0) < linksAfter && hasLink(read.name))
    return refusal("bad_name", `a name with an address in it is possible after ${linksAfter} messages`);
  const heard = chat.timeline.authors(room).map(({ name }) => name);
  const others = new TakenNames(taken, heard);
  const isFree = (name: string): boolean =>
    !others.has(name) && looksOf(name).every((looks) => chat.people.isFree(room, looks, but));
  const bare = others.withoutLabel(read.name);
  if (bare !== null) {
    const suggestion = isFree(bare) ? bare : suggestName(bare, max, isFree);
    return refusal("bad_name", "a name does not say where somebody comes from: leave that out", { suggestion });
  }
  if (isFree(read.name)) return read.name;
  const suggestion = suggestName(read.name, max, isFree);
  return refusal("name_taken", "somebody in the room has this name, or one that looks like it", { suggestion });
}

/** The guest's page is open, after an absence. The room hears of a guest who is held or muted when that has ended. */
export async function came(chat: Chat, guest: StoredGuest): Promise<void> {
  await told(chat, guest, () => {
    const found = chat.people.find(guest.id);
    if (found === null || found.present || found.banned || chat.isUnseen(found)) return null;
    chat.people.came(guest.id, chat.nowMs);
    return "joined";
  });
}

/** The guest may have been held or muted, and no longer is. */
export async function appear(chat: Chat, id: string): Promise<void> {
  const guest = chat.people.find(id);
  if (guest !== null && chat.audience?.watches(id) === true) await came(chat, guest);
}

/** The guest's page was closed for long. */
export async function went(chat: Chat, guest: StoredGuest): Promise<void> {
  await told(chat, guest, () => {
    if (chat.people.find(guest.id)?.present !== true) return null;
    chat.people.set(guest.id, "present", false);
    // The absence begins now, also for whoever has only read.
    chat.people.seen(guest.id, chat.nowMs);
    return "left";
  });
}

/** The session ends for good, and the name is free. */
export async function leave(chat: Chat, guest: StoredGuest): Promise<Refusal | null> {
  try {
    await went(chat, guest);
    await chat.store.write(() => chat.people.leave(guest.id, digestOf(newSecret())));
    chat.audience?.dismiss(guest.id);
    return null;
  } catch (error) {
    return whyNot(error);
  }
}

/** What the room is told of a guest; people elsewhere are told as well, when the core takes it. */
async function told(chat: Chat, guest: StoredGuest, act: () => "joined" | "left" | null): Promise<void> {
  let visit = -1;
  await chat.change(() => {
    const now = chat.nowMs;
    const change = act();
    if (change === null) return [];
    visit = chat.people.find(guest.id)?.visits ?? 0;
    return [chat.timeline.change(guest.room, now, { is: "member", change, author: guestAuthor(guest), before: "" })];
  });
  if (visit < 0) return;
  const present = chat.people.find(guest.id)?.present === true;
  const change = present ? "join" : "leave";
  void chat.hand(moved({ guest, change, before: "", nonce: String(visit) }, chat.nowMs));
}

/** Why the guest may not take another name. A name is seen on all networks, so it could say what is held. */
function mayRename(chat: Chat, id: string): Refusal | null {
  const guest = chat.people.find(id);
  if (guest === null || guest.banned) return NO_MORE;
  if (guest.muted) return MUTED;
  if (!chat.holds(guest)) return null;
  return refusal("forbidden", "another name is possible once somebody has approved what you said");
}

/** The guest takes another name. */
export async function rename(chat: Chat, guest: StoredGuest, wanted: string): Promise<StoredGuest | Refusal> {
  let refused = null as Refusal | null;
  let name = "";
  const taken = await takenIn(chat, guest.room);
  try {
    await chat.change((): readonly StoredChange[] => {
      refused = mayRename(chat, guest.id);
      if (refused !== null) return [];
      const named = nameFor({ chat, room: guest.room, taken }, wanted, guest.id);
      refused = typeof named === "string" ? null : named;
      if (typeof named !== "string" || named === guest.name) return [];
      refused = chat.changeLimit(guest.id);
      if (refused !== null) return [];
      name = named;
      chat.people.changed(guest.id, chat.nowMs);
      chat.people.rename(guest.id, name, skeleton(name));
      const author = guestAuthor({ ...guest, name });
      const change = { is: "member", change: "renamed", author, before: guest.name } as const;
      return [chat.timeline.change(guest.room, chat.nowMs, change)];
    });
  } catch (error) {
    return whyNot(error);
  }
  if (refused !== null) return refused;
  if (name === "") return guest;
  const renamed = { ...guest, name };
  const nonce = randomBytes(9).toString("base64url");
  await chat.hand(moved({ guest: renamed, change: "rename", before: guest.name, nonce }, chat.nowMs));
  return renamed;
}
