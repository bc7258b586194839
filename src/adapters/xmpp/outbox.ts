import type { Reason } from "../../contract/outcome.ts";
import type { StanzaError } from "./requests.ts";
import type { XmppRoom } from "./room.ts";
import type { Stanza } from "./xml.ts";

/**
 * What became of a message of ours. `gone`: it was not taken, because Rialto is no longer in the room. `dropped`: the
 * room shows what came after it.
 */
export type Fate =
  | { readonly is: "shown"; readonly sid: string | null }
  | { readonly is: "refused"; readonly error: StanzaError }
  | { readonly is: "gone"; readonly why: Reason }
  | { readonly is: "dropped" }
  | { readonly is: "unknown"; readonly why: Reason };

interface Written {
  readonly room: XmppRoom;
  readonly fate: Promise<Fate>;
  readonly settle: (fate: Fate) => void;
}

/**
 * Messages of ours that are written and that the room has not shown to us. The room shows messages in the order in
 * which it takes them, so one that it passes over was dropped without a word.
 */
export class Outbox {
  readonly #send: (stanza: Stanza) => void;
  readonly #written = new Map<string, Written>();
  #ended: Reason | null = null;

  constructor(send: (stanza: Stanza) => void) {
    this.#send = send;
  }

  /** Writes a message, or waits for what becomes of it if it is under way already. */
  write(room: XmppRoom, id: string, stanza: Stanza): Promise<Fate> {
    const before = this.#written.get(id);
    if (before !== undefined) return before.fate;
    if (this.#ended !== null) return Promise.resolve({ is: "gone", why: this.#ended });
    const { promise, resolve } = Promise.withResolvers<Fate>();
    this.#written.set(id, { room, fate: promise, settle: resolve });
    this.#send(stanza);
    return promise;
  }

  /** Whether it is written and nobody knows what became of it. */
  has(id: string): boolean {
    return this.#written.has(id);
  }

  /** The room has shown one of ours. */
  shown(room: XmppRoom, id: string, sid: string | null): void {
    if (!this.#written.has(id)) return;
    for (const [other, { room: its }] of this.#written) {
      if (other === id) break;
      if (its === room) this.#settle(other, { is: "dropped" });
    }
    this.#settle(id, { is: "shown", sid });
  }

  /** The room has shown a subject of ours; perhaps without its id. */
  subjectShown(room: XmppRoom, isSubject: (id: string) => boolean): void {
    for (const [id, written] of this.#written) {
      if (written.room === room && isSubject(id)) return this.shown(room, id, null);
    }
  }

  /** One of ours came back as an error. */
  refused(id: string, error: StanzaError): void {
    this.#settle(id, { is: "refused", error });
  }

  /** We are out of the room: it takes nothing more of what was written. */
  gone(room: XmppRoom, why: Reason): void {
    for (const [id, { room: its }] of this.#written) if (its === room) this.#settle(id, { is: "gone", why });
  }

  end(why: Reason): void {
    this.#ended = why;
    for (const id of this.#written.keys()) this.#settle(id, { is: "unknown", why });
  }

  #settle(id: string, fate: Fate): void {
    const written = this.#written.get(id);
    this.#written.delete(id);
    written?.settle(fate);
  }
}
