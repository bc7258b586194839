import { createHash } from "node:crypto";
import type { SharedFile } from "../../contract/content.ts";
import type { ChannelRef, MessageRef, OpId, Progress } from "../../contract/ids.ts";
import type { Outcome } from "../../contract/outcome.ts";
import { isAborted } from "../../lib/abort.ts";
import type { Json } from "../kit/json.ts";
import { GIVEN_UP } from "../kit/outcomes.ts";
import type { DiscordHook, DiscordUpload } from "./api.ts";
import { AvatarDoubts } from "./avatar-doubts.ts";
import { DiscordEarlier, type DiscordFound, type DiscordLook, digestOf } from "./earlier.ts";
import {
  BAD_FORM,
  type DiscordDoing,
  isArchived,
  isGone,
  isHookGone,
  isLocked,
  isNoReply,
  isNoUpload,
  isRefused,
  isTooLarge,
  NOT_DURABLE,
  outcomeOf,
  POSTING,
  READING,
  readingFailed,
} from "./failure.ts";
import type { DiscordSpeaker } from "./identity.ts";
import { progressAt } from "./ids.ts";
import type { DiscordLink } from "./link.ts";
import type { DiscordMessage } from "./model.ts";
import { allowedIn, type DiscordPings } from "./render.ts";
import type { DiscordFailure, DiscordResult } from "./rest-result.ts";
import type { DiscordRoom } from "./room.ts";
import { type DiscordSpot, refIn } from "./threads.ts";
import { attachmentsOf, closeAll, largestOf, openFiles, TOO_LARGE } from "./uploads.ts";

/** `nonce` takes so many characters. */
const NONCE_MAX = 25;
/** One message that is to be made, once however often it is tried. */
export interface DiscordWanted {
  readonly op: OpId;
  readonly upTo: Progress;
  /** Up to where it says the post. */
  readonly end: Progress;
  readonly channel: ChannelRef;
  readonly room: DiscordRoom;
  readonly spot: DiscordSpot;
  readonly content: string;
  readonly files: readonly SharedFile[];
  /** What is said of the files is an alt text. */
  readonly alt: boolean;
  readonly flags?: number;
  readonly pings: DiscordPings;
  /** Null: the bot itself speaks. */
  readonly voice: DiscordVoice | null;
}

export interface DiscordVoice {
  readonly hook: DiscordHook;
  readonly speaker: DiscordSpeaker;
}

export type DiscordMade =
  /** `place`: the channel or thread that it is in. */
  | { readonly is: "made"; readonly ref: MessageRef; readonly place: string; readonly end: Progress }
  /** Nothing was made, and it can be tried without this at once. */
  | { readonly is: "without"; readonly what: "hook" | "name" | "thread" | "reply"; readonly why: string }
  | { readonly is: "without"; readonly what: "file"; readonly file: SharedFile; readonly why: string }
  | { readonly is: "ended"; readonly outcome: Outcome };

/** Makes messages, each exactly once. */
export class DiscordPoster {
  readonly #link: DiscordLink;
  readonly #earlier: DiscordEarlier;
  readonly #avatars: AvatarDoubts;

  constructor(link: DiscordLink) {
    this.#link = link;
    this.#earlier = new DiscordEarlier(link);
    this.#avatars = new AvatarDoubts(link.host.clock);
  }

  async make(wanted: DiscordWanted, signal: AbortSignal): Promise<DiscordMade> {
    const link = this.#link;
    const isDoubtful = link.announced(wanted.op, keyOf(wanted)) !== null;
    const there = isDoubtful ? await this.#look(wanted, signal) : null;
    if (there !== null) return there;
    const opened = await openFiles(wanted.files, link.host, signal);
    if (!opened.ok) return { is: "without", what: "file", file: opened.file, why: opened.missing };
    const settled =
      (await this.#announce(wanted, signal)) ?? (isDoubtful ? await this.#lookAgain(wanted, signal) : null);
    const stop: DiscordMade | null = settled ?? (isAborted(signal) ? { is: "ended", outcome: GIVEN_UP } : null);
    if (stop !== null) {
      await closeAll(opened.uploads);
      return stop;
    }
    const answer = await this.#send(wanted, opened.uploads, signal);
    if (!answer.ok) return await this.#refused(answer.failure, wanted, signal);
    this.#avatars.went(doubtOf(wanted), wanted.voice?.speaker.avatar ?? null);
    return (await this.#takenBack(answer.value, wanted, signal)) ?? this.#made(wanted, { ...answer.value, end: null });
  }

  /** What an earlier try has made for it; null: nothing is there. */
  async find(wanted: DiscordWanted, signal: AbortSignal): Promise<DiscordResult<DiscordFound | null>> {
    const { op, spot, room } = wanted;
    const under = this.#link.announced(op, keyOf(wanted));
    if (under === null) return { ok: true, value: null };
    return await this.#earlier.find(under, { spot, room, look: lookOf(wanted) }, signal);
  }

  /** Null: it is not there. */
  async #look(wanted: DiscordWanted, signal: AbortSignal): Promise<DiscordMade | null> {
    const found = await this.find(wanted, signal);
    if (!found.ok) return this.#notRead(found.failure, wanted);
    return found.value === null ? null : this.#made(wanted, found.value);
  }

  /** Files may take long to open, and an earlier try may have come through meanwhile. */
  async #lookAgain(wanted: DiscordWanted, signal: AbortSignal): Promise<DiscordMade | null> {
    return wanted.files.length === 0 ? null : await this.#look(wanted, signal);
  }

  /** The disk knows of it before it leaves. Null: it does. */
  async #announce(wanted: DiscordWanted, signal: AbortSignal): Promise<DiscordMade | null> {
    const { op, spot, room } = wanted;
    const upTo = keyOf(wanted);
    // What an earlier try has announced may be on its way to the disk still.
    let under = this.#link.announced(op, upTo);
    if (under === null) {
      const floor = await this.#earlier.floorOf(spot, room, signal);
      if (!floor.ok) return this.#notRead(floor.failure, wanted);
      under = {
        op,
        upTo,
        channel: spot.channel,
        floor: floor.value,
        digest: digestOf(lookOf(wanted)),
        end: wanted.end,
      };
    }
    const isKept = await this.#link.announce(under, signal);
    return isKept ? null : { is: "ended", outcome: NOT_DURABLE };
  }

  async #send(
    wanted: DiscordWanted,
    uploads: readonly DiscordUpload[],
    signal: AbortSignal,
  ): Promise<DiscordResult<DiscordMessage>> {
    const { op, room, spot, content, files, pings, voice, alt, flags } = wanted;
    const { api } = this.#link;
    const body: Json = {
      content,
      allowed_mentions: allowedIn(content, pings),
      ...(flags !== undefined && { flags }),
      ...(files.length > 0 && { attachments: attachmentsOf(files, alt) }),
    };
    if (voice !== null) {
      const { name: username, avatar } = voice.speaker;
      const said = {
        ...body,
        username,
        ...(avatar !== null && !this.#avatars.leavesOut(doubtOf(wanted), avatar) && { avatar_url: avatar }),
        ...(spot.begins !== null && { thread_name: spot.begins }),
      };
      const place = { thread: spot.channel === room.hookChannel ? null : spot.channel };
      return await api.executeWebhook(voice.hook, place, said, uploads, signal);
    }
    if (spot.begins !== null) return await api.createPost(spot.channel, spot.begins, body, uploads, signal);
    const answers = spot.answers?.channel === spot.channel ? spot.answers.id : null;
    const said = {
      ...body,
      nonce: nonceOf(op, keyOf(wanted)),
      enforce_nonce: true,
      ...(answers !== null && { message_reference: { message_id: answers, fail_if_not_exists: false } }),
    };
    return await api.post(spot.channel, said, uploads, signal);
  }

  #made(wanted: DiscordWanted, { id, channel, end }: DiscordFound): DiscordMade {
    const { op, room } = wanted;
    this.#link.own.attribute(id, { op, upTo: keyOf(wanted) });
    this.#earlier.made(channel, id);
    // A forum's post has the id of its thread.
    if (channel !== room.id) this.#earlier.made(room.id, channel);
    return { is: "made", ref: refIn(room, channel, id), place: channel, end: end ?? wanted.end };
  }

  /** A webhook speaks wherever somebody has moved it to, which may be where nobody is meant to read this. */
  async #takenBack(
    { id, channel }: DiscordMessage,
    { voice, spot }: DiscordWanted,
    signal: AbortSignal,
  ): Promise<DiscordMade | null> {
    if (voice === null || spot.begins !== null || channel === spot.channel) return null;
    await this.#link.api.deleteWebhookMessage(voice.hook, id, { thread: null }, signal);
    return { is: "without", what: "hook", why: "the webhook was moved to another channel" };
  }

  #notRead(failure: DiscordFailure, { channel, spot }: DiscordWanted): DiscordMade {
    if (spot.thread !== null && (isGone(failure) || isRefused(failure)))
      return { is: "without", what: "thread", why: failure.message };
    return {
      is: "ended",
      outcome: readingFailed(failure, { link: this.#link, channel, at: spot.channel, doing: READING }),
    };
  }

  /** What can be left out so that it goes. */
  async #refused(failure: DiscordFailure, wanted: DiscordWanted, signal: AbortSignal): Promise<DiscordMade> {
    const { spot, files, voice, channel } = wanted;
    const why = failure.message;
    const ended = (doing: DiscordDoing): DiscordMade => ({
      is: "ended",
      outcome: outcomeOf(failure, { link: this.#link, channel, at: spot.channel, doing }),
    });
    if (failure.status === 500 && voice !== null) this.#avatars.failed(doubtOf(wanted));
    if (!failure.certain || failure.status === 429) return ended(POSTING);
    if (isTooLarge(failure) && files.length > 0) {
      const file = largestOf(files);
      if (file !== undefined) return { is: "without", what: "file", file, why: TOO_LARGE };
    }
    if (isNoUpload(failure) && files[0] !== undefined) {
      return { is: "without", what: "file", file: files[0], why: "the server refused the upload" };
    }
    if (voice !== null && isHookGone(failure)) return { is: "without", what: "hook", why };
    if (voice !== null && failure.code === BAD_FORM) return { is: "without", what: "name", why };
    if (voice === null && spot.answers !== null && isNoReply(failure)) return { is: "without", what: "reply", why };
    if (isArchived(failure) || isLocked(failure)) {
      const reopened = await this.#link.api.reopenThread(spot.channel, signal);
      if (reopened.ok && isArchived(failure)) return { is: "ended", outcome: REOPENED };
      if (spot.thread !== null) return { is: "without", what: "thread", why };
    }
    if (spot.thread !== null && (isGone(failure) || isRefused(failure))) return { is: "without", what: "thread", why };
    const last = ended(POSTING);
    const [file] = files;
    // Servers refuse files for reasons of their own; the words go on without them.
    const isOfFile = file !== undefined && last.is === "ended" && last.outcome.is === "rejected";
    return isOfFile ? { is: "without", what: "file", file, why } : last;
  }
}

/** The next try finds it open. */
const REOPENED: Outcome = {
  is: "deferred",
  why: { code: "remote_error", message: "the thread was archived, and is opened again" },
  retryInMs: 100,
  scope: "channel",
};

/** What is announced: a part that goes elsewhere, because its thread is gone, is another message. */
const keyOf = ({ upTo, spot }: DiscordWanted): Progress => progressAt(`${upTo}@${spot.channel}`);

const doubtOf = (wanted: DiscordWanted): string => `${wanted.op} ${keyOf(wanted)}`;

const lookOf = (wanted: DiscordWanted): DiscordLook => ({
  op: wanted.op,
  upTo: keyOf(wanted),
  content: wanted.content,
  files: wanted.files,
  name: wanted.voice?.speaker.name ?? null,
});

/** The same for each try of a part: for a few minutes the server answers a repeated post with the first. */
function nonceOf(op: OpId, upTo: Progress): string {
  return createHash("sha256")
    .update(JSON.stringify([op, upTo]))
    .digest("hex")
    .slice(0, NONCE_MAX);
}
