import type { Host } from "../../contract/host.ts";

/** What is handed over, and when all of it is on disk. */
export class Durable implements Pick<Host, "accept" | "clock"> {
  readonly clock: Host["clock"];
  readonly #host: Pick<Host, "accept">;
  /** What was handed over last, while it is not on disk. */
  #last: Promise<unknown> | null = null;

  constructor(host: Pick<Host, "accept" | "clock">) {
    this.#host = host;
    this.clock = host.clock;
  }

  async accept(batch: Parameters<Host["accept"]>[0]): ReturnType<Host["accept"]> {
    const accepted = this.#host.accept(batch);
    // Answers may come in another order than they were asked for.
    const mine = Promise.all([this.#last, accepted]).then(() => {
      if (this.#last === mine) this.#last = null;
    });
    this.#last = mine;
    return await accepted;
  }

  /** Once all that was handed over by now is on disk. */
  whenDone(task: () => void): void {
    if (this.#last === null) task();
    else void this.#last.then(task);
  }
}
