import type { Event } from "../../contract/events.ts";
import { Lru } from "../../lib/lru.ts";
import type { SlackIds } from "../../content/slack-source.ts";
import type { SlackApi } from "./api.ts";
import type { SlackChannelNames } from "./channel-names.ts";
import type { RecentComings } from "./comings.ts";
import type { SlackEmoji } from "./emoji.ts";
import type { SlackGroups } from "./groups.ts";
import type { SlackHappening } from "./happening.ts";
import { type KeptMessages, reactionMarks } from "./kept-messages.ts";
import type { SlackIdentity } from "./login.ts";
import { isLaterTs, type SlackFile, type SlackMessage, slackTimeOf } from "./model.ts";
import type { SlackOwnMessages } from "./own-messages.ts";
import type { SlackPeople } from "./people.ts";
import type { RecentThreads } from "./recent-threads.ts";
import {
  came,
  deleted,
  digestOf,
  edited,
  isDeleted,
  neededFor,
  reacted,
  saidDigestOf,
  type SlackReceiveContext,
  toEvent,
  wordsOf,
} from "./receive.ts";
import type { SlackRoots } from "./roots.ts";
import { isSaid } from "./words.ts";

/** So many messages are known by what they say, so that what changes nothing of it is no edit. */
const CONTENTS_MAX = 5_000;
const GONE_MAX = 2_000;
/** Edits of one message within one second that are told apart by what they say. */
const SECOND_MAX = 20;
/** What is said must not wait longer for names. */
const NAMES_MS = 1_500;
/** What was said long ago can wait. */
const PAST_MS = 10_000;
/** And where it was by very many. */
const PAST_MAX_MS = 30_000;

const never = new AbortController().signal;

/** What a message was told with. */
interface Told {
  readonly digest: string;
  readonly editedTs: string;
  /** When the event of that was; empty: it is not known. */
  readonly changedTs: string;
  /** All that it was told with in the second of that edit; null: not all is known. */
  readonly said: readonly string[] | null;
}

export interface SlackReaderOptions {
  readonly api: Pick<SlackApi, "fileInfo">;
  readonly people: SlackPeople;
  readonly emoji: SlackEmoji;
  readonly groups: SlackGroups;
  readonly own: Pick<SlackOwnMessages, "isOurs" | "note" | "isDeleting">;
  readonly roots: Pick<SlackRoots, "note">;
  readonly kept: KeptMessages;
  readonly comings: RecentComings;
  readonly threads: Pick<RecentThreads, "note">;
  readonly me: Pick<SlackIdentity, "userId">;
  readonly names: SlackChannelNames;
}

/** An event of a channel, of which something may have to be looked up first. */
export interface OpenedHappening {
  /** Asks for what is not known yet, in bounded time; null: all is known. Never rejects. */
  readonly ask: (() => Promise<void>) | null;
  /** What it says, by what is known then. */
  readonly read: () => readonly Event[];
}

const NOTHING: OpenedHappening = { ask: null, read: () => [] };

/** Reads what happens in channels, with what has to be known first, and remembers what later events speak of. */
export class SlackReader {
  readonly context: SlackReceiveContext;
  readonly #options: SlackReaderOptions;
  readonly #contents = new Lru<string, Told>(CONTENTS_MAX);
  /** Messages that are no more: what led to them may come later. */
  readonly #gone = new Lru<string, true>(GONE_MAX);

  constructor(options: SlackReaderOptions) {
    const { people, own, me, emoji, groups, names } = options;
    this.#options = options;
    this.context = {
      me: me.userId,
      isOurs: (message) => own.isOurs(message),
      opOf: (message) => own.note(message.channel, message)?.op ?? null,
      author: (user, fallback) => people.author(user, fallback),
      emoji: (name) => emoji.shown(name),
      names: {
        user: (id) => people.nameOf(id),
        channel: (id) => names.nameOf(id),
        group: (id) => groups.nameOf(id),
      },
    };
  }

  open(happening: SlackHappening): OpenedHappening {
    switch (happening.is) {
      case "said": {
        const { message } = happening;
        this.note(message);
        return this.#withFiles(message, (whole) => this.#said(whole));
      }
      case "changed":
        this.note(happening.message);
        return this.#withFiles(happening.message, (whole) => this.#changed({ ...happening, message: whole }));
      case "gone":
        return { ask: null, read: () => this.#deleted(happening) };
      case "reacted": {
        const { user, channel, atTs } = happening;
        const at = { channel, atMs: slackTimeOf(atTs), stamp: atTs === "" ? null : atTs };
        const read = (): readonly Event[] =>
          this.#options.kept.react(channel, happening) ? [reacted(happening, at, this.context)] : [];
        return { ask: this.#asking({ users: [user] }), read };
      }
      case "came": {
        const read = (): readonly Event[] => this.#news(came(happening, this.context), "event", happening.atTs);
        return { ask: this.#asking({ users: [happening.user] }), read };
      }
      case "other":
        return NOTHING;
    }
  }

  /** What others may speak of later. */
  note(message: SlackMessage): void {
    const { own, roots } = this.#options;
    roots.note(message.channel, message);
    if (own.isOurs(message)) own.note(message.channel, message);
  }

  /** All whom a history names, and the files of strangers in it. `isHurried`: what is being said waits for it. */
  async learn(messages: readonly SlackMessage[], isHurried: boolean): Promise<readonly SlackMessage[] | null> {
    const { people, groups, names } = this.#options;
    const needed = messages.map(neededFor);
    const ms = isHurried ? NAMES_MS : PAST_MS;
    const isKnown = await people.learn(
      needed.flatMap(({ users }) => users),
      ms,
      isHurried ? ms : PAST_MAX_MS,
    );
    if (!isKnown) return null;
    await names.learn(
      needed.flatMap(({ channels }) => channels),
      ms,
    );
    await groups.learn(
      needed.flatMap((one) => one.groups),
      ms,
    );
    return await Promise.all(messages.map(async (message) => await this.#complete(message)));
  }

  /** It was told as it is now. `atTs`: when the event of that was; empty: it is not known. */
  told(message: SlackMessage, atTs = ""): void {
    const { ts, channel, threadTs, editedTs } = message;
    // Events of before are over, too.
    const last = this.#lastTold(channel, ts);
    const changedTs = atTs || (last?.changedTs ?? "");
    const before = last?.editedTs === editedTs ? last.said : [];
    const said = before === null || before.length >= SECOND_MAX ? null : [...before, digestOf(message)];
    this.#contents.set(`${channel}/${ts}`, { digest: saidDigestOf(message), editedTs, changedTs, said });
    if (!isSaid(message)) return;
    const kept = this.#options.kept.find(channel, ts);
    const reactions = kept === null ? reactionMarks(message.reactions) : kept.reactions;
    const isInThread = threadTs !== "" && threadTs !== ts;
    if (isInThread) this.#options.threads.note(channel, threadTs, ts);
    const isReply = isInThread && message.subtype !== "thread_broadcast";
    const edit = editedTs === "" ? { digest: "", changedTs: "" } : { digest: saidDigestOf(message), changedTs };
    this.#options.kept.keep(channel, { ts, root: isReply ? threadTs : "", editedTs, reactions, ...edit });
  }

  /**
   * What tells an edit from another one of the same second, which was told and said the same; empty: there is none.
   * So the last one of a second has the same key live and, once nothing is known of it, in the history.
   */
  stampOf(message: SlackMessage, atTs: string): string {
    const last = this.#lastTold(message.channel, message.ts);
    if (last === null || last.editedTs !== message.editedTs) return "";
    return last.said?.includes(digestOf(message)) === false ? "" : atTs || last.digest;
  }

  /** Whether it is known to be told as it is. */
  isTold(message: SlackMessage): boolean {
    const last = this.#lastTold(message.channel, message.ts);
    return last !== null && last.editedTs === message.editedTs && last.digest === saidDigestOf(message);
  }

  /** It is gone, and that is told. */
  gone(channel: string, ts: string): void {
    this.#contents.delete(`${channel}/${ts}`);
    this.#gone.set(`${channel}/${ts}`, true);
    this.#options.kept.drop(channel, ts);
  }

  /** Whether it is known to be gone. */
  isGone({ channel, ts }: Pick<SlackMessage, "channel" | "ts">): boolean {
    return this.#gone.get(`${channel}/${ts}`) === true;
  }

  /** Whether we have taken it back ourselves. */
  isOursToDelete(channel: string, ts: string): boolean {
    return this.#options.own.isDeleting(channel, ts);
  }

  #said(message: SlackMessage): readonly Event[] {
    const { channel, ts } = message;
    const isTold =
      this.#contents.get(`${channel}/${ts}`) !== undefined || this.#options.kept.find(channel, ts) !== null;
    if (this.isGone(message) || isTold) return [];
    const event = toEvent(message, this.context);
    if (event !== null) this.told(message);
    return this.#news(event, "message", ts);
  }

  #news(event: Event | null, by: "event" | "message", ts: string): readonly Event[] {
    return event !== null && this.#options.comings.isNews(event, by, ts) ? [event] : [];
  }

  /** Pages of links, numbers of replies and what else the server adds: it is told alike, and is no edit. */
  #changed({ message, before, atTs }: SlackHappening & { readonly is: "changed" }): readonly Event[] {
    const { channel, ts, editedTs, subtype } = message;
    if (this.isGone(message)) return [];
    if (subtype === "tombstone") return this.#deleted({ is: "gone", channel, ts, atTs, before });
    if (editedTs === "" && !this.#saysOther(message, before)) return [];
    // It begins to say something, as the first piece of an answer that a program streams.
    if (editedTs === "" && before !== null && this.#lastTold(channel, ts) === null && wordsOf(before) === "")
      return this.#said(message);
    if (!this.#isEdit(message, before, atTs)) return [];
    const event = edited(message, this.context, this.stampOf(message, atTs), atTs);
    if (event === null) return [];
    this.told(message, atTs);
    return [event];
  }

  /**
   * Programs may change what they say without an edit, and people delete a file of a message. Pages of links and the
   * sizes of pictures change no words.
   */
  #saysOther(message: SlackMessage, before: SlackMessage | null): boolean {
    if (before === null || !isSaid(message)) return false;
    const losesFile = message.files.filter(isDeleted).length > before.files.filter(isDeleted).length;
    return losesFile || wordsOf(message) !== wordsOf(before);
  }

  /** Whether it says something else than we have told. */
  #isEdit(message: SlackMessage, before: SlackMessage | null, atTs: string): boolean {
    const { channel, ts, editedTs } = message;
    const told = this.#lastTold(channel, ts);
    // Of the times of edits, the server tells only the second; those of events say which was the later.
    if (told !== null) {
      const isOver = isLaterTs(told.editedTs, editedTs) || (atTs !== "" && isLaterTs(told.changedTs, atTs));
      return !isOver && told.digest !== saidDigestOf(message);
    }
    const toldTs = this.#options.kept.find(channel, ts)?.editedTs ?? null;
    if (toldTs !== null && toldTs !== editedTs) return isLaterTs(editedTs, toldTs);
    return before === null ? toldTs === null : saidDigestOf(before) !== saidDigestOf(message);
  }

  /** Null: nobody knows. */
  #lastTold(channel: string, ts: string): Told | null {
    const kept = this.#options.kept.find(channel, ts);
    const told = this.#contents.get(`${channel}/${ts}`);
    return told ?? (kept === null || kept.digest === "" ? null : { ...kept, said: null });
  }

  #deleted({ channel, ts, before, atTs }: SlackHappening & { readonly is: "gone" }): readonly Event[] {
    const isKnown = this.isGone({ channel, ts });
    this.gone(channel, ts);
    if (isKnown || (before !== null && !isSaid(before) && before.subtype !== "tombstone")) return [];
    // A stone that is taken away was told when it was laid.
    if (before?.subtype === "tombstone") return [];
    return [deleted({ channel, ts }, { ours: this.isOursToDelete(channel, ts), atMs: slackTimeOf(atTs || ts) })];
  }

  #withFiles(message: SlackMessage, read: (whole: SlackMessage) => readonly Event[]): OpenedHappening {
    const ask = this.#asking(neededFor(message));
    if (!message.files.some(isUnknownFile)) return { ask, read: () => read(message) };
    let whole = message;
    const complete = async (): Promise<void> => {
      whole = await this.#complete(message);
    };
    return { ask: async () => void (await Promise.all([ask?.(), complete()])), read: () => read(whole) };
  }

  /** Null when nothing has to be asked. */
  #asking({ users = [], channels = [], groups = [] }: Partial<SlackIds>): OpenedHappening["ask"] {
    const { people, names, groups: known } = this.#options;
    const unknown = (): readonly string[] => users.filter((id) => people.isToAsk(id));
    const isKnown = names.toAsk(channels).length === 0 && known.toAsk(groups).length === 0;
    if (unknown().length === 0 && isKnown) return null;
    // What others have waited for in vain meanwhile is not waited for.
    return async () => {
      const asked = unknown().map(async (id) => await people.get(id, NAMES_MS));
      await Promise.all([names.learn(channels, NAMES_MS), known.learn(groups, NAMES_MS), ...asked]);
    };
  }

  /** Of files of other workspaces, events have only the id. */
  async #complete(message: SlackMessage): Promise<SlackMessage> {
    if (!message.files.some(isUnknownFile)) return message;
    const files = await Promise.all(
      message.files.map(async (file) => (isUnknownFile(file) ? await this.#file(file) : file)),
    );
    return { ...message, files };
  }

  async #file(file: SlackFile): Promise<SlackFile> {
    const answer = await this.#options.api.fileInfo(file.id, never);
    return answer.ok && answer.value !== null ? answer.value : file;
  }
}

const isUnknownFile = ({ access }: SlackFile): boolean => access === "check_file_info";
