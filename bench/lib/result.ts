/**
 * What one measurement came to. `unit` is for people; `goal` is what the project promises, absent for facts without a
 * promise.
 */
export interface Figure {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  readonly goal?: { readonly op: "<=" | ">="; readonly value: number };
}

/** What one benchmark module returns. `ok` is false when something did not work at all, whatever the figures say. */
export interface Result {
  readonly name: string;
  readonly figures: readonly Figure[];
  readonly ok: boolean;
}

/** `smoke`: as short as possible, only to see that it works. */
export interface RunOptions {
  readonly smoke: boolean;
  /** Other checkouts whose builds are measured as well, by benchmarks that can. */
  readonly programs?: readonly string[];
  /** The only cases to run, of benchmarks that have several; empty: all. */
  readonly cases?: readonly string[];
}

/** Every `bench/*.ts` module exports `run` with this type. */
export type Run = (options: RunOptions) => Promise<Result>;
