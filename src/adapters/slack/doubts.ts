import type { ChannelRef, OpId, Progress } from "../../contract/ids.ts";
import type { Outcome } from "../../contract/outcome.ts";
import { Lru } from "../../lib/lru.ts";
import { isNotToRead, readingFailed } from "./failure.ts";
import type { SlackLink } from "./link.ts";
import { isLaterTs, type SlackMessage, slackTimeOf, tsAt } from "./model.ts";
import type { SlackFailure } from "./result.ts";

/** Messages of one page, and pages that are looked through at most for messages whose answers never came. */
const PAGE = 200;
const PAGES_MAX = 50;
/** A try without an answer is repeated sooner than after this (`retryWithin`): what is older is in no doubt. */
const DOUBT_MS = 2 * 3_600_000;
/** Ops whose last try may have been done without our hearing of it. */
const DOUBTFUL_MAX = 1_000;
const PLACES_MAX = 2_000;

/** Where a message is: in a channel, or in a thread of it. */
interface Place {
  readonly channel: ChannelRef;
  /** Of the thread; empty: in the channel itself. */
  readonly root: string;
}

/** An op, a part of which may have been done without our hearing of it. */
interface SlackDoubt {
  /** Behind which message it would be; empty: behind any. */
  readonly floor: string;
  /** Up to where it would say the op. */
  readonly upTo: Progress;
}

/**
 * What may have been posted without our knowing: by an earlier life, or by a try without an answer. It is looked for in
 * the history of the channel, and found by what our messages say of themselves.
 */
export class SlackDoubts {
  readonly #link: SlackLink;
  /** Places that were looked through: what an earlier life made there is known. */
  readonly #looked = new Lru<string, true>(PLACES_MAX);
  /** A message there, behind which those are that are made from now on. */
  readonly #newest = new Lru<ChannelRef, string>(PLACES_MAX);
  readonly #doubtful = new Lru<OpId, SlackDoubt>(DOUBTFUL_MAX);

  constructor(link: SlackLink) {
    this.#link = link;
  }

  /** It was made, or seen: all that is made later stands behind it. */
  passed(channel: ChannelRef, ts: string): void {
    if (isLaterTs(ts, this.#newest.get(channel) ?? "")) this.#newest.set(channel, ts);
  }

  /** Behind this one is what is made now. */
  floorOf(channel: ChannelRef): string {
    return this.#newest.get(channel) ?? "";
  }

  /** Nobody knows whether a message for it was made. */
  doubt(op: OpId, { floor, upTo }: SlackDoubt): void {
    const before = this.#doubtful.get(op);
    const isFirst = before === undefined || isLaterTs(before.floor, floor);
    this.#doubtful.set(op, { floor: isFirst ? floor : before.floor, upTo });
  }

  /** Null: it is in no doubt. */
  of(op: OpId): SlackDoubt | null {
    return this.#doubtful.get(op) ?? null;
  }

  /** Null: all that was made for it there is known now. */
  async settle(op: OpId, { channel, root }: Place, signal: AbortSignal): Promise<Outcome | null> {
    const doubt = this.of(op);
    const since = doubt?.floor ?? null;
    for (const place of root === "" ? [""] : ["", root]) {
      const key = `${channel} ${place}`;
      const isNew = this.#looked.get(key) === undefined;
      if (since === null && !isNew) continue;
      const failure = await this.#look({ channel, root: place }, isNew ? this.#earlier(since) : since, signal);
      if (failure !== null && !isNotToRead(failure))
        return readingFailed(failure, { link: this.#link, channel, doing: "post" });
      if (failure !== null && doubt !== null) return this.#giveUp(op, doubt, failure);
      if (failure !== null) this.#link.host.log.warn({ channel, error: failure.error }, BLIND);
      this.#looked.set(key, true);
    }
    this.#doubtful.delete(op);
    return null;
  }

  /** Nobody lets us look: whoever reads the log is told, and it does not come twice. */
  #giveUp(op: OpId, { upTo }: SlackDoubt, { message }: SlackFailure): Outcome {
    this.#doubtful.delete(op);
    return { is: "unknown", why: { code: "forbidden", message: `${UNSETTLED}: ${message}` }, upTo, final: true };
  }

  /**
   * Where what an earlier life made begins: it may have been told of events long after it had sent what is in doubt,
   * but not for long. Null: it was told of none.
   */
  #earlier(since: string | null): string | null {
    const { toldTs } = this.#link;
    if (toldTs === "") return null;
    const told = tsAt(slackTimeOf(toldTs) - DOUBT_MS);
    return since !== null && since !== "" && isLaterTs(told, since) ? since : told;
  }

  /** `oldest`: null: as far as anything can be in doubt. */
  async #look({ channel, root }: Place, oldest: string | null, signal: AbortSignal): Promise<SlackFailure | null> {
    const { api, host } = this.#link;
    let cursor = "";
    let newest = "";
    for (let page = 0; page < PAGES_MAX; page += 1) {
      const query = { channel, oldest: oldest ?? "", latest: "", cursor, count: PAGE };
      const answer = root === "" ? await api.history(query, signal) : await api.replies({ ...query, root }, signal);
      if (!answer.ok) return answer.failure.error === "thread_not_found" ? null : answer.failure;
      const { messages, next } = answer.value;
      for (const message of messages) {
        this.#note(channel, message);
        if (isLaterTs(message.ts, newest)) newest = message.ts;
      }
      const last = messages.at(-1)?.ts ?? "";
      const isOld = oldest === null && root === "" && slackTimeOf(last) < slackTimeOf(newest) - DOUBT_MS;
      if (next === "" || isOld) return null;
      cursor = next;
    }
    host.log.warn({ channel, messages: PAGES_MAX * PAGE }, TOO_MANY);
    return null;
  }

  #note(channel: ChannelRef, message: SlackMessage): void {
    const { own } = this.#link;
    this.passed(channel, message.ts);
    if (own.isOurs(message)) own.note(channel, message);
  }
}

const UNSETTLED = "it may have been posted, and is not sent again, because that cannot be looked for";
const BLIND =
  "what was posted without an answer cannot be looked for, because the app may not read the history: such a message may come twice";
const TOO_MANY =
  "so many messages were looked through for those whose answers never came, and not all: one before them may come twice";
