import type { ChannelRef, MessageRef, OpId } from "../../contract/ids.ts";
import { Lru } from "../../lib/lru.ts";
import type { TelegramPartFile } from "./render.ts";

const MESSAGES_MAX = 5_000;
const OPS_MAX = 500;

/** What a message of ours is: nobody can look that up later. */
export type TelegramKnown =
  | { readonly is: "text" }
  /** `file` null: it is not known which. */
  | { readonly is: "media"; readonly file: Pick<TelegramPartFile, "file" | "kind"> | null; readonly hasWords: boolean };

/** Our messages of this session, by what they are; and what edits have made, so that another try makes it no more. */
export class TelegramKnownMessages {
  readonly #messages = new Lru<string, TelegramKnown>(MESSAGES_MAX);
  readonly #made = new Lru<OpId, Map<string, readonly MessageRef[]>>(OPS_MAX);

  /** Null: it is of an earlier session, or long ago. */
  of(channel: ChannelRef, ref: MessageRef): TelegramKnown | null {
    return this.#messages.get(`${channel} ${ref}`) ?? null;
  }

  note(channel: ChannelRef, ref: MessageRef, known: TelegramKnown): void {
    this.#messages.set(`${channel} ${ref}`, known);
  }

  /** What an earlier try of this edit made by this name. */
  madeBy(op: OpId, part: string): readonly MessageRef[] | null {
    return this.#made.get(op)?.get(part) ?? null;
  }

  noteMade(op: OpId, part: string, refs: readonly MessageRef[]): void {
    const made = this.#made.get(op) ?? new Map<string, readonly MessageRef[]>();
    made.set(part, refs);
    this.#made.set(op, made);
  }

  /** It is done. */
  forget(op: OpId): void {
    this.#made.delete(op);
  }
}
