import { hash } from "node:crypto";
import type { Event } from "../../contract/events.ts";
import type { Host } from "../../contract/host.ts";
import type { ChannelRef } from "../../contract/ids.ts";
import { emojiNamed } from "../../content/emoji-names.ts";
import { Lru } from "../../lib/lru.ts";
import { textIn } from "../kit/json.ts";
import type { RestFailure } from "../kit/rest.ts";
import type { MattermostApi } from "./api.ts";
import { channelRef } from "./ids.ts";
import {
  type MattermostFile,
  type MattermostPost,
  type MattermostReaction,
  postIn,
  reactionIn,
  recordIn,
} from "./model.ts";
import type { OwnPosts } from "./own-posts.ts";
import type { MattermostPeople } from "./people.ts";
import {
  contentOf,
  deleted,
  edited,
  isSystem,
  type MattermostReceiveContext,
  peopleOf,
  reacted,
  toEvent,
} from "./receive.ts";
import type { ThreadRoots } from "./roots.ts";
import type { MattermostEvent } from "./stream.ts";

/** So many posts are known by what they say, so that what changes nothing of it is no edit. */
const CONTENTS_MAX = 5_000;
/** A change that is as near to the edit of the post is that edit. */
const EDIT_NEAR_MS = 2_000;
const EMOJI_MAX = 64;
const GONE_MAX = 2_000;

const never = new AbortController().signal;

/** What a post was told with. */
interface Told {
  readonly digest: string;
  readonly editAt: number;
}

interface ReaderOptions {
  readonly api: MattermostApi;
  readonly host: Pick<Host, "clock">;
  readonly people: MattermostPeople;
  readonly own: OwnPosts;
  readonly roots: ThreadRoots;
  /** Our own id. */
  readonly me: string;
}

/** A channel's event of the stream, of which something may have to be looked up first. */
export interface OpenedEvent {
  /** Asks the server for what is not known yet, in bounded time; null: all is known. Never rejects. */
  readonly ask: (() => Promise<void>) | null;
  /** What it says, by what is known then. */
  readonly read: () => ReadEvent;
}

/** What a channel's event of the stream says. `thread`: its replies may have gone with it, which nobody tells. */
export interface ReadEvent {
  readonly events: readonly Event[];
  /** When it happened, by the server; 0: it does not say. */
  readonly atMs: number;
  readonly thread: boolean;
}

const NOTHING_READ: ReadEvent = { events: [], atMs: 0, thread: false };
const NOTHING_TO_READ: OpenedEvent = { ask: null, read: () => NOTHING_READ };

/** Reads events of channels, with what has to be known first, and remembers what later ones speak of. */
export class ChannelReader {
  readonly context: MattermostReceiveContext;
  readonly #options: ReaderOptions;
  readonly #contents = new Lru<string, Told>(CONTENTS_MAX);
  /** Posts that are no more: their history was read before what led to it. */
  readonly #gone = new Lru<string, true>(GONE_MAX);

  constructor(options: ReaderOptions) {
    const { people, own, me } = options;
    this.#options = options;
    this.context = {
      me,
      author: (user, fallback) => people.author(user, fallback),
      isBot: (user) => people.known(user)?.isBot === true,
      opOf: (post) => own.note(post)?.op ?? null,
      emoji: (name) => emojiNamed(name) ?? `:${name.slice(0, EMOJI_MAX)}:`,
    };
  }

  /** Null: it is none of a channel's events. */
  channelOf({ event, data, channel }: MattermostEvent): string | null {
    return READ.has(event) ? channel || (postIn(recordIn(data, "post"))?.channelId ?? null) : null;
  }

  open({ event, data, channel }: MattermostEvent): OpenedEvent {
    if (event === "reaction_added" || event === "reaction_removed") {
      const reaction = reactionIn(recordIn(data, "reaction"));
      if (reaction === null) return NOTHING_TO_READ;
      const read = (): ReadEvent => this.#reaction(reaction, channelRef(channel), event === "reaction_added");
      return { ask: this.#asking([reaction.userId]), read };
    }
    const post = postIn(recordIn(data, "post"));
    // Only its writer sees it.
    if (post === null || post.type === "system_ephemeral") return NOTHING_TO_READ;
    this.#options.roots.note(post);
    if (event === "post_deleted") return { ask: this.#asking(peopleOf(post)), read: () => this.#deleted(post) };
    let files: readonly MattermostFile[] = post.files;
    const ask = this.#asking(
      peopleOf(post),
      this.#filesOf(post, (found) => (files = [...files, ...found])),
    );
    const sender = textIn(data, "sender_name");
    const read = (): ReadEvent =>
      event === "posted" ? this.#posted({ ...post, files }, sender) : this.#edited({ ...post, files });
    return { ask, read };
  }

  /** Rows of the history: what they speak of is known from now on; otherwise why not. */
  async learn(posts: readonly MattermostPost[]): Promise<RestFailure | null> {
    const { people, roots, own, me } = this.#options;
    for (const post of posts) {
      if (post.originalId !== "") continue;
      roots.note(post);
      if (post.userId === me) own.note(post);
      // Also of an earlier life: its replies went with it, and their rows name nobody.
      if (post.deleteAt > 0 && textIn(post.props, "deleteBy") === me) own.deleting(post.id);
    }
    return await people.learn(posts.flatMap(peopleOf));
  }

  /** It was told as it is now. */
  told(post: MattermostPost): void {
    if (post.deleteAt === 0) this.#contents.set(post.id, { digest: digestOf(post), editAt: post.editAt });
    else this.#gone.set(post.id, true);
  }

  /** Whether we have taken it back ourselves, or the root that it went with. */
  isOursToDelete({ id, rootId }: MattermostPost): boolean {
    const { own } = this.#options;
    return own.isDeleting(id) || own.isDeleting(rootId);
  }

  /** Null when nothing has to be asked. */
  #asking(ids: readonly string[], more: (() => Promise<void>) | null = null): OpenedEvent["ask"] {
    const { people } = this.#options;
    const unknown = [...new Set(ids)].filter((id) => people.isToAsk(id));
    if (unknown.length === 0 && more === null) return null;
    return async () => void (await Promise.all([more?.(), ...unknown.map(async (id) => await people.get(id))]));
  }

  /** Older servers tell only the ids of files. Null when there is none to ask for. */
  #filesOf(post: MattermostPost, onFound: (files: readonly MattermostFile[]) => void): (() => Promise<void>) | null {
    const { api } = this.#options;
    const missing = post.fileIds.filter((id) => !post.files.some((file) => file.id === id));
    if (missing.length === 0) return null;
    return async () => {
      const found = await Promise.all(missing.map(async (id) => await api.fileInfo(id, never)));
      onFound(found.flatMap((one) => (one.ok && one.value !== null ? one.value : [])));
    };
  }

  #posted(post: MattermostPost, sender: string | null): ReadEvent {
    if (this.#gone.get(post.id) === true) return { ...NOTHING_READ, atMs: post.updateAt };
    if (!this.#isOld(post)) this.told(post);
    const name = (sender ?? "").replace(/^@/u, "");
    const context: MattermostReceiveContext = {
      ...this.context,
      author: (user, fallback) => this.context.author(user, fallback || (user === post.userId ? name : "")),
    };
    const event = toEvent(post, context);
    return { events: event === null ? [] : [event], atMs: post.updateAt, thread: false };
  }

  /** A picture of a link, a pin, other props: it is told alike, and changes nothing of what is said. */
  #edited(post: MattermostPost): ReadEvent {
    const before = this.#contents.get(post.id);
    const isOld = this.#isOld(post);
    if (!isOld) this.told(post);
    const isSame = before === undefined ? post.updateAt - post.editAt > EDIT_NEAR_MS : before.digest === digestOf(post);
    const event = isSame || isOld || isSystem(post) || post.deleteAt > 0 ? null : edited(post, this.context);
    return { events: event === null ? [] : [event], atMs: post.updateAt, thread: false };
  }

  /** Something newer of it was told, as its history was read first. */
  #isOld(post: MattermostPost): boolean {
    return this.#gone.get(post.id) === true || post.editAt < (this.#contents.get(post.id)?.editAt ?? 0);
  }

  #deleted(post: MattermostPost): ReadEvent {
    this.#contents.delete(post.id);
    this.#gone.set(post.id, true);
    const { clock } = this.#options.host;
    // A reply that goes with its root is not told: somebody took back this one alone.
    const event = deleted(post, this.#options.own.isDeleting(post.id), this.context);
    // What comes is the post as it was.
    const atMs = post.deleteAt === 0 ? clock.nowMs() : post.deleteAt;
    return {
      events: isSystem(post) ? [] : [{ ...event, atMs }],
      atMs: post.deleteAt,
      thread: post.rootId === "" && post.replyCount > 0,
    };
  }

  #reaction(reaction: MattermostReaction, channel: ChannelRef, on: boolean): ReadEvent {
    const { atMs } = reaction;
    const event = reacted(reaction, { channel, on, stamp: atMs === 0 ? null : atMs }, this.context);
    return { events: [event], atMs, thread: false };
  }
}

const READ: ReadonlySet<string> = new Set([
  "posted",
  "post_edited",
  "post_deleted",
  "reaction_added",
  "reaction_removed",
]);

function digestOf(post: MattermostPost): string {
  return hash("sha1", contentOf(post), "base64").slice(0, 16);
}
