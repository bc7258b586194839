import type { Account } from "../../config/config.ts";
import type { Message } from "../../contract/message.ts";
import { encode } from "../../gateway/codec.ts";
import type { DropReason, Inbound } from "../../gateway/inbound.ts";
import type { Posting, Routes } from "../../gateway/routes.ts";
import { LogError } from "../../log/errors.ts";
import type { Batch, Log } from "../../log/log.ts";
import type { Logger } from "../../logger.ts";
import { Throttle } from "../../lib/throttle.ts";
import type { Draft } from "./post-body.ts";
import { problem, type Problem } from "./problem.ts";

export type Ingested =
  /** `line` is the whole message as JSON; `stored` says whether it was relayed or only answered. */
  | { readonly ok: true; readonly line: string; readonly stored: boolean }
  | { readonly ok: false; readonly problem: Problem };

export interface OnceKey {
  readonly key: string;
  /** Digest of the request, to tell a repeat from another message under the same key. */
  readonly fingerprint: string;
}

export interface IngestDeps {
  readonly account: Account;
  readonly log: Log;
  readonly routes: Routes;
  readonly inbound: Inbound;
  readonly logger: Logger;
  readonly nowMs: () => number;
}

const REFUSAL_LOG_MS = 60_000;
const REFUSAL_LOG_LINES = 20;
/** Of a gateway's name that a client made up. */
const SHOWN_CHARS = 100;

/** Takes what clients of one API account post: routes it, applies the account's filters, and appends it to the log. */
export class Ingest {
  readonly #deps: IngestDeps;
  readonly #refusals: Throttle;
  readonly #dropped = new Map<DropReason, number>();
  #accepted = 0;

  constructor(deps: IngestDeps) {
    this.#deps = deps;
    this.#refusals = new Throttle({ windowMs: REFUSAL_LOG_MS, perWindowMax: REFUSAL_LOG_LINES, nowMs: deps.nowMs });
  }

  get accepted(): number {
    return this.#accepted;
  }

  /** How many messages a filter dropped, by reason. */
  get dropped(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#dropped);
  }

  /** Resolves once the message is durable, or with the reason why it is not. */
  async post(draft: Draft, once: OnceKey | null): Promise<Ingested> {
    const { account, routes, inbound } = this.#deps;
    const posting = routes.posting(account.key, draft.gateway === "" ? null : draft.gateway);
    if (posting.is !== "ok") return { ok: false, problem: this.#refuse(posting, draft.gateway) };
    const message = this.#message(draft, posting.gateway);
    const verdict = inbound(message);
    if (verdict.is === "pass") return this.#append(verdict.message, posting.subject, once);
    this.#dropped.set(verdict.reason, (this.#dropped.get(verdict.reason) ?? 0) + 1);
    this.#deps.logger.debug(
      { account: account.name, gateway: posting.gateway, reason: verdict.reason },
      "message not relayed",
    );
    const line = encode(message);
    return once === null ? { ok: true, line, stored: false } : this.#write(line, [], once);
  }

  #message(draft: Draft, gateway: string): Message {
    const { account } = this.#deps;
    return {
      text: draft.text,
      channel: "api",
      username: draft.username,
      userid: draft.userid,
      avatar: draft.avatar,
      account: account.name,
      event: draft.event,
      protocol: account.protocol,
      gateway,
      parent_id: draft.parent_id,
      timestamp: new Date(this.#deps.nowMs()).toISOString(),
      id: "",
      Extra: draft.files.length === 0 ? null : { file: draft.files },
      ...(draft.hops > 0 ? { hops: draft.hops } : {}),
    };
  }

  async #append(message: Message, subject: string, once: OnceKey | null): Promise<Ingested> {
    const line = encode(message);
    const entries = [{ subject, key: null, label: message.event, payload: line }];
    const ingested = await this.#write(line, entries, once);
    if (ingested.ok && ingested.stored) this.#accepted += 1;
    return ingested;
  }

  async #write(line: string, entries: Batch["entries"], once: OnceKey | null): Promise<Ingested> {
    try {
      const batch = { account: this.#deps.account.key, entries };
      const appended = await this.#deps.log.append(
        once === null ? batch : { ...batch, once: { ...once, answer: line } },
      );
      if (appended.is === "stored") return { ok: true, line, stored: entries.length > 0 };
      if (appended.is === "repeated") return { ok: true, line: appended.answer, stored: false };
      return {
        ok: false,
        problem: problem(
          422,
          "this Idempotency-Key was used with another body in the last 24 h; use a new key for a new message",
        ),
      };
    } catch (error) {
      if (error instanceof LogError) return { ok: false, problem: this.#unavailable(error) };
      throw error;
    }
  }

  #unavailable(error: LogError): Problem {
    this.#report(error.code, { why: error.message });
    const retryAfterS = error.code === "disk_full" ? 10 : 1;
    const message = `the message could not be stored (${error.message}); nothing was relayed, try again`;
    return { ...problem(503, message), retryAfterS };
  }

  /** Some clients try again without a pause: one line a minute for each gateway and kind of refusal, with the number held back. */
  #report(kind: string, fields: Readonly<Record<string, unknown>>): void {
    const { passes, suppressed } = this.#refusals.pass(kind);
    const account = this.#deps.account.name;
    if (passes) this.#deps.logger.warn({ account, ...fields, repeated: suppressed }, "messages are refused");
  }

  #refuse(posting: Exclude<Posting, { is: "ok" }>, named: string): Problem {
    const refusal = explain(posting, named);
    this.#report(`${posting.is} ${shorten(named)}`, { status: refusal.status, why: refusal.message });
    return refusal;
  }
}

function explain(posting: Exclude<Posting, { is: "ok" }>, given: string): Problem {
  const named = shorten(given);
  switch (posting.is) {
    case "unknown":
      return problem(
        404,
        `gateway "${named}" does not exist or is not enabled for this account; it is in: ${list(posting.names)}`,
      );
    case "receive-only":
      return problem(
        403,
        `this account may only receive in gateway "${posting.gateway}"; list it under inout (or in) there to let it send`,
      );
    case "ambiguous":
      return problem(400, `gateway is missing, and this account is in several; name one of: ${list(posting.names)}`);
  }
}

const shorten = (name: string): string => (name.length > SHOWN_CHARS ? `${name.slice(0, SHOWN_CHARS)}…` : name);

/** Names for people; a long list is cut. */
function list(names: readonly string[]): string {
  if (names.length === 0) return "none";
  const shown = names
    .slice(0, 20)
    .map((name) => `"${name}"`)
    .join(", ");
  return names.length > 20 ? `${shown} and ${names.length - 20} more` : shown;
}
