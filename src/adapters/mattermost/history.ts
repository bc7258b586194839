import type { Event } from "../../contract/events.ts";
import type { Accepted, Host } from "../../contract/host.ts";
import { Lru } from "../../lib/lru.ts";
import type { ChannelPositions } from "../kit/channel-positions.ts";
import type { FaultGuard } from "../kit/guard.ts";
import type { RestFailure } from "../kit/rest.ts";
import type { MattermostApi } from "./api.ts";
import { type ChangedPosts, changesIn, fetchChanged, type FoundChange } from "./gap.ts";
import { channelRef } from "./ids.ts";
import type { MattermostPost } from "./model.ts";
import type { ChannelReader } from "./reader.ts";
import { deleted, edited, isSystem, reacted, toEvent } from "./receive.ts";

/** Handed over at once. */
export const BATCH_MAX = 200;
/** So many channels have their history read at once. */
const READING_MAX = 4;
/** So often the people of a channel's history are looked up; then it is told without their names. */
const LEARN_MAX = 3;
const CHANNELS_MAX = 1_000;

export interface HistoryOptions {
  readonly api: Pick<MattermostApi, "posts">;
  readonly host: Pick<Host, "accept" | "log">;
  readonly positions: Pick<ChannelPositions<number>, "of" | "sinceOf" | "told" | "wasTold">;
  readonly reader: Pick<ChannelReader, "learn" | "told" | "isOursToDelete" | "context">;
  /** False for what was handed over before. */
  readonly isNews: (event: Event) => boolean;
  /** These are about to be told. */
  readonly onTold: (events: readonly Event[]) => void;
  readonly guard: Pick<FaultGuard, "run">;
  readonly signal: AbortSignal;
}

/** What is to be read for whom. */
interface HistoryTask {
  /** It is its turn: what asks for the history from now on asks for another reading. */
  readonly onBegin: () => void;
  /** Nobody wants it any more. */
  readonly isOver: () => boolean;
}

/** Tells what was missed in a channel: posts, and what was done to posts. */
export class MattermostHistory {
  readonly #options: HistoryOptions;
  readonly #turns: (() => void)[] = [];
  /** How often nobody could say who the people of a channel are. */
  readonly #nameless = new Lru<string, number>(CHANNELS_MAX);
  #reading = 0;

  constructor(options: HistoryOptions) {
    this.#options = options;
  }

  /** Nobody waits for his turn any more. */
  stop(): void {
    for (const turn of this.#turns.splice(0)) turn();
  }

  /** From where the channel was read. Null: it is told, or over. */
  async read(id: string, task: HistoryTask): Promise<RestFailure | null> {
    if (this.#reading >= READING_MAX) await new Promise<void>((resolve) => this.#turns.push(resolve));
    this.#reading += 1;
    try {
      if (task.isOver()) return null;
      task.onBegin();
      return await this.#read(id, task.isOver);
    } finally {
      this.#reading -= 1;
      this.#turns.shift()?.();
    }
  }

  async #read(id: string, isOver: () => boolean): Promise<RestFailure | null> {
    const { api, host, positions, reader, signal } = this.#options;
    const position = positions.of(id);
    if (position === null) return null;
    const scope = { channel: id, sinceMs: positions.sinceOf(id), floorMs: position.floor };
    const fetched = await fetchChanged(api, scope, signal);
    if (isOver()) return null;
    if (!fetched.ok) return fetched.failure;
    const unlearned = this.#judge(id, await reader.learn(fetched.value.posts));
    if (isOver() || unlearned !== null) return unlearned;
    const found = changesIn(fetched.value.posts, scope, (post, editAt) => positions.wasTold(post, editAt));
    const told = await this.#tellPosts(found.posts, isOver);
    const changes = found.changes.filter((change) => change.is !== "edited" || !told.has(change.post.id));
    await this.#tellChanges(id, changes, isOver);
    this.#say(id, fetched.value, told.size);
    host.log.trace({ channel: id, rows: fetched.value.posts.length, changes: changes.length }, "read a history");
    return null;
  }

  /** Null: it goes on, with the names that are known. Elsewhere the history is read again, which may never help. */
  #judge(id: string, failure: RestFailure | null): RestFailure | null {
    if (failure === null) this.#nameless.delete(id);
    // A login that has ended, or a limit, says nothing of the people.
    if (failure === null || failure.status === 401 || failure.status === 429) return failure;
    const tries = (this.#nameless.get(id) ?? 0) + 1;
    this.#nameless.set(id, tries % LEARN_MAX);
    if (tries < LEARN_MAX) return failure;
    const why = failure.message;
    this.#options.host.log.warn({ channel: id, why }, "missed posts come without the names of people");
    return null;
  }

  /** Those that were new to the core. An edit of these is part of what was told. */
  async #tellPosts(posts: readonly MattermostPost[], isOver: () => boolean): Promise<ReadonlySet<string>> {
    const { host, positions, reader, guard, isNews, onTold } = this.#options;
    const told = new Set<string>();
    for (let at = 0; at < posts.length && !isOver(); at += BATCH_MAX) {
      const batch = posts.slice(at, at + BATCH_MAX).flatMap((post) => {
        const event = guard.run(() => toEvent(post, reader.context), HISTORY);
        return event === null || !isNews(event) ? [] : [{ post, event }];
      });
      if (batch.length === 0) continue;
      const events = batch.map(({ event }) => event);
      onTold(events);
      const answers: readonly Accepted[] = await host.accept({ events, cursor: null });
      for (const [index, { post }] of batch.entries()) {
        reader.told(post);
        if (answers[index] === "duplicate") continue;
        told.add(post.id);
        if (post.editAt > 0) positions.told(post.id, post.editAt);
      }
    }
    return told;
  }

  async #tellChanges(id: string, changes: readonly FoundChange[], isOver: () => boolean): Promise<void> {
    const { host, reader, guard, isNews } = this.#options;
    for (let at = 0; at < changes.length && !isOver(); at += BATCH_MAX) {
      const events = changes
        .slice(at, at + BATCH_MAX)
        .flatMap((change) => guard.run(() => this.#changeEvent(id, change), HISTORY) ?? [])
        .filter(isNews);
      if (events.length > 0) await host.accept({ events, cursor: null });
    }
    for (const change of changes) if (change.is !== "reacted") reader.told(change.post);
  }

  #changeEvent(id: string, change: FoundChange): Event | null {
    const { reader } = this.#options;
    if (change.is === "reacted") {
      const { reaction } = change;
      const at = { channel: channelRef(id), on: true, stamp: reaction.atMs };
      return reacted(reaction, at, reader.context);
    }
    if (isSystem(change.post)) return null;
    if (change.is === "edited") return edited(change.post, reader.context);
    return deleted(change.post, reader.isOursToDelete(change.post), reader.context);
  }

  #say(id: string, { whole }: ChangedPosts, missed: number): void {
    const { log } = this.#options.host;
    if (missed > 0) log.info({ channel: id, posts: missed }, "read the posts that Rialto missed");
    if (!whole) log.warn({ channel: id }, "more has changed than the server tells: the oldest of it may be missing");
  }
}

/** Where a fault was. */
const HISTORY = { event: "history" };
