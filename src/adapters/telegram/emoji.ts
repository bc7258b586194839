import type { Clock } from "../../contract/host.ts";
import { Directory } from "../kit/directory.ts";
import { inTime } from "../kit/in-time.ts";
import { Lru } from "../../lib/lru.ts";
import { isObject, type Json, textIn } from "../kit/json.ts";
import type { TelegramApi } from "./api.ts";

const EMOJI_MAX = 2_000;
const ABSENT_MS = 24 * 3_600_000;
const FAILED_MS = 600_000;
/** Look-ups at once: what else is put on goes as words, and connections are left for all else. */
const LOADS_MAX = 4;
/** A reaction does not wait longer to be understood. */
const WAIT_MS = 1_000;

const never = new AbortController().signal;

/** What reactions show: emoji of Unicode, pictures that stand for one, and stars that were paid for. */
export class TelegramEmoji {
  readonly #clock: Pick<Clock, "monoMs" | "after">;
  readonly #custom: Directory<string, string>;
  /** Pictures that were reported by a name. The removal of a reaction must have the same name. */
  readonly #named = new Lru<string, string>(EMOJI_MAX);
  #loads = 0;

  constructor(api: Pick<TelegramApi, "call">, clock: Pick<Clock, "monoMs" | "after">) {
    this.#clock = clock;
    this.#custom = new Directory({
      clock,
      max: EMOJI_MAX,
      absentMs: ABSENT_MS,
      failedMs: FAILED_MS,
      load: async (id) => {
        const found = await api.call("getCustomEmojiStickers", { custom_emoji_ids: [id] }, never);
        if (!found.ok) throw new Error(found.failure.message);
        const [sticker] = Array.isArray(found.value) ? (found.value as readonly unknown[]) : [];
        return isObject(sticker) ? textIn(sticker, "emoji") || null : null;
      },
    });
  }

  /** Asks what pictures stand for. Null: nothing has to be waited for. Never rejects. */
  ask(reactions: readonly Json[]): Promise<void> | null {
    const unknown = reactions
      .map((one) => textIn(one, "custom_emoji_id") ?? "")
      .filter((id) => id !== "" && this.#custom.known(id) === undefined && !this.#custom.hasFailed(id));
    const some = unknown.slice(0, LOADS_MAX - this.#loads);
    if (some.length === 0) return null;
    this.#loads += some.length;
    const all = Promise.all(some.map(async (id) => await this.#custom.get(id)));
    const done = all.then(() => void (this.#loads -= some.length));
    return inTime(done, { clock: this.#clock, ms: WAIT_MS }, () => undefined);
  }

  shown(reaction: Json): string {
    const type = textIn(reaction, "type") ?? "";
    if (type === "paid") return "⭐";
    if (type === "emoji") return asEmoji(textIn(reaction, "emoji") ?? "");
    return type === "custom_emoji" ? this.#pictured(textIn(reaction, "custom_emoji_id") ?? "") : "";
  }

  /** A picture that stands for no known emoji has a name of its own. */
  #pictured(id: string): string {
    const emoji = this.#named.get(id) ?? asEmoji(this.#custom.known(id) ?? "");
    if (emoji !== "") return emoji;
    const name = `:custom_emoji_${id.replaceAll(/\W/gu, "").slice(-NAME_DIGITS)}:`;
    this.#named.set(id, name);
    return name;
  }
}

/** Numbers of pictures have about twenty; the last of them tell pictures apart. */
const NAME_DIGITS = 6;

/** Telegram leaves out what says that a character is shown as an emoji: `❤` is text elsewhere. */
const asEmoji = (text: string): string =>
  text.replaceAll(/(?![\d#*])\p{Emoji}(?<!\p{Emoji_Presentation})(?!\uFE0F|\p{Emoji_Modifier})/gu, "$&\uFE0F");
