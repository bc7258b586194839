import type { Event } from "../../contract/events.ts";
import type { Host } from "../../contract/host.ts";
import type { ChannelRef } from "../../contract/ids.ts";
import { Lru } from "../../lib/lru.ts";
import { FaultGuard } from "../kit/guard.ts";
import { pause } from "../kit/in-time.ts";
import { EventIntake } from "../kit/intake.ts";
import { isObject, type Json } from "../kit/json.ts";
import { MemberRenames } from "../kit/member-renames.ts";
import { TelegramAlbums } from "./albums.ts";
import type { TelegramApi } from "./api.ts";
import { TelegramEmoji } from "./emoji.ts";
import { chatOf, type TelegramComing, type TelegramHappened, telegramHappeningIn, whoIn } from "./happening.ts";
import { eventKey } from "./ids.ts";
import type { TelegramIdentity } from "./me.ts";
import { idIn, type TelegramMessage, updateIn } from "./model.ts";
import type { TelegramPeople } from "./people.ts";
import type { TelegramPositions } from "./positions.ts";
import { came, edited, reacted, type TelegramReceiveContext, toEvents } from "./receive.ts";
import { TelegramTold } from "./told.ts";
import { isLively } from "./words.ts";

/** Events that may wait to be on disk before reading is to pause. It pauses long before: see `ready`. */
const WAITING_MAX = 1_000;
/** Updates that may come again, because they were not confirmed yet. */
const RECENT_MAX = 5_000;
/** Groups that have moved while something of them waited. */
const MOVES_MAX = 1_000;
/** So many updates are in one answer at most: an album may go on in the next. */
const ANSWER_MAX = 100;
/** So soon the server is asked again while an album is waited for … */
const AGAIN_MS = 250;
/** … and so late at most while nothing goes to disk. */
const AGAIN_MAX_MS = 5_000;

/** Where what is said in a chat goes. */
interface TelegramPlaces {
  /** `topic`: null: none, or General. Null: nobody wants it. */
  refOf(chat: number, topic: number | null): ChannelRef | null;
  /** All of a chat that somebody wants. */
  refsOf(chat: number): readonly ChannelRef[];
  /** Whether we are in a chat, and so are told what is said there. */
  isJoined(chat: number): boolean;
}

interface TelegramTimelineOptions {
  readonly api: Pick<TelegramApi, "call">;
  readonly host: Host;
  readonly me: Pick<TelegramIdentity, "id">;
  readonly positions: Pick<
    TelegramPositions,
    "at" | "seen" | "durable" | "moved" | "take" | "captions" | "digests" | "ahead"
  >;
  readonly places: TelegramPlaces;
  readonly people: TelegramPeople;
  readonly stickersAsPng: boolean;
  readonly stickersAsStills?: boolean;
  /** A group has become a supergroup, and has another id. It may be said twice. */
  readonly onMoved: (from: number, to: number) => void;
  /** What is about us, and what we do not know, as it came. */
  readonly onOther: (update: Json) => void;
}

/** What happened, until it is told. */
interface Incoming {
  readonly update: number;
  readonly what: TelegramHappened;
  /** What has to be known first is known. */
  isReady: boolean;
}

/**
 * Updates become events, in the order of their chat. The cursor is the last update with all before it told: an album
 * that is not whole yet keeps it back, and so what came after it is told again by the server after a restart.
 */
export class TelegramTimeline {
  readonly #options: TelegramTimelineOptions;
  readonly #intake: EventIntake;
  readonly #albums = new TelegramAlbums<Incoming>();
  readonly #told: TelegramTold;
  readonly #renames = new MemberRenames();
  readonly #emoji: TelegramEmoji;
  readonly #guard: FaultGuard;
  readonly #context: TelegramReceiveContext;
  readonly #recent = new Lru<number, true>(RECENT_MAX);
  /** Those that came and are not told, and those after them, as they came. */
  #order: number[] = [];
  readonly #done = new Map<number, "told" | "passed over">();
  /** Those that an earlier session has told, though not all before them. */
  readonly #ahead: Set<number>;
  /** The ids that groups had before: what came under either is in one order. */
  readonly #former = new Lru<number, number>(MOVES_MAX);
  /** The last of those that are told with all before them. */
  #seen: number | null = null;
  /** What was handed over last, while it is not on disk. */
  #last: Promise<void> | null = null;
  #cancel: (() => void) | null = null;
  #settled: PromiseWithResolvers<void> | null = null;
  /** What was taken last. */
  #newest: { readonly id: number; readonly place: number; readonly group: string } | null = null;
  /** So often in a row nothing new came while nothing went to disk. */
  #idle = 0;
  readonly #over = Promise.withResolvers<void>();
  #stopped = false;

  constructor(options: TelegramTimelineOptions) {
    const { api, host, me, positions, places, people, stickersAsPng, stickersAsStills = false } = options;
    this.#options = options;
    this.#ahead = new Set(positions.ahead);
    this.#told = new TelegramTold(positions.digests);
    this.#emoji = new TelegramEmoji(api, host.clock);
    this.#guard = new FaultGuard(host.log, "what Telegram tells could not be read");
    this.#intake = new EventIntake({
      host: { clock: host.clock, accept: async (batch) => await this.#accept(batch) },
      cursor: positions,
      lateMs: 0,
      waitingMax: WAITING_MAX,
      onFull: () => undefined,
    });
    this.#context = {
      me: me.id,
      author: (message) => people.author(message),
      person: (user) => people.ofUser(user),
      peer: (peer) => people.ofPeer(peer),
      emoji: (reaction) => this.#emoji.shown(reaction),
      isJoined: (chat) => places.isJoined(chat),
      stickersAsPng,
      stickersAsStills,
    };
  }

  /** Updates as they came. Those that come again are passed over. */
  push(updates: readonly unknown[]): void {
    if (this.#stopped) return;
    this.#heed(updateIn(updates[0])?.id);
    for (const raw of updates) this.#push(raw);
    const isCut = updates.length >= ANSWER_MAX && updateIn(updates.at(-1))?.id === this.#newest?.id;
    this.#albums.heard(this.#nowMs, isCut ? this.#newest : null);
    this.#run();
  }

  /**
   * When to ask for more: once all that came is on disk. While something still waits to be told, soon: what is missing
   * of it may come, together with what came before. While the disk takes nothing, now and then: no more comes than one
   * answer holds, because nothing is confirmed. True: something is still waited for.
   */
  async ready(): Promise<boolean> {
    const { clock } = this.#options.host;
    if (this.#stopped) return false;
    if (this.#order.length > 0) {
      this.#settled ??= Promise.withResolvers();
      await pause(AGAIN_MS, clock, Promise.race([this.#settled.promise, this.#over.promise]));
    }
    if (this.#order.length > 0 || this.#last === null) return this.#order.length > 0;
    const ms = Math.min(AGAIN_MS * 2 ** this.#idle, AGAIN_MAX_MS);
    this.#idle += 1;
    await pause(ms, clock, Promise.race([this.#last, this.#over.promise]));
    return this.#isWriting;
  }

  /** What has changed in the cursor without an event is to be on disk, too. */
  keep(): void {
    this.#intake.flush();
  }

  /** What was told goes to the core, and once that is on disk nothing any more. */
  async quiesce(): Promise<void> {
    this.#stop();
    await this.#intake.stop();
  }

  /** Nothing is handed over any more. */
  end(): void {
    this.#stop();
    this.#intake.end();
  }

  #stop(): void {
    this.#stopped = true;
    this.#albums.clear();
    this.#cancel?.();
    this.#over.resolve();
  }

  /** The first of an answer. Where ids begin anew, those that an earlier session has told name others now. */
  #heed(first: number | undefined): void {
    const isNew = first !== undefined && this.#recent.get(first) !== true;
    if (isNew && first <= this.#options.positions.at) this.#ahead.clear();
  }

  #push(raw: unknown): void {
    const update = updateIn(raw);
    if (update === null || !isObject(raw) || this.#recent.get(update.id) === true) return;
    const { id, kind } = update;
    this.#recent.set(id, true);
    this.#idle = 0;
    this.#order.push(id);
    if (this.#ahead.delete(id)) return void this.#done.set(id, "told");
    const waits = this.#guard.run(
      () => {
        const what = telegramHappeningIn(update);
        if (what.is === "said") this.#follow(what.message);
        if (what.is === "other") this.#options.onOther(raw);
        return what.is !== "other" && this.#take(id, what);
      },
      { update: kind },
    );
    if (waits !== true) this.#done.set(id, "passed over");
  }

  /** Where a group is that has another id now. */
  #follow({ chat, raw }: TelegramMessage): void {
    const [to, from] = [idIn(raw, "migrate_to_chat_id"), idIn(raw, "migrate_from_chat_id")];
    if (to !== null) this.#move(chat.id, to);
    if (from !== null) this.#move(from, chat.id);
  }

  #move(from: number, to: number): void {
    this.#options.onMoved(from, to);
    if (from !== to && this.#isWanted(to)) this.#former.set(to, this.#former.get(from) ?? from);
  }

  #isWanted(chat: number): boolean {
    return this.#options.places.refsOf(chat).length > 0;
  }

  /** False: nobody wants it. */
  #take(update: number, what: TelegramHappened): boolean {
    const chat = chatOf(what).id;
    if (!this.#isWanted(chat)) return false;
    const place = this.#former.get(chat) ?? chat;
    const item: Incoming = { update, what, isReady: false };
    const group = what.is === "said" ? what.message.group : "";
    this.#albums.push(item, { place, group }, this.#nowMs);
    this.#newest = { id: update, place, group };
    const asked = this.#ask(what);
    item.isReady = asked === null;
    void asked?.then(() => {
      item.isReady = true;
      this.#run();
    });
    return true;
  }

  /** Null: all is known that has to be. */
  #ask(what: TelegramHappened): Promise<unknown> | null {
    const { people } = this.#options;
    if (what.is === "reacted") return this.#emoji.ask([...what.reacting.before, ...what.reacting.now]);
    return what.is === "said" || what.is === "edited" ? people.ask(what.message) : null;
  }

  get #isWriting(): boolean {
    return this.#last !== null;
  }

  get #nowMs(): number {
    return this.#options.host.clock.monoMs();
  }

  #run(): void {
    if (this.#stopped) return;
    for (const items of this.#albums.take(this.#nowMs, ({ isReady }) => isReady)) {
      const events = this.#guard.run(() => this.#read(items), { update: items[0]?.what.is });
      this.#intake.add(events ?? []);
      for (const { update } of items) this.#done.set(update, "told");
    }
    this.#settle();
    this.#intake.flush();
    this.#cancel?.();
    const dueMs = this.#albums.dueMs(this.#nowMs);
    this.#cancel = dueMs === null ? null : this.#options.host.clock.after(dueMs, () => this.#run());
  }

  /** Up to where all is told. */
  #settle(): void {
    let count = 0;
    for (const id of this.#order) {
      if (!this.#done.delete(id)) break;
      this.#seen = id;
      count += 1;
    }
    // What is not kept any more does not come.
    if (count > 0) for (const id of this.#ahead) if (id <= (this.#seen ?? 0)) this.#ahead.delete(id);
    const ahead = [...this.#done].filter(([, how]) => how === "told").map(([id]) => id);
    this.#options.positions.ahead = [...ahead, ...this.#ahead];
    if (count === 0) return;
    this.#order = this.#order.slice(count);
    if (this.#seen !== null) this.#options.positions.seen(this.#seen);
    if (this.#order.length > 0) return;
    this.#settled?.resolve();
    this.#settled = null;
  }

  async #accept(batch: Parameters<Host["accept"]>[0]): ReturnType<Host["accept"]> {
    const seen = this.#seen;
    const accepted = this.#options.host.accept(batch);
    // Answers may come in another order than they were asked for.
    const mine = Promise.all([this.#last, accepted]).then(() => {
      if (seen !== null) this.#options.positions.durable(seen);
      if (this.#last === mine) this.#last = null;
    });
    this.#last = mine;
    return await accepted;
  }

  /** That somebody has another name stands only in what they do next. */
  #read(items: readonly Incoming[]): readonly Event[] {
    const { people, host } = this.#options;
    const [first] = items;
    if (first === undefined) return [];
    const user = whoIn(first.what);
    const before = user === null ? null : people.met(user);
    const renames =
      user === null || before === null ? [] : this.#renames.told(before, people.ofUser(user), host.clock.nowMs());
    const events: Event[] = [];
    for (const event of renames) events.push({ ...event, key: eventKey(`n/${event.channel}/${first.update}`) });
    const told = this.#tell(first, items);
    this.#renames.note(told);
    events.push(...told);
    return events;
  }

  #tell({ what, update }: Incoming, items: readonly Incoming[]): readonly Event[] {
    switch (what.is) {
      case "said":
        return this.#said(items.flatMap((item) => (item.what.is === "said" ? [item.what.message] : [])));
      case "edited":
        return this.#edited(what.message, update);
      case "reacted": {
        const { chat, message } = what.reacting;
        const known = this.#told.channelOf(chat.id, message);
        // The network does not say in which topic it is: only one of them knows the message.
        const channels = known === null ? this.#options.places.refsOf(chat.id) : [known];
        return channels.flatMap((channel) => reacted(what.reacting, { channel, update }, this.#context));
      }
      case "came":
        return this.#came(what.coming, update);
    }
  }

  #said(messages: readonly TelegramMessage[]): readonly Event[] {
    const { places, people } = this.#options;
    const [first] = messages;
    const channel = first === undefined ? null : places.refOf(first.chat.id, first.topic);
    if (first === undefined || channel === null) return [];
    if (first.from !== null && first.senderChat === null) people.note(first.chat.id, first.from);
    this.#told.note(messages, channel);
    if (messages.length > 1) this.#keepCaptions(messages);
    return toEvents(messages, channel, this.#context).filter(
      (event) =>
        event.kind !== "member" ||
        this.#told.isNewComing(first.chat.id, event.author.id, { isIn: event.change === "join", atMs: event.atMs }),
    );
  }

  #edited(message: TelegramMessage, update: number): readonly Event[] {
    const { chat, id, topic, raw } = message;
    const channel = this.#told.channelOf(chat.id, id) ?? this.#options.places.refOf(chat.id, topic);
    if (channel === null || isLively(raw) || !this.#told.isOther(message)) return [];
    const known = this.#told.changed(message, channel);
    const whole = known ?? this.#aroundCaption(message);
    if (whole.length > 1) this.#keepCaptions(whole);
    const event = edited(whole, { message, update }, channel, this.#context);
    if (event === null || known !== null) return event === null ? [] : [event];
    // The files of its album are there still, and nothing is known of them.
    return event.body.source.text === "" ? [] : [{ ...event, body: { ...event.body, files: [] } }];
  }

  /** The album that a message belongs to, of which the words alone are known. */
  #aroundCaption(message: TelegramMessage): readonly TelegramMessage[] {
    const captions = this.#options.positions.captions.around(message);
    if (captions === null) return [message];
    return captions.map(({ id, said }) => {
      const raw = { caption: said.text, caption_entities: said.entities };
      return id === message.id ? message : Object.assign({}, message, { id, said, raw });
    });
  }

  #keepCaptions(album: readonly TelegramMessage[]): void {
    const [first] = album;
    const captions = album.map(({ id, said }) => ({ id, said }));
    if (first !== undefined) this.#options.positions.captions.note(first.chat.id, captions);
  }

  #came(coming: TelegramComing, update: number): readonly Event[] {
    const channel = this.#options.places.refOf(coming.chat.id, null);
    const event = channel === null ? null : came(coming, { channel, update }, this.#context);
    if (event === null) return [];
    const { atMs, is: isIn, chat } = coming;
    return this.#told.isNewComing(chat.id, event.author.id, { isIn, atMs }) ? [event] : [];
  }
}
