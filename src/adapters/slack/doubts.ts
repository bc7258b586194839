import type { ChannelRef, OpId } from "../../contract/ids.ts";
import type { Outcome } from "../../contract/outcome.ts";
import { Lru } from "../../lib/lru.ts";
import { isNotToRead, readingFailed } from "./failure.ts";
import type { SlackDoubt } from "./kept-doubts.ts";
import type { SlackLink } from "./link.ts";
import { isLaterTs, type SlackMessage, slackTimeOf, tsAt } from "./model.ts";
import { readMark } from "./progress.ts";
import type { SlackFailure } from "./result.ts";

/** Messages of one page, and pages that are looked through at most for messages whose answers never came. */
const PAGE = 200;
const PAGES_MAX = 50;
/** What nobody knows to be in doubt, because we were killed, was sent so long before the last event at most. */
const KILLED_MS = 2 * 3_600_000;
/** A try is over within this, on its way to the server, too. */
const TRY_MS = 600_000;
/** Ops whose last try may have been done without our hearing of it. */
const DOUBTFUL_MAX = 1_000;
const PLACES_MAX = 2_000;

/** Where a message is: in a channel, or in a thread of it. */
interface Place {
  readonly channel: ChannelRef;
  /** Of the thread; empty: in the channel itself. */
  readonly root: string;
}

/** A part of the history. */
interface Span {
  readonly oldest: string | null;
  /** Empty: up to now. */
  readonly latest: string;
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
    for (const [op, doubt] of link.doubts.all) {
      this.#doubtful.set(op, doubt);
      link.own.making({ op, mark: doubt.mark }, doubt.files);
    }
  }

  /** It was made, or seen: all that is made later stands behind it. */
  passed(channel: ChannelRef, ts: string): void {
    if (isLaterTs(ts, this.#newest.get(channel) ?? "")) this.#newest.set(channel, ts);
  }

  /** Behind this one is what is made now. */
  floorOf(channel: ChannelRef): string {
    return this.#newest.get(channel) ?? "";
  }

  /** Nobody knows whether a message for it was made in this try, behind `floor`. */
  doubt(op: OpId, { channel, floor, mark, files }: Omit<SlackDoubt, "until">): void {
    const { api, host, doubts } = this.#link;
    const nowMs = api.serverMs() ?? host.clock.nowMs();
    const until = tsAt(nowMs + TRY_MS);
    this.#doubtful.set(op, doubts.add(op, { channel, floor: floor || tsAt(nowMs - TRY_MS), until, mark, files }));
  }

  /** Its outcome is no `unknown`, nor waits for another try. */
  ended(op: OpId, channel: ChannelRef): void {
    this.#link.doubts.end(op, channel);
  }

  /** Null: it is in no doubt. */
  of(op: OpId): SlackDoubt | null {
    return this.#doubtful.get(op) ?? null;
  }

  /** Null: all that was made for it there is known now. */
  async settle(op: OpId, { channel, root }: Place, signal: AbortSignal): Promise<Outcome | null> {
    const doubt = this.of(op);
    for (const place of root === "" ? [""] : ["", root]) {
      const key = `${channel} ${place}`;
      const isNew = this.#looked.get(key) === undefined;
      const where = { channel, root: place };
      const failure =
        (doubt === null ? null : await this.#look(where, { oldest: doubt.floor, latest: doubt.until }, signal)) ??
        (isNew ? await this.#look(where, { oldest: this.#earlier(), latest: "" }, signal) : null);
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
  #giveUp(op: OpId, { channel, mark }: SlackDoubt, { message }: SlackFailure): Outcome {
    this.#doubtful.delete(op);
    this.ended(op, channel);
    const why = { code: "forbidden", message: `${UNSETTLED}: ${message}` } as const;
    return { is: "unknown", why, upTo: readMark(mark).upTo, final: true };
  }

  /**
   * Where what an earlier life made begins that was killed before it could know of a doubt: it may have been told of
   * events after it had sent that, but not for long. Null: it was told of none.
   */
  #earlier(): string | null {
    const { toldTs } = this.#link;
    return toldTs === "" ? null : tsAt(slackTimeOf(toldTs) - KILLED_MS);
  }

  /** `oldest`: null: as far as a killed life can have left something. */
  async #look({ channel, root }: Place, { oldest, latest }: Span, signal: AbortSignal): Promise<SlackFailure | null> {
    const { api, host } = this.#link;
    let cursor = "";
    let newest = "";
    for (let page = 0; page < PAGES_MAX; page += 1) {
      const query = { channel, oldest: oldest ?? "", latest, cursor, count: PAGE };
      const answer = root === "" ? await api.history(query, signal) : await api.replies({ ...query, root }, signal);
      if (!answer.ok) return answer.failure.error === "thread_not_found" ? null : answer.failure;
      const { messages, next } = answer.value;
      for (const message of messages) {
        this.#note(channel, message);
        if (isLaterTs(message.ts, newest)) newest = message.ts;
      }
      const last = messages.at(-1)?.ts ?? "";
      const isOld = oldest === null && root === "" && slackTimeOf(last) < slackTimeOf(newest) - KILLED_MS;
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
