import type { SharedFile } from "../../contract/content.ts";
import { END, type MessageRef } from "../../contract/ids.ts";
import type { PostDraft, PostOp } from "../../contract/ops.ts";
import type { Loss, Outcome } from "../../contract/outcome.ts";
import type { Attempt } from "../../contract/session.ts";
import { passDiscord } from "../../content/discord-names.ts";
import { isAborted } from "../../lib/abort.ts";
import { inTime } from "../kit/in-time.ts";
import { GIVEN_UP, NOT_THERE } from "../kit/outcomes.ts";
import { capabilities } from "./capabilities.ts";
import { HOOKING, readingFailed } from "./failure.ts";
import { speakerOf, wantsLocalAvatar } from "./identity.ts";
import { channelRef, progressAt } from "./ids.ts";
import type { DiscordLink } from "./link.ts";
import { type DiscordMade, DiscordPoster, type DiscordVoice, type DiscordWanted } from "./poster.ts";
import { type DiscordSent, progressOf, sentBy } from "./progress.ts";
import {
  asItIs,
  type DiscordMessagePart,
  type DiscordPings,
  type DiscordRenderedFile,
  type DiscordPostOptions,
  flagsOf,
  hasAltTexts,
  renderMessages,
  replyLine,
} from "./render.ts";
import { RIGHT } from "./rights.ts";
import { channelsAt } from "./site.ts";
import type { DiscordRoom } from "./room.ts";
import { namesIn } from "./text.ts";
import { type DiscordSpot, DiscordThreads, fallBackSpot } from "./threads.ts";
import { DiscordHooks } from "./webhooks.ts";

/** So long a post waits for who of those it names is a member. */
const NAMES_MS = 10_000;
/** Mentions of a text that is Discord's already. */
const MENTIONS_MAX = 20;
/** What is left out of a post, one after the other: its files, its thread, its webhook. */
const CHANGES_MAX = 16;

/** How a post is made now; what turns out not to go is left out. */
interface Course {
  readonly room: DiscordRoom;
  spot: DiscordSpot;
  voice: DiscordVoice | null;
  /** The name comes before the text. */
  prefix: boolean;
  /** Files that turned out not to go. */
  readonly missing: Map<SharedFile, DiscordRenderedFile>;
  readonly losses: Loss[];
  sent: DiscordSent;
  /** A webhook that is gone is looked for once more. */
  hooksLost: number;
}

/** Posts: through the channel's webhook where it may be, else as the bot. */
export class DiscordSender {
  readonly link: DiscordLink;
  readonly hooks: DiscordHooks;
  readonly poster: DiscordPoster;
  readonly #threads: DiscordThreads;

  constructor(link: DiscordLink) {
    this.link = link;
    this.hooks = new DiscordHooks(link);
    this.poster = new DiscordPoster(link);
    this.#threads = new DiscordThreads(link);
  }

  async post(op: PostOp, attempt: Attempt): Promise<Outcome> {
    const room = this.link.room(op.channel);
    if (room === null || !room.joined) return NOT_THERE;
    const { signal } = attempt;
    if (signal.aborted) return GIVEN_UP;
    if (op.resume === END) return { is: "delivered", receipt: { messages: [], losses: [] } };
    const sent = sentBy(op.resume);
    const place = await this.#threads.spotFor(op, room, signal);
    if (!place.ok) return place.outcome;
    const course: Course = {
      room,
      // The rest of a forum's post goes to the thread that its beginning has made.
      spot: sent.thread === null ? place.spot : within(sent.thread),
      voice: null,
      prefix: false,
      missing: new Map(),
      losses: [...place.losses],
      sent,
      hooksLost: 0,
    };
    const noVoice = await this.#findVoice(op, course, signal);
    if (noVoice !== null) return noVoice;
    const options = await this.optionsFor(op, room, signal);
    const noFiles = whyNoFiles(room, course.voice === null);
    for (const file of noFiles === null ? [] : op.body.files.filter(({ id }) => id !== null)) {
      course.missing.set(file, { file: { ...file, missing: noFiles }, goes: "in the text" });
      course.losses.push({ what: "file", note: `${file.name}: ${noFiles}` });
    }
    return await this.#run(op, attempt, course, options);
  }

  async #run(op: PostOp, attempt: Attempt, course: Course, options: DiscordDraftOptions): Promise<Outcome> {
    const { signal } = attempt;
    const messages: MessageRef[] = [];
    let { parts, losses } = this.#render(op, course, options);
    for (let changes = 0; changes <= CHANGES_MAX;) {
      const [part, ...rest] = parts;
      if (part === undefined) return { is: "delivered", receipt: { messages, losses: [...course.losses, ...losses] } };
      if (isAborted(signal)) return GIVEN_UP;
      const wanted = wantedOf(op, part, course, options.pings);
      const made = await this.poster.make(wanted, signal);
      if (made.is === "ended") return made.outcome;
      if (made.is === "made") {
        messages.push(made.ref);
        const thread = course.spot.begins === null ? course.sent.thread : made.place;
        if (course.spot.begins !== null) course.spot = within(made.place);
        const isAll = made.end === END;
        course.sent = { ...(isAll ? course.sent : sentBy(made.end)), thread };
        attempt.sent(isAll ? END : progressOf(course.sent), [made.ref]);
        // An earlier try, whose message was found, may have been cut in another way.
        parts = isAll ? [] : made.end === wanted.end ? rest : this.#render(op, course, options).parts;
        continue;
      }
      changes += 1;
      const stop = await this.#without(made, op, course, signal);
      if (stop !== null) return stop;
      const again = this.#render(op, course, options);
      ({ parts } = again);
      if (losses.length === 0) ({ losses } = again);
    }
    return STUBBORN;
  }

  #render(op: PostOp, course: Course, options: DiscordDraftOptions): ReturnType<typeof renderMessages> {
    const { room, spot, voice, prefix, missing, sent } = course;
    const files = op.body.files.map((file) => missing.get(file) ?? asItIs(file));
    // A message by the bot says natively what it answers, where both are in one channel.
    const { answers } = spot;
    const isNative = voice === null && answers?.channel === spot.channel;
    const lead =
      answers === null || isNative
        ? ""
        : replyLine(
            op.reply ?? NO_REPLY,
            `${channelsAt(this.link.settings, room.guild)}${answers.channel}/${answers.id}`,
          );
    return renderMessages(op, { ...options, prefix, lead, files, sent });
  }

  /** Who speaks. Null: it is known. */
  async #findVoice(op: PostOp, course: Course, signal: AbortSignal): Promise<Outcome | null> {
    const { author } = op;
    course.voice = null;
    course.prefix = author !== null;
    if (author === null) return null;
    const found = await this.hooks.of(course.room, signal);
    if (found.is === "failed")
      return readingFailed(found.failure, {
        link: this.link,
        channel: op.channel,
        at: course.room.hookChannel,
        doing: HOOKING,
      });
    const speaker = found.is === "hook" ? speakerOf(author, await this.#localAvatar(op, signal)) : null;
    if (found.is === "none" || speaker === null) return null;
    course.voice = { hook: found.hook, speaker };
    course.prefix = false;
    return null;
  }

  /** Null: the picture of where they come from. */
  async #localAvatar({ author }: PostOp, signal: AbortSignal): Promise<string | null> {
    const { people, settings, host } = this.link;
    if (author === null || !wantsLocalAvatar(author, settings)) return null;
    const limit = { clock: host.clock, ms: NAMES_MS, signal };
    for (const name of [author.nick ?? author.name, author.name]) {
      const member = await inTime(people.named(name), limit, () => null);
      if (member !== null) return people.author(member).avatar?.url ?? null;
      if (author.nick === undefined) break;
    }
    return null;
  }

  /** Leaves out what does not go. Null: it can be tried again. */
  async #without(
    made: Extract<DiscordMade, { is: "without" }>,
    op: PostOp,
    course: Course,
    signal: AbortSignal,
  ): Promise<Outcome | null> {
    switch (made.what) {
      case "file":
        course.missing.set(made.file, { file: { ...made.file, missing: made.why }, goes: "in the text" });
        course.losses.push({ what: "file", note: `${made.file.name}: ${made.why}` });
        return null;
      case "reply":
        course.spot = { ...course.spot, answers: null };
        course.losses.push({ what: "reply", note: `it could not be a reply: ${made.why}` });
        return null;
      case "thread":
        if (course.spot.thread !== null) this.#threads.forget(course.spot.thread);
        course.spot = fallBackSpot(op, course.room, course.spot);
        course.losses.push({ what: "thread", note: `it could not be said in the thread: ${made.why}` });
        return null;
      case "name":
        course.losses.push({ what: "identity", note: `the bot says it: ${made.why}` });
        course.voice = null;
        course.prefix = true;
        return null;
      case "hook":
        this.hooks.forget(course.room);
        course.hooksLost += 1;
        if (course.room.webhook === null && course.hooksLost === 1) return await this.#findVoice(op, course, signal);
        course.voice = null;
        course.prefix = true;
        return null;
    }
  }

  /** What a text may mean here; whom it may notify. */
  async optionsFor(draft: PostDraft, room: DiscordRoom, signal: AbortSignal): Promise<DiscordDraftOptions> {
    const { people, host } = this.link;
    const untilMs = host.clock.monoMs() + NAMES_MS;
    const inThat = async <T>(asked: Promise<T>): Promise<T | null> => {
      const limit = { clock: host.clock, ms: Math.max(0, untilMs - host.clock.monoMs()), signal };
      return await inTime<T, null>(asked, limit, () => null);
    };
    const found = new Map<string, string>();
    for (const name of namesIn(draft.body.blocks, draft.mayPing)) {
      const member = await inThat(people.named(name));
      if (member !== null) found.set(name, member.user.id);
    }
    const known = new Set<string>();
    for (const id of draft.body.source.format === "discord" ? mentionedIn(draft.body.source.text) : [])
      if ((await inThat(people.get(id))) !== null) known.add(id);
    return {
      textMax: Math.min(draft.textMax ?? Infinity, capabilities.limits.textMax),
      people: found,
      here: {
        user: (id) => known.has(id),
        role: () => false,
        channel: (id) => this.link.room(channelRef(id)) !== null,
      },
      emoji: (name) => {
        const emoji = this.link.emojiNamed(room.guild, name);
        return emoji === null ? null : `<${emoji.animated ? "a" : ""}:${emoji.name}:${emoji.id}>`;
      },
      pings: {
        users: new Set(draft.mayPing.users ? [...found.values(), ...known] : []),
        everyone: draft.mayPing.everyone,
      },
    };
  }
}

export type DiscordDraftOptions = Omit<DiscordPostOptions, "prefix" | "lead" | "files" | "sent"> & {
  readonly pings: DiscordPings;
};

function wantedOf(
  op: PostOp,
  part: DiscordMessagePart,
  { room, spot, voice, sent }: Course,
  pings: DiscordPings,
): DiscordWanted {
  const { content, files } = part;
  // By its number: where it ends another try may find changed.
  const upTo = progressAt(String(sent.parts + 1));
  // Only the first one is the answer.
  const at = sent.parts === 0 ? spot : { ...spot, answers: null };
  const end = part.sent === null ? END : progressOf({ ...part.sent, thread: sent.thread });
  const { id, channel } = op;
  return {
    op: id,
    upTo,
    end,
    channel,
    room,
    spot: at,
    content,
    files,
    alt: hasAltTexts(op),
    ...flagsOf(op),
    pings,
    voice,
  };
}

const within = (thread: string): DiscordSpot => ({ channel: thread, thread, begins: null, answers: null });
const NO_REPLY = { name: "", excerpt: "" };

/** Ids in code, or behind a backslash, are none. */
function mentionedIn(source: string): readonly string[] {
  const ids = new Set<string>();
  const none = (): boolean => false;
  passDiscord(source, { user: (id) => ids.add(id).size === 0, role: none, channel: none });
  return [...ids].slice(0, MENTIONS_MAX);
}

const STUBBORN: Outcome = {
  is: "rejected",
  why: { code: "bad_content", message: "Discord refuses the message, whatever of it is left out" },
};

/** Webhooks need no such right. Null: files go. */
export function whyNoFiles({ rights }: Pick<DiscordRoom, "rights">, isBot: boolean): string | null {
  if (!isBot || (rights & RIGHT.attachFiles) !== 0n) return null;
  return "the bot lacks Attach Files (Edit Channel > Permissions)";
}
