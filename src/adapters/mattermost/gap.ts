import { MARGIN_MS } from "../kit/channel-positions.ts";
import type { MattermostApi, MattermostResult } from "./api.ts";
import { PAGE_MAX } from "./api.ts";
import type { MattermostPost, MattermostReaction } from "./model.ts";

/** Servers give no more of what has changed in one answer, and then not all of it. */
const CHANGED_MAX = 1000;
/** More posts of one channel are not fetched for one gap. */
const GAP_MAX = 10_000;

/** Up to where a channel was read, by the server's time. */
export interface GapScope {
  readonly channel: string;
  readonly sinceMs: number;
  /** What was posted by then is none of ours. */
  readonly floorMs: number;
}

/** What is found to have happened: the posts that may be new, and what was done to posts. */
export interface FoundChanges {
  /** Oldest first. */
  readonly posts: readonly MattermostPost[];
  /** In their order. Of `posts` too: an edit counts where the post was told before. */
  readonly changes: readonly FoundChange[];
}

export type FoundChange =
  | { readonly is: "edited" | "deleted"; readonly post: MattermostPost; readonly atMs: number }
  | { readonly is: "reacted"; readonly reaction: MattermostReaction; readonly atMs: number };

/** All rows that changed since then; `whole`: as far as can be known, none is missing. */
export interface ChangedPosts {
  readonly posts: readonly MattermostPost[];
  readonly whole: boolean;
}

/** Asks for all that has changed: by the time of the change, and where that is too much, also page by page. */
export async function fetchChanged(
  api: Pick<MattermostApi, "posts">,
  { channel, sinceMs }: GapScope,
  signal: AbortSignal,
): Promise<MattermostResult<ChangedPosts>> {
  const fromMs = Math.max(0, sinceMs - MARGIN_MS);
  const rows = new Map<string, MattermostPost>();
  let askMs = fromMs;
  let isWhole = true;
  for (;;) {
    const answer = await api.posts(channel, { sinceMs: askMs }, signal);
    if (!answer.ok) return answer;
    const changed = answer.value.filter(({ updateAt }) => updateAt > askMs);
    for (const post of changed) rows.set(post.id, post);
    if (changed.length < CHANGED_MAX) break;
    isWhole = false;
    const lastMs = Math.max(...changed.map(({ updateAt }) => updateAt));
    // Those with the same time may not all have been among them.
    const nextMs = lastMs - 1 > askMs ? lastMs - 1 : lastMs;
    if (rows.size >= GAP_MAX || nextMs <= askMs) break;
    askMs = nextMs;
  }
  if (isWhole) return { ok: true, value: { posts: [...rows.values()], whole: true } };
  const paged = await fetchPages(api, { channel, fromMs, rows }, signal);
  return paged.ok ? { ok: true, value: { posts: [...rows.values()], whole: rows.size < GAP_MAX } } : paged;
}

/** The posts that stand there now, page by page, back to the moment. */
async function fetchPages(
  api: Pick<MattermostApi, "posts">,
  gap: { readonly channel: string; readonly fromMs: number; readonly rows: Map<string, MattermostPost> },
  signal: AbortSignal,
): Promise<MattermostResult<null>> {
  const { channel, fromMs, rows } = gap;
  let before: string | null = null;
  for (let count = 0; count < GAP_MAX; count += PAGE_MAX) {
    const answer: MattermostResult<readonly MattermostPost[]> = await api.posts(
      channel,
      { before, count: PAGE_MAX },
      signal,
    );
    if (!answer.ok) return answer;
    const page = answer.value.filter(({ createAt }) => createAt > fromMs);
    for (const post of page) if (!rows.has(post.id)) rows.set(post.id, post);
    const [oldest] = page;
    if (oldest === undefined || page.length < PAGE_MAX || oldest.id === before) break;
    before = oldest.id;
  }
  return { ok: true, value: null };
}

/** Reads out of the rows what happened since. `wasTold`: a post was told as it is after that edit. */
export function changesIn(
  rows: readonly MattermostPost[],
  { sinceMs, floorMs }: GapScope,
  wasTold: (post: string, editAt: number) => boolean,
): FoundChanges {
  const fromMs = sinceMs - MARGIN_MS;
  const changes: FoundChange[] = [];
  // A copy from before an edit says nothing new.
  const own = rows.filter(({ originalId }) => originalId === "");
  for (const post of own) {
    const { deleteAt, editAt } = post;
    if (deleteAt > fromMs) changes.push({ is: "deleted", post, atMs: deleteAt });
    if (deleteAt > 0) continue;
    if (editAt > fromMs && !wasTold(post.id, editAt)) changes.push({ is: "edited", post, atMs: editAt });
    for (const reaction of post.reactions ?? []) {
      if (reaction.atMs > fromMs) changes.push({ is: "reacted", reaction, atMs: reaction.atMs });
    }
  }
  const isNew = ({ deleteAt, createAt }: MattermostPost): boolean =>
    deleteAt === 0 && createAt > fromMs && createAt > floorMs;
  return {
    posts: own.filter(isNew).toSorted((a, b) => a.createAt - b.createAt),
    changes: changes.toSorted((a, b) => a.atMs - b.atMs),
  };
}
