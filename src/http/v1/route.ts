import type { IncomingMessage, ServerResponse } from "node:http";
import type { Access, Scope } from "../../access/access.ts";
import type { OutcomeWaiter } from "../api/waiter.ts";
import type { V1Deps } from "./deps.ts";

/** JSON Schema (2020-12), as it stands in the description. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * One operation below `/v1`. The table of all of them is what the router serves, what the description is made of, and
 * what the tests of rights go through.
 */
export interface Operation {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** With parameters in braces: `/v1/consumers/{name}`. */
  readonly path: string;
  /**
   * What the caller must have; null: nothing, nobody is asked. `any`: who is let in at all. `secret`: the account's
   * Token, or the scope `admin` (webhooks). `token`: the account's Token, or any of Rialto's tokens (tickets). An open
   * account gives neither of the two.
   */
  readonly needs: Scope | "any" | "secret" | "token" | null;
  /** Answers without end, or becomes a socket: `?ticket=` counts, HEAD is refused, and `release` has to be called. */
  readonly stream?: true;
  /** `operationId`. */
  readonly id: string;
  /** One line, and the rest in `about`. */
  readonly summary: string;
  readonly about?: string;
  /** Of the query: each is a text. */
  readonly query?: Readonly<Record<string, JsonSchema>>;
  /** Request headers that mean something here, beside `Authorization`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Of a JSON body, checked before `handle`; `stream`: the handler reads the request itself, and limits how long
   * it may take to come in. Absent: no body. */
  readonly body?: JsonSchema | "stream";
  /** Bytes of the body, where it may be larger than others at this server. */
  readonly bodyMax?: number;
  /** Units of the read quota for what it looks at, if more than 1; its answer is counted by its bytes. */
  readonly units?: (query: URLSearchParams) => number;
  readonly answers: Readonly<Record<number, AnswerShape>>;
}

export interface AnswerShape {
  readonly about: string;
  readonly schema?: JsonSchema;
  /** The media type of its content, where that is not JSON. */
  readonly type?: string;
}

/** An operation with what does it; `Deps`: what it works with. */
export interface Route<Deps = V1Deps> extends Operation {
  /** Throws a ProblemError for what the client must know; LogError becomes `unavailable`; all else is a bug. */
  readonly handle: (call: Call, deps: Deps) => Reply | Promise<Reply>;
}

export interface Call {
  /** For `instance`. */
  readonly id: string;
  readonly access: Access;
  /** Decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** As `body` of the route says; undefined where it has none. */
  readonly body: unknown;
  /** SHA-256 of the body as it came, in base64: tells a repeat under one Idempotency-Key. Empty without a body. */
  readonly fingerprint: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Aborted when nobody waits for the answer any more: the client has gone, the token has ended, the server closes. */
  readonly signal: AbortSignal;
  /**
   * The answer rules its connection from now on, for good: for answers without end. What waits for less than 2 minutes
   * (a long poll) needs none of it. Listeners on `request` and `response` are gone then, but `signal` goes on. See
   * HttpServer.
   */
  readonly release: () => void;
  /** For what is asked most, instead of a promise: the handler returns `taken`, and tells the end here. */
  readonly later: OutcomeWaiter<Reply>;
}

export type Reply =
  /**
   * `body` undefined: none. `json`: instead of it, already a text. `isUncached`: no cache would keep it (RFC 9110
   * §9.3.3), and of these there are so many that the header which says so is left out.
   */
  | {
      readonly status: number;
      readonly body?: unknown;
      readonly json?: string;
      readonly isUncached?: true;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** The handler has answered, or will, itself or through `later`. */
  | "taken";

export const ok = (body: unknown): Reply => ({ status: 200, body });
