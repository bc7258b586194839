import type { Clock } from "../../contract/host.ts";
import { type Json, numberIn, objectIn, textIn } from "../kit/json.ts";
import type { TelegramApi } from "./api.ts";
import type { TelegramIdentity } from "./me.ts";

/** In one chat it is answered so often. */
const EVERY_MS = 5_000;
const CHATS_MAX = 1_000;

interface ChatIdOptions {
  readonly api: Pick<TelegramApi, "sendText">;
  readonly clock: Pick<Clock, "monoMs">;
  readonly me: Pick<TelegramIdentity, "username">;
  /** Of the session. */
  readonly signal: AbortSignal;
}

/** Answers `/chatId` with what a configuration calls the chat, in whatever chat it is asked. */
export class ChatIdAnswers {
  readonly #options: ChatIdOptions;
  readonly #answered = new Map<string, number>();
  /** The same updates come several times. */
  #last = 0;

  constructor(options: ChatIdOptions) {
    this.#options = options;
  }

  take(updates: readonly Json[]): void {
    for (const update of updates) {
      const id = numberIn(update, "update_id") ?? 0;
      if (id === this.#last || (id < this.#last && this.#last - id < RECENT)) continue;
      this.#last = id;
      const message = [objectIn(update, "message"), objectIn(update, "channel_post")].find((one) => this.#asks(one));
      if (message !== undefined) void this.#answer(message);
    }
  }

  #asks(message: Json): boolean {
    const said = (textIn(message, "text") ?? "").trim().toLowerCase();
    return said === "/chatid" || said === `/chatid@${this.#options.me.username.toLowerCase()}`;
  }

  async #answer(message: Json): Promise<void> {
    const { api, clock, signal } = this.#options;
    const chat = numberIn(objectIn(message, "chat"), "id");
    if (chat === null) return;
    const topic = message["is_topic_message"] === true ? numberIn(message, "message_thread_id") : null;
    const name = topic === null ? String(chat) : `${chat}/${topic}`;
    const nowMs = clock.monoMs();
    if (nowMs - (this.#answered.get(name) ?? -EVERY_MS) < EVERY_MS) return;
    if (this.#answered.size >= CHATS_MAX) this.#answered.clear();
    this.#answered.set(name, nowMs);
    const replyTo = numberIn(message, "message_id");
    const words = { text: `The id of this chat is ${name}`, entities: [], preview: true };
    await api.sendText({ chat, topic, replyTo }, words, signal);
  }
}

/** Ids begin anew, anywhere, after a week without updates. */
const RECENT = 100_000;
