import type { Body, SharedFile } from "../../contract/content.ts";
import type { ChannelRef, MessageRef, OpId } from "../../contract/ids.ts";
import type { Outcome } from "../../contract/outcome.ts";
import type { TelegramText } from "../../content/telegram-write.ts";
import type { TelegramAttached, TelegramPlace, TelegramSent } from "./api.ts";
import { type TelegramAsked, TelegramCalls } from "./calls.ts";
import { outcomeOf } from "./failure.ts";
import { messageRef } from "./ids.ts";
import { TelegramKnownMessages } from "./known-messages.ts";
import type { TelegramLink } from "./link.ts";
import type { TelegramPartFile } from "./render.ts";
import type { TelegramFailure, TelegramResult } from "./result.ts";
import type { TelegramRoom } from "./room.ts";
import { lessonFrom, type TelegramLesson, TelegramUploads, type TelegramUnsent } from "./uploads.ts";

/** One message that is to be made, or one album. */
export interface TelegramWanted {
  readonly op: OpId;
  readonly channel: ChannelRef;
  /** What it answers; null: nothing. */
  readonly replyTo: MessageRef | null;
  /** Null: nothing but files. */
  readonly said: TelegramText | null;
  readonly files: readonly TelegramPartFile[];
  /** Whether Telegram shows a preview of a link: see `TelegramPoster.shown`. */
  readonly body: Pick<Body, "files">;
}

export type TelegramMade =
  | { readonly is: "made"; readonly refs: readonly MessageRef[] }
  /** Nothing was made: these files go in other ways, or not at all. */
  | {
      readonly is: "without";
      readonly files: readonly { readonly file: SharedFile; readonly lesson: TelegramLesson }[];
    }
  /** Nothing was made: it is too much for one request. */
  | { readonly is: "too much" }
  | { readonly is: "ended"; readonly outcome: Outcome };

/** Makes messages. */
export class TelegramPoster {
  readonly calls: TelegramCalls;
  readonly known = new TelegramKnownMessages();
  readonly uploads: TelegramUploads;
  readonly #link: TelegramLink;

  constructor(link: TelegramLink) {
    this.#link = link;
    this.calls = new TelegramCalls(link);
    this.uploads = new TelegramUploads(link);
  }

  async make(wanted: TelegramWanted, signal: AbortSignal): Promise<TelegramMade> {
    const asked = wanted.files.length === 0 ? await this.#say(wanted, signal) : await this.#send(wanted, signal);
    switch (asked.is) {
      case "ended":
        return asked;
      case "not asked":
        return asked.why.is === "ended" ? asked.why : { is: "without", files: [asked.why] };
      case "failed":
        return this.#refused(asked.failure, wanted);
      case "done":
        // Servers may schedule a large file, and give its message an id only later.
        return {
          is: "made",
          refs: asked.value.flatMap((one, at) => (one.id === 0 ? [] : this.#note(wanted, one, at))),
        };
    }
  }

  async #say(
    { channel, replyTo, said, body }: TelegramWanted,
    signal: AbortSignal,
  ): Promise<TelegramAsked<readonly TelegramSent[], TelegramUnsent>> {
    const { api } = this.#link;
    return await this.calls.ask(channel, signal, async (room) =>
      listed(await api.sendText(this.#placeIn(room, replyTo), this.shown(said, body), signal)),
    );
  }

  async #send(
    { op, channel, replyTo, said, files }: TelegramWanted,
    signal: AbortSignal,
  ): Promise<TelegramAsked<readonly TelegramSent[], TelegramUnsent>> {
    const { api } = this.#link;
    return await this.calls.ask(channel, signal, async (room) => {
      const place = this.#placeIn(room, replyTo);
      return await this.uploads.send({ op, files }, signal, async (opened) => {
        const attached = opened.map((one, at): TelegramAttached => ({ ...one, caption: at === 0 ? said : null }));
        const [first, second] = attached;
        if (first === undefined || second !== undefined) return await api.sendAlbum(place, attached, signal);
        return listed(await api.sendFile(place, first, signal));
      });
    });
  }

  #placeIn({ ref, chat, topic }: TelegramRoom, target: MessageRef | null): TelegramPlace {
    return { chat, topic, replyTo: target === null ? null : this.calls.idIn(ref, target) };
  }

  /** As the settings have it; a link to a hidden file has no preview. */
  shown(said: TelegramText | null, { files }: Pick<Body, "files">): TelegramText & { readonly preview: boolean } {
    const { text, entities } = said ?? NO_WORDS;
    const isOpen = files.every(({ spoiler }) => spoiler === undefined);
    return { text, entities, preview: isOpen && !this.#link.settings.DisableWebPagePreview };
  }

  #note({ channel, said, files }: TelegramWanted, { id, chat }: TelegramSent, at: number): MessageRef {
    const room = this.#link.room(channel);
    // It may have become a supergroup while the answer was on its way.
    const isBasicGroup = room !== null && (room.type === "group" || room.chat !== chat);
    const ref = messageRef(chat, id, isBasicGroup);
    const file = files[at];
    const hasWords = at === 0 && said !== null;
    this.known.note(channel, ref, file === undefined ? TEXT : { is: "media", file, hasWords });
    return ref;
  }

  /** What can be left out so that it goes. */
  #refused(failure: TelegramFailure, { channel, files }: TelegramWanted): TelegramMade {
    const { certain, status, description } = failure;
    const isOfFiles = files.length > 0 && certain && !OF_PLACE.test(description);
    if (isOfFiles && status === 413 && files.length > 1) return { is: "too much" };
    const [, number] = /\bmessage #(\d+)\b/u.exec(description) ?? [];
    const culprit = files[Number(number) - 1];
    const refused = culprit === undefined ? files : [culprit];
    const without = {
      is: "without",
      files: refused.map((one) => ({ file: one.file, lesson: lessonFrom(one, failure) })),
    } as const;
    if (isOfFiles && OF_KIND.test(description)) return without;
    const outcome = outcomeOf(failure, { link: this.#link, channel, doing: "post" });
    return isOfFiles && outcome.is === "rejected" ? without : { is: "ended", outcome };
  }
}

/** What a chat takes no files of, though perhaps words. */
const OF_KIND = /not enough rights to send|CHAT_SEND_(?!PLAIN)\w+_FORBIDDEN|VOICE_MESSAGES_FORBIDDEN/iu;
/** The topic is at fault, and no file. */
const OF_PLACE = /thread not found|TOPIC_/iu;

const TEXT = { is: "text" } as const;

const NO_WORDS: TelegramText = { text: "", entities: [] };

const listed = (result: TelegramResult<TelegramSent>): TelegramResult<readonly TelegramSent[]> =>
  result.ok ? { ok: true, value: [result.value] } : result;
