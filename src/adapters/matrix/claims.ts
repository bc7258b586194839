import type { OpAuthor } from "../../contract/ops.ts";
import type { ReasonCode } from "../../contract/outcome.ts";
import { Lru } from "../../lib/lru.ts";
import type { Client, Result } from "./client.ts";
import type { MatrixFailure } from "./failure.ts";
import { type LocalParts, localpartsOf } from "./ghost-ids.ts";
import { type Json, textIn } from "../kit/json.ts";
import { oneLine } from "../kit/words.ts";

/** So many senders are remembered; the homeserver is asked again for others. */
const SENDERS_MAX = 10_000;
/** Account data of a ghost: the account and id of its sender. */
const CLAIM = "chat.rialto.sender";
/** Refusals that last: there is no such user or claim, or this homeserver keeps none. */
const LASTING: ReadonlySet<ReasonCode> = new Set(["forbidden", "not_found", "bad_content"]);

interface ClaimsOptions {
  readonly client: Client;
  readonly userOf: (localpart: string) => string;
  /** Registers the user if it is not there yet. */
  readonly make: (user: string, signal: AbortSignal) => Promise<Result<unknown>>;
}

/**
 * Which sender has a ghost whose id fits several. Builds before this one gave it to all of them; now the first that
 * claims it keeps it, in account data of the ghost at the homeserver. Only senders whose account or id contains a `_`
 * are looked up, once per session.
 */
export class Claims {
  readonly #options: ClaimsOptions;
  /** Local parts, by the sender's hashed one. */
  readonly #settled = new Lru<string, string>(SENDERS_MAX);
  /** Senders of one id are looked up one after the other. */
  readonly #turns = new Map<string, Promise<unknown>>();

  constructor(options: ClaimsOptions) {
    this.#options = options;
  }

  async userOf(author: OpAuthor, signal: AbortSignal): Promise<Result<string>> {
    const parts = localpartsOf(author);
    const { plain, others, own, hashed } = parts;
    if (plain === null || others.length === 0) return sure(this.#options.userOf(own));
    let chosen = this.#settled.get(hashed);
    if (chosen === undefined) {
      const settled = await this.#inTurn(plain, async () => await this.#settle(author, { ...parts, plain }, signal));
      if (!settled.ok) return settled;
      chosen = settled.value;
      this.#settled.set(hashed, chosen);
    }
    return sure(this.#options.userOf(chosen));
  }

  async #inTurn<T>(plain: string, work: () => Promise<T>): Promise<T> {
    const turn = Promise.allSettled([this.#turns.get(plain)]).then(work);
    this.#turns.set(plain, turn);
    try {
      return await turn;
    } finally {
      if (this.#turns.get(plain) === turn) this.#turns.delete(plain);
    }
  }

  async #settle(author: OpAuthor, parts: Disputed, signal: AbortSignal): Promise<Result<string>> {
    const { plain, own, hashed } = parts;
    const user = this.#options.userOf(plain);
    const claim = await this.#options.client.accountData(user, CLAIM, { as: user, signal });
    if (claim.ok) return sure(isBy(claim.value, author) ? plain : hashed);
    if (!lasts(claim.failure)) return claim;
    const settled = await this.#shownName(hashed, signal);
    if (!settled.ok) return settled;
    // It was looked up before, and the id was not theirs.
    if (settled.value !== null) return sure(hashed);
    const shown = await this.#shownName(plain, signal);
    if (!shown.ok) return shown;
    const isTheirs = shown.value === null ? own === plain : fits(author, parts, shown.value);
    return isTheirs ? await this.#take(author, parts, signal) : sure(hashed);
  }

  /** The ghost's display name, that of its last speaker; null: there is no such ghost. */
  async #shownName(localpart: string, signal: AbortSignal): Promise<Result<string | null>> {
    const user = this.#options.userOf(localpart);
    const profile = await this.#options.client.profile(user, { as: user, signal });
    if (profile.ok) return sure(textIn(profile.value, "displayname") ?? "");
    return lasts(profile.failure) ? sure(null) : profile;
  }

  async #take({ account, id }: OpAuthor, { plain, own }: Disputed, signal: AbortSignal): Promise<Result<string>> {
    const user = this.#options.userOf(plain);
    const made = await this.#options.make(user, signal);
    if (!made.ok) return made;
    const claimed = await this.#options.client.setAccountData(user, CLAIM, { account, id }, { as: user, signal });
    if (claimed.ok) return sure(plain);
    return lasts(claimed.failure) ? sure(own) : claimed;
  }
}

interface Disputed extends LocalParts {
  readonly plain: string;
}

/** Whether a ghost that nobody has claimed, with this name, is the sender's. */
export function fits(author: OpAuthor, { plain, own, others }: LocalParts, shown: string): boolean {
  const isNamed = shown === nameOf(author);
  const isOthers = others.includes(shown);
  return own === plain ? isNamed || !isOthers : isNamed && !isOthers;
}

const NAME_MAX = 200;

/** The display name of a sender's ghost. */
export function nameOf({ name, id }: OpAuthor): string {
  return oneLine(name).trim().slice(0, NAME_MAX) || id.slice(0, NAME_MAX);
}

const lasts = ({ why }: MatrixFailure): boolean => LASTING.has(why.code);

const isBy = (claim: Json, { account, id }: OpAuthor): boolean =>
  textIn(claim, "account") === account && textIn(claim, "id") === id;

const sure = <T>(value: T): Result<T> => ({ ok: true, value });
