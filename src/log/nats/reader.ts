import type { ConsumerMessages, JsMsg } from "@nats-io/jetstream";
import { LogError } from "../errors.ts";
import { type CommitStream, isMissing } from "./stream.ts";

/** How often the servers say that there is nothing new, in ms; where that fails twice, the consumer is gone. */
const HEARTBEAT_MS = 500;
/** Time before the stream is read anew after a failure, in ms. */
const AGAIN_MS = 500;

interface ReaderOptions {
  readonly stream: CommitStream;
  readonly from: () => number;
  readonly take: (message: JsMsg) => Promise<void> | void;
  readonly isShortened: () => Promise<boolean>;
}

/** Reads the stream in its order, from a place on, and begins anew where that is needed. */
export class StreamReader {
  readonly #stream: CommitStream;
  readonly #from: () => number;
  readonly #take: (message: JsMsg) => Promise<void> | void;
  readonly #isShortened: () => Promise<boolean>;
  #messages: ConsumerMessages | null = null;
  #closed = false;
  #restarted = false;
  /** Why it cannot go on: rejects never, resolves with the reason. */
  readonly ended: Promise<LogError | null>;

  /**
   * `from`: where to begin, asked each time; `take`: what it waits for before the next; `isShortened`: whether the
   * nodes or the age limit may have removed the beginning of the stream.
   */
  constructor({ stream, from, take, isShortened }: ReaderOptions) {
    this.#stream = stream;
    this.#from = from;
    this.#take = take;
    this.#isShortened = isShortened;
    this.ended = this.#run();
  }

  /** Begins anew at `from()`; what is on its way is dropped. */
  restart(): void {
    this.#restarted = true;
    this.#messages?.stop();
  }

  /** `ended` resolves when what is under way is done. */
  stop(): void {
    this.#closed = true;
    this.#messages?.stop();
  }

  #isClosed(): boolean {
    return this.#closed;
  }

  #isOver(): boolean {
    return this.#closed || this.#restarted;
  }

  async #run(): Promise<LogError | null> {
    while (!this.#isClosed()) {
      try {
        await this.#read();
      } catch (error) {
        if (error instanceof LogError) return error;
        if (isMissing(error)) return goneStream(`The stream ${this.#stream.name} was deleted.`);
      }
      if (this.#isClosed()) break;
      await new Promise((resolve) => setTimeout(resolve, this.#restarted ? AGAIN_MS : AGAIN_MS / 5));
    }
    return null;
  }

  async #read(): Promise<void> {
    const { js, name, subject } = this.#stream;
    this.#restarted = false;
    const from = Math.max(1, this.#from());
    await this.#check(from);
    const consumer = await js.consumers.get(name, { filter_subjects: subject, opt_start_seq: from });
    // What was asked for meanwhile has the same answer.
    if (this.#isOver()) return;
    const messages = await consumer.consume({ max_messages: 256, expires: 5000, idle_heartbeat: HEARTBEAT_MS });
    this.#messages = messages;
    void leaveSilence(messages);
    let expected = from;
    try {
      for await (const message of messages) {
        if (this.#isOver()) break;
        const { streamSequence } = message.info;
        // The client begins its consumer anew by itself, and then the servers give the first that they still have.
        if (streamSequence > expected) await this.#check(expected);
        await this.#take(message);
        expected = streamSequence + 1;
      }
    } finally {
      this.#messages = null;
      messages.stop();
      // The servers drop it by themselves after a while.
      consumer.delete().catch(() => undefined);
    }
  }

  /** Rejects with a LogError `stream` when the stream is another one, or has let go of what comes from here on. */
  async #check(from: number): Promise<void> {
    const { js, name, identity } = this.#stream;
    // As patient as when a commit is published: whoever led the stream may have gone, and nobody answers for it.
    const jsm = await js.jetstreamManager(false);
    const { created, state } = await jsm.streams.info(name);
    if (`${name} of ${created}` !== identity) throw goneStream(`The stream ${name} was deleted and made again.`);
    if (state.first_seq <= from || state.last_seq < from) return;
    // Otherwise somebody has deleted messages one by one: whether a commit was among them, the next commit says.
    if (!(await this.#isShortened())) return;
    throw new LogError(
      "stream",
      `This node is missing the commits from ${from} on, and the stream ${name} begins at ${state.first_seq}. Start it again: it begins with a snapshot. Where there is none, stop another node, copy its log.sqlite into the data folder of this one, and start both.`,
    );
  }
}

function goneStream(what: string): LogError {
  const how = 'docs/cluster.md says under "When the stream is gone" how to move it into a new stream';
  return new LogError("stream", `${what} Each machine still has the whole log in its data folder: ${how}.`);
}

/**
 * The consumer is kept by one of the servers, and goes with it. The client would ask for it again and again, and pause
 * for as long as a pull lasts: a new one is there sooner.
 */
async function leaveSilence(messages: ConsumerMessages): Promise<void> {
  for await (const { type } of messages.status()) {
    if (type === "heartbeats_missed") messages.stop();
  }
}
