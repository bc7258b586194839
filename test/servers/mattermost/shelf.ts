import { type PostRow, Refusal, type WirePost, type WirePostList } from "./wire.ts";
import type { World } from "./world.ts";

/** What cannot be had in one go by the time of its change. */
const SINCE_MAX = 1000;

/** The table of posts, as it is read: one row, a page of a channel, a thread, what has changed. */
export class Shelf {
  readonly #world: World;
  /** Ids of all rows of a channel, and of all replies of a root. */
  readonly #inChannel = new Map<string, string[]>();
  readonly #answers = new Map<string, string[]>();
  /** Its edition shows no posts of lists from that moment and before. */
  hiddenMs = 0;

  constructor(world: World) {
    this.#world = world;
  }

  standing(id: string): PostRow {
    const row = this.#world.posts.get(id);
    if (row === undefined || row.delete_at !== 0) {
      throw new Refusal(404, "app.post.get.app_error", "Unable to get the post.", `resource: Post id: ${id}`);
    }
    return row;
  }

  /** As the server shows it: with what is not in the row. */
  show(row: PostRow): WirePost {
    const replies = this.replies(row.root_id === "" ? row.id : row.root_id);
    const base: WirePost = {
      ...row,
      pending_post_id: "",
      reply_count: replies.length,
      last_reply_at: row.root_id === "" ? (replies.at(-1)?.create_at ?? 0) : 0,
      participants: null,
      metadata: {},
    };
    if ((base.file_ids?.length ?? 0) === 0) delete base.file_ids;
    if (row.delete_at !== 0) return { ...base, message: "" };
    const reactions = this.#world.reactions.get(row.id) ?? [];
    const files = (row.file_ids ?? []).flatMap((id) => this.#world.files.get(id)?.info ?? []);
    const { attachments } = row.props;
    return {
      ...base,
      ...(reactions.length > 0 && { has_reactions: true }),
      metadata: {
        ...(Array.isArray(attachments) && { embeds: [{ type: "message_attachment", url: "" }] }),
        ...(files.length > 0 && { files: files as NonNullable<WirePost["metadata"]["files"]> }),
        ...(reactions.length > 0 && { reactions }),
      },
    };
  }

  /** What was written, changed or deleted after a time, newest first, with the rows that edits leave behind. */
  since(channel: string, time: number): WirePostList {
    const changed = this.#of(channel)
      .filter(({ update_at }) => update_at > time)
      .sort((one, other) => one.update_at - other.update_at)
      .slice(0, SINCE_MAX);
    const ids = new Set(changed.map(({ id }) => id));
    const roots = changed.flatMap(({ root_id }) => {
      const root = ids.has(root_id) ? undefined : this.#world.posts.get(root_id);
      return root === undefined ? [] : [root];
    });
    return this.#list(newestFirst(changed), [...new Set(roots)]);
  }

  /** A page of what stands there, newest first. */
  page(channel: string, page: number, perPage: number, around: { before?: string; after?: string } = {}): WirePostList {
    const standing = newestFirst(this.#of(channel).filter(({ delete_at }) => delete_at === 0));
    const at = (id: string): number => this.#world.posts.get(id)?.create_at ?? 0;
    const { before, after } = around;
    let rows = standing;
    if (before !== undefined) rows = standing.filter(({ create_at }) => create_at < at(before));
    else if (after !== undefined) rows = standing.filter(({ create_at }) => create_at > at(after)).reverse();
    rows = rows.slice(page * perPage, (page + 1) * perPage);
    if (after !== undefined) rows.reverse();
    const threads = new Set(rows.map(({ id, root_id }) => (root_id === "" ? id : root_id)));
    const more = standing.filter(({ id, root_id }) => threads.has(id) || threads.has(root_id));
    const list = this.#list(rows, more);
    const newer = standing[standing.findIndex(({ id }) => id === list.order[0]) - 1];
    const older = standing[standing.findIndex(({ id }) => id === list.order.at(-1)) + 1];
    return {
      ...list,
      next_post_id: list.order.length > 0 ? (newer?.id ?? "") : "",
      prev_post_id: list.order.length > 0 ? (older?.id ?? "") : "",
    };
  }

  thread(row: PostRow): WirePostList {
    const root = row.root_id === "" ? row.id : row.root_id;
    const rows = [...this.#rows([root]), ...this.replies(root)];
    return { ...this.#list(newestFirst(rows), []), has_next: false };
  }

  replies(root: string): PostRow[] {
    return this.#rows(this.#answers.get(root)).filter(({ delete_at }) => delete_at === 0);
  }

  #of(channel: string): PostRow[] {
    return this.#rows(this.#inChannel.get(channel));
  }

  #rows(ids: readonly string[] = []): PostRow[] {
    return ids.flatMap((id) => this.#world.posts.get(id) ?? []);
  }

  put(row: PostRow): void {
    if (!this.#world.posts.has(row.id)) {
      add(this.#inChannel, row.channel_id, row.id);
      if (row.root_id !== "" && row.original_id === "") add(this.#answers, row.root_id, row.id);
    }
    this.#world.posts.set(row.id, row);
  }

  #list(ordered: readonly PostRow[], more: readonly PostRow[]): WirePostList {
    const isShown = ({ create_at: atMs }: PostRow): boolean => atMs > this.hiddenMs;
    const hidden = ordered.filter((row) => !isShown(row)).map(({ create_at: atMs }) => atMs);
    return {
      order: ordered.filter(isShown).map(({ id }) => id),
      posts: Object.fromEntries([...more, ...ordered].filter(isShown).map((row) => [row.id, this.show(row)])),
      next_post_id: "",
      prev_post_id: "",
      first_inaccessible_post_time: Math.max(0, ...hidden),
    };
  }
}

function add(index: Map<string, string[]>, key: string, id: string): void {
  const ids = index.get(key);
  if (ids === undefined) index.set(key, [id]);
  else ids.push(id);
}

/** Of those of one millisecond, those that came later are the newer ones. */
function newestFirst(rows: readonly PostRow[]): PostRow[] {
  return [...rows].reverse().sort((one, other) => other.create_at - one.create_at);
}
