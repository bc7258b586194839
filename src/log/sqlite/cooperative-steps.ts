/** Work cut into pieces: each `yield` is a place where something more urgent may run. */
export type CooperativeSteps<T> = Generator<undefined, T, undefined>;

interface Job {
  /** Runs one slice; true when the work is done. */
  readonly step: () => boolean;
  readonly failed: (error: unknown) => void;
}

/** Runs sliced work round robin, one slice per turn of the event loop, so that commits never wait for a whole job. */
export class StepRunner {
  readonly #jobs: Job[] = [];
  #scheduled = false;
  #stopped: Error | null = null;

  /** Exactly one of the callbacks is called; `failed` with what a slice threw. */
  run<T>(work: CooperativeSteps<T>, done: (value: T) => void, failed: (error: unknown) => void): void {
    if (this.#stopped !== null) return failed(this.#stopped);
    const step = (): boolean => {
      let result: IteratorResult<undefined, T>;
      try {
        result = work.next();
      } catch (error) {
        failed(error);
        return true;
      }
      if (result.done === true) done(result.value);
      return result.done === true;
    };
    this.#jobs.push({ step, failed });
    this.#schedule();
  }

  /** Gives up what is not done and what comes later: `failed` is called with this error for each. */
  stop(error: Error): void {
    this.#stopped = error;
    for (const { failed } of this.#jobs.splice(0)) failed(error);
  }

  #schedule(): void {
    if (this.#scheduled || this.#jobs.length === 0) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      const job = this.#jobs.shift();
      if (job !== undefined && !job.step()) this.#jobs.push(job);
      this.#schedule();
    });
  }
}
