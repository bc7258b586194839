import type { Runner } from "../log/fence.ts";

/** How often a node says that it lives, in ms. */
export const BEAT_MS = 400;
/** A node is silent for so long: it is taken for dead. In ms, of which only those count in which we had a voice. */
export const SILENCE_MS = 2500;
/** Acknowledgements that are further apart, in ms: nobody can say what was lost in between, so it counts for nobody. */
export const ACK_GAP_MS = 1200;
/** So many nodes are known at most; of more, the most silent is forgotten. */
const NODES = 256;
/** The same of the processes of one node. */
const RUNS = 8;

/** What a node says of itself. */
export interface NodeBeat extends Runner {
  /** It can be given accounts: it is not about to stop. */
  readonly takes: boolean;
  /** False: it runs nothing, as its own beats have not been acknowledged for too long, or as it is stuck. */
  readonly hasVoice: boolean;
  /** Tells its configuration from others. */
  readonly config: string;
}

/** A process of another node. */
interface Peer extends Pick<NodeBeat, "takes" | "config"> {
  /** Since when it has been heard without a silence, monotonic ms. */
  readonly sinceMs: number;
  silentMs: number;
}

/**
 * Which other nodes live, as far as this one can tell. While its own beats are not acknowledged, the servers do not
 * carry anything, and the silence of others says nothing about them.
 *
 * Each process of a node lives as long as it is heard. Where two do, one has followed the other just now, and what is
 * still heard of that is late, or by mistake they have one name: what they hold stays theirs, and neither gets more.
 */
export class Peers {
  readonly #all = new Map<string, Map<string, Peer>>();
  #ackedMs: number | null = null;
  /** How long it has listened, counted as silence is. */
  #listenedMs = 0;
  #gaps = 0;

  heard({ node, run, takes, hasVoice, config }: NodeBeat, monoMs: number): void {
    if (!hasVoice) return;
    const runs = this.#all.get(node) ?? new Map<string, Peer>();
    const known = runs.get(run);
    const sinceMs = known !== undefined && isAlive(known) ? known.sinceMs : monoMs;
    runs.set(run, { takes, config, sinceMs, silentMs: 0 });
    this.#all.set(node, runs);
    if (runs.size > RUNS) forgetOne(runs, ({ silentMs }) => silentMs);
    if (this.#all.size > NODES) forgetOne(this.#all, (all) => Math.min(...[...all.values()].map((of) => of.silentMs)));
  }

  /** Our beat of that time was acknowledged. */
  acked(sentMs: number): void {
    const gapMs = this.#ackedMs === null ? Infinity : sentMs - this.#ackedMs;
    this.#ackedMs = Math.max(this.#ackedMs ?? sentMs, sentMs);
    if (gapMs > ACK_GAP_MS) this.#gaps += 1;
    if (gapMs <= 0 || gapMs > ACK_GAP_MS) return;
    this.#listenedMs += gapMs;
    for (const runs of this.#all.values()) for (const peer of runs.values()) peer.silentMs += gapMs;
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

  /** Another process of this node had the time to say so. */
  get knowsTwins(): boolean {
    return this.#listenedMs >= BEAT_MS;
  }

  /** Whether the process that is said to hold something may still run; one that was never heard may, for a while. */
  mayLive({ node, run }: Runner): boolean {
    const runs = this.#all.get(node);
    if (runs === undefined) return !this.knowsAll;
    const peer = runs.get(run);
    return peer !== undefined && isAlive(peer);
  }

  /**
   * Others that can be given accounts: those with this configuration, as one with another may not want them. `sinceMs`:
   * not those that came later.
   */
  takers(config: string, sinceMs: number = Infinity): readonly Runner[] {
    return [...this.#all].flatMap(([node, runs]) => {
      const [first, ...twins] = [...runs].filter(([, peer]) => isAlive(peer) && peer.takes);
      if (first === undefined || twins.length > 0) return [];
      const [run, peer] = first;
      return peer.config === config && peer.sinceMs <= sinceMs ? [{ node, run }] : [];
    });
  }

  /** One process of each node that lives. */
  get live(): readonly (Runner & Pick<NodeBeat, "config">)[] {
    return [...this.#all].flatMap(([node, runs]) => {
      const living = [...runs].filter(([, peer]) => isAlive(peer));
      return living.slice(-1).map(([run, { config }]) => ({ node, run, config }));
    });
  }
}

const isAlive = ({ silentMs }: Peer): boolean => silentMs < SILENCE_MS;

/** Forgets the one that was silent for the longest time. */
function forgetOne<T>(all: Map<string, T>, silentMs: (of: T) => number): void {
  const [most] = [...all].sort(([, a], [, b]) => silentMs(b) - silentMs(a));
  if (most !== undefined) all.delete(most[0]);
}
