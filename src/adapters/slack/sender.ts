import type { SharedFile } from "../../contract/content.ts";
import { END, type ChannelRef, type MessageRef, type OpId } from "../../contract/ids.ts";
import type { DeleteOp, PostDraft, PostOp } from "../../contract/ops.ts";
import type { Loss, Outcome } from "../../contract/outcome.ts";
import type { Attempt } from "../../contract/session.ts";
import { isAborted } from "../../lib/abort.ts";
import { DONE, GIVEN_UP, NOT_THERE } from "../kit/outcomes.ts";
import type { UploadedFile } from "./api.ts";
import { SlackCallers } from "./callers.ts";
import { isGone, isNotToRead, outcomeOf, readingFailed, type SlackDoing } from "./failure.ts";
import { hasNames, identityAdvice, type SlackSpeaker, speakerOf } from "./identity.ts";
import type { SlackLink } from "./link.ts";
import { nameLate } from "./late-name.ts";
import type { FoundMessage } from "./own-messages.ts";
import { SHARED_NOWHERE, SlackPoster } from "./poster.ts";
import { progressOf, sentBy, type SlackSent } from "./progress.ts";
import { renderMessages, type SlackMessagePart, type SlackRenderedFile } from "./render.ts";
import type { SlackFailure } from "./result.ts";
import { SlackUploads } from "./uploads.ts";

/** What is left out of a post, one after the other: its thread, its names, its files. */
const CHANGES_MAX = 8;

/** How a post is made now; what turns out not to go is left out. */
interface Course {
  root: string;
  sent: SlackSent;
  /** Files that lie with the server. */
  readonly there: Map<SharedFile, UploadedFile>;
  /** Files that turned out not to go, and why. */
  readonly missing: Map<SharedFile, string>;
  readonly losses: Loss[];
  readonly messages: MessageRef[];
}

type Root =
  | { readonly ok: true; readonly root: string; readonly losses: readonly Loss[] }
  | { readonly ok: false; readonly outcome: Outcome };

const NO_ROOT: Loss = { what: "reply", note: "what it answers is no longer there" };

/** Makes messages of posts, and deletes them; what is changed about them goes through it, too. */
export class SlackSender {
  readonly link: SlackLink;
  readonly poster: SlackPoster;
  readonly callers: SlackCallers;
  readonly uploads: SlackUploads;
  /** Names turned out to be refused. */
  #namesRefused = false;

  constructor(link: SlackLink) {
    this.link = link;
    this.poster = new SlackPoster(link);
    this.callers = new SlackCallers(link);
    this.uploads = new SlackUploads(link);
    link.host.degraded(identityAdvice(link), "names");
  }

  async post(op: PostOp, attempt: Attempt): Promise<Outcome> {
    const { signal } = attempt;
    if (this.link.room(op.channel) === null) return NOT_THERE;
    if (op.resume === END) return DONE;
    const slow = signal.aborted ? GIVEN_UP : this.poster.slowed(op.channel);
    if (slow !== null) return slow;
    const root = await this.#root(op, signal);
    if (!root.ok) return root.outcome;
    const sent = sentBy(op.resume);
    const { losses } = root;
    const course: Course = {
      root: root.root,
      sent,
      there: new Map(),
      missing: new Map(),
      losses: [...losses],
      messages: [],
    };
    const { doubts } = this.poster;
    const doubt = doubts.of(op.id);
    const floor = doubts.floorOf(op.channel);
    const unsettled = await doubts.settle(op.id, { channel: op.channel, root: course.root }, signal);
    if (unsettled !== null) return unsettled;
    const found = await this.#takeFound(op, course, attempt);
    if (found !== null) {
      this.ended(op, found);
      return found;
    }
    const stop = await this.#bringFiles(op, course, signal);
    if (stop !== null) return stop;
    // That may have taken long: what an earlier try has sent may have arrived meanwhile.
    if (doubt !== null && course.there.size > 0) doubts.doubt(op.id, { ...doubt, floor });
    const people = await this.callers.among(op, op.channel, signal);
    const outcome = await this.#run(op, attempt, course, people);
    this.ended(op, outcome);
    return outcome;
  }

  /** What an earlier try made after the place to go on from. Null: there is more to be made. */
  async #takeFound(op: PostOp, course: Course, attempt: Attempt): Promise<Outcome | null> {
    for (;;) {
      const found = this.link.own.find(op.id, String(course.sent.parts + 1));
      if (found === null) return null;
      const stop = await this.#take(op, found, course, attempt);
      if (stop !== null) return stop;
      if (found.upTo === END) return delivered(course);
      course.sent = sentBy(found.upTo);
    }
  }

  /** It is there. Null: it also says who speaks, as far as it can. */
  async #take(op: PostOp, found: FoundMessage, course: Course, attempt: Attempt): Promise<Outcome | null> {
    const { ref, upTo, unnamed } = found;
    const stop = unnamed ? await this.name(op, ref, course.losses, attempt.signal) : null;
    if (stop !== null) return stop;
    course.messages.push(ref);
    attempt.sent(upTo, [ref]);
    return null;
  }

  /** The server has passed over the name of a message. Null: it stands before the words, or cannot. */
  async name(
    op: Pick<PostOp, "author" | "body" | "channel">,
    ref: MessageRef,
    losses: Loss[],
    signal: AbortSignal,
  ): Promise<Outcome | null> {
    this.#refuseNames(losses, "the app may give its messages no names");
    const stop = await nameLate(op, ref, this.link, signal);
    if (stop?.is !== "rejected") return stop;
    losses.push({ what: "identity", note: stop.why.message });
    return null;
  }

  /** Those that are not in a message yet. Null: they lie with the server, or do not go. */
  async #bringFiles({ id, channel, body }: PostOp, course: Course, signal: AbortSignal): Promise<Outcome | null> {
    for (const file of body.files.slice(course.sent.files)) {
      if (file.id === null) continue;
      if (isAborted(signal)) return GIVEN_UP;
      const brought = await this.uploads.bring(file, id, channel, signal);
      if (brought.is === "ended") return brought.outcome;
      if (brought.is === "there") course.there.set(file, brought.uploaded);
      else this.#leaveOut(file, brought.why, course);
    }
    return null;
  }

  /** Once it is done, or given up, nothing has to be known of it. */
  ended({ id, channel }: Pick<PostOp, "id" | "channel">, { is }: Outcome): void {
    if (is !== "delivered" && is !== "rejected") return;
    this.uploads.forget(id);
    this.poster.doubts.ended(id, channel);
  }

  /** A message was not made, or nobody knows. With files that is not tried for ever. */
  stopped(op: OpId, files: readonly unknown[], outcome: Outcome): Outcome {
    if (files.length > 0 && (outcome.is === "unknown" || outcome === SHARED_NOWHERE)) this.uploads.unshared(op);
    if (outcome === SHARED_NOWHERE) this.uploads.lost(op);
    return outcome;
  }

  #leaveOut(file: SharedFile, why: string, { missing, losses }: Course): void {
    missing.set(file, why);
    losses.push({ what: "file", note: `${file.name}: ${why}` });
  }

  async #run(op: PostOp, attempt: Attempt, course: Course, people: ReadonlyMap<string, string>): Promise<Outcome> {
    const { signal } = attempt;
    let { parts, losses } = this.#render(op, course, people);
    if (parts.length === 0) return course.sent.parts > 0 ? delivered(course) : NOTHING_TO_SEE;
    for (let changes = 0; changes <= CHANGES_MAX;) {
      const [part, ...rest] = parts;
      if (part === undefined) return delivered({ ...course, losses: [...course.losses, ...losses] });
      if (isAborted(signal)) return GIVEN_UP;
      const wanted = {
        op: op.id,
        key: part.key,
        upTo: part.sent === null ? END : progressOf(part.sent),
        channel: op.channel,
        root: course.root,
        blocks: part.blocks,
        files: part.files.flatMap((file) => course.there.get(file) ?? []),
        speaker: part.files.length > 0 ? null : this.speakerOf(op),
        body: op.body,
      };
      const made = await this.poster.make(wanted, signal);
      if (made.is === "ended") return this.stopped(op.id, part.files, made.outcome);
      if (made.is === "made") {
        const { upTo, unnamed } = made.found;
        const stop = await this.#take(op, made.found, course, attempt);
        if (stop !== null) return stop;
        if (upTo !== END) course.sent = sentBy(upTo);
        // An earlier try, whose message was found, may have been cut in another way.
        const isSame = upTo === wanted.upTo && !unnamed;
        parts = upTo === END ? [] : isSame ? rest : this.#render(op, course, people).parts;
        continue;
      }
      changes += 1;
      if (made.what === "names") this.#refuseNames(course.losses, made.why);
      else if (made.what === "files") for (const file of part.files) this.#leaveOut(file, made.why, course);
      else {
        course.losses.push({ what: "reply", note: `it could not be said in the thread: ${made.why}` });
        course.root = "";
      }
      ({ parts, losses } = this.#render(op, course, people));
    }
    return STUBBORN;
  }

  #refuseNames(losses: Loss[], why: string): void {
    this.#namesRefused = true;
    losses.push({ what: "identity", note: `the app says it: ${why}` });
    const { host, settings, me } = this.link;
    host.degraded(identityAdvice({ settings, me: { ...me, scopes: NO_SCOPES } }), "names");
  }

  #render(
    op: PostOp,
    { sent, there, missing }: Course,
    people: ReadonlyMap<string, string>,
  ): { readonly parts: readonly SlackMessagePart[]; readonly losses: readonly Loss[] } {
    const files = op.body.files.map((file, at): SlackRenderedFile => {
      const why = missing.get(file) ?? file.missing;
      const goes = at < sent.files || there.has(file) ? "natively" : "in the text";
      return goes === "natively" && !missing.has(file) && file.id !== null
        ? { file, goes }
        : { file: { ...file, missing: why }, goes: "in the text" };
    });
    const named = op.author === null ? "none" : this.speakerOf(op) === null ? "first" : "with files";
    return renderMessages(op, {
      named,
      exact: this.link.settings.PrefixMessagesWithNick,
      people,
      hasEmoji: this.link.hasEmoji,
      files,
      sent,
    });
  }

  /** Null: the app itself, with the name before the text. */
  speakerOf({ author }: Pick<PostDraft, "author">): SlackSpeaker | null {
    return this.#namesRefused || !hasNames(this.link) ? null : speakerOf(author);
  }

  /** The first message of the thread that it belongs to; empty for none. */
  async #root({ reply, thread, channel }: PostOp, signal: AbortSignal): Promise<Root> {
    const target = thread ?? reply?.target ?? null;
    if (target === null) return { ok: true, root: "", losses: [] };
    const found = await this.link.roots.of(channel, target, signal);
    if (found.ok) return { ok: true, root: found.value ?? "", losses: found.value === null ? [NO_ROOT] : [] };
    const { failure } = found;
    if (isGone(failure) || failure.error === "thread_not_found") return { ok: true, root: "", losses: [NO_ROOT] };
    // It may be a root.
    if (isNotToRead(failure)) return { ok: true, root: target, losses: [] };
    return { ok: false, outcome: readingFailed(failure, { link: this.link, channel, doing: "post" }) };
  }

  failed(failure: SlackFailure, channel: ChannelRef, doing: SlackDoing): Outcome {
    return outcomeOf(failure, { link: this.link, channel, doing });
  }

  async delete(op: DeleteOp, { signal }: Attempt): Promise<Outcome> {
    if (this.link.room(op.channel) === null) return NOT_THERE;
    // The last one first: what is left for a moment still begins with who says it.
    for (const target of op.target.toReversed()) {
      if (signal.aborted) return GIVEN_UP;
      const stop = await this.remove(target, op.channel, signal);
      if (stop !== null) return stop;
    }
    return DONE;
  }

  /** Null: it is no longer there. */
  async remove(target: string, channel: ChannelRef, signal: AbortSignal): Promise<Outcome | null> {
    this.link.own.deleting(channel, target);
    const answer = await this.link.api.delete(channel, target, signal);
    if (answer.ok || isGone(answer.failure)) return null;
    return this.failed(answer.failure, channel, "delete the message");
  }
}

const NO_SCOPES: ReadonlySet<string> = new Set();

const delivered = ({ messages, losses }: Pick<Course, "messages" | "losses">): Outcome => ({
  is: "delivered",
  receipt: { messages, losses },
});

const NOTHING_TO_SEE: Outcome = {
  is: "rejected",
  why: { code: "bad_content", message: "there is nothing in the message that could be seen" },
};

export const STUBBORN: Outcome = {
  is: "rejected",
  why: { code: "bad_content", message: "Slack refuses the message, whatever of it is left out" },
};
