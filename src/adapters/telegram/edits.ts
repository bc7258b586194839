import type { MessageRef, OpId } from "../../contract/ids.ts";
import type { Loss } from "../../contract/outcome.ts";
import { Lru } from "../../lib/lru.ts";
import type { EditedFiles } from "./edited-files.ts";
import type { TelegramReach } from "./progress.ts";
import type { TelegramLessons } from "./uploads.ts";

const OPS_MAX = 500;

/** One edit, over all its tries: what one has made and found out, the next goes on with. */
export interface TelegramEdit {
  readonly files: EditedFiles;
  readonly lessons: TelegramLessons;
  /** Files that were left out, for the receipt. */
  readonly losses: Loss[];
  /** Messages that hold another file by now, and the words with it; null: it was refused, and comes apart. */
  readonly replaced: Map<MessageRef, string | null>;
  /** Texts that were made, by their number. */
  readonly texts: Map<number, readonly MessageRef[]>;
  /** What was made of the files that came with it, and how far that is; null: nothing. */
  readonly added: MessageRef[];
  sent: TelegramReach | null;
  /** Some of the messages were there. */
  isFound: boolean;
}

/** Edits that have not ended. */
export class TelegramEdits {
  readonly #edits = new Lru<OpId, TelegramEdit>(OPS_MAX);

  /** `begin` makes it with the first try. */
  of(op: OpId, begin: () => TelegramEdit): TelegramEdit {
    const edit = this.#edits.get(op) ?? begin();
    this.#edits.set(op, edit);
    return edit;
  }

  /** It is done. */
  forget(op: OpId): void {
    this.#edits.delete(op);
  }
}
