import { type EpochClaim, type Fence, type Holder, NOBODY, type Runner } from "../fence.ts";
import { onAbort } from "../../lib/abort.ts";
import { LogError } from "../errors.ts";

/** Most claims of one message: they fit into it, however long the names are. */
const CLAIMS = 256;

/** Brings claims into the stream; the number tells them from others of this process. */
type Publish = (
  number: number,
  claims: readonly EpochClaim[],
  how: { readonly isWanted: () => boolean; readonly doubt: (error: LogError) => void },
) => Promise<LogError | null>;

/** The accounts as applied here, and the claims of this process that are under way. */
export class Epochs implements Fence {
  readonly own: Runner;
  readonly #held: Map<string, Holder>;
  readonly #publish: Publish;
  readonly #listeners = new Set<(claim: EpochClaim) => void>();
  readonly #raising = new Map<number, (raised: readonly EpochClaim[]) => void>();
  #number = 0;

  constructor(own: Runner, held: readonly EpochClaim[], publish: Publish) {
    this.own = own;
    this.#held = new Map(held.map(({ account, ...holder }) => [account, holder]));
    this.#publish = publish;
  }

  get held(): ReadonlyMap<string, Holder> {
    return this.#held;
  }

  current(account: string): Holder {
    return this.#held.get(account) ?? NOBODY;
  }

  /** In which epoch this process holds the account; 0: in none. */
  epochOf(account: string): number {
    const { epoch, node, run } = this.current(account);
    return node === this.own.node && run === this.own.run ? epoch : 0;
  }

  changed(listener: (claim: EpochClaim) => void): () => void {
    const own = (claim: EpochClaim): void => listener(claim);
    this.#listeners.add(own);
    return () => this.#listeners.delete(own);
  }

  async raise(claims: readonly EpochClaim[], signal?: AbortSignal): Promise<readonly EpochClaim[]> {
    const raised: EpochClaim[] = [];
    for (let at = 0; at < claims.length; at += CLAIMS)
      raised.push(...(await this.#raise(claims.slice(at, at + CLAIMS), signal)));
    return raised;
  }

  /** Claims of a message were decided; `number`: of which one of this process, null: of another. */
  applied(raised: readonly EpochClaim[], number: number | null): void {
    for (const claim of raised) {
      const { account, epoch, node, run } = claim;
      this.#held.set(account, { epoch, node, run });
      for (const listener of this.#listeners) listener(claim);
    }
    if (number !== null) this.#raising.get(number)?.(raised);
  }

  async #raise(claims: readonly EpochClaim[], signal: AbortSignal | undefined): Promise<readonly EpochClaim[]> {
    if (signal?.aborted === true) return [];
    const number = (this.#number += 1);
    const applied = new Promise<readonly EpochClaim[]>((resolve) => this.#raising.set(number, resolve));
    const missed = Promise.withResolvers<LogError | readonly EpochClaim[]>();
    const forget = onAbort(signal, () => missed.resolve([]));
    let isWanted = true;
    const publish = async (): Promise<LogError | readonly EpochClaim[]> => {
      const how = { isWanted: () => isWanted, doubt: missed.resolve };
      return (await this.#publish(number, claims, how)) ?? (await applied);
    };
    const outcome = await Promise.race([applied, missed.promise, publish()]);
    isWanted = false;
    forget();
    this.#raising.delete(number);
    if (outcome instanceof LogError) throw outcome;
    return outcome;
  }
}
