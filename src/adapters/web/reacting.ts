import { randomBytes } from "node:crypto";
import { type Chat, type Refusal, refusal, UNAVAILABLE, whyNot } from "./chat.ts";
import { reacted } from "./receive.ts";
import type { StoredGuest } from "./store/rows.ts";
import { guestAuthor } from "./views.ts";

/** Different emoji on one message. */
const EMOJI_MAX = 30;
const EMOJI = /^(?:\p{RGI_Emoji}|:[\p{L}\p{N}_+\-]{1,40}:)$/v;

/** A guest reacts to any message of the room, or no longer does; null: so it stands now. */
export async function react(
  chat: Chat,
  guest: StoredGuest,
  { message, emoji, on }: { readonly message: string; readonly emoji: string; readonly on: boolean },
): Promise<Refusal | null> {
  if (!EMOJI.test(emoji)) return refusal("bad_request", "a reaction is one emoji");
  if (guest.muted) return refusal("muted", "somebody who looks after the room has muted you");
  if (chat.holds(guest)) return refusal("forbidden", "reactions are possible once somebody has approved what you said");
  const target = chat.timeline.find(message);
  if (target?.room !== guest.room || target.state !== "said")
    return refusal("not_found", "there is no such message any more");
  const standing = chat.timeline.reactions(message);
  const isThere = standing.some((one) => one.emoji === emoji && one.who === guest.id);
  if (isThere === on) return null;
  const kinds = new Set(standing.map((one) => one.emoji));
  if (on && !kinds.has(emoji) && kinds.size >= EMOJI_MAX)
    return refusal("too_many", `a message has at most ${EMOJI_MAX} different reactions`);
  const nonce = randomBytes(9).toString("base64url");
  try {
    const event = reacted({ room: guest.room, message, guest, emoji, on, nonce }, chat.nowMs);
    if (!(await chat.hand(event))) return UNAVAILABLE;
    await chat.change(() => {
      if (!chat.timeline.react(message, emoji, guest.id, on)) return [];
      const count = chat.timeline.reactions(message).filter((one) => one.emoji === emoji).length;
      const change = { is: "reacted", id: message, emoji, on, count, author: guestAuthor(guest) } as const;
      return [chat.timeline.change(guest.room, chat.nowMs, change)];
    });
    return null;
  } catch (error) {
    return whyNot(error);
  }
}
