import type { Host } from "../../contract/host.ts";
import { Lru } from "../../lib/lru.ts";
import type { SlackApi } from "./api.ts";
import {
  fetchChannel,
  type FetchedMessages,
  fetchThread,
  type SlackScope,
  threadsIn,
  type ThreadToRead,
} from "./gap.ts";
import type { KeptMessage } from "./kept-messages.ts";
import { isLaterTs, type SlackMessage } from "./model.ts";
import type { SlackPositions } from "./positions.ts";
import type { SlackReader } from "./reader.ts";
import type { SlackFailure, SlackResult } from "./result.ts";

/** Threads of one channel that are read for one gap, those with the newest replies. */
const THREADS_MAX = 50;
const CHANNELS_MAX = 1_000;

interface SlackHistoryReaderOptions {
  readonly api: Pick<SlackApi, "history" | "replies">;
  readonly log: Host["log"];
  readonly positions: SlackPositions;
  readonly reader: Pick<SlackReader, "note">;
}

/** What was not reached. */
interface Unread {
  /** Up to where all was looked at once this is, too. */
  readonly settled: string;
  /** Of the channel itself what is older; empty: all of it; null: nothing. */
  readonly before: string | null;
  /** These come first. */
  readonly threads: readonly ThreadToRead[];
}

/** What a channel and its threads have. */
export interface HistoryReading {
  readonly scope: SlackScope;
  readonly channel: FetchedMessages;
  /** By root. */
  readonly threads: ReadonlyMap<string, FetchedMessages & { readonly oldest: string }>;
  readonly kept: readonly KeptMessage[];
  /** The channel was asked only for what is older; empty: for all. */
  readonly before: string;
  /** Up to where all was looked at with this, or with what is left. */
  readonly settled: string;
  readonly left: Unread | null;
  /** Why it could not all be read; what was, counts. */
  readonly cut: SlackFailure | null;
}

interface ReadThreads {
  readonly threads: Map<string, FetchedMessages & { readonly oldest: string }>;
  readonly left: readonly ThreadToRead[];
  readonly cut: SlackFailure | null;
}

interface ReadTask {
  readonly isOver: () => boolean;
  readonly signal: AbortSignal;
}

/** Asks for histories. What a sweep did not reach in its time, the next one goes on with. */
export class SlackHistoryReader {
  readonly #options: SlackHistoryReaderOptions;
  readonly #unread = new Lru<string, Unread>(CHANNELS_MAX);

  constructor(options: SlackHistoryReaderOptions) {
    this.#options = options;
  }

  async read(task: ReadTask, scope: SlackScope, isSweep: boolean): Promise<SlackResult<HistoryReading>> {
    const { api, positions } = this.#options;
    const { channel: id, settled: now } = scope;
    const kept = positions.kept.of(id);
    const begun = (isSweep ? this.#unread.get(id) : undefined) ?? { settled: now, before: "", threads: [] };
    const before = begun.threads.length > 0 ? null : begun.before;
    // All of the newest page is compared, and as many more as it takes to come to where the last look was.
    const query = { channel: id, from: isSweep ? positions.lookedOf(id) : scope.from };
    const answer =
      before === null
        ? { ok: true as const, value: NOT_ASKED }
        : await fetchChannel(api, { ...query, before }, task.signal);
    const channel = answer.ok ? answer.value : answer.part;
    if (!answer.ok && (!isSweep || channel.messages.length === 0)) return answer;
    this.#note(channel.messages);
    const wanted = begun.threads.length > 0 ? begun.threads : this.#threadsOf(channel, scope, isSweep, kept);
    const { threads, left, cut }: ReadThreads = answer.ok
      ? await this.#readThreads(task, scope, wanted)
      : { threads: new Map(), left: wanted, cut: answer.failure };
    if (cut !== null && !isSweep) return { ok: false, failure: cut };
    if (cut !== null && channel.messages.length === 0 && threads.size === 0) {
      // Whatever it is that cannot be read must not keep a sweep from all the rest for ever.
      if (cut.why === "refused" && cut.retryAfterMs === null) this.#unread.delete(id);
      return { ok: false, failure: cut };
    }
    const [oldest] = channel.messages;
    const rest = before === null ? begun.before : answer.ok ? null : (oldest?.ts ?? before);
    const { settled } = begun;
    const isAll = rest === null && left.length === 0;
    const more = isAll ? null : { settled, before: rest, threads: left };
    return { ok: true, value: { scope, channel, threads, kept, before: before ?? "", settled, left: more, cut } };
  }

  /** It counts from now on. */
  told({ scope: { channel }, settled, left }: HistoryReading): void {
    if (left === null) {
      this.#unread.delete(channel);
      this.#options.positions.looked(channel, settled);
    } else this.#unread.set(channel, left);
  }

  /** With something new. */
  #threadsOf(
    { messages }: FetchedMessages,
    { channel, from }: SlackScope,
    isSweep: boolean,
    kept: readonly KeptMessage[],
  ): readonly ThreadToRead[] {
    const { positions, log } = this.#options;
    const told = isSweep ? UNTOLD : { kept, recent: positions.threads.of(channel, from) };
    const wanted = threadsIn(messages, told, from).filter(({ root }) => !isSweep || !isTold(kept, messages, root));
    if (wanted.length > THREADS_MAX) {
      const words =
        "more threads have something new than Rialto reads for one gap: what was said in the others is missing";
      log.warn({ channel, threads: wanted.length - THREADS_MAX }, words);
    }
    return wanted.slice(0, THREADS_MAX);
  }

  async #readThreads(task: ReadTask, { channel }: SlackScope, wanted: readonly ThreadToRead[]): Promise<ReadThreads> {
    const { api, positions } = this.#options;
    const threads: ReadThreads["threads"] = new Map();
    for (const [at, { root, oldest }] of wanted.entries()) {
      if (task.isOver()) break;
      const answer = await fetchThread(api, { channel, root, oldest }, task.signal);
      const thread = answer.ok ? answer.value : answer.part;
      this.#note(thread.messages);
      const last = thread.messages.at(-1)?.ts ?? "";
      if (answer.ok && last === "") positions.threads.drop(channel, root);
      if (answer.ok || isLaterTs(last, oldest)) threads.set(root, { ...thread, oldest });
      if (answer.ok) continue;
      const rest = { root, oldest: isLaterTs(last, oldest) ? last : oldest };
      return { threads, left: [rest, ...wanted.slice(at + 1)], cut: answer.failure };
    }
    return { threads, left: [], cut: null };
  }

  #note(messages: readonly SlackMessage[]): void {
    for (const message of messages) this.#options.reader.note(message);
  }
}

/** The newest reply of a thread was told. */
function isTold(kept: readonly KeptMessage[], messages: readonly SlackMessage[], root: string): boolean {
  const latest = messages.find(({ ts }) => ts === root)?.latestReply ?? "";
  return latest !== "" && kept.some(({ ts }) => ts === latest);
}

/** The threads of another look come first. */
const NOT_ASKED: FetchedMessages = { messages: [], hasAll: false, isWhole: true };

/** What became of these, a sweep does not ask. */
const UNTOLD = { kept: [], recent: new Map<string, string>() };
