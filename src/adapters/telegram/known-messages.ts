import type { ChannelRef, MessageRef } from "../../contract/ids.ts";
import { Lru } from "../../lib/lru.ts";
import type { TelegramPartFile } from "./render.ts";

const MESSAGES_MAX = 5_000;

/** What a message of ours is: nobody can look that up later. */
export type TelegramKnown =
  | { readonly is: "text" }
  /** `file` null: it is not known which. */
  | { readonly is: "media"; readonly file: Pick<TelegramPartFile, "file" | "kind"> | null; readonly hasWords: boolean };

/** Our messages of this session, by what they are. */
export class TelegramKnownMessages {
  readonly #messages = new Lru<string, TelegramKnown>(MESSAGES_MAX);

  /** Null: it is of an earlier session, or long ago. */
  of(channel: ChannelRef, ref: MessageRef): TelegramKnown | null {
    return this.#messages.get(`${channel} ${ref}`) ?? null;
  }

  note(channel: ChannelRef, ref: MessageRef, known: TelegramKnown): void {
    this.#messages.set(`${channel} ${ref}`, known);
  }
}
