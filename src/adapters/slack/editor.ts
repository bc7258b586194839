import type { Block, SharedFile } from "../../contract/content.ts";
import { END, type MessageRef, type OpId } from "../../contract/ids.ts";
import type { EditOp } from "../../contract/ops.ts";
import type { Loss, Outcome } from "../../contract/outcome.ts";
import type { Attempt } from "../../contract/session.ts";
import { Lru } from "../../lib/lru.ts";
import { listIn, written } from "../kit/json.ts";
import { earlierFiles, outgoingName, removedFiles, standingFiles } from "../kit/outgoing-files.ts";
import { AGAIN_MS, deferred, GIVEN_UP, GONE, NOT_THERE, rejected } from "../kit/outcomes.ts";
import type { UploadedFile } from "./api.ts";
import { isGone, readingFailed } from "./failure.ts";
import { messageRef } from "./ids.ts";
import type { SlackFile, SlackMessage } from "./model.ts";
import { blockIdOf, metadataOf } from "./own-messages.ts";
import { markOf } from "./progress.ts";
import { isDeleted } from "./receive.ts";
import { asItIs, FILES_MAX, inStyle, renderTexts, type SlackRenderedFile, spoken, writtenAs } from "./render.ts";
import { type SlackSender, STUBBORN } from "./sender.ts";

/** Edits that were begun, and whose messages are known as they stood before. */
const EDITS_MAX = 500;
/** What is left out of a new message: its name, its thread. */
const CHANGES_MAX = 2;

interface EditCall {
  readonly op: EditOp;
  readonly attempt: Attempt;
  /** The messages that are still there. */
  readonly standing: readonly SlackMessage[];
  /** The files of these messages that the edit removes. */
  readonly removed: ReadonlySet<SlackFile>;
  readonly losses: Loss[];
  /** What becomes of them: the messages that stood there and still do, and those that were made. */
  readonly kept: MessageRef[];
  readonly made: { readonly key: string; readonly ref: MessageRef }[];
  /** What was changed by this try. */
  readonly changed: SlackMessage[];
}

type EditFiles =
  | { readonly ok: true; readonly all: readonly SlackRenderedFile[]; readonly added: readonly UploadedFile[] }
  | { readonly ok: false; readonly outcome: Outcome };

/**
 * Edits of messages that may be several: each gets its part of the new text; those that are too many are deleted, those
 * that are missing are made. Files stay with their messages, and those that come with the edit are in messages of their
 * own. An edit that is refused half done is taken back: so the files that it removes are deleted last.
 */
export class SlackEditor {
  readonly #sender: SlackSender;
  /** As the messages stood when the edit was tried first. */
  readonly #before = new Lru<OpId, readonly SlackMessage[]>(EDITS_MAX);

  constructor(sender: SlackSender) {
    this.#sender = sender;
  }

  get #exact(): boolean {
    return this.#sender.link.settings.PrefixMessagesWithNick;
  }

  async edit(op: EditOp, attempt: Attempt): Promise<Outcome> {
    const { link } = this.#sender;
    if (link.room(op.channel) === null) return NOT_THERE;
    const standing: SlackMessage[] = [];
    for (const target of op.target) {
      if (attempt.signal.aborted) return GIVEN_UP;
      const message = await link.api.message(op.channel, target, attempt.signal);
      if (message.ok && message.value !== null && message.value.subtype !== "tombstone") standing.push(message.value);
      if (!message.ok && !isGone(message.failure) && message.failure.error !== "thread_not_found")
        return readingFailed(message.failure, { link, channel: op.channel, doing: "edit the message" });
    }
    if (standing.length === 0) {
      // An earlier try may have replaced all that stood there.
      const instead = link.own.find(op.id, filesKey(0));
      return instead === null ? GONE : { is: "delivered", receipt: { messages: [instead.ref], losses: [] } };
    }
    this.#before.set(op.id, this.#before.get(op.id) ?? standing);
    const removed = removedAmong(op, standing);
    const call = { op, attempt, standing, removed, losses: [], kept: [], made: [], changed: [] };
    const outcome = await this.#edit(call);
    const ended = outcome.is === "rejected" ? await this.#takeBack(call, outcome) : outcome;
    if (ended.is === "delivered" || ended.is === "rejected") this.#before.delete(op.id);
    this.#sender.ended(op, ended);
    return ended;
  }

  /** Refused half done: the messages say again what they said before, or whoever reads the log is told otherwise. */
  async #takeBack(
    { op, attempt, standing, made, changed }: EditCall,
    refused: Extract<Outcome, { is: "rejected" }>,
  ): Promise<Outcome> {
    const { link } = this.#sender;
    const before = this.#before.get(op.id) ?? standing;
    const other = before.filter((was) => changed.some(({ ts }) => ts === was.ts) || !standing.some(isLike(was)));
    for (const was of other) {
      const metadata = was.metadata["event_type"] === undefined ? null : was.metadata;
      const fileIds = was.files.map(({ id }) => id);
      const { ts, text, blocks } = was;
      const answer = await link.api.update(
        { channel: op.channel, ts, text, blocks, metadata, fileIds },
        attempt.signal,
      );
      // Somebody has deleted it.
      if (!answer.ok && isGone(answer.failure)) continue;
      const outcome = answer.ok ? null : this.#sender.failed(answer.failure, op.channel, "edit the message");
      if (outcome?.is === "deferred" || outcome?.is === "unknown") return outcome;
      if (outcome !== null && outcome.is === "rejected") return halfDone(refused);
    }
    for (const { key, ref } of made.toReversed()) {
      const stop = await this.#sender.remove(ref, op.channel, attempt.signal);
      if (stop !== null) return stop.is === "rejected" ? halfDone(refused) : stop;
      // A later try makes it anew.
      link.own.forget(op.id, key);
    }
    return refused;
  }

  async #edit(call: EditCall): Promise<Outcome> {
    const { op, attempt, standing, losses, kept, made } = call;
    const { link } = this.#sender;
    const files = await this.#files(call);
    if (!files.ok) return files.outcome;
    const people = await this.#sender.callers.among(op, op.channel, attempt.signal);
    const isPlain = standing.some(({ username }) => username === "");
    const named = op.author === null ? "none" : isPlain ? "first" : "none";
    const rendered = renderTexts(op, {
      named,
      exact: this.#exact,
      people,
      hasEmoji: link.hasEmoji,
      files: files.all,
    });
    losses.push(...rendered.losses);
    for (let at = 0; at < Math.max(rendered.texts.length, standing.length); at += 1) {
      if (attempt.signal.aborted) return GIVEN_UP;
      const stop = await this.#step(call, rendered.texts[at] ?? null, at);
      if (stop !== null) return stop;
    }
    for (let at = 0; at < files.added.length; at += FILES_MAX) {
      const some = files.added.slice(at, at + FILES_MAX);
      const stop = await this.#make(call, { key: filesKey(at), blocks: [], files: some });
      if (stop !== null) return stop;
    }
    for (const file of call.removed) {
      const stop = await this.#deleteFile(call, file);
      if (stop !== null) return stop;
    }
    for (const message of standing.slice(rendered.texts.length)) {
      if (!isEmptied(call, message)) continue;
      const stop = await this.#remove(call, message);
      if (stop !== null) return stop;
    }
    // As they stand in the channel, so that a longer text can go on in them.
    const refs = [...kept, ...made.map(({ ref }) => ref)];
    const isSame = refs.length === op.target.length && refs.every((ref, at) => ref === op.target[at]);
    return { is: "delivered", receipt: { messages: isSame ? [] : refs, losses } };
  }

  /** What has come with the edit is brought to the server; what came with the message is there. */
  async #files({ op, attempt, standing, losses }: EditCall): Promise<EditFiles> {
    const there = filesAmong(earlierFiles(op), standing);
    const all: SlackRenderedFile[] = [];
    const added: UploadedFile[] = [];
    for (const file of op.body.files) {
      if (file.id === null || there.has(file)) {
        all.push(asItIs(file));
        continue;
      }
      const brought = await this.#sender.uploads.bring(file, op.id, op.channel, attempt.signal);
      if (brought.is === "ended") return { ok: false, outcome: brought.outcome };
      if (brought.is === "there") {
        added.push(brought.uploaded);
        all.push({ file, goes: "natively" });
        continue;
      }
      losses.push({ what: "file", note: `${file.name}: ${brought.why}` });
      all.push({ file: { ...file, missing: brought.why }, goes: "in the text" });
    }
    return { ok: true, all, added };
  }

  /** One of the messages; null: it is as it is to be. */
  async #step(call: EditCall, words: readonly Block[] | null, at: number): Promise<Outcome | null> {
    const { standing, kept } = call;
    const message = standing[at];
    if (message === undefined)
      return words === null ? null : await this.#make(call, { key: `new${at}`, blocks: words, files: [] });
    if (words === null && isEmptied(call, message)) return null;
    const stop = await this.#change(call, message, this.#said(call, message, words ?? [], at));
    if (stop === null) kept.push(messageRef(message.ts));
    return stop;
  }

  /** Null: it is not there any more, or it cannot be deleted. */
  async #deleteFile({ op, attempt, losses }: EditCall, { id, name }: SlackFile): Promise<Outcome | null> {
    const answer = await this.#sender.link.api.deleteFile(id, attempt.signal);
    const stop = answer.ok ? null : this.#sender.failed(answer.failure, op.channel, "delete a file");
    if (stop?.is !== "rejected") return stop;
    losses.push({ what: "file", note: `${name} stays: ${stop.why.message}` });
    return null;
  }

  /** One too many. The new text stands there without it, so that nothing is taken back if it has to stay. */
  async #remove({ op, attempt, kept, losses }: EditCall, { ts }: SlackMessage): Promise<Outcome | null> {
    const stop = await this.#sender.remove(ts, op.channel, attempt.signal);
    if (stop?.is !== "rejected") return stop;
    losses.push({ what: "edit", note: `a part of the old text cannot be deleted: ${stop.why.message}` });
    kept.push(messageRef(ts));
    return null;
  }

  /** As it was: who was named before the text still is. */
  #said({ op, standing }: EditCall, message: SlackMessage, words: readonly Block[], at: number): readonly Block[] {
    const hasOwnName = message.username !== "";
    const isFirst = at === 0 || standing[0]?.username !== "";
    const isNamed = !hasOwnName && op.author !== null && (isFirst || words.length === 0);
    return isNamed ? spoken(op, words, this.#exact) : inStyle(op, words);
  }

  async #change(
    { op, attempt, changed, removed }: EditCall,
    message: SlackMessage,
    blocks: readonly Block[],
  ): Promise<Outcome | null> {
    const { link } = this.#sender;
    const first = blocks.length === 0 ? null : (message.blocks[0]?.["block_id"] ?? null);
    // Its own mark stays: by that it is known.
    const part = link.own.note(op.channel, message) ?? { op: op.id, mark: markOf("edit", END) };
    const said = writtenAs(blocks, typeof first === "string" ? first : blockIdOf(part), link.hasEmoji);
    if (said.blocks.length === 0 || isSaid(message, said)) return null;
    const fileIds = message.files.filter((file) => !removed.has(file) && !isDeleted(file)).map(({ id }) => id);
    const change = { channel: op.channel, ts: message.ts, ...said, metadata: metadataOf(part), fileIds };
    const answer = await link.api.update(change, attempt.signal);
    if (!answer.ok && isGone(answer.failure)) return VANISHED;
    if (!answer.ok) return this.#sender.failed(answer.failure, op.channel, "edit the message");
    changed.push(message);
    return null;
  }

  /** A message that is missing comes after the others, where they are. */
  async #make(call: EditCall, part: NewEditPart): Promise<Outcome | null> {
    const { op, attempt, standing, made, losses } = call;
    const [first] = standing;
    const hasFiles = part.files.length > 0;
    let root = first === undefined || first.threadTs === first.ts ? "" : first.threadTs;
    let speaker = hasFiles || first?.username === "" ? null : this.#sender.speakerOf(op);
    // Where the first one shows who speaks before its words, that is enough for the others.
    let isNamed = hasFiles || (first?.username !== "" && speaker === null && op.author !== null);
    for (let changes = 0; changes <= CHANGES_MAX; changes += 1) {
      const blocks = isNamed ? spoken(op, part.blocks, this.#exact) : inStyle(op, part.blocks);
      const wanted = { op: op.id, upTo: END, channel: op.channel, root, ...part, blocks, speaker, body: op.body };
      const done = await this.#sender.poster.make(wanted, attempt.signal);
      if (done.is === "ended") return this.#sender.stopped(op.id, part.files, done.outcome);
      if (done.is === "made") {
        made.push({ key: part.key, ref: done.found.ref });
        return done.found.unnamed ? await this.#sender.name(op, done.found.ref, losses, attempt.signal) : null;
      }
      if (done.what === "files") {
        losses.push({ what: "file", note: done.why });
        return null;
      }
      if (done.what === "names") [speaker, isNamed] = [null, true];
      else root = "";
      losses.push({ what: done.what === "names" ? "identity" : "reply", note: done.why });
    }
    return STUBBORN;
  }
}

/** Somebody has deleted one of the messages: the next try sees what is left. */
const VANISHED = deferred({ code: "not_found", message: "a part of it was deleted meanwhile" }, AGAIN_MS, "channel");

const halfDone = ({ why }: Extract<Outcome, { is: "rejected" }>): Outcome =>
  rejected(why.code, `${why.message}; a part of it shows the new text already, which cannot be taken back`);

/** Whether another message is the same one, and says the same. */
const isLike =
  ({ ts, text, blocks }: SlackMessage) =>
  (other: SlackMessage): boolean =>
    other.ts === ts && other.text === text && written(other.blocks) === written(blocks);

interface NewEditPart {
  readonly key: string;
  readonly blocks: readonly Block[];
  readonly files: readonly UploadedFile[];
}

/** Whether a message says this already. */
function isSaid(message: SlackMessage, { text, blocks }: ReturnType<typeof writtenAs>): boolean {
  const elements = (of: readonly Readonly<Record<string, unknown>>[]): string =>
    written(listIn(of[0] ?? {}, "elements"));
  return (
    message.text === text && message.blocks.length === blocks.length && elements(message.blocks) === elements(blocks)
  );
}

/** Those of the files that the messages have already. */
function filesAmong(
  files: readonly SharedFile[],
  messages: readonly SlackMessage[],
): ReadonlyMap<SharedFile, SlackFile> {
  return standingFiles(files, filesOf(messages), [
    (file, one) => isNamed(file, one) && one.size === file.bytes,
    (file, one) => isNamed(file, one) && (one.size === null || file.bytes === null),
  ]);
}

function removedAmong(op: EditOp, messages: readonly SlackMessage[]): ReadonlySet<SlackFile> {
  return removedFiles(op, filesOf(messages), filesAmong(earlierFiles(op), messages), isNamed);
}

const filesOf = (messages: readonly SlackMessage[]): readonly SlackFile[] =>
  messages.flatMap(({ files }) => files.filter((file) => !isDeleted(file)));

const isNamed = (file: SharedFile, { name, title }: SlackFile): boolean => [name, title].includes(outgoingName(file));

/** Whether the edit leaves none of its files, or it had none. */
const isEmptied = ({ removed }: Pick<EditCall, "removed">, { files }: SlackMessage): boolean =>
  files.every((file) => removed.has(file) || isDeleted(file));

/** Of the message with the files that an edit adds from that number on. */
const filesKey = (at: number): string => `files${at}`;
