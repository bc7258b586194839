import { type ChannelRef, END, type MessageRef, type Progress } from "../../contract/ids.ts";
import type { DeleteOp, PostOp } from "../../contract/ops.ts";
import type { Loss, Outcome } from "../../contract/outcome.ts";
import type { Attempt } from "../../contract/session.ts";
import { isAborted } from "../../lib/abort.ts";
import { DONE, GIVEN_UP } from "../kit/outcomes.ts";
import { outcomeOf } from "./failure.ts";
import { isGone } from "./calls.ts";
import type { TelegramLink } from "./link.ts";
import { type TelegramMade, TelegramPoster } from "./poster.ts";
import { progressOf, sentBy, type TelegramReach } from "./progress.ts";
import type { TelegramLessons } from "./uploads.ts";
import { renderPost, type TelegramPart } from "./render.ts";

/** What is left out of a post, one after the other. */
const CHANGES_MAX = 100;

/** How a post is made now; what turns out not to go is left out. */
interface Course {
  sent: TelegramReach;
  /** Bytes of one request. */
  uploadMax: number;
  changes: number;
  readonly lessons: TelegramLessons;
  announced: Progress | null;
  readonly losses: Loss[];
  readonly messages: MessageRef[];
}

/** Makes messages of posts, and deletes them. */
export class TelegramSender {
  readonly link: TelegramLink;
  readonly poster: TelegramPoster;

  constructor(link: TelegramLink) {
    this.link = link;
    this.poster = new TelegramPoster(link);
  }

  async post(op: PostOp, attempt: Attempt): Promise<Outcome> {
    const held = this.poster.calls.held(op.channel, attempt.signal);
    if (held !== null) return held;
    if (op.resume === END) return DONE;
    const course: Course = {
      sent: sentBy(op.resume),
      uploadMax: this.link.uploadMax,
      changes: 0,
      lessons: new Map(),
      announced: null,
      losses: [],
      messages: [],
    };
    return await this.#run(op, attempt, course);
  }

  async #run(op: PostOp, attempt: Attempt, course: Course): Promise<Outcome> {
    let { parts, losses } = this.#render(op, course);
    if (parts.length === 0) return course.sent.parts > 0 ? delivered(course) : NOTHING_TO_SEE;
    while (course.changes <= CHANGES_MAX) {
      const [part, ...rest] = parts;
      if (part === undefined) return delivered({ ...course, losses: [...course.losses, ...losses] });
      const held = await this.poster.calls.ready(op.channel, attempt.signal);
      if (held !== null) return held;
      const upTo = part.isLast && course.changes === 0 ? END : progressOf(part.sent, course.changes);
      if (!(await attempt.sending(upTo)) || isAborted(attempt.signal)) return GIVEN_UP;
      const made = await this.#make(op, part, course, attempt.signal);
      if (made.is === "ended") return made.outcome;
      if (made.is === "made") {
        course.messages.push(...made.refs);
        attempt.sent(upTo, made.refs);
        course.sent = part.sent;
        parts = rest;
        continue;
      }
      course.changes += 1;
      this.leaveOut(made, course);
      ({ parts, losses } = this.#render(op, course));
    }
    return STUBBORN;
  }

  #render(op: PostOp, { sent, uploadMax, lessons }: Course): ReturnType<typeof renderPost> {
    const files = op.body.files.map((file) => this.poster.uploads.wayOf(file, lessons));
    return renderPost(op, { idOf: this.idOf(op.channel), files, uploadMax, sent });
  }

  async #make(op: PostOp, part: TelegramPart, course: Course, signal: AbortSignal): Promise<TelegramMade> {
    const { channel } = op;
    const target = course.sent.parts === 0 ? (op.reply?.target ?? null) : null;
    const made = await this.poster.make(
      { op: op.id, channel, replyTo: target, said: part.said, files: part.files, body: op.body },
      signal,
    );
    const isReply = target === null || this.poster.calls.idIn(channel, target) !== null;
    if (made.is === "made" && !isReply) course.losses.push(NO_ROOT);
    return made;
  }

  /** What a try has taught. */
  leaveOut(
    made: Exclude<TelegramMade, { readonly is: "made" | "ended" }>,
    course: Pick<Course, "uploadMax" | "losses" | "lessons">,
  ): void {
    if (made.is === "too much") course.uploadMax = 0;
    else
      for (const { file, lesson } of made.files) {
        this.poster.uploads.learn(file, lesson, course.lessons);
        if ("missing" in lesson) course.losses.push({ what: "file", note: `${file.name}: ${lesson.missing}` });
      }
  }

  idOf(channel: ChannelRef): (name: string) => string | null {
    return (name) => {
      const room = this.link.room(channel);
      const id = room === null ? null : this.link.people.idOf(room.chat, name);
      return id === null ? null : String(id);
    };
  }

  async delete(op: DeleteOp, { signal }: Attempt): Promise<Outcome> {
    // The last one first: what is left for a moment still begins with who says it.
    for (const target of op.target.toReversed()) {
      const stop = await this.remove(target, op.channel, signal);
      if (stop !== null) return stop;
    }
    return DONE;
  }

  /** Null: it is no longer there. */
  async remove(target: MessageRef, channel: ChannelRef, signal: AbortSignal): Promise<Outcome | null> {
    const { link, poster } = this;
    const asked = await poster.calls.about({ channel, ref: target }, signal, async (at) => link.api.delete(at, signal));
    if (asked.is === "ended") return asked.outcome;
    if (asked.is === "not asked") return BEFORE_IT_MOVED;
    if (asked.is !== "failed" || isGone(asked.failure)) return null;
    return outcomeOf(asked.failure, { link, channel, doing: "delete the message" });
  }
}

const NO_ROOT: Loss = { what: "reply", note: "what it answers was said before the group became a supergroup" };

/** Numbers of messages begin anew then, and the old ones are out of a bot's reach. */
export const BEFORE_IT_MOVED: Outcome = {
  is: "rejected",
  why: { code: "not_found", message: "the message was said before the group became a supergroup" },
};

const delivered = ({ messages, losses }: Pick<Course, "messages" | "losses">): Outcome => ({
  is: "delivered",
  receipt: { messages, losses },
});

const NOTHING_TO_SEE: Outcome = {
  is: "rejected",
  why: { code: "bad_content", message: "there is nothing in the message that could be seen" },
};

const STUBBORN: Outcome = {
  is: "rejected",
  why: { code: "bad_content", message: "Telegram refuses the message, whatever of it is left out" },
};
