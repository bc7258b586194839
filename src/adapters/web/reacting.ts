import { randomBytes } from "node:crypto";
import { act } from "./acts.ts";
import { type Chat, MUTED, NO_MORE, type Refusal, refusal, UNAVAILABLE, whyNot } from "./chat.ts";
import type { StoredGuest } from "./store/rows.ts";

/** Different emoji on one message. */
const EMOJI_MAX = 30;
const EMOJI = /^\p{RGI_Emoji}$/v;
/** An emoji of a network's own. */
const NAMED = /^:[\p{L}\p{N}_+\-]{1,40}:$/v;

interface Reaction {
  readonly message: string;
  readonly emoji: string;
  readonly on: boolean;
}

/** A guest reacts to any message of the room, or no longer does; null: so it stands now. */
export async function react(chat: Chat, guest: StoredGuest, reaction: Reaction): Promise<Refusal | null> {
  if (chat.turns.isFull) return UNAVAILABLE;
  try {
    return await chat.inTurn(reaction.message, async () => await reactNow(chat, guest, reaction));
  } catch (error) {
    return whyNot(error);
  }
}

async function reactNow(chat: Chat, { id }: StoredGuest, { message, emoji, on }: Reaction): Promise<Refusal | null> {
  const guest = chat.people.find(id);
  if (guest === null || guest.banned) return NO_MORE;
  if (!EMOJI.test(emoji) && !NAMED.test(emoji)) return refusal("bad_request", "a reaction is one emoji");
  if (guest.muted) return MUTED;
  if (chat.holds(guest)) return refusal("forbidden", "reactions are possible once somebody has approved what you said");
  const target = chat.timeline.find(message);
  if (target?.room !== guest.room || target.state !== "said")
    return refusal("not_found", "there is no such message any more");
  const standing = chat.timeline.reactions(message);
  const isThere = standing.some((one) => one.emoji === emoji && one.who === guest.id);
  if (isThere === on) return null;
  const kinds = new Set(standing.map((one) => one.emoji));
  // With a name of one's own choice, a reaction would say words.
  if (on && NAMED.test(emoji) && !kinds.has(emoji)) return refusal("bad_request", "there is no such emoji here");
  if (on && !kinds.has(emoji) && kinds.size >= EMOJI_MAX)
    return refusal("too_many", `a message has at most ${EMOJI_MAX} different reactions`);
  const nonce = randomBytes(9).toString("base64url");
  const by = { id: guest.id, name: guest.name };
  return await act(chat, target, { is: "reacted", emoji, on, by, nonce });
}
