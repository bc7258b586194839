import type { Clock } from "../../contract/host.ts";
import type { MessageRef } from "../../contract/ids.ts";
import { Lru } from "../../lib/lru.ts";
import { Directory } from "../kit/directory.ts";
import { inTime } from "../kit/in-time.ts";
import type { DiscordApi } from "./api.ts";
import { messageRef } from "./ids.ts";
import type { DiscordMessage } from "./model.ts";

/** So many threads are known by their first message. */
const THREADS_MAX = 2_000;
/** What cannot be looked up is not asked for again for so long. */
const ABSENT_MS = 60_000;
/** After a look-up that failed. */
const FAILED_MS = 20_000;
/** A thread's messages must not wait longer for it. */
const ASK_MS = 8_000;

/** `MessageType`: a thread begins with it that was begun from a message of its channel. */
const THREAD_STARTER = 21;

interface ThreadFirstsOptions {
  readonly api: Pick<DiscordApi, "message" | "messages">;
  readonly clock: Pick<Clock, "monoMs" | "after">;
  readonly parentOf: (thread: string) => string | null;
}

/**
 * The first message of each thread: the one of the channel that it was begun from, which has the thread's id, or else
 * the oldest one in it.
 */
export class ThreadFirsts {
  readonly #options: ThreadFirstsOptions;
  readonly #firsts: Directory<string, MessageRef>;
  /** Threads that have just begun: what comes next in them tells. */
  readonly #fresh = new Lru<string, true>(THREADS_MAX);

  constructor(options: ThreadFirstsOptions) {
    this.#options = options;
    this.#firsts = new Directory({
      clock: options.clock,
      max: THREADS_MAX,
      absentMs: ABSENT_MS,
      failedMs: FAILED_MS,
      load: async (thread) => await this.#find(thread),
    });
  }

  /** A thread has just begun. */
  begun(thread: string): void {
    this.#fresh.set(thread, true);
  }

  /** What a message tells of the thread that it begins, or that it is in. */
  note(message: Pick<DiscordMessage, "id" | "type" | "thread">, thread: string | null): void {
    if (thread === null) {
      if (message.thread !== "") this.#put(message.thread, messageRef({ thread: null, id: message.thread }));
      return;
    }
    if (message.type === THREAD_STARTER) this.#put(thread, messageRef({ thread: null, id: thread }));
    else if (message.id === thread || this.#fresh.get(thread) === true)
      this.#put(thread, messageRef({ thread, id: message.id }));
  }

  /** Null: nobody can say it now; undefined: it has to be looked up. */
  known(thread: string): MessageRef | null | undefined {
    return this.#firsts.known(thread);
  }

  /** Looks it up. Never rejects. */
  async find(thread: string): Promise<MessageRef | null> {
    return await this.#firsts.get(thread);
  }

  #put(thread: string, first: MessageRef): void {
    this.#fresh.delete(thread);
    this.#firsts.put(thread, first);
  }

  async #find(thread: string): Promise<MessageRef | null> {
    const { clock } = this.#options;
    const giveUp = new AbortController();
    const found = await inTime(this.#ask(thread, giveUp.signal), { clock, ms: ASK_MS }, () => null);
    giveUp.abort();
    return found;
  }

  async #ask(thread: string, signal: AbortSignal): Promise<MessageRef | null> {
    const { api, parentOf } = this.#options;
    const parent = parentOf(thread);
    const begun = parent === null ? null : await api.message(parent, thread, signal);
    if (begun?.ok === true) return messageRef({ thread: null, id: thread });
    if (begun?.ok === false && begun.failure.status !== 404) return null;
    const oldest = await api.messages(thread, { after: "0", limit: 1 }, signal);
    const [first] = oldest.ok ? oldest.value : [];
    if (first === undefined) return null;
    return messageRef(first.type === THREAD_STARTER ? { thread: null, id: thread } : { thread, id: first.id });
  }
}
