import { createHash } from "node:crypto";
import type { Access } from "../../access/access.ts";
import { Shares } from "./share.ts";

export const TICKET_MS = 30_000;
/** More than anybody needs within 30 s. */
const TICKETS = { token: 1_000, own: 5_000, all: 10_000 };

export interface TicketsOptions {
  readonly monoMs: () => number;
  /** So many of a good source of chance. */
  readonly bytes: (count: number) => Buffer;
}

interface Ticket {
  readonly access: Access;
  /** By the clock that is never set back. */
  readonly untilMs: number;
}

/**
 * For browsers, which cannot send `Authorization` with an EventSource or a WebSocket: a ticket stands in an address
 * once, for 30 s, in place of a token, which must not.
 */
export class Tickets {
  readonly #options: TicketsOptions;
  /** By the SHA-256 of their texts, the oldest first. */
  readonly #tickets = new Map<string, Ticket>();
  readonly #shares = new Shares(TICKETS.all);

  constructor(options: TicketsOptions) {
    this.#options = options;
  }

  /** Null: too many wait for their use, of this caller or of all. */
  issue(access: Access): string | null {
    const now = this.#options.monoMs();
    for (const [digest, { untilMs }] of this.#tickets) {
      if (untilMs > now) break;
      this.#drop(digest);
    }
    if (!this.#shares.take(access, access.token === null ? TICKETS.own : TICKETS.token)) return null;
    const ticket = `tkt_${this.#options.bytes(32).toString("base64url")}`;
    this.#tickets.set(digestOf(ticket), { access, untilMs: now + TICKET_MS });
    return ticket;
  }

  /** For whom it was made; it is used up. Null: it is none, or none any more. */
  redeem(text: string): Access | null {
    const digest = digestOf(text);
    const ticket = this.#drop(digest);
    return ticket !== undefined && ticket.untilMs > this.#options.monoMs() ? ticket.access : null;
  }

  #drop(digest: string): Ticket | undefined {
    const ticket = this.#tickets.get(digest);
    if (ticket !== undefined) this.#shares.give(ticket.access);
    this.#tickets.delete(digest);
    return ticket;
  }
}

/** The look-up is by the digest: its time tells nothing about the tickets there are. */
const digestOf = (text: string): string => createHash("sha256").update(text).digest("base64url");
