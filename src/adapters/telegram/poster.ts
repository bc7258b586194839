import type { Block, SharedFile } from "../../contract/content.ts";
import type { ChannelRef, MessageRef } from "../../contract/ids.ts";
import type { Outcome } from "../../contract/outcome.ts";
import { type TelegramText, writeTelegram } from "../../content/telegram-write.ts";
import type { TelegramAttached, TelegramPlace, TelegramSent } from "./api.ts";
import { type TelegramAsked, TelegramCalls } from "./calls.ts";
import { outcomeOf } from "./failure.ts";
import { messageRef } from "./ids.ts";
import { TelegramKnownMessages } from "./known-messages.ts";
import type { TelegramLink } from "./link.ts";
import type { TelegramPartFile } from "./render.ts";
import { says, type TelegramFailure, type TelegramResult } from "./result.ts";
import type { TelegramRoom } from "./room.ts";
import { TelegramUploads, type TelegramUnsent } from "./uploads.ts";

/** One message that is to be made, or one album. */
export interface TelegramWanted {
  readonly channel: ChannelRef;
  /** What it answers; null: nothing. */
  readonly replyTo: MessageRef | null;
  readonly blocks: readonly Block[];
  readonly files: readonly TelegramPartFile[];
}

export type TelegramMade =
  | { readonly is: "made"; readonly refs: readonly MessageRef[] }
  /** Nothing was made. It goes in another way: these files were refused, and why. */
  | { readonly is: "without"; readonly files: readonly TelegramPartFile[]; readonly why: string }
  /** Nothing was made. This file turned out to go in another way, or not at all. */
  | { readonly is: "learnt"; readonly file: SharedFile; readonly why: string | null }
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
      case "not asked": {
        if (asked.why.is === "ended") return asked.why;
        const { file, lesson } = asked.why;
        this.uploads.learn(file, lesson);
        return { is: "learnt", file, why: "missing" in lesson ? lesson.missing : null };
      }
      case "failed":
        return this.#refused(asked.failure, wanted);
      case "done":
        return { is: "made", refs: asked.value.map((one, at) => this.#note(wanted, one, at)) };
    }
  }

  async #say(
    { channel, replyTo, blocks }: TelegramWanted,
    signal: AbortSignal,
  ): Promise<TelegramAsked<readonly TelegramSent[], TelegramUnsent>> {
    const { api } = this.#link;
    return await this.calls.ask(channel, signal, async (room) =>
      listed(await api.sendText(this.#placeIn(room, replyTo), this.written(blocks), signal)),
    );
  }

  async #send(
    { channel, replyTo, blocks, files }: TelegramWanted,
    signal: AbortSignal,
  ): Promise<TelegramAsked<readonly TelegramSent[], TelegramUnsent>> {
    const { api } = this.#link;
    return await this.calls.ask(channel, signal, async (room) => {
      const place = this.#placeIn(room, replyTo);
      return await this.uploads.send(files, signal, async (opened) => {
        const attached = opened.map(({ kind, name, file }, at): TelegramAttached => {
          return { kind, name, file, caption: at === 0 ? captionOf(blocks) : null };
        });
        const [first, second] = attached;
        if (first === undefined || second !== undefined) return await api.sendAlbum(place, attached, signal);
        return listed(await api.sendFile(place, first, signal));
      });
    });
  }

  #placeIn({ ref, chat, topic }: TelegramRoom, target: MessageRef | null): TelegramPlace {
    return { chat, topic, replyTo: target === null ? null : this.calls.idIn(ref, target) };
  }

  written(blocks: readonly Block[]): TelegramText & { readonly preview: boolean } {
    return { ...writeTelegram(blocks), preview: !this.#link.settings.DisableWebPagePreview };
  }

  #note({ channel, blocks, files }: TelegramWanted, { id, chat }: TelegramSent, at: number): MessageRef {
    const ref = messageRef(chat, id, this.#link.room(channel)?.type === "group");
    const file = files[at];
    const hasWords = at === 0 && blocks.length > 0;
    this.known.note(channel, ref, file === undefined ? TEXT : { is: "media", file, hasWords });
    return ref;
  }

  /** What can be left out so that it goes. */
  #refused(failure: TelegramFailure, { channel, files }: TelegramWanted): TelegramMade {
    const isOfFiles = files.length > 0 && failure.certain;
    if (isOfFiles && failure.status === 413 && files.length > 1) return { is: "too much" };
    const [, number] = /\bmessage #(\d+)\b/u.exec(failure.description) ?? [];
    const culprit = files[Number(number) - 1];
    const refused = culprit === undefined ? files : [culprit];
    const without = { is: "without", files: refused, why: failure.message } as const;
    if (isOfFiles && says(failure, "not enough rights to send")) return without;
    const outcome = outcomeOf(failure, { link: this.#link, channel, doing: "post" });
    return isOfFiles && outcome.is === "rejected" ? without : { is: "ended", outcome };
  }
}

const TEXT = { is: "text" } as const;

/** Words with a file; null: none. */
const captionOf = (blocks: readonly Block[]): TelegramAttached["caption"] =>
  blocks.length === 0 ? null : writeTelegram(blocks);

const listed = (result: TelegramResult<TelegramSent>): TelegramResult<readonly TelegramSent[]> =>
  result.ok ? { ok: true, value: [result.value] } : result;
