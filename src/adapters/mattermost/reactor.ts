import { emojiNamed, namesOfEmoji } from "../../content/emoji-names.ts";
import type { ReactOp } from "../../contract/ops.ts";
import type { Outcome } from "../../contract/outcome.ts";
import type { Attempt } from "../../contract/session.ts";
import { emojiCode, emojiKey, withoutTone } from "../kit/emoji-key.ts";
import { DONE, GIVEN_UP, NOT_THERE } from "../kit/outcomes.ts";
import type { MattermostResult } from "./api.ts";
import { isGone, REACTING } from "./failure.ts";
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
    const wanted = emojiKey(op.emoji);
    const isOn = op.standing.some(({ emoji }) => emojiKey(emoji) === wanted);
    return isOn ? await this.#add(op, attempt.signal) : await this.#remove(op, wanted, attempt.signal);
  }

  async #add(op: ReactOp, signal: AbortSignal): Promise<Outcome> {
    const { api, me } = this.#sender.link;
    const names = await this.#names(op.emoji, signal);
    if (!names.ok) return await this.#sender.failed(names.failure, op.channel, REACTING, signal);
    for (const name of names.value) {
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
        : known(
            stated
              .filter(({ userId, emoji }) => userId === me.id && emojiKey(`:${emoji}:`) === wanted)
              .map(({ emoji }) => emoji),
          );
    if (!names.ok) return await this.#sender.failed(names.failure, op.channel, REACTING, signal);
    for (const name of names.value) {
      const answer = await api.unreact(me.id, op.target, name, signal);
      if (answer.ok || isGone(answer.failure) || answer.failure.status === 400) continue;
      return await this.#sender.failed(answer.failure, op.channel, REACTING, signal);
    }
    return DONE;
  }

  /** Empty: the server has none. A failure: it could not say so. */
  async #names(emoji: string, signal: AbortSignal): Promise<MattermostResult<readonly string[]>> {
    const code = emojiCode(emoji);
    if (code === null) return known([...namesOfEmoji(emoji), ...namesOfEmoji(withoutTone(emoji))].slice(0, NAMES_MAX));
    if (emojiNamed(code) !== null) return known([code]);
    const has = await this.#sender.link.api.hasEmoji(code, signal);
    if (has.ok) return known(has.value ? [code] : []);
    return FINAL.has(has.failure.status) ? known([]) : has;
  }
}

/** No name of an emoji, none for us to see, or the server has no emoji of its own (501): it stays so. */
const FINAL: ReadonlySet<number> = new Set([400, 403, 501]);

const known = (value: readonly string[]): MattermostResult<readonly string[]> => ({ ok: true, value });
