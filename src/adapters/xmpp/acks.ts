import { NS } from "./ns.ts";
import { attr, el, type Stanza } from "./xml.ts";

/**
 * Acknowledgements of stanzas (XEP-0198 §4), without resumption: a session that is over is over, and its occupants
 * leave their rooms at once. What the server has not acknowledged is settled by what the rooms show.
 */
export class Acks {
  readonly #send: (nonza: Stanza) => void;
  #state: "off" | "asked" | "on" = "off";
  /** Stanzas that we took, modulo 2³². */
  #taken = 0;

  constructor(send: (nonza: Stanza) => void) {
    this.#send = send;
  }

  get on(): boolean {
    return this.#state === "on";
  }

  enable(): void {
    this.#state = "asked";
    this.#send(el("enable", { xmlns: NS.sm }));
  }

  /** A stanza came. */
  took(): void {
    if (this.#state === "on") this.#taken = (this.#taken + 1) % 2 ** 32;
  }

  /** Asks the server whether it reads. */
  ask(): void {
    this.#send(el("r", { xmlns: NS.sm }));
  }

  /** An element that is not a stanza. */
  take(nonza: Stanza): void {
    if (attr(nonza, "xmlns") !== NS.sm) return;
    if (nonza.name === "enabled") this.#state = "on";
    else if (nonza.name === "failed") this.#state = "off";
    else if (nonza.name === "r") this.#send(el("a", { xmlns: NS.sm, h: String(this.#taken) }));
  }
}
