import type { NatsConnection } from "@nats-io/transport-node";
import { isObject, readJson } from "../../lib/shapes.ts";

/** How often the node that runs says so, in ms. */
const BEAT_MS = 400;
/** How often a node that waits asks its server whether they still hear each other, in ms. */
const LOOK_MS = 500;
/** So long it waits for that answer. */
const ANSWER_MS = 1000;
/** So many looks without a word from the other, one after the other, and it counts as silent. */
const SILENT_LOOKS = 5;

/** What a node says of itself. */
interface Beat {
  readonly node: string;
  /** Of the node's process. */
  readonly run: string;
  readonly epoch: number;
  /** It stops, and has nothing under way any more. */
  readonly leaves: boolean;
}

/**
 * Whether the node that runs the accounts is alive. It is said past the log, by a word that no server keeps, so that it
 * costs nothing and does not depend on who leads the servers. Silence is counted in answers of the own server, not in
 * time: a node that is cut off, or was stopped itself, has heard nothing either, and begins anew. It is a hint: what
 * keeps two from running the same is the epoch.
 */
export class Pulse {
  readonly #nc: NatsConnection;
  readonly #subject: string;
  readonly #own: Pick<Beat, "node" | "run">;
  readonly #wanted: () => number;
  readonly #onTwin: () => void;
  /** Resolves once another node was heard that runs the accounts. */
  readonly heard: Promise<void>;
  readonly #tell: () => void;
  readonly #listeners = new Set<(run: string) => void>();
  #heard = 0;
  #silent = 0;
  #beating: NodeJS.Timeout | undefined;
  /** The server has answered lately. */
  #isReached = true;
  #isOver = false;

  /** `epoch`: words of an older one count for nothing. `onTwin`: another process says that it has this node's name. */
  constructor(
    nc: NatsConnection,
    options: {
      readonly shard: string;
      readonly own: Pick<Beat, "node" | "run">;
      readonly epoch: () => number;
      readonly onTwin: () => void;
    },
  ) {
    this.#nc = nc;
    this.#subject = `r.hb.${options.shard}`;
    this.#own = options.own;
    this.#wanted = options.epoch;
    this.#onTwin = options.onTwin;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.heard = promise;
    this.#tell = resolve;
    nc.subscribe(this.#subject, {
      callback: (error, message) => {
        if (error === null) this.#hear(message.string());
      },
    });
    void this.#look();
  }

  /** Nobody has said for a while that he runs the accounts. */
  get isSilent(): boolean {
    return this.#silent >= SILENT_LOOKS;
  }

  /** Told of each process that says that it runs them. Returns the function that ends it. */
  hears(listener: (run: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Says from now on that this node runs them, in this epoch. */
  beat(epoch: number): void {
    clearInterval(this.#beating);
    const say = (): void => this.#say({ ...this.#own, epoch, leaves: false });
    say();
    this.#beating = setInterval(say, BEAT_MS).unref();
  }

  /** Says no more that it does: another was faster. */
  rest(): void {
    clearInterval(this.#beating);
    this.#silent = 0;
  }

  /** Says that it does so no longer, and that another may at once. */
  async leave(epoch: number): Promise<void> {
    this.stop();
    this.#say({ ...this.#own, epoch, leaves: true });
    // A server that does not answer has not told the others either: they find out.
    await Promise.race([this.#nc.flush().catch(() => undefined), pause(ANSWER_MS)]);
  }

  stop(): void {
    clearInterval(this.#beating);
    this.#isOver = true;
  }

  #say(beat: Beat): void {
    // While the connection is lost, the client would keep them all.
    if (this.#isReached) this.#nc.publish(this.#subject, JSON.stringify(beat));
  }

  #hear(text: string): void {
    const beat = readJson(text);
    if (!isBeat(beat) || beat.run === this.#own.run) return;
    if (beat.node === this.#own.node && !beat.leaves) this.#onTwin();
    if (beat.epoch < this.#wanted()) return;
    this.#heard += 1;
    this.#silent = beat.leaves ? SILENT_LOOKS : 0;
    this.#tell();
    if (!beat.leaves) for (const listener of this.#listeners) listener(beat.run);
  }

  async #look(): Promise<void> {
    while (!this.#isOver) {
      const before = this.#heard;
      await pause(LOOK_MS);
      // What was said before the answer has come before it.
      const answer = await Promise.race([this.#nc.rtt().catch(() => null), pause(ANSWER_MS)]);
      this.#isReached = answer !== null;
      if (!this.#isReached) this.#silent = 0;
      else if (this.#heard === before) this.#silent += 1;
    }
  }
}

async function pause(ms: number): Promise<null> {
  await new Promise((resolve) => setTimeout(resolve, ms).unref());
  return null;
}

const isBeat = (value: unknown): value is Beat =>
  isObject(value) &&
  ["node", "run"].every((field) => typeof value[field] === "string") &&
  typeof value["epoch"] === "number" &&
  typeof value["leaves"] === "boolean";
