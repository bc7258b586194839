import { decode } from "../gateway/codec.ts";
import type { Appended, Batch, NewEntry } from "../log/log.ts";
import { IdsModel } from "../log/suite/ids-model.suite.ts";

/** Takes what it is given when the test says so. */
export class ScriptedLog {
  readonly batches: Batch[] = [];
  readonly model = new IdsModel();
  readonly ids = this.model.answers();
  /** Refusals of the next appends. */
  readonly refusals: Error[] = [];
  #gate: PromiseWithResolvers<void> | null = null;
  #seq = 0;
  readonly #keys = new Set<string>();

  hold(): void {
    this.#gate = Promise.withResolvers();
  }

  release(): void {
    this.#gate?.resolve();
    this.#gate = null;
  }

  async append(batch: Batch): Promise<Appended> {
    await this.#gate?.promise;
    const refusal = this.refusals.shift();
    if (refusal !== undefined) throw refusal;
    this.batches.push(batch);
    return { is: "stored", seqs: batch.entries.map((entry) => this.#store(entry)) };
  }

  #store({ key, subject, note }: NewEntry): number | null {
    if (key !== null && this.#keys.has(key)) return null;
    if (key !== null) this.#keys.add(key);
    this.#seq += 1;
    if (note !== undefined) this.model.note(this.#seq, subject, 0, note);
    return this.#seq;
  }

  get texts(): readonly (readonly string[])[] {
    return this.batches.map(({ entries }) => entries.map(({ payload }) => decode(payload).text));
  }
}
