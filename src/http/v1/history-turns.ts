import type { Access } from "../../access/access.ts";
import { ProblemError } from "./problems.ts";
import { Shares } from "./share.ts";

/** Requests that wait for their turn, with the one that has it. */
const WAITING = { token: 32, all: 64 } as const;
const RETRY_S = "1";

const ENDED = new ProblemError("unavailable", "the request ended before its turn came", {
  headers: { "Retry-After": RETRY_S },
});

/** Expensive work for one account: one request has its turn, and the others wait in order. */
export class HistoryTurns {
  readonly #shares = new Shares(WAITING.all);
  #last: Promise<unknown> = Promise.resolve();

  /** Throws a ProblemError `rate_limited` when too many wait; `unavailable` when the request has ended meanwhile. */
  async take<T>(
    { access, signal }: { readonly access: Access; readonly signal: AbortSignal },
    work: () => Promise<T>,
  ): Promise<T> {
    if (!this.#shares.take(access, access.token === null ? WAITING.all : WAITING.token)) {
      const detail = `at most ${WAITING.token} requests of a token may wait for the history, and ${WAITING.all} of the account`;
      throw new ProblemError("rate_limited", detail, { headers: { "Retry-After": RETRY_S } });
    }
    const turn = this.#last.then(async () => {
      if (signal.aborted) throw ENDED;
      return await work();
    });
    this.#last = turn.catch(() => undefined);
    try {
      return await turn;
    } finally {
      this.#shares.give(access);
    }
  }
}
