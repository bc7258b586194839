import { emojiNamed, namesOfEmoji } from "../../content/emoji-names.ts";
import type { ReactOp } from "../../contract/ops.ts";
import type { Outcome } from "../../contract/outcome.ts";
import type { Attempt } from "../../contract/session.ts";
import { emojiCode, emojiKey, withoutTone } from "../kit/emoji-key.ts";
import { DONE, GIVEN_UP, NOT_THERE } from "../kit/outcomes.ts";
import { isGone, outcomeOf, readingFailed } from "./failure.ts";
import type { SlackLink } from "./link.ts";

/** Names of one emoji that are tried: the server knows one or two of them. */
const NAMES_MAX = 6;

/** Reactions: we have one voice, so an emoji of ours stands for as long as somebody elsewhere has it. */
export class SlackReactor {
  readonly #link: SlackLink;

  constructor(link: SlackLink) {
    this.#link = link;
  }

  async react(op: ReactOp, { signal }: Attempt): Promise<Outcome> {
    if (this.#link.room(op.channel) === null) return NOT_THERE;
    if (signal.aborted) return GIVEN_UP;
    const wanted = emojiKey(op.emoji);
    const isOn = op.standing.some(({ emoji }) => emojiKey(emoji) === wanted);
    return isOn ? await this.#add(op, signal) : await this.#remove(op, wanted, signal);
  }

  async #add(op: ReactOp, signal: AbortSignal): Promise<Outcome> {
    const { channel, target } = op;
    for (const name of namesFor(op.emoji)) {
      const answer = await this.#link.api.react({ channel, ts: target }, name, true, signal);
      if (answer.ok || isGone(answer.failure) || answer.failure.error === "already_reacted") return DONE;
      if (answer.failure.error !== NO_NAME)
        return outcomeOf(answer.failure, { link: this.#link, channel, doing: "react" });
    }
    return { is: "rejected", why: { code: "unsupported", message: "the workspace has no such emoji" } };
  }

  /** Under whatever name it was put there. */
  async #remove({ channel, target }: ReactOp, wanted: string, signal: AbortSignal): Promise<Outcome> {
    const { api } = this.#link;
    const message = await api.message(channel, target, signal);
    if (!message.ok && (isGone(message.failure) || message.failure.error === "thread_not_found")) return DONE;
    if (!message.ok) return readingFailed(message.failure, { link: this.#link, channel, doing: "react" });
    // Of many who have reacted only some are named: ours may be one of the others.
    const there = (message.value?.reactions ?? []).filter(({ name }) => emojiKey(shownAs(name)) === wanted);
    for (const { name } of there) {
      const answer = await api.react({ channel, ts: target }, name, false, signal);
      if (answer.ok || isGone(answer.failure) || OFF.has(answer.failure.error)) continue;
      return outcomeOf(answer.failure, { link: this.#link, channel, doing: "react" });
    }
    return DONE;
  }
}

const NO_NAME = "invalid_name";
const OFF: ReadonlySet<string> = new Set(["no_reaction", NO_NAME]);

/** `+1::skin-tone-3` is `:+1:` in one of its colours. */
const shownAs = (name: string): string => `:${name.split("::", 1)[0] ?? ""}:`;

/** How it may be called here, the likeliest name first. */
function namesFor(emoji: string): readonly string[] {
  const code = emojiCode(emoji);
  const shown = code === null ? emoji : emojiNamed(code);
  if (code !== null && shown === null) return [code.toLowerCase()];
  const bare = withoutTone(shown ?? emoji);
  const tone = /[\u{1f3fb}-\u{1f3ff}]/u.exec(shown ?? emoji)?.[0];
  const plain = [...(code === null ? [] : [code]), ...namesOfEmoji(shown ?? emoji), ...namesOfEmoji(bare)];
  const toned =
    tone === undefined
      ? []
      : namesOfEmoji(bare)
          .map((name) => `${name}::skin-tone-${toneNumber(tone)}`)
          .slice(0, 2);
  return [...new Set([...toned, ...plain])].slice(0, NAMES_MAX);
}

/** As the network counts them, from 2 for the lightest. */
const toneNumber = (tone: string): number => (tone.codePointAt(0) ?? 0) - 0x1f3fb + 2;
