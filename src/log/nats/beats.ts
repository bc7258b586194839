import type { JetStreamClient } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";

/** So long an acknowledgement is waited for, in ms. */
const ANSWER_MS = 2000;
/** Time from one attempt to make the stream to the next, in ms. */
const MAKE_MS = 1000;

/**
 * What nodes say of themselves, several times a second. Each word goes into a stream in the memory of the servers, the
 * last of each node is kept, and it is acknowledged when most of them have it: then this node reaches those that also
 * take commits. It is heard by everybody as it is published, without that way: who hears a node knows that it lives.
 */
export class Beats {
  readonly #nc: NatsConnection;
  readonly #js: JetStreamClient;
  readonly #shard: string;
  readonly #replicas: number;
  #isMade = false;
  #triedMs = -Infinity;

  /** `replicas`: on so many servers each word is kept. */
  static async open(nc: NatsConnection, shard: string, replicas: number): Promise<Beats> {
    const { jetstream } = await import("@nats-io/jetstream");
    return new Beats(nc, jetstream(nc, { timeout: ANSWER_MS }), shard, replicas);
  }

  private constructor(nc: NatsConnection, js: JetStreamClient, shard: string, replicas: number) {
    this.#nc = nc;
    this.#js = js;
    this.#shard = shard;
    this.#replicas = replicas;
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
    const heard = this.#nc.subscribe(`r.hb.${this.#shard}.>`, {
      callback: (error, message) => {
        if (error === null) told(message.string());
      },
    });
    return () => heard.unsubscribe();
  }

  async #make(): Promise<void> {
    if (performance.now() - this.#triedMs < MAKE_MS) return;
    this.#triedMs = performance.now();
    const { jetstreamManager } = await import("@nats-io/jetstream");
    const jsm = await jetstreamManager(this.#nc, { timeout: ANSWER_MS, checkAPI: false });
    await jsm.streams.add({
      name: `RIALTO_BEATS_${this.#shard}`,
      subjects: [`r.hb.${this.#shard}.>`],
      num_replicas: this.#replicas,
      storage: "memory",
      max_msgs_per_subject: 1,
    });
    this.#isMade = true;
  }
}
