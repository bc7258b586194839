import type { ChannelRef, MessageRef } from "../../contract/ids.ts";
import type { Outcome } from "../../contract/outcome.ts";
import { isAborted } from "../../lib/abort.ts";
import { AGAIN_MS, deferred, GIVEN_UP, NOT_THERE, RATE_MS } from "../kit/outcomes.ts";
import type { TelegramTarget } from "./api.ts";
import { readMessageRef } from "./ids.ts";
import type { TelegramLink } from "./link.ts";
import { ChatBans } from "./pace.ts";
import type { TelegramFailure, TelegramResult } from "./result.ts";
import type { TelegramRoom } from "./room.ts";

/** A chat has another id once in its life. */
const MOVES_MAX = 2;

/** It turned out that there is nothing to ask. */
interface NotAsked<W> {
  readonly is: "not asked";
  readonly why: W;
}

export type TelegramAsked<T, W = never> =
  | { readonly is: "done"; readonly value: T }
  | NotAsked<W>
  | { readonly is: "failed"; readonly failure: TelegramFailure }
  /** Nothing was asked, or nothing further is to be. */
  | { readonly is: "ended"; readonly outcome: Outcome };

/** What changes something in a room: never while the server takes nothing there, and where the chat is by now. */
export class TelegramCalls {
  readonly #link: TelegramLink;
  readonly #bans: ChatBans;
  /** The last request about a room got no answer that says what became of it. */
  #isUnsure = false;

  constructor(link: TelegramLink) {
    this.#link = link;
    this.#bans = new ChatBans(link.host.clock);
  }

  /** Why nothing can be asked there now; null: it can. */
  held(channel: ChannelRef, signal: AbortSignal): Outcome | null {
    const room = this.#link.room(channel);
    if (room === null) return NOT_THERE;
    return isAborted(signal) ? GIVEN_UP : this.#bans.outcomeFor(room.chat);
  }

  /**
   * As `held`, before something is said that is never said twice. While nobody knows whether Telegram answers at all,
   * something harmless is asked first: an outage then leaves one message in doubt, and not each that is tried.
   */
  async ready(channel: ChannelRef, signal: AbortSignal): Promise<Outcome | null> {
    const held = this.held(channel, signal);
    if (held !== null || !this.#isUnsure) return held;
    const answer = await this.#link.api.me(signal);
    if (isAborted(signal)) return GIVEN_UP;
    if (!answer.ok) {
      const { code, message, retryAfterMs } = answer.failure;
      return deferred({ code, message }, retryAfterMs ?? AGAIN_MS, "session");
    }
    this.#isUnsure = false;
    return this.held(channel, signal);
  }

  /** Shows that the bot types, unless something is held there. Channels show no typing. False: Telegram refused it. */
  async typing(channel: ChannelRef, signal: AbortSignal): Promise<boolean> {
    const room = this.#link.room(channel);
    if (room === null || room.type === "channel" || this.#isUnsure || this.held(channel, signal) !== null) return true;
    return (await this.#link.api.typing(room, signal)).ok;
  }

  /** The number of a message in its chat as it is now; null: it was said in a group that is another by now. */
  idIn(channel: ChannelRef, ref: MessageRef): number | null {
    const room = this.#link.room(channel);
    const read = readMessageRef(ref);
    return read !== null && room !== null && isSameChat(read.chat, room) ? read.id : null;
  }

  /** About a message, which is not asked for once its chat turns out to be another: there it is somebody else's. */
  async about<T, W = never>(
    { channel, ref }: { readonly channel: ChannelRef; readonly ref: MessageRef },
    signal: AbortSignal,
    call: (at: TelegramTarget) => Promise<TelegramResult<T> | NotAsked<W>>,
  ): Promise<TelegramAsked<T, W | "moved">> {
    return await this.ask<T, W | "moved">(channel, signal, async ({ chat }) => {
      const id = this.idIn(channel, ref);
      return id === null ? { is: "not asked", why: "moved" } : await call({ chat, id });
    });
  }

  async ask<T, W = never>(
    channel: ChannelRef,
    signal: AbortSignal,
    call: (room: TelegramRoom) => Promise<TelegramResult<T> | NotAsked<W>>,
  ): Promise<TelegramAsked<T, W>> {
    for (let moves = 0; ; moves += 1) {
      const held = this.held(channel, signal);
      const room = this.#link.room(channel);
      if (held !== null || room === null) return { is: "ended", outcome: held ?? NOT_THERE };
      const { chat } = room;
      const answer = await call(room);
      if ("is" in answer) return answer;
      this.#isUnsure = !answer.ok && !answer.failure.certain;
      if (answer.ok) return { is: "done", value: answer.value };
      const { failure } = answer;
      const { certain, migrateTo, status, retryAfterMs } = failure;
      if (status === 429) this.#bans.refused(chat, retryAfterMs ?? RATE_MS);
      if (!certain || migrateTo === null || moves === MOVES_MAX) return { is: "failed", failure };
      this.#link.migrated(chat, migrateTo);
    }
  }
}

const isSameChat = (chat: number | null, room: TelegramRoom): boolean =>
  chat === null ? room.type !== "group" : chat === room.chat;

/** Something is there no longer. */
export const isGone = ({ description }: Pick<TelegramFailure, "description">): boolean =>
  /message to \w+ not found|MESSAGE_ID_INVALID/u.test(description);
