import { emojiNamed } from "../../content/emoji-names.ts";
import type { SlackApi } from "./api.ts";

/** So many custom emoji of a workspace are known; the largest have a few ten thousand. */
const EMOJI_MAX = 50_000;
const NAME_MAX = 64;
const ALIAS = "alias:";

/** The emoji of a workspace: what their names mean elsewhere, and which there are. */
export class SlackEmoji {
  readonly #api: Pick<SlackApi, "emoji">;
  /** Custom ones, with what they are another name for; empty: a picture of their own. */
  readonly #custom = new Map<string, string>();
  #reading: Promise<void> | null = null;
  #isStale = true;

  constructor(api: Pick<SlackApi, "emoji">) {
    this.#api = api;
  }

  /** Reads which there are. Without an answer, those that were known stay. Never rejects. */
  async load(signal: AbortSignal): Promise<void> {
    this.#isStale = true;
    this.#reading ??= this.#load(signal);
    await this.#reading;
  }

  /** Whether the workspace has made one of this name. */
  has(name: string): boolean {
    return this.#custom.has(name);
  }

  /** As a Unicode emoji, with its skin tone, or as `:name:`. `name`: as `+1::skin-tone-3`. */
  shown(name: string): string {
    const [base = "", tone] = name.split("::");
    const emoji = emojiNamed(base) ?? emojiNamed(this.#custom.get(base) ?? "");
    if (emoji === null) return `:${base.slice(0, NAME_MAX)}:`;
    const colour = tone === undefined ? null : emojiNamed(tone);
    return colour === null ? emoji : `${emoji}${colour}`;
  }

  async #load(signal: AbortSignal): Promise<void> {
    // What changes while it is read is read again.
    while (this.#isStale && !signal.aborted) {
      this.#isStale = false;
      const answer = await this.#api.emoji(signal);
      if (!answer.ok) break;
      this.#custom.clear();
      for (const [name, value] of answer.value) {
        if (this.#custom.size < EMOJI_MAX)
          this.#custom.set(name, value.startsWith(ALIAS) ? value.slice(ALIAS.length) : "");
      }
    }
    this.#reading = null;
  }
}
