import type { Runner } from "../log/fence.ts";

/** How often a node says that it lives, in ms. */
export const BEAT_MS = 400;
/** A node is silent for so long: it is taken for dead. In ms, of which only those count in which we had a voice. */
export const SILENCE_MS = 2500;
/** Acknowledgements that are further apart, in ms: nobody can say what was lost in between, so it counts for nobody. */
export const ACK_GAP_MS = 1200;
/** So many nodes are known at most; of more, the most silent is forgotten. */
const NODES = 256;

/** What a node says of itself. */
export interface NodeBeat extends Runner {
  /** It can be given accounts: it is not about to stop. */
  readonly takes: boolean;
  /** False: it runs nothing, as its own beats have not been acknowledged for too long, or as it is stuck. */
  readonly hasVoice: boolean;
  /** Tells its configuration from others. */
  readonly config: string;
}

interface Peer {
  run: string;
  config: string;
  takes: boolean;
  /** Since when it has been heard in this run, monotonic ms. */
  sinceMs: number;
  silentMs: number;
  /** Processes of that node that have ended: what they still have to say is late. */
  readonly ended: Set<string>;
}

/**
 * Which other nodes live, as far as this one can tell. While its own beats are not acknowledged, the servers do not
 * carry anything, and the silence of others says nothing about them.
 */
export class Peers {
  readonly #all = new Map<string, Peer>();
  #ackedMs: number | null = null;
  /** How long it has listened, counted as silence is. */
  #listenedMs = 0;
  #gaps = 0;

  heard({ node, run, takes, hasVoice, config }: NodeBeat, monoMs: number): void {
    if (!hasVoice) return;
    const peer = this.#all.get(node);
    if (peer === undefined) {
      this.#all.set(node, { run, config, takes, sinceMs: monoMs, silentMs: 0, ended: new Set() });
      if (this.#all.size > NODES) this.#forgetOne();
      return;
    }
    if (peer.ended.has(run)) return;
    if (peer.run !== run) {
      if (peer.run !== "") peer.ended.add(peer.run);
      peer.run = run;
    }
    if (peer.silentMs >= SILENCE_MS) peer.sinceMs = monoMs;
    peer.takes = takes;
    peer.config = config;
    peer.silentMs = 0;
  }

  /** Our beat of that time was acknowledged. */
  acked(sentMs: number): void {
    const gapMs = this.#ackedMs === null ? Infinity : sentMs - this.#ackedMs;
    this.#ackedMs = Math.max(this.#ackedMs ?? sentMs, sentMs);
    if (gapMs > ACK_GAP_MS) this.#gaps += 1;
    if (gapMs <= 0 || gapMs > ACK_GAP_MS) return;
    this.#listenedMs += gapMs;
    for (const peer of this.#all.values()) peer.silentMs += gapMs;
  }

  /** Since when nothing was acknowledged, monotonic ms; null: nothing ever was. */
  get ackedMs(): number | null {
    return this.#ackedMs;
  }

  /** How often acknowledgements came again after a silence: others may have taken over in each of them. */
  get gaps(): number {
    return this.#gaps;
  }

  /** Everybody who lives had the time to say so. */
  get knowsAll(): boolean {
    return this.#listenedMs >= SILENCE_MS;
  }

  /** Whether the process that is said to hold something may still run; one that was never heard may, for a while. */
  mayLive({ node, run }: Runner): boolean {
    const peer = this.#all.get(node);
    if (peer === undefined) return !this.knowsAll;
    return peer.silentMs < SILENCE_MS && peer.run === run;
  }

  /** The process of that node which lives. */
  liveRun(node: string): string | null {
    const peer = this.#all.get(node);
    return peer === undefined || peer.silentMs >= SILENCE_MS ? null : peer.run;
  }

  /**
   * Others that can be given accounts: those with this configuration, as one with another may not want them. `sinceMs`:
   * not those that came later.
   */
  takers(config: string, sinceMs: number = Infinity): readonly Runner[] {
    return [...this.#all]
      .filter(([, peer]) => peer.takes && peer.silentMs < SILENCE_MS)
      .filter(([, peer]) => peer.config === config && peer.sinceMs <= sinceMs)
      .map(([node, { run }]) => ({ node, run }));
  }

  /** All that live. */
  get live(): readonly (Runner & Pick<NodeBeat, "config">)[] {
    return [...this.#all]
      .filter(([, { silentMs }]) => silentMs < SILENCE_MS)
      .map(([node, { run, config }]) => ({ node, run, config }));
  }

  #forgetOne(): void {
    const [most] = [...this.#all].sort(([, a], [, b]) => b.silentMs - a.silentMs);
    if (most !== undefined) this.#all.delete(most[0]);
  }
}
