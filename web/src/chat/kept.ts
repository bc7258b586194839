import { newKey } from "../lib/new-key.ts";

/** What the browser keeps for a room. A browser that keeps nothing (private windows, a full disk) goes on without. */
export interface KeptText {
  readonly read: () => string;
  readonly write: (text: string) => void;
}

const kept = (name: string, storage: () => Storage = () => localStorage): KeptText => ({
  read: () => {
    try {
      return storage().getItem(name) ?? "";
    } catch {
      return "";
    }
  },
  write: (text) => {
    try {
      if (text === "") storage().removeItem(name);
      else storage().setItem(name, text);
    } catch {
      // Nothing is lost but what would have been there after a reload.
    }
  },
});

/**
 * What was typed and not sent: of this tab, and for a tab that is opened later. A tab that sends its text leaves the
 * text of another tab alone.
 */
export function draftOf(room: string): KeptText {
  const name = `rialto.draft.${room}`;
  const [own, shared] = [kept(name, () => sessionStorage), kept(name)];
  return {
    read: () => own.read() || shared.read(),
    write: (text) => {
      if (text !== "" || shared.read() === own.read()) shared.write(text);
      own.write(text);
    },
  };
}

/** The last message that was seen, as id and time. */
const seen = (room: string): KeptText => kept(`rialto.seen.${room}`);

/** The id of the last message that was seen; null: none. */
export const seenIn = (room: string): string | null => seen(room).read().split(" ", 1)[0] || null;

/** The time of that message; empty: none. */
export const readUpTo = (room: string): string => seen(room).read().split(" ")[1] ?? "";

export const keepSeenIn = (room: string, { id, time }: { readonly id: string; readonly time: string }): void =>
  seen(room).write(`${id} ${time}`);

/** The room that was opened last, in any tab. */
export const lastRoom = kept("rialto.room");

/** What a guest has sent and nobody has confirmed; of this tab alone. */
export const outboxOf = (guest: string): KeptText => kept(`rialto.outbox.${guest}`, () => sessionStorage);

/** The next person at this browser finds nothing of a guest who has left. */
export function forgetGuest(room: string, guest: string): void {
  const draft = `rialto.draft.${room}`;
  const texts = [kept(draft), kept(draft, () => sessionStorage), seen(room), lastRoom, outboxOf(guest)];
  for (const text of texts) text.write("");
}

const joining = kept("rialto.joining", () => sessionStorage);

/** Under which somebody joins by this invite, in each try until it is done, also after a reload. */
export function joinKey(invite: string): string {
  const [known = "", of = ""] = joining.read().split(" ");
  if (of === invite) return known;
  const key = newKey();
  joining.write(`${key} ${invite}`);
  return key;
}

export const joinDone = (): void => joining.write("");
