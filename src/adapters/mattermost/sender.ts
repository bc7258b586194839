import { END, type ChannelRef, type MessageRef, type OpId, type Progress } from "../../contract/ids.ts";
import type { DeleteOp, PostDraft, PostOp } from "../../contract/ops.ts";
import type { Loss, Outcome } from "../../contract/outcome.ts";
import type { Attempt } from "../../contract/session.ts";
import { isAborted } from "../../lib/abort.ts";
import { Lru } from "../../lib/lru.ts";
import { MARGIN_MS } from "../kit/channel-positions.ts";
import { inTime } from "../kit/in-time.ts";
import { PAGE_MAX } from "./api.ts";
import { DELETING, type Doing, isGone, MUTE, outcomeOf, POSTING } from "./failure.ts";
import { identityOf } from "./identity.ts";
import { messageRef, progressAt } from "./ids.ts";
import type { MattermostLink } from "./link.ts";
import { refusalId } from "./login.ts";
import { propsOf } from "./own-posts.ts";
import { namesOf, partsAfter, pendingIdOf, type PostPart, renderPost } from "./render.ts";
import { uploadAll } from "./uploads.ts";
import type { Json } from "../kit/json.ts";
import { DONE, GIVEN_UP, NOT_THERE } from "../kit/outcomes.ts";
import type { RestFailure } from "../kit/rest.ts";

/** Pages of a channel that are looked through at most for posts whose answers never came. */
const PAGES_MAX = 50;
/** A try without an answer is repeated sooner than after this (`retryWithin`): what is older is in no doubt. */
const DOUBT_MS = 2 * 3_600_000;
/** Ops whose last try may have been done without our hearing of it. */
const DOUBTFUL_MAX = 1_000;
const CHANNELS_MAX = 1_000;
const NAMES_MAX = 1_000;
/** So long somebody is taken for a member, or for none. */
const NAME_MS = 60_000;
/** So long a post waits for who of those it names is a member. */
const NAMES_MS = 10_000;

/** One post that is to be made, once however often it is tried. */
export interface NewPart {
  readonly op: OpId;
  readonly upTo: Progress;
  readonly channel: ChannelRef;
  readonly message: string;
  readonly rootId: string;
  readonly fileIds: readonly string[];
  readonly props: Json;
}

type Made = { readonly ok: true; readonly ref: MessageRef } | { readonly ok: false; readonly outcome: Outcome };
type Root =
  | { readonly ok: true; readonly id: string; readonly losses: readonly Loss[] }
  | { readonly ok: false; readonly outcome: Outcome };

/** Makes posts and deletes them; what is changed about them goes through it, too. */
export class PostSender {
  readonly link: MattermostLink;
  /** Channels whose last posts were looked through: what an earlier life made is known. */
  readonly #looked = new Lru<ChannelRef, true>(CHANNELS_MAX);
  /** Since when, by the server's time. */
  readonly #doubtful = new Lru<OpId, number>(DOUBTFUL_MAX);
  readonly #members = new Lru<string, { readonly is: boolean; readonly untilMs: number }>(NAMES_MAX);

  constructor(link: MattermostLink) {
    this.link = link;
  }

  async post(op: PostOp, attempt: Attempt): Promise<Outcome> {
    const { link } = this;
    const { signal } = attempt;
    if (link.room(op.channel) === null) return NOT_THERE;
    if (signal.aborted) return GIVEN_UP;
    const root = await this.#root(op, signal);
    if (!root.ok) return root.outcome;
    // Before its files are brought there once more.
    const [isInDoubt, lookedMs] = [this.#inDoubtSince(op.id, op.channel) !== null, link.times.now()];
    const looked = await this.#look(op.id, op.channel, signal);
    if (looked !== null) return looked;
    const made = this.#madeOf(op);
    if (made !== null) return { is: "delivered", receipt: { messages: made, losses: root.losses } };
    const identity = identityOf(op.author, link);
    const uploaded = await uploadAll(op.body.files, link, op.channel, signal);
    if (!uploaded.ok) return uploaded.outcome;
    // That may have taken long: what an earlier try has sent may have arrived meanwhile.
    if (isInDoubt && uploaded.files.some(({ id }) => id !== null)) this.#doubt(op.id, lookedMs);
    const names = await this.membersAmong(op, op.channel, signal);
    const textMax = link.limits.postMax;
    const rendered = renderPost(op, { textMax, prefix: identity.prefix, names, files: uploaded.files });
    const losses = [...root.losses, ...uploaded.losses, ...rendered.losses];
    const messages: MessageRef[] = [];
    let rootId = root.id;
    for (const part of partsAfter(rendered.parts, op.resume)) {
      if (isAborted(signal)) return GIVEN_UP;
      const wanted = wantedOf(op, part, rootId, identity.props);
      let made = await this.make(wanted, signal);
      if (!made.ok && made.outcome === NO_ROOT) {
        losses.push({ what: "reply", note: "what it answers is no longer there" });
        rootId = "";
        made = await this.make({ ...wanted, rootId }, signal);
      }
      if (!made.ok) return made.outcome;
      messages.push(made.ref);
      attempt.sent(part.end, [made.ref]);
    }
    return { is: "delivered", receipt: { messages, losses } };
  }

  /** All that an earlier try made after the place to go on from; null: its last part is not there. */
  #madeOf({ id, resume }: PostOp): readonly MessageRef[] | null {
    const last = this.link.own.find({ op: id, upTo: END });
    if (last === null || resume === END) return null;
    const made: MessageRef[] = [];
    for (let at = (Number(resume ?? 0) || 0) + 1; ; at += 1) {
      const part = this.link.own.find({ op: id, upTo: progressAt(String(at)) });
      if (part === null) return [...made, last];
      made.push(part);
    }
  }

  /** A post that is there already, from a try whose answer was lost, is not made again. */
  async make(wanted: NewPart, signal: AbortSignal): Promise<Made> {
    const { link } = this;
    const { op, upTo, channel } = wanted;
    const looked = await this.#look(op, channel, signal);
    if (looked !== null) return { ok: false, outcome: looked };
    const known = link.own.find({ op, upTo });
    if (known !== null) return { ok: true, ref: known };
    const sentMs = link.times.now();
    const answer = await link.api.createPost(
      {
        channelId: channel,
        message: wanted.message,
        rootId: wanted.rootId,
        fileIds: wanted.fileIds,
        props: { ...wanted.props, ...propsOf({ op, upTo }) },
        pendingId: pendingIdOf(link.me.id, op, upTo),
      },
      signal,
    );
    if (answer.ok && answer.value !== null) {
      link.own.note(answer.value);
      link.roots.note(answer.value);
      return { ok: true, ref: messageRef(answer.value.id) };
    }
    if (!answer.ok && wanted.rootId !== "" && refusalId(answer.failure).includes("root_id"))
      return { ok: false, outcome: NO_ROOT };
    const outcome = answer.ok ? MUTE : await this.failed(answer.failure, channel, POSTING, signal);
    if (outcome.is === "unknown") this.#doubt(op, sentMs);
    return { ok: false, outcome };
  }

  async failed(failure: RestFailure, channel: ChannelRef, doing: Doing, signal: AbortSignal): Promise<Outcome> {
    return await outcomeOf(failure, { link: this.link, channel, doing, signal });
  }

  /**
   * What earlier sessions made is looked for once in each channel, and again for an op whose last try had no answer:
   * null when it is known.
   */
  async #look(op: OpId, channel: ChannelRef, signal: AbortSignal): Promise<Outcome | null> {
    const { link } = this;
    const sinceMs = this.#inDoubtSince(op, channel);
    if (sinceMs === null) return null;
    let before: string | null = null;
    let isWhole = false;
    for (let page = 0; page < PAGES_MAX && !isWhole; page += 1) {
      const posts = await link.api.posts(channel, { before, count: PAGE_MAX }, signal);
      if (!posts.ok) {
        const outcome = await this.failed(posts.failure, channel, POSTING, signal);
        // Reading has made nothing.
        return outcome.is === "unknown"
          ? { is: "deferred", why: outcome.why, retryInMs: 1_000, scope: "session" }
          : outcome;
      }
      for (const post of posts.value) if (post.userId === link.me.id && post.originalId === "") link.own.note(post);
      const oldest = posts.value.at(0);
      isWhole = oldest === undefined || posts.value.length < PAGE_MAX || oldest.createAt < sinceMs;
      before = oldest?.id ?? null;
    }
    if (!isWhole) link.host.log.warn({ channel, posts: PAGES_MAX * PAGE_MAX }, TOO_MANY);
    this.#looked.set(channel, true);
    this.#doubtful.delete(op);
    return null;
  }

  /** From when on its posts may be there without our knowing, by the server's time; null: all of them are known. */
  #inDoubtSince(op: OpId, channel: ChannelRef): number | null {
    const { times } = this.link;
    const sinceMs = this.#doubtful.get(op) ?? null;
    if (this.#looked.get(channel) === true) return sinceMs;
    // An earlier session may have been told of events long after it had sent what is in doubt, but not for long.
    return (times.toldMs === 0 ? times.now() : times.toldMs) - DOUBT_MS;
  }

  #doubt(op: OpId, atMs: number): void {
    // Servers' times are a little apart.
    this.#doubtful.set(op, Math.min(atMs - MARGIN_MS, this.#doubtful.get(op) ?? Infinity));
  }

  /** The first post of the thread that it belongs to; empty for none. */
  async #root({ reply, thread, channel }: PostOp, signal: AbortSignal): Promise<Root> {
    const target = thread ?? reply?.target ?? null;
    if (target === null) return { ok: true, id: "", losses: [] };
    const known = await this.link.roots.of(target, signal);
    if (known !== null) return { ok: true, id: known, losses: [] };
    const answer = await this.link.api.post(target, signal);
    if (answer.ok && answer.value !== null) return { ok: true, id: answer.value.rootId || answer.value.id, losses: [] };
    const loss: Loss = { what: "reply", note: "what it answers is no longer there" };
    if (answer.ok || isGone(answer.failure) || answer.failure.status === 403)
      return { ok: true, id: "", losses: [loss] };
    const outcome = await this.failed(answer.failure, channel, POSTING, signal);
    if (outcome.is !== "unknown") return { ok: false, outcome };
    return { ok: false, outcome: { is: "deferred", why: outcome.why, retryInMs: 1_000, scope: "session" } };
  }

  /** Of the names in a text those of people in the channel. */
  async membersAmong(draft: PostDraft, channel: ChannelRef, signal: AbortSignal): Promise<ReadonlySet<string>> {
    const { clock } = this.link.host;
    const untilMs = clock.monoMs() + NAMES_MS;
    const found = new Set<string>();
    for (const name of namesOf(draft)) {
      const key = `${channel} ${name}`;
      const known = this.#members.get(key);
      if (known !== undefined && known.untilMs > clock.monoMs()) {
        if (known.is) found.add(name);
        continue;
      }
      const limit = { clock, ms: Math.max(0, untilMs - clock.monoMs()), signal };
      const is = await inTime(this.#isMember(name, channel, signal), limit, () => null);
      // The text does not wait for whom it names.
      if (is === null) break;
      this.#members.set(key, { is, untilMs: clock.monoMs() + NAME_MS });
      if (is) found.add(name);
    }
    return found;
  }

  async #isMember(name: string, channel: ChannelRef, signal: AbortSignal): Promise<boolean> {
    const { people, api } = this.link;
    const user = await people.named(name);
    const member = user === null ? null : await api.isInChannel(channel, user.id, signal);
    return member?.ok === true && member.value;
  }

  async delete(op: DeleteOp, attempt: Attempt): Promise<Outcome> {
    if (this.link.room(op.channel) === null) return NOT_THERE;
    // The last one first: what is left for a moment still begins with who says it.
    for (const target of op.target.toReversed()) {
      if (attempt.signal.aborted) return GIVEN_UP;
      const gone = await this.remove(target, op.channel, attempt.signal);
      if (gone !== null) return gone;
    }
    return DONE;
  }

  /** Null: it is no longer there. */
  async remove(target: string, channel: ChannelRef, signal: AbortSignal): Promise<Outcome | null> {
    this.link.own.deleting(target);
    const answer = await this.link.api.deletePost(target, signal);
    if (answer.ok || isGone(answer.failure)) return null;
    return await this.failed(answer.failure, channel, DELETING, signal);
  }
}

const TOO_MANY =
  "so many posts were looked through for those whose answers never came, and not all: one before them may come twice";

/** The thread that it was for is gone. */
const NO_ROOT: Outcome = { is: "rejected", why: { code: "not_found", message: "what it answers is gone" } };

function wantedOf(op: PostOp, { end, message, fileIds }: PostPart, rootId: string, props: Json): NewPart {
  return { op: op.id, upTo: end, channel: op.channel, message, rootId, fileIds, props };
}
