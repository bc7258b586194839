import { emojiNamed } from "../../content/emoji-names.ts";
import type { ReactOp } from "../../contract/ops.ts";
import type { Outcome } from "../../contract/outcome.ts";
import type { Attempt } from "../../contract/session.ts";
import { emojiCode, emojiKey, withoutTone } from "../kit/emoji-key.ts";
import { DONE, GIVEN_UP, NOT_THERE } from "../kit/outcomes.ts";
import { isArchived, isGone, outcomeOf, REACTING, readingFailed, UNKNOWN_EMOJI } from "./failure.ts";
import { readMessageRef } from "./ids.ts";
import type { DiscordLink } from "./link.ts";
import type { DiscordReaction } from "./model.ts";
import type { DiscordFailure } from "./rest-result.ts";
import type { DiscordRoom } from "./room.ts";
import { channelOf } from "./threads.ts";

/** Reactions: we have one voice, so an emoji of ours stands for as long as somebody elsewhere has it. */
export class DiscordReactor {
  readonly #link: DiscordLink;

  constructor(link: DiscordLink) {
    this.#link = link;
  }

  async react(op: ReactOp, { signal }: Attempt): Promise<Outcome> {
    const room = this.#link.room(op.channel);
    if (room === null || !room.joined) return NOT_THERE;
    if (signal.aborted) return GIVEN_UP;
    const place = readMessageRef(op.target);
    const at = { room, channel: channelOf(place, room), id: place.id };
    const wanted = emojiKey(op.emoji);
    const isOn = op.standing.some(({ emoji }) => emojiKey(emoji) === wanted);
    return isOn ? await this.#add(op, at, signal) : await this.#remove(op, at, wanted, signal);
  }

  async #add(op: ReactOp, { room, channel, id }: Target, signal: AbortSignal): Promise<Outcome> {
    const { api } = this.#link;
    for (const emoji of this.#spellings(op.emoji, room)) {
      let answer = await api.react(channel, id, emoji, signal);
      if (!answer.ok && isArchived(answer.failure) && (await api.reopenThread(channel, signal)).ok)
        answer = await api.react(channel, id, emoji, signal);
      if (answer.ok || isGone(answer.failure)) return DONE;
      if (answer.failure.code !== UNKNOWN_EMOJI) return this.#failed(answer.failure, op, channel);
    }
    return { is: "rejected", why: { code: "unsupported", message: "the server has no such emoji" } };
  }

  /** As it was put there, whatever its spelling. */
  async #remove(op: ReactOp, { channel, id }: Target, wanted: string, signal: AbortSignal): Promise<Outcome> {
    const { api } = this.#link;
    const message = await api.message(channel, id, signal);
    if (!message.ok && isGone(message.failure)) return DONE;
    if (!message.ok)
      return readingFailed(message.failure, { link: this.#link, channel: op.channel, at: channel, doing: REACTING });
    const ours = message.value.reactions.filter((one) => one.isOurs && emojiKey(shownAs(one)) === wanted);
    for (const { emojiId, emojiName } of ours) {
      const answer = await api.unreact(channel, id, emojiId === null ? emojiName : `${emojiName}:${emojiId}`, signal);
      if (answer.ok || isGone(answer.failure) || answer.failure.code === UNKNOWN_EMOJI) continue;
      return this.#failed(answer.failure, op, channel);
    }
    return DONE;
  }

  #failed(failure: DiscordFailure, { channel }: ReactOp, at: string): Outcome {
    return outcomeOf(failure, { link: this.#link, channel, at, doing: REACTING });
  }

  /** How it may have to be written. Empty: the server has none of this name. */
  #spellings(emoji: string, { guild }: DiscordRoom): readonly string[] {
    const code = emojiCode(emoji);
    const own = code === null ? null : this.#link.emojiNamed(guild, code);
    if (own !== null) return [`${own.name}:${own.id}`];
    const shown = code === null ? emoji : emojiNamed(code);
    if (shown === null) return [];
    const bare = shown.replaceAll("\uFE0F", "");
    // The sign that asks for a picture belongs to some and not to others.
    return [...new Set([shown, bare, `${bare}\uFE0F`, withoutTone(bare)])];
  }
}

interface Target {
  readonly room: DiscordRoom;
  readonly channel: string;
  readonly id: string;
}

const shownAs = ({ emojiId, emojiName }: DiscordReaction): string => (emojiId === null ? emojiName : `:${emojiName}:`);
