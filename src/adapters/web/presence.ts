import type { Chat } from "./chat.ts";
import { went } from "./guests.ts";

/** Looks so many times in the time after which a guest has left. */
const LOOKS = 4;

/** Who has left: whose page was closed for long, and not only loaded again. */
export class Presence {
  readonly #chat: Chat;
  /** When each guest that is present was last seen, by the clock that only counts on. */
  readonly #seenMs = new Map<string, number>();
  readonly #rooms = new Set<string>();
  #cancel: () => void;

  constructor(chat: Chat) {
    this.#chat = chat;
    this.#cancel = this.#later();
  }

  watch(room: string): void {
    this.#rooms.add(room);
  }

  stop(): void {
    this.#cancel();
  }

  #later(): () => void {
    const { host, settings } = this.#chat;
    return host.clock.after(Math.max(250, settings.Away / LOOKS), () => void this.#look());
  }

  async #look(): Promise<void> {
    const { host, settings, audience, people, store, rooms } = this.#chat;
    const now = host.clock.monoMs();
    try {
      for (const room of this.#rooms) {
        if (!rooms.has(room) || store.closed) continue;
        for (const guest of people.all(room)) {
          if (!guest.present) this.#seenMs.delete(guest.id);
          else if (audience?.watches(guest.id) === true || !this.#seenMs.has(guest.id)) this.#seenMs.set(guest.id, now);
          else if (now - (this.#seenMs.get(guest.id) ?? now) >= settings.Away) await went(this.#chat, guest);
        }
      }
    } catch (error) {
      this.#chat.unexpected(error);
    }
    if (!store.closed) this.#cancel = this.#later();
  }
}
