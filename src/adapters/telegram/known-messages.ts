import type { ChannelRef, MessageRef, OpId } from "../../contract/ids.ts";
import { Lru } from "../../lib/lru.ts";
import type { EditedFiles } from "./edited-files.ts";
import type { TelegramReach } from "./progress.ts";
import type { TelegramPartFile } from "./render.ts";
import type { TelegramLessons } from "./uploads.ts";

const MESSAGES_MAX = 5_000;
const OPS_MAX = 500;

/** What a message of ours is: nobody can look that up later. */
export type TelegramKnown =
  | { readonly is: "text" }
  /** `file` null: it is not known which. */
  | { readonly is: "media"; readonly file: Pick<TelegramPartFile, "file" | "kind"> | null; readonly hasWords: boolean };

/** One edit, over all its tries: what one has made and found out, the next goes on with. */
export interface TelegramEdit {
  readonly files: EditedFiles;
  readonly lessons: TelegramLessons;
  /** Messages that hold another file by now, and the words with it. */
  readonly replaced: Map<MessageRef, string>;
  /** Texts that were made, by their number. */
  readonly texts: Map<number, readonly MessageRef[]>;
  /** What was made of the files that came with it, and how far that is; null: nothing. */
  readonly added: MessageRef[];
  sent: TelegramReach | null;
  /** Some of the messages were there. */
  isFound: boolean;
}

/** Our messages of this session, by what they are; and what edits have made, so that another try makes it no more. */
export class TelegramKnownMessages {
  readonly #messages = new Lru<string, TelegramKnown>(MESSAGES_MAX);
  readonly #edits = new Lru<OpId, TelegramEdit>(OPS_MAX);

  /** Null: it is of an earlier session, or long ago. */
  of(channel: ChannelRef, ref: MessageRef): TelegramKnown | null {
    return this.#messages.get(`${channel} ${ref}`) ?? null;
  }

  note(channel: ChannelRef, ref: MessageRef, known: TelegramKnown): void {
    this.#messages.set(`${channel} ${ref}`, known);
  }

  /** What is known of an edit that was begun; `begin` makes it with the first try. */
  editOf(op: OpId, begin: () => TelegramEdit): TelegramEdit {
    const edit = this.#edits.get(op) ?? begin();
    this.#edits.set(op, edit);
    return edit;
  }

  /** It is done. */
  forget(op: OpId): void {
    this.#edits.delete(op);
  }
}
