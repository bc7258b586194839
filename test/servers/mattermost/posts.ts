import { isSystemEmoji } from "../site/emoji.ts";
import { isMentioned } from "./mentions.ts";
import { Shelf } from "./shelf.ts";
import { forbidden, isId, newId, type PostRow, type Reaction, Refusal, runes, type WirePost } from "./wire.ts";
import type { World } from "./world.ts";

const PENDING_MS = 30_000;
const PROPS_MAX = 800_000;
/** Of the list of ids as JSON: ten files. */
const FILE_IDS_MAX = 300;

/** What comes with a new post or with an edit; fields that are absent stay as they are. */
export interface PostDraft {
  readonly channel_id?: string;
  readonly message?: string;
  readonly root_id?: string;
  readonly props?: Readonly<Record<string, unknown>>;
  readonly file_ids?: readonly string[];
  readonly pending_post_id?: string;
  readonly type?: string;
  readonly is_pinned?: boolean;
}

/** The rows of posts and reactions: what is said, changed and taken back, by the rules of the server. */
export class Posts {
  readonly #world: World;
  readonly shelf: Shelf;
  /** By the key of whoever posted; an empty id: the post is still being made. */
  #pending = new Map<string, { post: string; until: number }>();
  /** While set, posting takes until it resolves. */
  slow: Promise<void> | null = null;
  /** Who hears of new posts besides streams: outgoing webhooks. */
  onPosted: (post: WirePost) => void = () => undefined;

  constructor(world: World) {
    this.#world = world;
    this.shelf = new Shelf(world);
  }

  /** A restart forgets these. */
  forget(): void {
    this.#pending = new Map();
  }

  /** As `POST /posts`. */
  async create(user: string, draft: PostDraft): Promise<WirePost> {
    const channel = draft.channel_id ?? "";
    this.#world.needs(user, channel, "create_post");
    if ((draft.file_ids?.length ?? 0) > 0) this.#world.needs(user, channel, "upload_file");
    if (draft.type?.startsWith("system_") === true) {
      throw new Refusal(400, "api.context.invalid_param.app_error", "Invalid or missing post.type in request body.");
    }
    if (this.#world.channel(channel).delete_at !== 0) {
      throw new Refusal(400, "api.post.create_post.can_not_post_to_deleted.error", "Can not post to deleted channel.");
    }
    const key = draft.pending_post_id ?? "";
    const first = this.#first(key);
    if (first !== undefined) return first;
    if (key !== "") this.#pending.set(key, { post: "", until: this.#world.now() + PENDING_MS });
    try {
      if (this.slow !== null) await this.slow;
      const row = this.#row(user, draft);
      this.#save(row, draft.file_ids ?? []);
      if (key !== "") this.#pending.set(key, { post: row.id, until: this.#world.now() + PENDING_MS });
      const shown = { ...this.shelf.show(row), pending_post_id: key };
      this.#announce(shown);
      return shown;
    } catch (error) {
      this.#pending.delete(key);
      throw error;
    }
  }

  /** What the server itself says: who came and went, what changed. It is never refused. */
  system(user: string, channel: string, type: string, message: string, props: Record<string, unknown>): WirePost {
    const row: PostRow = { ...this.#row(user, { channel_id: channel, message, props }), type };
    this.#save(row, []);
    const shown = this.shelf.show(row);
    this.#announce(shown);
    return shown;
  }

  /** As `PUT /posts/{id}` and its patch. */
  edit(user: string, id: string, draft: PostDraft): WirePost {
    const row = this.readable(user, id);
    this.#world.needs(user, row.channel_id, row.user_id === user ? "edit_post" : "edit_others_posts");
    const { postEditSeconds } = this.#world.config;
    if (row.user_id !== user) throw forbidden(user, "edit_others_posts");
    if (postEditSeconds !== -1 && this.#world.now() > row.create_at + postEditSeconds * 1000) {
      const words = `Post edit is only allowed for ${postEditSeconds} seconds. Please ask your System Administrator.`;
      throw new Refusal(400, "api.post.update_post.permissions_time_limit.app_error", words);
    }
    if (row.type.startsWith("system_")) {
      throw new Refusal(400, "api.post.update_post.system_message.app_error", "Unable to update system message.");
    }
    if (this.#world.channel(row.channel_id).delete_at !== 0) {
      const words = "Can not update a post in a deleted channel.";
      throw new Refusal(400, "api.post.update_post.can_not_update_post_in_deleted.error", words);
    }
    const next: PostRow = {
      ...row,
      message: draft.message ?? row.message,
      props: { ...(draft.props ?? row.props) },
      is_pinned: draft.is_pinned ?? row.is_pinned,
      file_ids: this.#editedFiles(row, draft),
    };
    this.#valid(next);
    const changed = next.message !== row.message || String(next.file_ids) !== String(row.file_ids ?? []);
    return this.#update(row, { ...next, ...(changed && { edit_at: this.#world.now() }) });
  }

  /** Servers before 10.5 pass over the files of an edit. */
  #editedFiles(row: PostRow, { file_ids: files }: PostDraft): string[] {
    const before = row.file_ids ?? [];
    if (files === undefined || !this.#world.editsFiles) return [...before];
    const now = new Set(files);
    for (const id of before) if (!now.has(id)) this.#world.files.delete(id);
    return [...now].filter((id) => before.includes(id) || this.#attach(id, row));
  }

  /** Something about a post changes that is no edit: it is pinned, a link in it has been looked up. */
  touch(id: string, change: Partial<PostRow>): WirePost {
    const row = this.shelf.standing(id);
    return this.#update(row, { ...row, ...change });
  }

  /** As `DELETE /posts/{id}`: the replies go with it, without an event of their own. */
  erase(user: string, id: string): void {
    const row = this.shelf.standing(id);
    const others = row.user_id !== user;
    if (!this.#world.isIn(row.channel_id, user)) throw forbidden(user, "delete_post");
    if (others && !this.#world.account(user).user.roles.includes("admin")) {
      throw forbidden(user, "delete_others_posts");
    }
    this.#world.needs(user, row.channel_id, others ? "delete_others_posts" : "delete_post");
    const event = { post: JSON.stringify(this.shelf.show(row)) };
    const now = this.#world.now();
    for (const each of this.shelf.replies(id)) this.shelf.put({ ...each, delete_at: now, update_at: now });
    this.shelf.put({ ...row, delete_at: now, update_at: now, props: { ...row.props, deleteBy: user } });
    this.#bump(row.root_id, now);
    this.#world.tell("post_deleted", event, { channel: row.channel_id });
  }

  /** A post that is there and that the user may read. */
  readable(user: string, id: string): PostRow {
    const row = this.shelf.standing(id);
    if (!this.#world.mayRead(user, this.#world.channel(row.channel_id))) throw forbidden(user, "read_channel_content");
    return row;
  }

  react(user: string, id: string, emoji: string): Reaction {
    const row = this.shelf.standing(id);
    this.#world.needs(user, row.channel_id, "add_reaction");
    this.#notArchived(row.channel_id);
    if (!isSystemEmoji(emoji) && !this.#world.emoji.has(emoji)) {
      throw new Refusal(404, "app.emoji.get_by_name.no_result", "We couldn't find the emoji.");
    }
    const all = this.#world.reactions.get(id) ?? [];
    const known = all.find((one) => one.user_id === user && one.emoji_name === emoji);
    const reaction: Reaction = known ?? {
      user_id: user,
      post_id: id,
      emoji_name: emoji,
      create_at: this.#world.now(),
    };
    if (known === undefined) this.#world.reactions.set(id, [...all, reaction]);
    this.#reacted("reaction_added", row, reaction);
    return reaction;
  }

  unreact(user: string, id: string, emoji: string): void {
    const row = this.shelf.standing(id);
    this.#world.needs(user, row.channel_id, "remove_reaction");
    this.#notArchived(row.channel_id);
    const all = this.#world.reactions.get(id) ?? [];
    this.#world.reactions.set(
      id,
      all.filter((one) => one.user_id !== user || one.emoji_name !== emoji),
    );
    this.#reacted("reaction_removed", row, {
      user_id: user,
      post_id: id,
      emoji_name: emoji,
      create_at: this.#world.now(),
    });
  }

  #first(key: string): WirePost | undefined {
    const pending = this.#pending.get(key);
    if (key === "" || pending === undefined || pending.until <= this.#world.now()) return undefined;
    if (pending.post === "") {
      throw new Refusal(
        500,
        "api.post.deduplicate_create_post.pending",
        "Rejected post since another client is making the same request.",
      );
    }
    const row = this.#world.posts.get(pending.post);
    if (row === undefined || row.delete_at !== 0) {
      throw new Refusal(
        500,
        "api.post.deduplicate_create_post.failed_to_get",
        "Failed to fetch original post after deduplicating a client repeating the same request.",
      );
    }
    return this.shelf.show(row);
  }

  #row(user: string, draft: PostDraft): PostRow {
    const now = this.#world.now();
    const { is_bot } = this.#world.account(user).user;
    const row: PostRow = {
      id: newId(),
      create_at: now,
      update_at: now,
      edit_at: 0,
      delete_at: 0,
      is_pinned: draft.is_pinned ?? false,
      user_id: user,
      channel_id: draft.channel_id ?? "",
      root_id: draft.root_id ?? "",
      original_id: "",
      message: draft.message ?? "",
      type: draft.type ?? "",
      props: { ...draft.props, ...(is_bot && { from_bot: "true" }) },
      hashtags: "",
      file_ids: [...(draft.file_ids ?? [])],
    };
    const root = this.#world.posts.get(row.root_id);
    const bad = new Refusal(400, "api.post.create_post.root_id.app_error", "Invalid RootId parameter.");
    if (row.root_id !== "" && (root === undefined || root.delete_at !== 0)) throw bad;
    if (root !== undefined && root.channel_id !== row.channel_id) {
      const words = "Invalid ChannelId for RootId parameter.";
      throw new Refusal(400, "api.post.create_post.channel_root_id.app_error", words);
    }
    if (root !== undefined && root.root_id !== "") throw bad;
    this.#valid(row);
    return row;
  }

  #valid(row: PostRow): void {
    const { maxPostSize } = this.#world.config;
    if (runes(row.message) > maxPostSize) {
      const words = `Post Message property is longer than the maximum permitted length of ${maxPostSize} characters.`;
      throw new Refusal(400, "model.post.is_valid.message_length.app_error", words, `id=${row.id}`);
    }
    if (runes(JSON.stringify(row.file_ids)) > FILE_IDS_MAX) {
      throw new Refusal(400, "model.post.is_valid.file_ids.app_error", "Invalid file ids.", `id=${row.id}`);
    }
    if (runes(JSON.stringify(row.props)) > PROPS_MAX) {
      throw new Refusal(400, "model.post.is_valid.props.app_error", "Invalid props.", `id=${row.id}`);
    }
    if (row.root_id !== "" && !isId(row.root_id)) {
      throw new Refusal(400, "model.post.is_valid.root_id.app_error", "Invalid root id.");
    }
  }

  #save(row: PostRow, files: readonly string[]): void {
    row.file_ids = files.filter((id) => this.#attach(id, row));
    this.shelf.put(row);
    this.#bump(row.root_id, row.create_at);
    const channel = this.#world.channels.get(row.channel_id);
    if (channel === undefined) return;
    channel.last_post_at = row.create_at;
    channel.total_msg_count += 1;
  }

  /** A file belongs to one post, by whom it was sent. Others are left out silently. */
  #attach(id: string, row: PostRow): boolean {
    const file = this.#world.files.get(id);
    if (file === undefined || file.info.post_id !== "" || file.info.user_id !== row.user_id) return false;
    file.info.post_id = row.id;
    return true;
  }

  #announce(post: WirePost): void {
    const channel = this.#world.channel(post.channel_id);
    const { user } = this.#world.account(post.user_id);
    const mentioned = [...(this.#world.members.get(channel.id) ?? [])].filter(
      (id) => id !== post.user_id && isMentioned(post.message, this.#world.account(id).user.username),
    );
    const data = {
      channel_display_name: channel.display_name,
      channel_name: channel.name,
      channel_type: channel.type,
      post: JSON.stringify(post),
      sender_name: `@${user.username}`,
      set_online: true,
      team_id: channel.team_id,
      ...((post.file_ids?.length ?? 0) > 0 && { otherFile: "true" }),
    };
    const only = Object.fromEntries(mentioned.map((id) => [id, { mentions: JSON.stringify([id]) }]));
    this.#world.typists.get(channel.id)?.delete(post.user_id);
    this.#world.tell("posted", data, { channel: channel.id, only });
    this.#world.tell("multiple_channels_viewed", { channel_times: {} }, { user: post.user_id });
    this.onPosted(post);
  }

  #update(row: PostRow, next: PostRow): WirePost {
    const now = this.#world.now();
    const before = { ...row, id: newId(), original_id: row.id, delete_at: now, update_at: now };
    const after = { ...next, update_at: now };
    this.shelf.put(after);
    this.shelf.put(before);
    this.#bump(row.root_id, now);
    const shown = this.shelf.show(after);
    this.#world.tell("post_edited", { post: JSON.stringify(shown) }, { channel: row.channel_id });
    return shown;
  }

  /** What happens in a thread changes the time of its root. */
  #bump(root: string, now: number): void {
    const row = this.#world.posts.get(root);
    if (row !== undefined && row.update_at < now) this.shelf.put({ ...row, update_at: now });
  }

  #reacted(event: string, row: PostRow, reaction: Reaction): void {
    const all = this.#world.reactions.get(row.id) ?? [];
    const next = { ...row, has_reactions: all.length > 0, update_at: this.#world.now() };
    this.shelf.put(next);
    this.#world.tell(event, { reaction: JSON.stringify(reaction) }, { channel: row.channel_id });
  }

  #notArchived(channel: string): void {
    if (this.#world.channel(channel).delete_at === 0) return;
    const words = "You cannot react in an archived channel.";
    throw new Refusal(403, "api.reaction.save.archived_channel.app_error", words);
  }
}
