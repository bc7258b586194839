import { isGone } from "./calls.ts";
import { outcomeOf } from "./failure.ts";
import type { ReactOp } from "../../contract/ops.ts";
import type { Outcome } from "../../contract/outcome.ts";
import type { Attempt } from "../../contract/session.ts";
import { emojiKey } from "../kit/emoji-key.ts";
import { DONE, rejected } from "../kit/outcomes.ts";
import { says } from "./result.ts";
import { BEFORE_IT_MOVED, type TelegramSender } from "./sender.ts";

/** A bot has one reaction to a message: of those that people elsewhere have, the newest that the chat allows. */
export class TelegramReactor {
  readonly #sender: TelegramSender;

  constructor(sender: TelegramSender) {
    this.#sender = sender;
  }

  async react(op: ReactOp, { signal }: Attempt): Promise<Outcome> {
    const { link, poster } = this.#sender;
    const { channel, target } = op;
    const held = poster.calls.held(channel, signal);
    if (held !== null) return held;
    const standing = shownOf(op, link.room(channel)?.reactions ?? []);
    const wanted = emojiKey(op.emoji);
    // What cannot be put on was never there, and nothing changes.
    if (op.on && !standing.some((emoji) => emojiKey(emoji) === wanted)) return NOT_ALLOWED;
    for (const emoji of [...standing, null]) {
      const asked = await poster.calls.about({ channel, ref: target }, signal, async (at) =>
        link.api.react(at, emoji, signal),
      );
      if (asked.is === "ended") return asked.outcome;
      if (asked.is === "not asked") return BEFORE_IT_MOVED;
      if (asked.is !== "failed" || isGone(asked.failure)) return DONE;
      if (!says(asked.failure, "REACTION_INVALID")) return outcomeOf(asked.failure, { link, channel, doing: "react" });
      // The chat has allowed others since we joined.
      if (op.on && emoji !== null && emojiKey(emoji) === wanted) return NOT_ALLOWED;
    }
    return DONE;
  }
}

const NOT_ALLOWED = rejected("unsupported", "the chat allows no such reaction");

/** In Telegram's own spelling, the newest first. */
function shownOf({ standing }: Pick<ReactOp, "standing">, allowed: readonly string[]): readonly string[] {
  const known = new Map(allowed.map((emoji) => [emojiKey(emoji), emoji]));
  return standing.toReversed().flatMap(({ emoji }) => known.get(emojiKey(emoji)) ?? []);
}
