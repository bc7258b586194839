import { type Json, objectIn } from "../kit/json.ts";

const KEPT_MAX = 100;
const LENGTH_MAX = 16;

/** A message, in any of the chats. */
interface Place {
  readonly chat: number | string;
  readonly id: number | string;
}

/**
 * What people see of the last messages, in a few characters each: a later session knows by it which updates change
 * nothing. It is a part of the cursor.
 */
export class TelegramDigests {
  readonly #kept = new Map<string, Place & { readonly digest: string }>();

  /** `said`: as a cursor has it. */
  constructor(said: Json) {
    for (const chat of Object.keys(said)) {
      for (const [id, digest] of Object.entries(objectIn(said, chat)))
        if (typeof digest === "string" && digest.length <= LENGTH_MAX) this.note({ chat, id }, digest);
    }
  }

  note({ chat, id }: Place, digest: string): void {
    const key = `${chat}/${id}`;
    this.#kept.delete(key);
    this.#kept.set(key, { chat, id, digest });
    const [oldest] = this.#kept.keys();
    if (oldest !== undefined && this.#kept.size > KEPT_MAX) this.#kept.delete(oldest);
  }

  of({ chat, id }: Place): string | undefined {
    return this.#kept.get(`${chat}/${id}`)?.digest;
  }

  /** Its part of a cursor. */
  write(): Json {
    const chats = new Map<string, Record<string, string>>();
    for (const { chat, id, digest } of this.#kept.values()) {
      const inChat = chats.get(String(chat)) ?? {};
      inChat[id] = digest;
      chats.set(String(chat), inChat);
    }
    return Object.fromEntries(chats);
  }
}
