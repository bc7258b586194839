import type { ReactOp } from "../../contract/ops.ts";
import type { Outcome } from "../../contract/outcome.ts";
import type { Attempt } from "../../contract/session.ts";
import { Lru } from "../../lib/lru.ts";
import type { Result } from "./client.ts";
import { isObject, listIn, objectIn, textIn } from "../kit/json.ts";
import { DONE, GIVEN_UP, NOT_THERE } from "../kit/outcomes.ts";
import type { MatrixRoom } from "./room.ts";
import { notNow, type Sender } from "./sender.ts";

/** So many of our reactions are remembered; others are looked for on the server. */
const KEPT_MAX = 5_000;
/** Pages of reactions to one message that are looked through. */
const PAGES_MAX = 10;

/**
 * Reactions: with users of our own each sender has a voice, otherwise ours stands for as long as somebody elsewhere has
 * the emoji.
 */
export class Reactor {
  readonly #sender: Sender;
  /** The event of each of our reactions. */
  readonly #events = new Lru<string, string>(KEPT_MAX);

  constructor(sender: Sender) {
    this.#sender = sender;
  }

  async react(op: ReactOp, attempt: Attempt): Promise<Outcome> {
    const room = this.#sender.room(op.channel);
    if (room === null) return NOT_THERE;
    if (attempt.signal.aborted) return GIVEN_UP;
    const { ghosts, identities, user } = this.#sender.options;
    const identity = ghosts === null ? null : await identities.of(op.author, room, attempt.signal);
    if (identity?.ok === false) return notNow(identity.failure);
    const as = identity?.value.as ?? null;
    const isOn = as === null ? op.standing.some(({ emoji }) => emoji === op.emoji) : op.on;
    const key = JSON.stringify([op.target, op.emoji, as ?? user]);
    const done = isOn
      ? await this.#add(op, room, as, key, attempt.signal)
      : await this.#remove(op, room, as, key, attempt.signal);
    return done.ok
      ? DONE
      : await this.#sender.failed(done.failure, { room, as, attempt: op.attempt, signal: attempt.signal });
  }

  async #add(
    op: ReactOp,
    room: MatrixRoom,
    as: string | null,
    key: string,
    signal: AbortSignal,
  ): Promise<Result<unknown>> {
    if (this.#events.get(key) !== undefined) return NOTHING_TO_DO;
    const content = { "m.relates_to": { rel_type: "m.annotation", event_id: op.target, key: op.emoji } };
    const sent = await this.#sender.send(room, { op: op.id, part: "react", type: "m.reaction", content, as }, signal);
    if (sent.ok) this.#events.set(key, sent.value);
    // It stands already, from before a restart; or what it stands under is gone.
    else if (sent.failure.errcode === "M_DUPLICATE_ANNOTATION" || sent.failure.status === 404) return NOTHING_TO_DO;
    return sent;
  }

  async #remove(
    op: ReactOp,
    room: MatrixRoom,
    as: string | null,
    key: string,
    signal: AbortSignal,
  ): Promise<Result<unknown>> {
    const known = this.#events.get(key);
    const found = known === undefined ? await this.#find(op, room, as, signal) : { ok: true as const, value: known };
    if (!found.ok) return found.failure.status === 404 ? NOTHING_TO_DO : found;
    if (found.value === null) return NOTHING_TO_DO;
    const removed = await this.#sender.redact(room, found.value, { op: op.id, part: "unreact" }, signal);
    if (!removed.ok && removed.failure.status !== 404) return removed;
    this.#events.delete(key);
    return NOTHING_TO_DO;
  }

  async #find(
    { target, emoji }: ReactOp,
    room: MatrixRoom,
    as: string | null,
    signal: AbortSignal,
  ): Promise<Result<string | null>> {
    const { client, user } = this.#sender.options;
    let from: string | null = null;
    for (let page = 0; page < PAGES_MAX; page += 1) {
      const answer = await client.reactions(room.id, target, from, signal);
      if (!answer.ok) return answer;
      const own = listIn(answer.value, "chunk")
        .filter(isObject)
        .find(
          (event) =>
            event["sender"] === (as ?? user) &&
            textIn(objectIn(objectIn(event, "content"), "m.relates_to"), "key") === emoji,
        );
      from = textIn(answer.value, "next_batch");
      if (own !== undefined || from === null)
        return { ok: true, value: own === undefined ? null : textIn(own, "event_id") };
    }
    return { ok: true, value: null };
  }
}

const NOTHING_TO_DO = { ok: true, value: null } as const;
