import { NOBODY, type Holder } from "../../../src/log/fence.ts";
import type { SimMessage } from "./net.ts";

/** What must hold, however the story goes. */
export type ClusterInvariant =
  | "one epoch at a time"
  | "all nodes say the same"
  | "what is answered is stored"
  | "stored once"
  | "no two sessions for long"
  | "every account is run"
  | "one session when all is well"
  | "nothing moves with the leader";

export interface ClusterViolation {
  readonly invariant: ClusterInvariant;
  readonly what: string;
}

/** A node that has no voice ends its sessions after 12 s; the rest is how long words may take. */
const OVERLAP_MS = 14_000;

/** Watches one story, and judges its stream at the end by a reading of its own. */
export class ClusterOracle {
  readonly violations: ClusterViolation[] = [];
  readonly counts = new Map<string, number>();
  /** From here on only the leader of the servers fails, so nobody takes anything from another; null: all may fail. */
  calmFromMs: number | null = null;
  readonly #acked: string[] = [];
  readonly #verdicts = new Map<number, string>();
  /** Of each account, two nodes that have a session at the same time, and since when they do. */
  readonly #shared = new Map<string, ReadonlyMap<string, number>>();
  readonly #idleSince = new Map<string, number>();
  #ids = 0;

  newId(): string {
    return `m${(this.#ids += 1)}`;
  }

  acked(id: string): void {
    this.#acked.push(id);
  }

  claimed(account: string, isTaken: boolean, nowMs: number): void {
    this.#count(isTaken ? "claims of what another held" : "claims of one's own, or nobody's");
    if (isTaken && this.calmFromMs !== null && nowMs >= this.calmFromMs) {
      this.#violate("nothing moves with the leader", `${account} at ${nowMs} ms`);
    }
  }

  applied(node: string, place: number, stored: readonly string[]): void {
    const verdict = stored.join(" ");
    const known = this.#verdicts.get(place);
    if (known === undefined) this.#verdicts.set(place, verdict);
    else if (known !== verdict)
      this.#violate("all nodes say the same", `${node} at ${place}: ${verdict}, not ${known}`);
  }

  /** At each step. `runners`: awake nodes that have a session, by account; `isWell`: all is whole again for a while. */
  sessions(account: string, runners: readonly string[], nowMs: number, isWell: boolean): void {
    if (runners.length > 1) this.#overlap(account, runners, nowMs, isWell);
    else this.#shared.delete(account);
    if (runners.length > 0 || !isWell) this.#idleSince.delete(account);
    else {
      const since = this.#idleSince.get(account) ?? nowMs;
      this.#idleSince.set(account, since);
      if (nowMs - since === IDLE_MS) this.#violate("every account is run", `${account} by nobody from ${since} ms on`);
    }
  }

  #overlap(account: string, runners: readonly string[], nowMs: number, isWell: boolean): void {
    const before = this.#shared.get(account);
    const pairs = runners.flatMap((one, at) => runners.slice(at + 1).map((other) => `${one} and ${other}`));
    const shared = new Map(pairs.map((pair) => [pair, before?.get(pair) ?? nowMs]));
    this.#shared.set(account, shared);
    for (const [pair, since] of shared) {
      const what = `${account} by ${pair} from ${since} to ${nowMs} ms`;
      if (isWell) this.#violate("one session when all is well", what);
      if (nowMs - since === OVERLAP_MS) this.#violate("no two sessions for long", what);
    }
  }

  /** Reads the stream again, by itself. */
  judge(stream: readonly SimMessage[]): void {
    const holders = new Map<string, Holder>();
    const last = new Map<string, number>();
    const stored = new Map<string, number>();
    for (const [place, { node, run, number, claims, batches }] of stream.entries()) {
      const process = `${node} ${run}`;
      const isRepeated = number > 0 && number <= (last.get(process) ?? 0);
      if (number > 0) last.set(process, Math.max(number, last.get(process) ?? 0));
      const said = new Set(this.#verdicts.get(place)?.split(" ") ?? []);
      for (const { id, account, epoch } of isRepeated ? [] : batches) {
        const { epoch: current, node: by, run: its } = holders.get(account) ?? NOBODY;
        const isHolder = by === node && its === run && epoch === current;
        if (said.has(id) && !isHolder) {
          this.#violate(
            "one epoch at a time",
            `${id} of ${process} in ${epoch} of ${account}, held by ${by} in ${current}`,
          );
        }
        this.#count(said.has(id) ? "appends that were stored" : "appends that were void");
      }
      for (const id of said) if (id !== "") stored.set(id, (stored.get(id) ?? 0) + 1);
      for (const { account, ...holder } of claims) {
        if (holder.epoch > (holders.get(account) ?? NOBODY).epoch) holders.set(account, holder);
      }
    }
    for (const [id, times] of stored) if (times > 1) this.#violate("stored once", `${id}: ${times} times`);
    for (const id of this.#acked) if (!stored.has(id)) this.#violate("what is answered is stored", id);
    this.#count("appends that were answered", this.#acked.length);
  }

  #violate(invariant: ClusterInvariant, what: string): void {
    this.violations.push({ invariant, what });
  }

  #count(name: string, more = 1): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + more);
  }
}

/** So long an account may be without a session when all is well: that of a move, and of a claim that is made again. */
const IDLE_MS = 6000;
