import type { SharedFile } from "../../contract/content.ts";
import { END, type MessageRef } from "../../contract/ids.ts";
import type { EditOp } from "../../contract/ops.ts";
import type { Loss, Outcome } from "../../contract/outcome.ts";
import type { Attempt } from "../../contract/session.ts";
import type { Json } from "../kit/json.ts";
import { GIVEN_UP, GONE, NOT_THERE } from "../kit/outcomes.ts";
import { earlierFiles } from "../kit/outgoing-files.ts";
import type { DiscordUpload } from "./api.ts";
import { attachedAmong } from "./attached.ts";
import {
  EDITING,
  HOOKING,
  HOOK_GONE,
  isArchived,
  isGone,
  isHookGone,
  isTooLarge,
  NO_HOOK,
  outcomeOf,
  readingFailed,
} from "./failure.ts";
import { speakerOf } from "./identity.ts";
import { progressAt, readMessageRef } from "./ids.ts";
import type { DiscordMessage } from "./model.ts";
import type { DiscordVoice, DiscordWanted } from "./poster.ts";
import { NOTHING_SENT } from "./progress.ts";
import {
  asItIs,
  type DiscordMessagePart,
  type DiscordRenderedFile,
  FILES_MAX,
  flagsOf,
  hasAltTexts,
  leadOf,
  leadWith,
  NO_PINGS,
  renderMessages,
} from "./render.ts";
import type { DiscordRemover } from "./remover.ts";
import type { DiscordFailure, DiscordResult } from "./rest-result.ts";
import type { DiscordRoom } from "./room.ts";
import { channelsAt } from "./site.ts";
import { type DiscordDraftOptions, type DiscordSender, whyNoFiles } from "./sender.ts";
import { channelOf, refIn } from "./threads.ts";
import { attachmentsOf, closeAll, largestOf, openFiles, TOO_LARGE } from "./uploads.ts";

interface EditCall {
  readonly op: EditOp;
  readonly attempt: Attempt;
  readonly room: DiscordRoom;
  readonly options: DiscordDraftOptions;
  /** Files that turned out not to go, and why. */
  readonly missing: Map<SharedFile, string>;
}

/** What stands of the messages, and which of the files it has. */
interface Standing {
  readonly messages: readonly DiscordMessage[];
  /** Who wrote the first one; null: the bot. */
  readonly voice: DiscordVoice | null;
  /** The ids of the attachments that stay, by the files that they are. */
  readonly attached: ReadonlyMap<SharedFile, string>;
}

type Step =
  | { readonly is: "done"; readonly ref: MessageRef | null }
  | { readonly is: "again" }
  | { readonly is: "ended"; readonly outcome: Outcome };

const NOTHING: Step = { is: "done", ref: null };
const AGAIN: Step = { is: "again" };

/**
 * Edits of messages that may be several: each gets its part of the new text; those that are too many are deleted, those
 * that are missing are made. Files stay with their messages, and what an edit adds is added to them.
 */
export class DiscordEditor {
  readonly #sender: DiscordSender;
  readonly #remover: DiscordRemover;

  constructor(sender: DiscordSender, remover: DiscordRemover) {
    this.#sender = sender;
    this.#remover = remover;
  }

  async edit(op: EditOp, attempt: Attempt): Promise<Outcome> {
    const room = this.#sender.link.room(op.channel);
    if (room === null || !room.joined) return NOT_THERE;
    const options = await this.#sender.optionsFor(op, room, attempt.signal);
    const call: EditCall = { op, attempt, room, options, missing: new Map() };
    for (let tries = 0; tries <= op.body.files.length + 1; tries += 1) {
      const outcome = await this.#once(call);
      if (outcome !== null) return outcome;
    }
    return GIVEN_UP;
  }

  /** Null: another of its files does not go. */
  async #once(call: EditCall): Promise<Outcome | null> {
    const { op, attempt, options, missing } = call;
    const standing = await this.#standing(call);
    if ("is" in standing) return standing;
    const { messages, voice, attached } = standing;
    const noFiles = whyNoFiles(call.room, voice === null);
    const added = op.body.files.filter((file) => file.id !== null && !attached.has(file));
    if (noFiles !== null) for (const file of added) missing.set(file, noFiles);
    const files = op.body.files.map((file): DiscordRenderedFile => {
      const why = missing.get(file);
      return why === undefined ? asItIs(file) : { file: { ...file, missing: why }, goes: "in the text" };
    });
    const found = leadOf(messages[0]?.content ?? "", channelsAt(this.#sender.link.settings, call.room.guild));
    const lead = op.reply === null ? found : leadWith(found, op.reply);
    const { parts, losses } = renderMessages(op, {
      ...options,
      prefix: voice === null && op.author !== null,
      lead,
      files,
      sent: NOTHING_SENT,
    });
    const refs: MessageRef[] = [];
    for (let at = 0; at < Math.max(parts.length, messages.length); at += 1) {
      if (attempt.signal.aborted) return GIVEN_UP;
      const step = await this.#step(call, standing, partWithout(parts[at], attached), at);
      if (step.is === "again") return null;
      if (step.is === "ended") return step.outcome;
      if (step.ref !== null) refs.push(step.ref);
    }
    const isSame = refs.length === op.target.length && refs.every((ref, at) => ref === op.target[at]);
    const lost = Array.from(missing, ([{ name }, why]): Loss => ({ what: "file", note: `${name}: ${why}` }));
    return { is: "delivered", receipt: { messages: isSame ? [] : refs, losses: [...losses, ...lost] } };
  }

  async #standing({ op, attempt, room }: EditCall): Promise<Standing | Outcome> {
    const { link, hooks } = this.#sender;
    const messages: DiscordMessage[] = [];
    for (const target of op.target) {
      if (attempt.signal.aborted) return GIVEN_UP;
      const place = readMessageRef(target);
      const at = channelOf(place, room);
      const message = await link.api.message(at, place.id, attempt.signal);
      if (message.ok) messages.push(message.value);
      else if (!isGone(message.failure))
        return readingFailed(message.failure, { link, channel: op.channel, at, doing: EDITING });
    }
    const [first] = messages;
    if (first === undefined) return GONE;
    const attached = attachedAmong(earlierFiles(op), messages);
    if (first.webhook === "") return { messages, voice: null, attached };
    const hook = await hooks.byId(room, first.webhook, attempt.signal);
    if (!hook.ok)
      return readingFailed(hook.failure, { link, channel: op.channel, at: room.hookChannel, doing: HOOKING });
    const speaker = op.author === null ? null : speakerOf(op.author, null);
    if (hook.value === null) return HOOK_GONE;
    return {
      messages,
      voice: { hook: hook.value, speaker: speaker ?? { name: first.author.username, avatar: null } },
      attached,
    };
  }

  async #step(call: EditCall, standing: Standing, part: NewPart | undefined, at: number): Promise<Step> {
    const { op, attempt, room } = call;
    const message = standing.messages[at];
    if (message === undefined) {
      if (part === undefined || (part.content === "" && part.files.length === 0)) return NOTHING;
      return await this.#make(call, standing, part, at);
    }
    const isListed = op.body.files.length > 0 || op.changed !== undefined;
    const kept = !isListed ? message.attachments.map(({ id }) => id) : keptOf(message, standing);
    if (part === undefined && kept.length === 0) {
      const place = { thread: message.channel === room.id ? null : message.channel, id: message.id };
      const outcome = await this.#remover.remove(op, room, place, attempt.signal);
      return outcome === null ? NOTHING : { is: "ended", outcome };
    }
    return await this.#change(call, message, part ?? { content: "", files: [] }, kept);
  }

  /** One message as it is to be: what it has of files, what it loses and what it gets are told at once. */
  async #change(call: EditCall, message: DiscordMessage, part: NewPart, kept: readonly string[]): Promise<Step> {
    const { op, attempt, room, missing } = call;
    const { link } = this.#sender;
    const { signal } = attempt;
    const ref = refIn(room, message.channel, message.id);
    const files = part.files.slice(0, FILES_MAX - kept.length);
    for (const file of part.files.slice(files.length)) missing.set(file, `a message has at most ${FILES_MAX} files`);
    const isSameFiles = files.length === 0 && kept.length === message.attachments.length;
    if (isSameFiles && part.content.trim() === message.content) return { is: "done", ref };
    const opened = await openFiles(files, link.host, signal);
    if (!opened.ok) {
      missing.set(opened.file, opened.missing);
      return AGAIN;
    }
    if (signal.aborted) {
      await closeAll(opened.uploads);
      return { is: "ended", outcome: GIVEN_UP };
    }
    const body: Json = {
      content: part.content,
      // An edit notifies nobody.
      allowed_mentions: { parse: [] },
      ...flagsOf(op),
      ...(!isSameFiles && { attachments: [...kept.map((id) => ({ id })), ...attachmentsOf(files, hasAltTexts(op))] }),
    };
    const answer = await this.#patch(call, message, { body, uploads: opened.uploads });
    if (answer.ok) return { is: "done", ref };
    if (isTooLarge(answer.failure) && files.length > 0) {
      const largest = largestOf(files);
      if (largest !== undefined) missing.set(largest, TOO_LARGE);
      return AGAIN;
    }
    return await this.#failed(answer.failure, call, message.channel);
  }

  /** Through the webhook that wrote it, or as the bot. */
  async #patch(
    { room, attempt }: EditCall,
    { webhook, channel, id }: DiscordMessage,
    { body, uploads }: { readonly body: Json; readonly uploads: readonly DiscordUpload[] },
  ): Promise<DiscordResult<DiscordMessage>> {
    const { link, hooks } = this.#sender;
    const { signal } = attempt;
    if (webhook === "") return await link.api.editMessage(channel, id, body, uploads, signal);
    const hook = await hooks.byId(room, webhook, signal);
    if (hook.ok && hook.value !== null) {
      const thread = channel === room.hookChannel ? null : channel;
      return await link.api.editWebhookMessage(hook.value, id, { thread }, body, uploads, signal);
    }
    await closeAll(uploads);
    return hook.ok ? { ok: false, failure: NO_HOOK } : hook;
  }

  async #failed(failure: DiscordFailure, { op, room, attempt }: EditCall, channel: string): Promise<Step> {
    const { link, hooks } = this.#sender;
    if (isArchived(failure) && (await link.api.reopenThread(channel, attempt.signal)).ok) return AGAIN;
    if (isHookGone(failure)) {
      hooks.forget(room);
      return { is: "ended", outcome: HOOK_GONE };
    }
    const outcome = isGone(failure)
      ? GONE
      : outcomeOf(failure, { link, channel: op.channel, at: channel, doing: EDITING });
    return { is: "ended", outcome };
  }

  /** A message that is missing comes after the others, where they are. */
  async #make(call: EditCall, { messages, voice }: Standing, part: NewPart, at: number): Promise<Step> {
    const { op, attempt, room, missing } = call;
    const channel = messages[0]?.channel ?? room.id;
    const wanted: DiscordWanted = {
      op: op.id,
      upTo: progressAt(`new ${at}`),
      end: END,
      channel: op.channel,
      room,
      spot: { channel, thread: channel === room.id ? null : channel, begins: null, answers: null },
      content: part.content,
      files: part.files,
      alt: hasAltTexts(op),
      ...flagsOf(op),
      pings: NO_PINGS,
      voice,
    };
    const made = await this.#sender.poster.make(wanted, attempt.signal);
    if (made.is === "ended") return made;
    if (made.is === "made") return { is: "done", ref: made.ref };
    if (made.what !== "file") return { is: "ended", outcome: HOOK_GONE };
    missing.set(made.file, made.why);
    return AGAIN;
  }
}

/** What an edit adds to a message. */
type NewPart = Pick<DiscordMessagePart, "content" | "files">;

/** Without the files that are there. */
function partWithout(
  part: DiscordMessagePart | undefined,
  attached: ReadonlyMap<SharedFile, string>,
): NewPart | undefined {
  return part === undefined
    ? undefined
    : { content: part.content, files: part.files.filter((file) => !attached.has(file)) };
}

function keptOf({ attachments }: DiscordMessage, { attached }: Standing): readonly string[] {
  const ids = new Set(attached.values());
  return attachments.map(({ id }) => id).filter((id) => ids.has(id));
}
