import type { JetStreamClient, JetStreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";

/** So long an acknowledgement is waited for, in ms. */
const ANSWER_MS = 2000;
/** Time from one attempt to make the stream to the next, in ms. */
const MAKE_MS = 1000;
/** A node that was not heard for so long is asked for, and again after as long, in ms. */
const ASK_MS = 1000;
/** So many are asked for at a time. */
const ASKED = 256;

/**
 * What nodes say of themselves, several times a second. Each word goes into a stream in the memory of the servers, the
 * last of each node is kept, and it is acknowledged when most of them have it: then this node reaches those that also
 * take commits. It is heard by everybody as it is published, without that way: who hears a node knows that it lives.
 *
 * Two servers may not reach each other, and both the one that keeps the stream. So who is not heard is looked up there:
 * whoever is acknowledged is known to live by all that are.
 */
export class Beats {
  readonly #nc: NatsConnection;
  readonly #js: JetStreamClient;
  readonly #jsm: JetStreamManager;
  readonly #shard: string;
  readonly #replicas: number;
  readonly #askMs: number;
  /** When each node was last heard as it spoke, by subject; monotonic ms. */
  readonly #heardMs = new Map<string, number>();
  /** The last word that was found of those that are not: its place in the stream. */
  readonly #found = new Map<string, number>();
  #isMade = false;
  #triedMs = -Infinity;
  #isAsking = false;

  /** `replicas`: on so many servers each word is kept; `askMs`: how often silent nodes are asked for. */
  static async open(nc: NatsConnection, shard: string, replicas: number, askMs: number = ASK_MS): Promise<Beats> {
    const { jetstream, jetstreamManager } = await import("@nats-io/jetstream");
    const jsm = await jetstreamManager(nc, { timeout: ANSWER_MS, checkAPI: false });
    return new Beats(nc, { js: jetstream(nc, { timeout: ANSWER_MS }), jsm }, { shard, replicas, askMs });
  }

  private constructor(
    nc: NatsConnection,
    { js, jsm }: { readonly js: JetStreamClient; readonly jsm: JetStreamManager },
    { shard, replicas, askMs }: { readonly shard: string; readonly replicas: number; readonly askMs: number },
  ) {
    this.#nc = nc;
    this.#js = js;
    this.#jsm = jsm;
    this.#shard = shard;
    this.#replicas = replicas;
    this.#askMs = askMs;
  }

  /** Resolves when it is known whether most of the servers have it. Never rejects. */
  async say(node: string, word: string): Promise<boolean> {
    try {
      if (!this.#isMade) await this.#make();
      await this.#js.publish(`r.hb.${this.#shard}.${node}`, word, { timeout: ANSWER_MS, retries: 1 });
      return true;
    } catch {
      // It is in memory only: servers that were all started anew do not have it any more.
      this.#isMade = false;
      return false;
    }
  }

  /** Told of every word, also of our own. Returns the function that ends it. */
  listen(told: (word: string) => void): () => void {
    const heard = this.#nc.subscribe(this.#subjects, {
      callback: (error, message) => {
        if (error !== null) return;
        this.#heardMs.set(message.subject, performance.now());
        this.#found.delete(message.subject);
        told(message.string());
      },
    });
    const ask = (): void => void this.#ask(told).catch(() => undefined);
    ask();
    const asking = setInterval(ask, this.#askMs).unref();
    return () => {
      clearInterval(asking);
      heard.unsubscribe();
    };
  }

  /** Tells what was said since the last time by those that are not heard. */
  async #ask(told: (word: string) => void): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    try {
      const { state } = await this.#jsm.streams.info(this.#stream, { subjects_filter: this.#subjects });
      const since = performance.now() - this.#askMs;
      const silent = Object.keys(state.subjects ?? {}).filter((of) => (this.#heardMs.get(of) ?? -Infinity) < since);
      await Promise.all(silent.slice(0, ASKED).map((subject) => this.#find(subject, told)));
    } finally {
      this.#isAsking = false;
    }
  }

  async #find(subject: string, told: (word: string) => void): Promise<void> {
    const message = await this.#jsm.streams.getMessage(this.#stream, { last_by_subj: subject });
    if (message === null) return;
    const known = this.#found.get(subject);
    this.#found.set(subject, message.seq);
    // The first that is found may be the last of a node that has ended.
    if (known !== undefined && known !== message.seq) told(message.string());
  }

  async #make(): Promise<void> {
    if (performance.now() - this.#triedMs < MAKE_MS) return;
    this.#triedMs = performance.now();
    await this.#jsm.streams.add({
      name: this.#stream,
      subjects: [this.#subjects],
      num_replicas: this.#replicas,
      storage: "memory",
      max_msgs_per_subject: 1,
    });
    this.#isMade = true;
  }

  get #stream(): string {
    return `RIALTO_BEATS_${this.#shard}`;
  }

  get #subjects(): string {
    return `r.hb.${this.#shard}.>`;
  }
}
