import type { HistoryPage, SlackApi } from "./api.ts";
import { type KeptMessage, reactionMark } from "./kept-messages.ts";
import { isLaterTs, microsOf, type SlackMessage } from "./model.ts";
import { saidDigestOf } from "./receive.ts";
import type { SlackFailure, SlackResult } from "./result.ts";

/** As many as Slack likes to give at once. */
const PAGE_MAX = 200;
/** More messages of one channel are not fetched for one gap, nor of one thread. */
const GAP_MAX = 10_000;
const THREAD_MAX = 2_000;
/** Smaller pages are given to apps that had better ask for little. */
const SMALL_PAGE = 100;

/** Up to where a channel was read. */
export interface SlackScope {
  readonly channel: string;
  /** What came by then was told, also what came late. */
  readonly from: string;
  /** What was said by then, before we came, is none of ours. */
  readonly floor: string;
  /** From then on it is too early to say that an event is missing; empty: everything counts. */
  readonly until: string;
  /** What was said later may not be there yet; empty: all is there. */
  readonly settled: string;
}

/** What a channel or a thread has, oldest first. */
export interface FetchedMessages {
  readonly messages: readonly SlackMessage[];
  /** It has nothing that is older. */
  readonly hasAll: boolean;
  /** It reaches back as far as was asked. */
  readonly isWhole: boolean;
}

/** `part`: what came before the failure; of a channel the newest, of a thread the root and the oldest. */
type FetchResult =
  | { readonly ok: true; readonly value: FetchedMessages }
  | { readonly ok: false; readonly failure: SlackFailure; readonly part: FetchedMessages };

/**
 * The newest messages of a channel, as far back as is asked, and a page more, in which the changes are looked for.
 * `before`: only those that are older; empty: all.
 */
export async function fetchChannel(
  api: Pick<SlackApi, "history">,
  { channel, from, before }: Pick<SlackScope, "channel" | "from"> & { readonly before: string },
  signal: AbortSignal,
): Promise<FetchResult> {
  const found = new Map<string, SlackMessage>();
  let cursor = "";
  let pages = 0;
  let hasReached = false;
  for (;;) {
    const answer: SlackResult<HistoryPage> = await api.history(
      { channel, oldest: "", latest: before, cursor, count: PAGE_MAX },
      signal,
    );
    if (!answer.ok) return { ...answer, part: fetched(found, false, true).value };
    const { messages, next, limited } = answer.value;
    for (const message of messages) found.set(message.ts, { ...message, channel });
    pages += 1;
    if (next === "" || next === cursor) return fetched(found, !limited && next === "", true);
    const isBack = messages.some(({ ts }) => !isLaterTs(ts, from));
    // The page in which it was reached may end soon behind that.
    if (isBack && (pages === 1 || hasReached || messages.length < SMALL_PAGE)) return fetched(found, false, true);
    hasReached ||= isBack;
    if (found.size >= GAP_MAX || pages >= GAP_MAX) return fetched(found, false, hasReached);
    cursor = next;
  }
}

/** The root of a thread, and its replies since then. None: it is there no longer. */
export async function fetchThread(
  api: Pick<SlackApi, "replies">,
  { channel, root, oldest }: { readonly channel: string; readonly root: string; readonly oldest: string },
  signal: AbortSignal,
): Promise<FetchResult> {
  const found = new Map<string, SlackMessage>();
  let cursor = "";
  for (;;) {
    const query = { channel, root, oldest, latest: "", cursor, count: PAGE_MAX };
    const answer: SlackResult<HistoryPage> = await api.replies(query, signal);
    if (!answer.ok && GONE.has(answer.failure.error)) return fetched(found, true, true);
    if (!answer.ok) return { ...answer, part: fetched(found, false, false).value };
    const { messages, next } = answer.value;
    for (const message of messages) found.set(message.ts, { ...message, channel });
    const isOver = next === "" || next === cursor;
    if (isOver || found.size >= THREAD_MAX || messages.length === 0) return fetched(found, isOver, isOver);
    cursor = next;
  }
}

const GONE: ReadonlySet<string> = new Set(["thread_not_found", "message_not_found"]);

const byAge = (one: SlackMessage, other: SlackMessage): number => (isLaterTs(one.ts, other.ts) ? 1 : -1);

function fetched(
  found: ReadonlyMap<string, SlackMessage>,
  hasAll: boolean,
  isWhole: boolean,
): FetchResult & { readonly ok: true } {
  return { ok: true, value: { messages: [...found.values()].toSorted(byAge), hasAll, isWhole } };
}

/** A thread of which something may be new, and from where on it is to be read. */
export interface ThreadToRead {
  readonly root: string;
  readonly oldest: string;
}

/** What was told of a channel. */
interface ToldOf {
  readonly kept: readonly KeptMessage[];
  /** Roots, each with the newest reply. */
  readonly recent: ReadonlyMap<string, string>;
}

/**
 * The threads with replies that may be new, those with the newest first. `kept`: also those of which a reply was told,
 * as it may have changed. `recent`: also those whose root is not there to say that it has new ones.
 */
export function threadsIn(
  messages: readonly SlackMessage[],
  { kept, recent }: ToldOf,
  from: string,
): readonly ThreadToRead[] {
  const newest = new Map<string, string>();
  const note = (root: string, ts: string): void => {
    if (isLaterTs(ts, newest.get(root) ?? "")) newest.set(root, ts);
  };
  for (const { ts, latestReply, threadTs } of messages) {
    if (latestReply !== "" && isLaterTs(latestReply, from)) note(ts, latestReply);
    // Shown in the channel as well, as others of the thread may not be.
    if (threadTs !== "" && threadTs !== ts && isLaterTs(ts, from)) note(threadTs, ts);
  }
  const roots = new Set(messages.map(({ ts }) => ts));
  for (const [root, ts] of recent) if (!roots.has(root)) note(root, ts);
  const oldest = new Map<string, string>();
  for (const { ts, root } of kept) {
    if (root === "") continue;
    note(root, ts);
    if (!oldest.has(root) || isLaterTs(oldest.get(root) ?? "", ts)) oldest.set(root, ts);
  }
  return [...newest]
    .toSorted(([, one], [, other]) => (isLaterTs(one, other) ? -1 : 1))
    .map(([root]) => {
      const first = oldest.get(root) ?? from;
      return { root, oldest: before(isLaterTs(from, first) ? first : from) };
    });
}

/** Bounds are not in what they bound. */
function before(ts: string): string {
  const at = microsOf(ts);
  const earlier = at > 0n ? at - 1n : at;
  return `${earlier / 1_000_000n}.${String(earlier % 1_000_000n).padStart(6, "0")}`;
}

export interface SlackChanges {
  /** What may be new, oldest first. */
  readonly messages: readonly SlackMessage[];
  readonly changes: readonly SlackChange[];
  /** Was told, is not there, and may only not be there yet. */
  readonly doubtful: readonly KeptMessage[];
}

export type SlackChange =
  /** Of `messages` too: an edit counts where the message was told before. */
  | { readonly is: "edited"; readonly message: SlackMessage }
  | { readonly is: "gone"; readonly ts: string }
  | { readonly is: "reacted"; readonly ts: string; readonly user: string; readonly name: string; readonly on: boolean };

interface FoundIn {
  readonly channel: FetchedMessages;
  /** By root. */
  readonly threads: ReadonlyMap<string, FetchedMessages & { readonly oldest: string }>;
  /** What was told last of the channel, before it was asked. */
  readonly kept: readonly KeptMessage[];
  /** The channel was asked only for what is older; empty: for all. */
  readonly before: string;
}

/** Reads out of what is there now what has happened. `wasToldEdited`: a message was told as it is after that edit. */
export function changesIn(
  { channel, threads, kept, before: latest }: FoundIn,
  { from, floor, until, settled }: SlackScope,
  wasToldEdited: (ts: string, editedTs: string) => boolean,
): SlackChanges {
  const all = new Map<string, SlackMessage>();
  for (const { messages } of [channel, ...threads.values()]) for (const one of messages) all.set(one.ts, one);
  const known = new Map(kept.map((one) => [one.ts, one]));
  const isDue = (ts: string): boolean => until === "" || !isLaterTs(ts, until);
  const isSettled = (ts: string): boolean => settled === "" || !isLaterTs(ts, settled);
  const rows = [...all.values()].toSorted(byAge);
  const messages = rows.filter(({ ts }) => isLaterTs(ts, from) && isLaterTs(ts, floor) && isDue(ts) && !known.has(ts));
  const changes: SlackChange[] = [];
  for (const message of rows) {
    const { ts, editedTs, subtype } = message;
    const before = known.get(ts) ?? null;
    if (subtype === "tombstone") {
      if (before !== null) changes.push({ is: "gone", ts });
      continue;
    }
    const isEdited = before === null ? isLaterTs(editedTs, from) : isLaterTs(editedTs, before.editedTs);
    const isNews = isEdited && isDue(editedTs) && !wasToldEdited(ts, editedTs);
    if (editedTs !== "" && (isNews || (isSettled(editedTs) && isEditedAgain(message, before)))) {
      changes.push({ is: "edited", message });
    }
    if (before !== null) changes.push(...reactionsIn(message, before));
  }
  const isAsked = ({ ts, root }: KeptMessage): boolean => root !== "" || latest === "" || isLaterTs(latest, ts);
  const missing = kept.filter((one) => !all.has(one.ts) && isAsked(one) && isReached(one, channel, threads));
  const gone = missing.filter(({ ts }) => isSettled(ts)).map(({ ts }) => ({ is: "gone" as const, ts }));
  return { messages, changes: [...changes, ...gone], doubtful: missing.filter(({ ts }) => !isSettled(ts)) };
}

/** Within the same second as the edit that it was told with. */
const isEditedAgain = (message: SlackMessage, told: KeptMessage | null): boolean =>
  told !== null && told.editedTs === message.editedTs && told.digest !== "" && told.digest !== saidDigestOf(message);

/** Whether what is not there is gone. Where nothing is there at all, we may only not be allowed to see it. */
function isReached({ ts, root }: KeptMessage, channel: FetchedMessages, threads: FoundIn["threads"]): boolean {
  if (root !== "") {
    const thread = threads.get(root);
    return thread !== undefined && thread.isWhole && isLaterTs(ts, thread.oldest);
  }
  const [oldest] = channel.messages;
  return oldest !== undefined && (channel.hasAll || isLaterTs(ts, oldest.ts));
}

/** What is other than it was told. Of long lists, only some people are named: who is not may still be there. */
export function reactionsIn(
  message: SlackMessage,
  { reactions }: Pick<KeptMessage, "reactions">,
): readonly SlackChange[] {
  if (reactions === null) return [];
  const { ts } = message;
  const changes: SlackChange[] = [];
  const there = new Set<string>();
  const partial = new Set<string>();
  for (const { name, users, count } of message.reactions) {
    if (users.length < count) partial.add(name);
    for (const user of users) {
      there.add(reactionMark(name, user));
      if (!reactions.has(reactionMark(name, user))) changes.push({ is: "reacted", ts, user, name, on: true });
    }
  }
  for (const mark of reactions) {
    const [name = "", user = ""] = mark.split(" ");
    if (!there.has(mark) && !partial.has(name)) changes.push({ is: "reacted", ts, user, name, on: false });
  }
  return changes;
}
