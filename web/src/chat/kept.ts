/** What the browser keeps for a room. A browser that keeps nothing (private windows, a full disk) goes on without. */
export interface KeptText {
  readonly read: () => string;
  readonly write: (text: string) => void;
}

const kept = (name: string): KeptText => ({
  read: () => {
    try {
      return localStorage.getItem(name) ?? "";
    } catch {
      return "";
    }
  },
  write: (text) => {
    try {
      if (text === "") localStorage.removeItem(name);
      else localStorage.setItem(name, text);
    } catch {
      // Nothing is lost but what would have been there after a reload.
    }
  },
});

/** What was typed and not sent. */
export const draftOf = (room: string): KeptText => kept(`rialto.draft.${room}`);

/** The id of the last message that was seen. */
export const seenIn = (room: string): KeptText => kept(`rialto.seen.${room}`);

/** Also where the page is not of a secure origin, which has no `randomUUID`. */
export const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
