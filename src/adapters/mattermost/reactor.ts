import { emojiNamed, namesOfEmoji } from "../../content/emoji-names.ts";
import type { ReactOp } from "../../contract/ops.ts";
import type { Outcome } from "../../contract/outcome.ts";
import type { Attempt } from "../../contract/session.ts";
import { DONE, GIVEN_UP, isGone, NOT_THERE, REACTING } from "./failure.ts";
import type { PostSender } from "./sender.ts";

/** Names of one emoji that are tried: servers know one or two of them. */
const NAMES_MAX = 5;

/** Reactions: we have one voice, so an emoji of ours stands for as long as somebody elsewhere has it. */
export class PostReactor {
  readonly #sender: PostSender;

  constructor(sender: PostSender) {
    this.#sender = sender;
  }

  async react(op: ReactOp, attempt: Attempt): Promise<Outcome> {
    if (this.#sender.link.room(op.channel) === null) return NOT_THERE;
    if (attempt.signal.aborted) return GIVEN_UP;
    const wanted = keyOf(op.emoji);
    const isOn = op.standing.some(({ emoji }) => keyOf(emoji) === wanted);
    return isOn ? await this.#add(op, attempt.signal) : await this.#remove(op, wanted, attempt.signal);
  }

  async #add(op: ReactOp, signal: AbortSignal): Promise<Outcome> {
    const { api, me } = this.#sender.link;
    for (const name of await this.#names(op.emoji, signal)) {
      const answer = await api.react(me.id, op.target, name, signal);
      if (answer.ok) return DONE;
      const { status } = answer.failure;
      // The post is gone, or the name is none here.
      if (status === 404 && !(await this.#isThere(op, signal))) return DONE;
      if (status !== 400 && status !== 404)
        return await this.#sender.failed(answer.failure, op.channel, REACTING, signal);
    }
    return { is: "rejected", why: { code: "unsupported", message: "the server has no such emoji" } };
  }

  async #isThere({ target }: ReactOp, signal: AbortSignal): Promise<boolean> {
    const post = await this.#sender.link.api.post(target, signal);
    return post.ok || !isGone(post.failure);
  }

  /** Under whatever name it was put there. */
  async #remove(op: ReactOp, wanted: string, signal: AbortSignal): Promise<Outcome> {
    const { api, me } = this.#sender.link;
    const post = await api.post(op.target, signal);
    if (!post.ok && isGone(post.failure)) return DONE;
    if (!post.ok) return await this.#sender.failed(post.failure, op.channel, REACTING, signal);
    const stated = post.value?.reactions ?? null;
    const names =
      stated === null
        ? await this.#names(op.emoji, signal)
        : stated
            .filter(({ userId, emoji }) => userId === me.id && keyOf(`:${emoji}:`) === wanted)
            .map(({ emoji }) => emoji);
    for (const name of names) {
      const answer = await api.unreact(me.id, op.target, name, signal);
      if (answer.ok || isGone(answer.failure) || answer.failure.status === 400) continue;
      return await this.#sender.failed(answer.failure, op.channel, REACTING, signal);
    }
    return DONE;
  }

  async #names(emoji: string, signal: AbortSignal): Promise<readonly string[]> {
    const code = codeIn(emoji);
    if (code === null) return [...namesOfEmoji(emoji), ...namesOfEmoji(withoutTone(emoji))].slice(0, NAMES_MAX);
    if (emojiNamed(code) !== null) return [code];
    const has = await this.#sender.link.api.hasEmoji(code, signal);
    return has.ok && has.value ? [code] : [];
  }
}

/** `name` of `:name:`; null for an emoji of Unicode. */
const codeIn = (emoji: string): string | null => /^:(?<name>[\w+-]{1,64}):$/u.exec(emoji)?.groups?.["name"] ?? null;

const withoutTone = (emoji: string): string => emoji.replaceAll(/[\u{1f3fb}-\u{1f3ff}]/gu, "");

/** The same for all ways to write one emoji, of which a server may know the plain one alone. */
function keyOf(emoji: string): string {
  const code = codeIn(emoji);
  const shown = (code === null ? null : emojiNamed(code)) ?? emoji;
  return withoutTone(shown).replaceAll("\uFE0F", "");
}
