import type { DeleteOp } from "../../contract/ops.ts";
import type { Outcome } from "../../contract/outcome.ts";
import type { Attempt } from "../../contract/session.ts";
import { DONE, GIVEN_UP, NOT_THERE } from "../kit/outcomes.ts";
import { DELETING, isArchived, isGone, isHookGone, outcomeOf, readingFailed } from "./failure.ts";
import { type DiscordPlace, readMessageRef } from "./ids.ts";
import type { DiscordLink } from "./link.ts";
import type { DiscordFailure, DiscordResult } from "./rest-result.ts";
import { RIGHT } from "./rights.ts";
import type { DiscordRoom } from "./room.ts";
import { channelOf } from "./threads.ts";
import type { DiscordHooks } from "./webhooks.ts";

interface Target {
  readonly room: DiscordRoom;
  /** The channel or thread that it is in. */
  readonly at: string;
  readonly id: string;
}

/** Takes messages back: what a webhook has said, only that webhook may, or who may manage messages. */
export class DiscordRemover {
  readonly #link: DiscordLink;
  readonly #hooks: DiscordHooks;

  constructor(link: DiscordLink, hooks: DiscordHooks) {
    this.#link = link;
    this.#hooks = hooks;
  }

  async delete(op: DeleteOp, { signal }: Attempt): Promise<Outcome> {
    const room = this.#link.room(op.channel);
    if (room === null || !room.joined) return NOT_THERE;
    // The last one first: what is left for a moment still begins with who says it.
    for (const target of op.target.toReversed()) {
      if (signal.aborted) return GIVEN_UP;
      const stop = await this.remove(op, room, readMessageRef(target), signal);
      if (stop !== null) return stop;
    }
    return DONE;
  }

  /** Null: it is no longer there. */
  async remove(
    { channel }: Pick<DeleteOp, "channel">,
    room: DiscordRoom,
    place: DiscordPlace,
    signal: AbortSignal,
  ): Promise<Outcome | null> {
    const { own, api } = this.#link;
    const target: Target = { room, at: channelOf(place, room), id: place.id };
    own.deleting(place.id);
    const failing = { link: this.#link, channel, at: target.at, doing: DELETING };
    let answer = await this.#remove(target, signal);
    if (!answer.ok && isArchived(answer.failure)) {
      const reopened = await api.reopenThread(target.at, signal);
      if (reopened.ok) answer = await this.#remove(target, signal);
    }
    if (answer.ok || isGone(answer.failure)) return null;
    return answer.isRead ? readingFailed(answer.failure, failing) : outcomeOf(answer.failure, failing);
  }

  async #remove(target: Target, signal: AbortSignal): Promise<Removed> {
    const { api } = this.#link;
    const { room, at, id } = target;
    if ((room.rights & RIGHT.manageMessages) !== 0n) return changing(await api.deleteMessage(at, id, signal));
    const message = await api.message(at, id, signal);
    if (!message.ok) return { ...message, isRead: true };
    const hook = message.value.webhook === "" ? null : await this.#hooks.byId(room, message.value.webhook, signal);
    if (hook !== null && !hook.ok) return { ...hook, isRead: true };
    if (hook === null || hook.value === null) return changing(await api.deleteMessage(at, id, signal));
    const thread = at === room.hookChannel ? null : at;
    const removed = await api.deleteWebhookMessage(hook.value, id, { thread }, signal);
    if (removed.ok || !isHookGone(removed.failure)) return changing(removed);
    this.#hooks.forget(room);
    return changing(await api.deleteMessage(at, id, signal));
  }
}

type Removed =
  | { readonly ok: true }
  | { readonly ok: false; readonly failure: DiscordFailure; readonly isRead: boolean };

const changing = (answer: DiscordResult<unknown>): Removed => (answer.ok ? { ok: true } : { ...answer, isRead: false });
