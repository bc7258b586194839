import type { ApiEvent } from "../../contract/api-v1.ts";
import type { EventFilter, Feed, FeedItem } from "../../consumers/feed.ts";
import type { Seq, Subject } from "../../log/log.ts";
import type { V1Deps } from "./deps.ts";

/** Events of one read, and their JSON in bytes. */
const PAGE = 500;
/** Messages that one question to the index is asked for. */
const AT_ONCE = 64;
const PAGE_BYTES = 4 * 1024 * 1024;
/** Events that one question may look at; `next` says where to go on. */
const LOOKED_MAX = 5_000;
/** How far a first look back reaches, in positions of the log; each further one reaches so many times as far. */
const SPAN = 1_024;
const FURTHER = 4;

type Posted = Extract<ApiEvent, { type: "message.posted" | "message.edited" }>;
/** A message as it reads now. `edited`: when it was changed last, RFC 3339; null: it was not. */
export type HistoryMessage = Posted & { readonly type: "message.posted"; readonly edited: string | null };

export interface GatewayHistoryQuery {
  readonly gateway: string;
  /** Only messages with after < seq < before. */
  readonly after: Seq | null;
  readonly before: Seq | null;
  /** Who said it: the name or the id, whatever the capitals; null: anybody. */
  readonly from: string | null;
  readonly limit: number;
}

export interface GatewayHistoryPage {
  readonly messages: readonly HistoryMessage[];
  /** Where to go on: the `after` or the `before` of the next question. Null: that was all. */
  readonly next: Seq | null;
}

type Asked = Pick<V1Deps, "feed" | "log">;

/** Reads the messages of a gateway as one account of the API sees them, with their edits and without the deleted. */
export class GatewayHistory {
  readonly #feed: Feed;
  readonly #log: Asked["log"];
  readonly #query: GatewayHistoryQuery;
  readonly #posted: EventFilter;
  readonly #edited: EventFilter;

  constructor({ feed, log }: Asked, query: GatewayHistoryQuery) {
    this.#feed = feed;
    this.#log = log;
    this.#query = query;
    const filter = { gateways: [query.gateway], accounts: [], mine: true };
    this.#posted = { ...filter, types: ["message.posted"] };
    this.#edited = { ...filter, types: ["message.edited"] };
  }

  /** With `after` the oldest, else the newest; oldest first in either case. Rejects with a LogError. */
  async page(): Promise<GatewayHistoryPage> {
    return this.#query.after === null ? await this.#newest() : await this.#oldest(this.#query.after);
  }

  /**
   * The same of messages with these words, if any are given, and of this author; null: the log keeps no index.
   * `indexed`: up to where that goes.
   */
  async search(
    words: string | null,
    subjects: readonly Subject[],
  ): Promise<(GatewayHistoryPage & { readonly indexed: Seq }) | null> {
    const { limit, after, before, from } = this.#query;
    const oldestFirst = after !== null;
    const bounds = { after: after ?? 0, before: before ?? this.#feed.head + 1 };
    const found: HistoryMessage[] = [];
    for (let looked = 0, bytes = 0; ;) {
      const more = Math.min(AT_ONCE, limit + 1 - found.length);
      const asked = { text: words ?? "", from, subjects, ...bounds, limit: more, oldestFirst };
      const matches = await this.#log.archive.find(asked);
      if (matches === null) return null;
      const items = await this.#itemsAt(matches.seqs);
      for (const { json } of items) bytes += json.length;
      found.push(...(await this.#dress(items)));
      looked += matches.seqs.length;
      const { next, indexed } = matches;
      // Fewer than asked for, and yet not all: the log has looked at as many as it does for one question.
      const isCut = next === null || matches.seqs.length < more || looked >= LOOKED_MAX || bytes >= PAGE_BYTES;
      if (isCut || found.length > limit) {
        const page = cut(found, limit, next);
        return { messages: oldestFirst ? page.messages : page.messages.toReversed(), next: page.next, indexed };
      }
      if (oldestFirst) bounds.after = next;
      else bounds.before = next;
    }
  }

  /** One after the other, so that few are in memory and others have their turn in between. */
  async #itemsAt(seqs: readonly Seq[]): Promise<readonly FeedItem[]> {
    const items: FeedItem[] = [];
    for (const seq of seqs) {
      const item = await this.#feed.at(seq, this.#posted);
      if (item !== null) items.push(item);
    }
    return items;
  }

  async #oldest(after: Seq): Promise<GatewayHistoryPage> {
    const { limit } = this.#query;
    const end = Math.min((this.#query.before ?? Infinity) - 1, this.#feed.head);
    const found: HistoryMessage[] = [];
    let position = after;
    for (let looked = 0; position < end && found.length <= limit && looked < LOOKED_MAX;) {
      const page = await this.#read(position, Math.min(PAGE, limit + 1));
      const items = page.items.filter(({ seq }) => seq <= end);
      found.push(...(await this.#dress(items)));
      looked += Math.max(1, items.length);
      position = page.next;
    }
    return cut(found, limit, position < end ? position : null);
  }

  async #newest(): Promise<GatewayHistoryPage> {
    const { limit, before } = this.#query;
    const floor = (await this.#log.first()) - 1;
    let end = Math.min((before ?? Infinity) - 1, this.#feed.head);
    let span = SPAN;
    /** The newest first. */
    const found: HistoryMessage[] = [];
    for (let looked = 0; end > floor && found.length <= limit && looked < LOOKED_MAX;) {
      const start = Math.max(floor, end - span);
      const items = await this.#window(start, end, span > PAGE);
      looked += items?.length ?? PAGE;
      if (items === null) {
        span = Math.max(PAGE, Math.floor(span / FURTHER));
        continue;
      }
      found.push(...(await this.#dress(items)).toReversed());
      end = start;
      span *= FURTHER;
    }
    const { messages, next } = cut(found, limit, end > floor ? end + 1 : null);
    return { messages: messages.toReversed(), next };
  }

  /** All with start < seq <= end; null: they are many, and that was not wanted. */
  async #window(start: Seq, end: Seq, mayGiveUp: boolean): Promise<readonly FeedItem[] | null> {
    const found: FeedItem[] = [];
    for (let position = start; position < end;) {
      const page = await this.#read(position, PAGE);
      found.push(...page.items.filter(({ seq }) => seq <= end));
      if (mayGiveUp && page.items.length === PAGE && page.next < end) return null;
      position = page.next;
    }
    return found;
  }

  #read(after: Seq, limit: number): ReturnType<Feed["read"]> {
    return this.#feed.read({ after, filter: this.#posted, limit, bytes: PAGE_BYTES });
  }

  /** As they read now. */
  async #dress(items: readonly FeedItem[]): Promise<HistoryMessage[]> {
    const said = items.filter((item) => isPosted(item.event) && this.#isFrom(item.event));
    if (said.length === 0) return [];
    const standing = await this.#log.archive.standing(said.map(({ seq }) => seq));
    const dressed: HistoryMessage[] = [];
    for (const [index, { event }] of said.entries()) {
      const how = standing[index];
      if (!isPosted(event) || how?.gone === true) continue;
      const edit = how === undefined || how.revised === null ? null : await this.#feed.at(how.revised, this.#edited);
      dressed.push(revised(event, edit?.event ?? null));
    }
    return dressed;
  }

  #isFrom({ author }: Posted): boolean {
    const from = this.#query.from?.toLowerCase();
    return from === undefined || author.name.toLowerCase() === from || author.id.toLowerCase() === from;
  }
}

const isPosted = (event: ApiEvent): event is Posted =>
  event.type === "message.posted" || event.type === "message.edited";

/** An edit changes the words; the answer, the thread and, if it brings none, the files stay. */
function revised(event: Posted, edit: ApiEvent | null): HistoryMessage {
  if (edit === null || !isPosted(edit)) return { ...event, type: "message.posted", edited: null };
  const { text, format, style, files } = edit.message;
  const message = { ...event.message, text, format, style, files: files.length > 0 ? files : event.message.files };
  return { ...event, type: "message.posted", message, edited: edit.time };
}

/** The first `limit`, and where to go on; `rest`: where, if these were not too many. */
function cut(found: readonly HistoryMessage[], limit: number, rest: Seq | null): GatewayHistoryPage {
  if (found.length <= limit) return { messages: found, next: rest };
  const messages = found.slice(0, limit);
  return { messages, next: Number(messages.at(-1)?.seq) };
}
