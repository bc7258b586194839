/** So much is on its way to one process at most, over all tunnels. */
const UNDER_WAY_BYTES = 4 * 1024 * 1024;
/** It is asked what has come each time when so much was sent. */
const ASK_BYTES = 512 * 1024;

/** Who waits for room on the way to a process. */
interface Waiting {
  pump(): void;
}

/**
 * What is on its way to another process. The windows of the tunnels bound what their ends hold; this bounds what waits
 * in the servers for a process that is slow to read, as they cut who is too slow, and its log with it.
 */
export class TunnelPeer {
  readonly #ask: (count: number) => void;
  readonly #waiting = new Set<Waiting>();
  #sent = 0;
  #asked = 0;
  #came = 0;

  constructor(ask: (count: number) => void) {
    this.#ask = ask;
  }

  get room(): number {
    return UNDER_WAY_BYTES - (this.#sent - this.#came);
  }

  sent(bytes: number): void {
    this.#sent += bytes;
    if (this.#sent - this.#asked >= ASK_BYTES) this.#askNow();
  }

  /** Told again when there is room. */
  wait(waiting: Waiting): void {
    this.#waiting.add(waiting);
  }

  forget(waiting: Waiting): void {
    this.#waiting.delete(waiting);
  }

  /** So much of what was sent has come. */
  came(count: number): void {
    if (count <= this.#came || count > this.#sent) return;
    this.#came = count;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const one of waiting) one.pump();
  }

  /** The answer to a question may be lost, so it is asked again. */
  look(): void {
    if (this.#sent > this.#came) this.#askNow();
  }

  #askNow(): void {
    this.#asked = this.#sent;
    this.#ask(this.#sent);
  }
}
