import type { Block, Body } from "../../contract/content.ts";
import type { ChannelRef, OpId, Progress } from "../../contract/ids.ts";
import type { Outcome } from "../../contract/outcome.ts";
import { isAborted } from "../../lib/abort.ts";
import { inTime } from "../kit/in-time.ts";
import { GIVEN_UP, RATE_MS, retryWithin } from "../kit/outcomes.ts";
import type { UploadedFile } from "./api.ts";
import { SlackDoubts } from "./doubts.ts";
import { isLimited, isNoThread, MUTE, outcomeOf, slowed } from "./failure.ts";
import { NAMES_SCOPE, type SlackSpeaker } from "./identity.ts";
import type { SlackLink } from "./link.ts";
import { blockIdOf, type FoundMessage, metadataOf } from "./own-messages.ts";
import { ChannelPace } from "./pace.ts";
import { markOf } from "./progress.ts";
import { writtenAs } from "./render.ts";
import type { SlackFailure } from "./result.ts";

/** When to ask where a file was shared to: that is done behind the answer. */
const SHARED_MS = [0, 200, 400, 800, 1_600, 3_000, 4_000] as const;
const ANEW_MS = 5_000;

/** One message that is to be made, once however often it is tried. */
export interface SlackWanted {
  readonly op: OpId;
  /** Which part of the op. */
  readonly key: string;
  /** Up to where it says the op. */
  readonly upTo: Progress;
  readonly channel: ChannelRef;
  /** The first message of its thread; empty: in none. */
  readonly root: string;
  readonly blocks: readonly Block[];
  readonly files: readonly UploadedFile[];
  /** Null: the app itself speaks. Messages with files have no other name. */
  readonly speaker: SlackSpeaker | null;
  /** A link to a hidden file has no preview. */
  readonly body: Pick<Body, "files">;
}

export type SlackMade =
  | { readonly is: "made"; readonly found: FoundMessage }
  /** Nothing was made, and it can be tried without this at once. */
  | { readonly is: "without"; readonly what: "thread" | "names" | "files"; readonly why: string }
  | { readonly is: "ended"; readonly outcome: Outcome };

const ended = (outcome: Outcome): SlackMade => ({ is: "ended", outcome });
const made = (found: FoundMessage): SlackMade => ({ is: "made", found });

/** Makes messages, each exactly once. */
export class SlackPoster {
  readonly doubts: SlackDoubts;
  readonly #link: SlackLink;
  readonly #pace: ChannelPace;

  constructor(link: SlackLink) {
    this.#link = link;
    this.doubts = new SlackDoubts(link);
    this.#pace = new ChannelPace(link.host.clock);
  }

  /** The network has objected to the pace here, for so long. Null: it has not. */
  slowed(channel: ChannelRef): Outcome | null {
    const waitMs = this.#pace.waitMs(channel);
    return waitMs === 0 ? null : slowed(waitMs);
  }

  async make(wanted: SlackWanted, signal: AbortSignal): Promise<SlackMade> {
    const { op, key, channel, files } = wanted;
    const wasDoubtful = this.doubts.of(op) !== null;
    const unsettled = await this.doubts.settle(op, wanted, signal);
    if (unsettled !== null) return ended(unsettled);
    const known = this.#link.own.find(op, key);
    if (known !== null) return made(known);
    const slow = this.slowed(channel) ?? (isAborted(signal) ? GIVEN_UP : null);
    if (slow !== null) return ended(slow);
    this.#pace.posting(channel);
    const part = { op, mark: markOf(key, wanted.upTo) };
    const ids = files.map(({ id }) => id);
    this.#link.own.making(part, ids);
    const floor = this.doubts.floorOf(channel);
    const done = files.length === 0 ? await this.#post(wanted, signal) : await this.#share(wanted, wasDoubtful, signal);
    if (done.is === "ended" && done.outcome.is === "unknown")
      this.doubts.doubt(op, { channel, floor, mark: part.mark, files: ids });
    return done;
  }

  async #post(wanted: SlackWanted, signal: AbortSignal): Promise<SlackMade> {
    const { op, key, upTo, channel, root, blocks, speaker } = wanted;
    const { api, own, roots, hasEmoji } = this.#link;
    const part = { op, mark: markOf(key, upTo) };
    const written = writtenAs(blocks, blockIdOf(part), hasEmoji);
    const metadata = metadataOf(part, speaker !== null);
    const isHiding = wanted.body.files.some(({ spoiler }) => spoiler !== undefined);
    const answer = await api.post(
      {
        channel,
        ...written,
        threadTs: root,
        metadata,
        username: speaker?.username ?? null,
        iconUrl: speaker?.iconUrl ?? null,
        ...(isHiding && { unfurl: false }),
      },
      signal,
    );
    if (!answer.ok) return this.#refused(answer.failure, wanted);
    const message = answer.value;
    if (message === null) return ended(MUTE);
    // Servers pass over a name for which we have no right.
    own.note(channel, { ...message, metadata });
    roots.note(channel, message);
    this.doubts.passed(channel, message.ts);
    const found = own.find(op, key);
    return found === null ? ended(MUTE) : made(found);
  }

  /** Files, and the words that come with them. `wasDoubtful`: an earlier try may have shared them. */
  async #share(wanted: SlackWanted, wasDoubtful: boolean, signal: AbortSignal): Promise<SlackMade> {
    const { op, key, upTo, channel, root, blocks, files } = wanted;
    const { api, hasEmoji } = this.#link;
    const written = writtenAs(blocks, blockIdOf({ op, mark: markOf(key, upTo) }), hasEmoji);
    const answer = await api.share({ channel, threadTs: root, files, blocks: written.blocks }, signal);
    // A file is shared once: the earlier try has done it, and it is not to be seen yet.
    const isShared = !answer.ok && wasDoubtful && ALREADY.has(answer.failure.error);
    if (!answer.ok && !isShared) return this.#refused(answer.failure, wanted);
    const found = await this.#sharedAs(wanted, signal);
    if (found !== null) return made(found);
    return ended(isShared ? SHARED_NOWHERE : SHARED_UNSEEN);
  }

  /** The message that the files stand in, once it can be seen. */
  async #sharedAs({ op, key, upTo, channel, files }: SlackWanted, signal: AbortSignal): Promise<FoundMessage | null> {
    const { api, own, host } = this.#link;
    const [first] = files;
    if (first === undefined) return null;
    for (const ms of SHARED_MS) {
      if (ms > 0) await inTime(new Promise<void>(() => undefined), { clock: host.clock, ms, signal }, () => undefined);
      // It may have come back to us by itself.
      const known = own.find(op, key);
      if (known !== null || isAborted(signal)) return known;
      const info = await api.fileInfo(first.id, signal);
      const share = info.ok ? info.value?.shares.find((one) => one.channel === channel) : undefined;
      if (share === undefined) continue;
      this.doubts.passed(channel, share.ts);
      const metadata = metadataOf({ op, mark: markOf(key, upTo) });
      own.note(channel, { ts: share.ts, username: "", metadata, blocks: [], files: [] });
      return own.find(op, key);
    }
    return null;
  }

  /** What can be left out so that it goes. */
  #refused(failure: SlackFailure, { channel, root, files, speaker }: SlackWanted): SlackMade {
    if (isLimited(failure)) this.#pace.refused(channel, retryWithin(failure.retryAfterMs ?? RATE_MS));
    if (root !== "" && isNoThread(failure)) return { is: "without", what: "thread", why: failure.message };
    if (speaker !== null && failure.error === "missing_scope" && failure.needed.includes(NAMES_SCOPE))
      return { is: "without", what: "names", why: failure.message };
    const doing = files.length === 0 ? "post" : "share files";
    const outcome = outcomeOf(failure, { link: this.#link, channel, doing });
    if (outcome.is === "rejected" && files.length > 0)
      return { is: "without", what: "files", why: outcome.why.message };
    return ended(outcome);
  }
}

/** Words of the server for a file that is shared, or was not brought there. */
const ALREADY: ReadonlySet<string> = new Set(["file_not_found", "file_already_shared", "already_completed"]);

const SHARED_UNSEEN: Outcome = {
  is: "unknown",
  why: { code: "remote_error", message: "Slack has taken the files, and does not show the message yet" },
};

/** Whatever became of them, nobody sees them: the next try begins anew. */
export const SHARED_NOWHERE: Outcome = {
  is: "deferred",
  why: { code: "remote_error", message: "Slack knows no more of files that it has taken" },
  retryInMs: ANEW_MS,
  scope: "channel",
};
