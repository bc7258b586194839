import type { Clock } from "../../contract/host.ts";
import { bareOf, domainOf } from "./jid.ts";
import { NS } from "./ns.ts";
import { attr, child, childText, el, type Stanza } from "./xml.ts";

/** An error of a stanza (RFC 6120 §8.3). `timeout` and `ended` are ours: no answer came. */
export interface StanzaError {
  readonly condition: string;
  readonly type: string;
  /** For people, of the server; mostly empty. */
  readonly text: string;
}

export type IqResult = { readonly ok: true; readonly iq: Stanza } | { readonly ok: false; readonly error: StanzaError };

/** Of a stanza that is one. */
export function errorOf(stanza: Stanza): StanzaError {
  return readError(child(stanza, "error"), NS.stanzas);
}

/** An error by its element (RFC 6120 §§4.9.2, 8.3.2); `namespace`: of its text. */
export function readError(error: Stanza | undefined, namespace: string): StanzaError {
  const condition = error?.getChildElements().find(({ name }) => name !== "text" && name !== "retry");
  return {
    condition: condition?.name ?? "undefined-condition",
    type: attr(error, "type"),
    text: childText(error, "text", namespace) ?? "",
  };
}

const TIMEOUT_MS = 30_000;

interface Waiting {
  readonly to: string;
  readonly settle: (answer: IqResult) => void;
}

interface RequestsOptions {
  readonly send: (stanza: Stanza) => void;
  readonly clock: Clock;
  readonly random: () => number;
  /** Our own full address. */
  readonly self: () => string;
}

/**
 * Questions to servers, rooms and people (RFC 6120 §8.2.3), and their answers. An answer counts only from who was
 * asked.
 */
export class Requests {
  readonly #options: RequestsOptions;
  readonly #waiting = new Map<string, Waiting>();
  readonly #prefix: string;
  #count = 0;
  #over = false;

  constructor(options: RequestsOptions) {
    this.#options = options;
    this.#prefix = Math.floor(options.random() * 2 ** 48).toString(36);
  }

  /** Never rejects. `to`: null for our own server's account of us. */
  async ask(type: "get" | "set", to: string | null, payload: Stanza, timeoutMs = TIMEOUT_MS): Promise<IqResult> {
    if (this.#over) return failed("ended");
    const { send, clock } = this.#options;
    this.#count += 1;
    const id = `${this.#prefix}-${this.#count}`;
    const { promise, resolve } = Promise.withResolvers<IqResult>();
    this.#waiting.set(id, { to: to ?? "", settle: resolve });
    const cancel = clock.after(timeoutMs, () => resolve(failed("timeout")));
    send(el("iq", { type, id, ...(to !== null && { to }) }, payload));
    const answer = await promise;
    cancel();
    this.#waiting.delete(id);
    return answer;
  }

  /** An iq of type result or error. */
  take(iq: Stanza): void {
    const waiting = this.#waiting.get(attr(iq, "id"));
    if (waiting === undefined || !this.#isFrom(attr(iq, "from"), waiting.to)) return;
    waiting.settle(attr(iq, "type") === "result" ? { ok: true, iq } : { ok: false, error: errorOf(iq) });
  }

  end(): void {
    this.#over = true;
    for (const { settle } of this.#waiting.values()) settle(failed("ended"));
  }

  #isFrom(from: string, to: string): boolean {
    const self = this.#options.self();
    if (to === "") return from === "" || from === self || from === bareOf(self) || from === domainOf(self);
    return from === to || bareOf(from).toLowerCase() + from.slice(bareOf(from).length) === to;
  }
}

function failed(condition: "timeout" | "ended"): IqResult {
  return { ok: false, error: { condition, type: "wait", text: "" } };
}
