import { END, type MessageRef } from "../../contract/ids.ts";
import type { EditOp } from "../../contract/ops.ts";
import type { Loss, Outcome } from "../../contract/outcome.ts";
import type { Attempt } from "../../contract/session.ts";
import type { TelegramText } from "../../content/telegram-write.ts";
import { GIVEN_UP, GONE, rejected } from "../kit/outcomes.ts";
import type { TelegramTarget } from "./api.ts";
import { isGone } from "./calls.ts";
import { addedDraft, type EditedFiles, editedFiles } from "./edited-files.ts";
import { outcomeOf } from "./failure.ts";
import { type TelegramEdit, TelegramEdits } from "./edits.ts";
import type { TelegramMade, TelegramWanted } from "./poster.ts";
import { NOTHING_SENT } from "./progress.ts";
import {
  CAPTION_MAX,
  nameText,
  renderPost,
  renderTexts,
  TEXT_MAX,
  type TelegramPartFile,
  type TelegramPostOptions,
} from "./render.ts";
import { says, type TelegramResult } from "./result.ts";
import { BEFORE_IT_MOVED, type TelegramSender } from "./sender.ts";
import type { TelegramLessons, TelegramUnsent } from "./uploads.ts";

/** So often it may turn out that one of the files that come with an edit goes in another way, or not at all. */
const CHANGES_MAX = 100;

interface EditCall {
  readonly op: EditOp;
  readonly attempt: Attempt;
  readonly edit: TelegramEdit;
  readonly files: EditedFiles;
  /** Beside those of files, which are of the edit. */
  readonly losses: Loss[];
  /** Messages that stand, as they did, and those that came. */
  readonly kept: MessageRef[];
  readonly made: MessageRef[];
  /** Messages that go once all else stands. */
  readonly leaving: MessageRef[];
  /** How many of the texts stand, and where the first of them does. */
  texts: number;
  first: "nowhere" | "alone" | "with a file";
  isAnnounced: boolean;
}

/**
 * What became of one message. `other`: it is a text, and was taken for a file, or the other way around; `refused`: it
 * is as it was.
 */
type Changed =
  | { readonly is: "done" | "gone" | "other" | "refused" }
  | { readonly is: "ended"; readonly outcome: Outcome };

/**
 * Edits of posts that may be several messages: each gets its part of the new text; those that are missing are made, and
 * then those that are too many are deleted. A bot cannot look at its messages: what they are is remembered, or else
 * found out by what the server refuses.
 */
export class TelegramEditor {
  readonly #sender: TelegramSender;
  readonly #edits = new TelegramEdits();

  constructor(sender: TelegramSender) {
    this.#sender = sender;
  }

  async edit(op: EditOp, attempt: Attempt): Promise<Outcome> {
    const { poster } = this.#sender;
    const held = poster.calls.held(op.channel, attempt.signal);
    if (held !== null) return held;
    const targets = op.target.filter((ref) => poster.calls.idIn(op.channel, ref) !== null);
    if (targets.length === 0) return BEFORE_IT_MOVED;
    const edit = this.#edits.of(op.id, () => {
      const lessons: TelegramLessons = new Map();
      const files = editedFiles(op, targets, poster, lessons);
      return {
        files,
        lessons,
        losses: [],
        replaced: new Map(),
        texts: new Map(),
        added: [],
        sent: null,
        isFound: false,
      };
    });
    const call: EditCall = {
      op,
      attempt,
      edit,
      files: edit.files,
      losses: [],
      kept: [],
      made: [],
      leaving: [],
      texts: 0,
      first: "nowhere",
      isAnnounced: false,
    };
    const outcome = halfDone(await this.#edit(call, targets), call);
    if (outcome.is !== "deferred" && outcome.is !== "unknown") this.#edits.forget(op.id);
    return outcome;
  }

  async #edit(call: EditCall, targets: readonly MessageRef[]): Promise<Outcome> {
    const { op, edit, losses, kept, made, leaving } = call;
    for (const target of targets) {
      const changed = await this.#change(call, target);
      if (changed.is === "ended") return changed.outcome;
      if (changed.is !== "gone") edit.isFound = true;
    }
    if (!edit.isFound) return GONE;
    for (let said = this.#next(call); said !== null; said = this.#next(call)) {
      const stop = await this.#say(call, said);
      if (stop !== null) return stop;
      call.texts += 1;
    }
    losses.push(...this.#render(call, call.first === "with a file").losses);
    this.#findAdded(call, targets);
    const stop = await this.#add(call);
    if (stop !== null) return stop;
    for (const target of leaving) {
      const removed = await this.#remove(call, target);
      if (removed.is === "ended") return removed.outcome;
    }
    // As they stand in the chat, so that a longer text can go on in them.
    const refs = [...kept, ...made];
    const isSame = refs.length === op.target.length && refs.every((ref, at) => ref === op.target[at]);
    return { is: "delivered", receipt: { messages: isSame ? [] : refs, losses: [...edit.losses, ...losses] } };
  }

  /** The words that stand nowhere yet; null: there are none. */
  #next(call: EditCall, isWithFile = call.first === "with a file"): TelegramText | null {
    return this.#render(call, isWithFile).texts[call.texts] ?? null;
  }

  #render({ op, files }: EditCall, isWithFile: boolean): ReturnType<typeof renderTexts> {
    const firstMax = isWithFile ? CAPTION_MAX : TEXT_MAX;
    const idOf = this.#sender.idOf(op.channel);
    const options = { idOf, files: files.all, uploadMax: this.#sender.link.uploadMax, sent: NOTHING_SENT, firstMax };
    return renderTexts(op, options);
  }

  async #change(call: EditCall, target: MessageRef): Promise<Changed> {
    const { op, files, leaving } = call;
    if (files.removed.has(target)) {
      leaving.push(target);
      return { is: "done" };
    }
    const isMedia = this.#sender.poster.known.of(op.channel, target)?.is === "media";
    const changed = isMedia ? await this.#changeMedia(call, target) : await this.#changeText(call, target);
    if (changed.is !== "other") return changed;
    return isMedia ? await this.#changeText(call, target) : await this.#changeMedia(call, target);
  }

  async #changeText(call: EditCall, target: MessageRef): Promise<Changed> {
    const { op, attempt, files } = call;
    const { link, poster } = this.#sender;
    const isText = poster.known.of(op.channel, target) !== null;
    const said = this.#next(call);
    // Of what says nothing any more and holds nothing a message stays, for what it may say again.
    const isLastOne = call.first === "nowhere" && files.all.length === 0;
    if (said === null && isText && !isLastOne) {
      call.leaving.push(target);
      return { is: "done" };
    }
    const shown = poster.shown(said ?? NOT_NEEDED, op.body);
    const changed = await this.#ask(call, target, async (at) => await link.api.editText(at, shown, attempt.signal));
    if (changed.is === "other") poster.known.note(op.channel, target, { is: "media", file: null, hasWords: true });
    if (changed.is !== "done") return changed;
    poster.known.note(op.channel, target, { is: "text" });
    if (said === null && !isLastOne) {
      call.leaving.push(target);
      return changed;
    }
    call.kept.push(target);
    call.texts += 1;
    if (call.first === "nowhere") call.first = "alone";
    return changed;
  }

  /** The first of the words stand with the first file where no text is before that. */
  async #changeMedia(call: EditCall, target: MessageRef): Promise<Changed> {
    const { op, attempt, files } = call;
    const { link, poster } = this.#sender;
    const isFirst = call.first === "nowhere";
    const words = isFirst ? this.#next(call, true) : null;
    const known = poster.known.of(op.channel, target);
    const isNamed = isFirst || (known?.is === "media" && known.hasWords);
    const caption = words ?? (isNamed ? nameText(op) : null);
    const file = files.replaced.get(target);
    let changed: Changed = { is: "done" };
    if (file !== undefined) changed = await this.#replace(call, target, { file, caption });
    else if (isFirst)
      changed = await this.#ask(call, target, async (at) => {
        return await link.api.editCaption(at, poster.shown(caption, op.body), attempt.signal);
      });
    if (changed.is === "other") poster.known.note(op.channel, target, { is: "text" });
    if (changed.is === "refused") call.leaving.push(target);
    if (changed.is !== "done") return changed;
    call.kept.push(target);
    if (words !== null) call.texts += 1;
    if (isFirst) call.first = "with a file";
    return changed;
  }

  /** A file in place of another. One that is refused comes as a message of its own, in whatever way it goes. */
  async #replace(
    call: EditCall,
    target: MessageRef,
    { file, caption }: { readonly file: TelegramPartFile; readonly caption: TelegramText | null },
  ): Promise<Changed> {
    const { op, attempt, edit, files } = call;
    const { link, poster } = this.#sender;
    const words = JSON.stringify(caption);
    const before = edit.replaced.get(target);
    if (before === REFUSED) return { is: "refused" };
    // The server takes the same file for another one each time.
    if (before === words) return { is: "done" };
    const changed = await this.#ask(call, target, async (at) =>
      poster.uploads.send({ op: op.id, files: [file] }, attempt.signal, async ([attached]) => {
        if (attached === undefined) return { ok: true, value: null };
        return await link.api.editMedia(at, { ...attached, caption }, attempt.signal);
      }),
    );
    if (changed.is === "done") {
      edit.replaced.set(target, words);
      poster.known.note(op.channel, target, { is: "media", file, hasWords: caption !== null });
    }
    if (changed.is === "done" || (changed.is === "ended" && changed.outcome.is !== "rejected")) return changed;
    if (!files.added.includes(file.file)) files.added.push(file.file);
    if (changed.is === "gone") return changed;
    // Another try might find that it goes after all, and it would be there twice.
    edit.replaced.set(target, REFUSED);
    return { is: "refused" };
  }

  /** What cannot be deleted any more stays, without its words. */
  async #remove(call: EditCall, target: MessageRef): Promise<Changed> {
    const { op, attempt, kept, losses } = call;
    const { link, poster } = this.#sender;
    const stop = await this.#sender.remove(target, op.channel, attempt.signal);
    if (stop === null) return { is: "done" };
    if (stop.is !== "rejected") return { is: "ended", outcome: stop };
    losses.push({ what: "delete", note: stop.why.message });
    kept.push(target);
    const isMedia = poster.known.of(op.channel, target)?.is === "media";
    const shown = poster.shown(isMedia ? nameText(op) : NOT_NEEDED, op.body);
    return await this.#ask(call, target, async (at) =>
      isMedia
        ? await link.api.editCaption(at, shown, attempt.signal)
        : await link.api.editText(at, shown, attempt.signal),
    );
  }

  async #ask(
    { op: { channel }, attempt: { signal }, edit: { losses, lessons } }: EditCall,
    ref: MessageRef,
    call: (at: TelegramTarget) => Promise<TelegramResult<null> | NotSent>,
  ): Promise<Changed> {
    const { link, poster } = this.#sender;
    const asked = await poster.calls.about({ channel, ref }, signal, call);
    if (asked.is === "done" || asked.is === "ended") return asked;
    if (asked.is === "not asked") {
      if (asked.why === "moved") return { is: "ended", outcome: BEFORE_IT_MOVED };
      if (asked.why.is === "ended") return asked.why;
      this.#sender.leaveOut({ is: "without", files: [asked.why] }, { uploadMax: 0, losses, lessons });
      return { is: "refused" };
    }
    const { failure } = asked;
    if (says(failure, "message is not modified")) return { is: "done" };
    if (isGone(failure)) return { is: "gone" };
    if (/there is no (?:text|caption) in the message to edit/iu.test(failure.description)) return { is: "other" };
    return { is: "ended", outcome: outcomeOf(failure, { link, channel, doing: "edit the message" }) };
  }

  /** A text that is missing comes after the others. It is made once, however often the edit is tried. */
  async #say(call: EditCall, said: TelegramText): Promise<Outcome | null> {
    const { edit, made, texts } = call;
    const earlier = edit.texts.get(texts);
    if (earlier !== undefined) {
      made.push(...earlier);
      return null;
    }
    const done = await this.#make(call, { said, files: [] });
    if (done.is === "ended") return done.outcome;
    const refs = done.is === "made" ? done.refs : [];
    edit.texts.set(texts, refs);
    made.push(...refs);
    return null;
  }

  async #make(call: EditCall, part: Pick<TelegramWanted, "said" | "files">): Promise<TelegramMade> {
    const { op, attempt } = call;
    if (!call.isAnnounced && !(await attempt.sending(END))) return { is: "ended", outcome: GIVEN_UP };
    call.isAnnounced = true;
    const wanted = { op: op.id, channel: op.channel, replyTo: null, body: op.body, ...part };
    return await this.#sender.poster.make(wanted, attempt.signal);
  }

  /** Which files stand was not known before all messages were looked at. */
  #findAdded({ op: { channel }, files, losses }: EditCall, targets: readonly MessageRef[]): void {
    if (files.isKnown || files.all.length === 0) return;
    const { known } = this.#sender.poster;
    const going = files.all.flatMap(({ file, goes }) => (goes === "in the text" ? [] : [file]));
    // What somebody has deleted may have been a file, and is not to come back.
    const standing = targets.filter((ref) => known.of(channel, ref)?.is !== "text").length;
    if (standing === 0) files.added.push(...going.filter((file) => !files.added.includes(file)));
    else if (going.length > standing) losses.push({ what: "file", note: "not all files of the edit are there" });
    else if (going.length < standing)
      losses.push({ what: "file", note: "files that the edit has no more may be there" });
  }

  /** Files that have come with the edit. */
  async #add(call: EditCall): Promise<Outcome | null> {
    const { op, edit, files, kept, made } = call;
    const { link, poster } = this.#sender;
    const draft = addedDraft(op, files.added);
    const course = { uploadMax: link.uploadMax, losses: edit.losses, lessons: edit.lessons };
    const idOf = this.#sender.idOf(op.channel);
    edit.sent ??= { ...NOTHING_SENT, parts: kept.length + made.length };
    for (let changes = 0; changes <= CHANGES_MAX && files.added.length > 0;) {
      const going = draft.body.files.map((file) => poster.uploads.wayOf(file, edit.lessons));
      const options: TelegramPostOptions = { idOf, files: going, uploadMax: course.uploadMax, sent: edit.sent };
      const [part] = renderPost(draft, options).parts;
      if (part === undefined) break;
      const done = await this.#make(call, part);
      if (done.is === "ended") return done.outcome;
      if (done.is === "made") {
        edit.sent = part.sent;
        edit.added.push(...done.refs);
      } else {
        changes += 1;
        this.#sender.leaveOut(done, course);
      }
    }
    made.push(...edit.added);
    return null;
  }
}

/** What was changed before something was refused stays so, and whoever reads the log is told. */
function halfDone(outcome: Outcome, { texts, made }: EditCall): Outcome {
  if (outcome.is !== "rejected" || texts + made.length === 0) return outcome;
  const { code, message } = outcome.why;
  return rejected(code, `${message}; a part of the message is changed`);
}

interface NotSent {
  readonly is: "not asked";
  readonly why: TelegramUnsent;
}

/** The other file was refused, and so there are no words with it. */
const REFUSED = null;

/** What a message says when nothing of the text is left for it. */
const NOT_NEEDED: TelegramText = { text: "…", entities: [] };
