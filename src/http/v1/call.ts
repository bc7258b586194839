import { createHash, randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Access } from "../../access/access.ts";
import type { OutcomeWaiter } from "../api/waiter.ts";
import type { MoreHeaders } from "./answers.ts";
import type { Call, Reply } from "./route.ts";

interface Opened {
  readonly access: Access;
  readonly params: Readonly<Record<string, string>>;
  readonly search: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Of the answer. */
  readonly head: MoreHeaders;
}

/** Told when nobody waits any more; what is in it is told at once when the server ends. */
export type OpenCalls = Set<() => void>;

/** What all calls of a router have in common. */
export interface Desk {
  readonly calls: OpenCalls;
  readonly release: (response: ServerResponse) => void;
  readonly answer: (call: OpenCall, reply: Reply) => void;
  readonly refuse: (call: OpenCall, error: unknown) => void;
}

/** A request under way. What few handlers ask for is made when they do. */
export class OpenCall implements Call, OutcomeWaiter<Reply> {
  readonly access: Access;
  readonly params: Readonly<Record<string, string>>;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  body: unknown = undefined;
  raw: Buffer | null = null;
  readonly head: MoreHeaders;
  readonly #search: string;
  readonly #desk: Desk;
  #id: string | null = null;
  #query: URLSearchParams | null = null;
  #ended: AbortController | null = null;

  constructor({ access, params, search, request, response, head }: Opened, desk: Desk) {
    this.access = access;
    this.params = params;
    this.request = request;
    this.response = response;
    this.head = head;
    this.#search = search;
    this.#desk = desk;
  }

  get id(): string {
    return (this.#id ??= randomUUID());
  }

  get query(): URLSearchParams {
    return (this.#query ??= new URLSearchParams(this.#search));
  }

  get fingerprint(): string {
    return this.raw === null ? "" : createHash("sha256").update(this.raw).digest("base64");
  }

  get signal(): AbortSignal {
    if (this.#ended !== null) return this.#ended.signal;
    const ended = (this.#ended = new AbortController());
    const { socket } = this.request;
    const { ended: revoked } = this.access;
    const end = (): void => {
      forget();
      ended.abort();
    };
    const forget = (): void => {
      this.#desk.calls.delete(end);
      socket.off("close", end);
      this.response.off("close", end);
      revoked.removeEventListener("abort", end);
    };
    this.#desk.calls.add(end);
    socket.once("close", end);
    // The answer tells it where the connection is used again; after a release only the socket does.
    this.response.once("close", end);
    revoked.addEventListener("abort", end, { once: true });
    if (revoked.aborted || socket.destroyed || this.response.writableFinished) end();
    return ended.signal;
  }

  get later(): OutcomeWaiter<Reply> {
    return this;
  }

  answered(reply: Reply): void {
    this.#desk.answer(this, reply);
  }

  failed(error: unknown): void {
    this.#desk.refuse(this, error);
  }

  get release(): () => void {
    return () => {
      // Made before the listeners on the answer go.
      void this.signal;
      this.#desk.release(this.response);
    };
  }
}
