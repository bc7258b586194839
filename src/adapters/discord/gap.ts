import type { DiscordApi, DiscordPage } from "./api.ts";
import { type DiscordMessage, isLaterId } from "./model.ts";
import type { DiscordFailure, DiscordResult } from "./rest-result.ts";

/** The network gives no more in one answer. */
const PAGE_MAX = 100;
/** More messages of one channel are not fetched for one gap. */
const GAP_MAX = 10_000;

type GapApi = Pick<DiscordApi, "page">;

/** Channel or thread, and after which message of it. */
interface GapScope {
  readonly channel: string;
  /** Empty: from its beginning. */
  readonly after: string;
  /** Up to where all was told: what is read once more before it does not count as missed. */
  readonly since: string;
}

/** What is missing of one channel or thread, oldest first, one page at a time. */
export class GapSource {
  readonly #api: GapApi;
  readonly #scope: GapScope;
  #page: readonly DiscordMessage[] = [];
  #from: string;
  #count = 0;
  #state: "new" | "paging" | "read" = "new";

  constructor(api: GapApi, scope: GapScope) {
    this.#api = api;
    this.#scope = scope;
    this.#from = scope.after;
  }

  get channel(): string {
    return this.#scope.channel;
  }

  /** The newest messages when this was begun, oldest first: edits and deletions in the gap are found by these. */
  recent: readonly DiscordMessage[] = [];

  /** Whether these are all that the channel has. */
  hasAll = false;

  /** Whether all that there is was given. */
  isWhole = true;

  /** The next message; null: there is none, or `load` has to be called first. */
  get next(): DiscordMessage | null {
    return this.#page[0] ?? null;
  }

  shift(): void {
    this.#page = this.#page.slice(1);
  }

  get isRead(): boolean {
    return this.#state === "read" && this.#page.length === 0;
  }

  /** Fetches what comes next. Null: it is there, or there is no more. */
  async load(signal: AbortSignal): Promise<DiscordFailure | null> {
    if (this.#page.length > 0 || this.#state === "read") return null;
    return this.#state === "new" ? await this.#begin(signal) : await this.#more(signal);
  }

  /** Mostly the newest page has all of it, and older ones whose edits are looked for. */
  async #begin(signal: AbortSignal): Promise<DiscordFailure | null> {
    const answer = await this.#ask({ limit: PAGE_MAX }, signal);
    if (!answer.ok) return answer.failure;
    this.recent = answer.value.messages;
    this.hasAll = !answer.value.isFull;
    const [oldest] = this.recent;
    const isAll = this.hasAll || (oldest !== undefined && !isLaterId(oldest.id, this.#from));
    this.#state = isAll ? "read" : "paging";
    if (!isAll) return await this.#more(signal);
    this.#page = this.recent.filter(({ id }) => isLaterId(id, this.#from));
    return null;
  }

  async #more(signal: AbortSignal): Promise<DiscordFailure | null> {
    const answer = await this.#ask({ after: this.#from === "" ? "0" : this.#from, limit: PAGE_MAX }, signal);
    if (!answer.ok) return answer.failure;
    const { messages, isFull } = answer.value;
    const page = messages.filter(({ id }) => isLaterId(id, this.#from));
    this.#page = page;
    this.#count += page.filter(({ id }) => isLaterId(id, this.#scope.since)).length;
    const newest = page.at(-1);
    if (newest !== undefined) this.#from = newest.id;
    // A full page of which nothing can be read does not say where the next one begins.
    this.isWhole = this.#count < GAP_MAX && (newest !== undefined || !isFull);
    if (!isFull || !this.isWhole) this.#state = "read";
    return null;
  }

  /** Oldest first. */
  async #ask(
    query: { readonly after?: string; readonly limit: number },
    signal: AbortSignal,
  ): Promise<DiscordResult<DiscordPage>> {
    return await this.#api.page(this.#scope.channel, query, signal);
  }
}

/** The source whose message is the oldest; null: there is none. All must be loaded. */
export function oldestOf(sources: Iterable<GapSource>): GapSource | null {
  let found: GapSource | null = null;
  for (const source of sources) {
    if (source.next === null) continue;
    if (found === null || isLaterId(found.next?.id ?? "", source.next.id)) found = source;
  }
  return found;
}

/** The threads that begin with a message, or that it tells of. */
export function threadsIn({ type, thread, reference }: DiscordMessage): readonly string[] {
  const told = type === THREAD_CREATED ? (reference?.channel ?? "") : "";
  return [thread, told].filter((id) => id !== "");
}

const THREAD_CREATED = 18;

/** Messages that were changed since then, of those that were there before: by the network's own word. */
export function editsIn(recent: readonly DiscordMessage[], sinceMs: number): readonly DiscordMessage[] {
  return recent
    .filter(({ editedMs }) => editedMs !== null && editedMs > sinceMs)
    .toSorted((one, other) => (one.editedMs ?? 0) - (other.editedMs ?? 0));
}

/**
 * Of those that were told, what is no more. `hasAll`: the channel has no more than these messages. Else only what they
 * reach back to can be missed; and where there are none at all, we may only not be allowed to read them.
 */
export function deletionsIn(
  recent: readonly DiscordMessage[],
  told: readonly string[],
  hasAll: boolean,
): readonly string[] {
  const [oldest] = recent;
  if (oldest === undefined) return [];
  const there = new Set(recent.map(({ id }) => id));
  return told.filter((id) => !there.has(id) && (hasAll || isLaterId(id, oldest.id)));
}
