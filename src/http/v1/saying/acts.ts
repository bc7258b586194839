import type { Access } from "../../../access/access.ts";
import type { Account } from "../../../config/config.ts";
import { EventLabel, type Message } from "../../../contract/message.ts";
import { aboutDeletion, aboutEdit, aboutReaction, isReaction, nameOf } from "../../../gateway/acts.ts";
import { type About, encodeStored, type Stored } from "../../../gateway/codec.ts";
import { withFiles } from "../../../gateway/known-files.ts";
import { aboutFiles, fileMarks, type KnownWithFiles } from "../../../gateway/file-changes.ts";
import { replaceEmoji } from "../../../gateway/emoji.ts";
import { ignored } from "../../../gateway/inbound.ts";
import { posterKey, postedExcerpt } from "../../../gateway/posted.ts";
import { withSuffix } from "../../../gateway/suffix.ts";
import { listOf } from "../../../lib/shapes.ts";
import type { IdNote, Known, Mark, NewEntry, Seq } from "../../../log/log.ts";
import { type PostPlace, seqOf } from "../../api/acting.ts";
import { shorten } from "../../api/posting-refusal.ts";
import type { Said, SayOutcome, SayScene } from "../../api/say.ts";
import type { V1Deps } from "../deps.ts";
import { ProblemError } from "../problems.ts";
import type { Reply } from "../route.ts";
import { droppedReply } from "./answers.ts";
import { extraOf, type FileDeps, findFiles, type FoundFile } from "./given-files.ts";
import { checkWhole, gatewaysOf, isOwn, placesAbout } from "./places.ts";
import { checkRevision, etagOfRevision } from "./revision.ts";
import type { Actor, Edit, SayingAuthor } from "./shapes.ts";
import { shownMarks } from "./uploads.ts";
import { callerName, mentionsOf, namesOf } from "./words.ts";
import { written } from "../../../gateway/written.ts";

export type ActDeps = Pick<V1Deps, "ingest" | "log">;

/** What a client does to a message. */
export interface Acting {
  /** As the client names the message. */
  readonly id: string;
  readonly access: Access;
  readonly ifMatch: string | undefined;
}

/** What becomes of it in the log; `done`: it was so before, and there is nothing to say. */
type Act =
  | {
      readonly is: "entries";
      readonly entries: readonly NewEntry[];
      readonly body: Readonly<Record<string, unknown>>;
      readonly isRevision?: true;
      readonly marks?: readonly Mark[];
    }
  | { readonly is: "dropped"; readonly message: Message; readonly drop: NonNullable<Said["dropped"]>["drop"] }
  | { readonly is: "done"; readonly body: Readonly<Record<string, unknown>> };

type Make = (target: Known, scene: SayScene) => Act | Promise<Act>;

/**
 * Changes the text and the files of a message of the account's own. Rejects with a ProblemError, or with a LogError
 * when the log does not take it; so do the others.
 */
export async function edit(acting: Acting, fields: Edit, deps: ActDeps & FileDeps): Promise<Reply> {
  if (fields.text === "" && (fields.files ?? []).length === 0) throw NOTHING_LEFT;
  const found = fields.files === undefined ? null : await findFiles(fields.files, acting.access, deps);
  const reply = await act(acting, deps, async (target, scene) => {
    if (target.gone) throw new ProblemError("not_found", `message ${target.seq} was deleted`);
    if (!isOwn(target, scene)) throw FOREIGN_EDIT;
    await checkRevision(acting.ifMatch, target, deps.log);
    if (found === null) return editOf(target, { fields, files: null }, acting.access, scene);
    const { files: before } = await withFiles(target, deps.log.archive);
    const marks = shownMarks(
      found.map(({ id }) => id),
      found.map(({ shown }) => shown.name),
      target.subject,
      deps.clock.nowMs(),
    );
    return editOf(target, { fields, files: { found, before, marks } }, acting.access, scene);
  });
  return reply;
}

const FOREIGN_EDIT = new ProblemError(
  "forbidden",
  "only messages that this account posted can be edited; this one is not",
);

const NOTHING_LEFT = new ProblemError("bad_request", "an edit leaves a text or a file; delete the message instead", {
  errors: [{ pointer: "/text", detail: "is empty, and there are no files" }],
});

interface GivenEdit {
  readonly fields: Edit;
  /** Null: the files stay. */
  readonly files: {
    readonly found: readonly FoundFile[];
    readonly before: KnownWithFiles["files"];
    readonly marks: readonly Mark[];
  } | null;
}

/** What the entry of an edit says of files. */
function editedFiles(
  message: Message,
  files: GivenEdit["files"],
): Pick<Stored, "files"> & { readonly about: Partial<About> } {
  if (files === null) return { files: [], about: {} };
  const ids = files.found.map(({ id }) => id);
  return { files: ids, about: aboutFiles(files.before, fileMarks({ message, files: ids }), true) };
}

function editOf(target: Known, { fields, files }: GivenEdit, access: Access, scene: SayScene): Act {
  const { account, inbound } = scene;
  const [at] = placesAbout(target, access, scene);
  if (at === undefined) throw new Error("a message is seen nowhere");
  const { format = "markdown" } = fields;
  const bare = messageOf(at, fields.text, namesOf(fields.author, writerOf(target)), scene);
  const given = files === null ? bare : { ...bare, Extra: extraOf(files.found) };
  if (account.presentation.editDisable) return dropped(given, { reason: "edits_disabled" });
  const verdict = inbound(given);
  if (verdict.is === "drop") return dropped(given, verdict);
  const shown = written(verdict.message.text, format, account);
  const excerpt = postedExcerpt({ ...verdict.message, text: shown.text }, account);
  const suffixed = withSuffix({ format, text: verdict.message.text }, account.presentation.editSuffix);
  const { text, source } = written(suffixed.text, format, account);
  const note: IdNote = { is: "revised", of: target.seq, refs: [], excerpt };
  const message = { ...verdict.message, text, event: EventLabel.edit };
  const mentions = mentionsOf(fields.mentions, message);
  const { about, files: ids } = editedFiles(message, files);
  const stored = { ...NOTHING_MORE, message, source, files: ids, about: { ...aboutEdit(target), ...about } };
  const payload = encodeStored(mentions === null ? stored : { ...stored, mentions });
  const body = {
    message: {
      id: String(target.seq),
      text: suffixed.text,
      format,
      style: "normal",
      reply_to: null,
      thread: null,
      hops: 0,
      files: files?.found.map(({ shown }) => shown) ?? [],
    },
  };
  return {
    is: "entries",
    isRevision: true,
    entries: [{ subject: at.subject, key: null, label: EventLabel.edit, payload, note }],
    marks: files?.marks ?? [],
    body,
  };
}

/**
 * Takes a message back: one of the account's own, or with the scope `moderate` anybody's, in all gateways that have it.
 */
export async function remove(acting: Acting, { author }: Actor, deps: ActDeps): Promise<Reply> {
  return await act(acting, deps, async (target, scene) => {
    const { access, ifMatch } = acting;
    const body = { message: { id: String(target.seq) } };
    if (!isOwn(target, scene) && !access.scopes.has("moderate")) {
      const detail = "messages of others are deleted with the scope `moderate`; this account has not posted this one";
      throw new ProblemError("forbidden", detail);
    }
    // Taken back twice is taken back: the repeat of a request must not fail.
    if (target.gone) return { is: "done", body };
    await checkRevision(ifMatch, target, deps.log);
    return { is: "entries", entries: deletionsOf(target, author, access, scene), body };
  });
}

/** The entries that take a message back everywhere. Throws a ProblemError where the caller may not. */
export function deletionsOf(
  target: Known,
  author: SayingAuthor | undefined,
  access: Access,
  scene: SayScene,
): readonly NewEntry[] {
  checkWhole(target, access, scene);
  const otherwise = isOwn(target, scene) ? writerOf(target) : callerOf(access, scene.account);
  const names = namesOf(author, otherwise);
  const note: IdNote = { is: "gone", of: target.seq };
  return placesAbout(target, access, scene).map((at, index) => {
    const message = { ...messageOf(at, "", names, scene), event: EventLabel.delete };
    return entryOf(at, message, aboutDeletion(target), index === 0 ? note : null);
  });
}

/** Puts an emoji under a message, or takes it away. */
export async function react(
  acting: Acting,
  { emoji: given, on, author }: Actor & { readonly emoji: string; readonly on: boolean },
  deps: ActDeps,
): Promise<Reply> {
  const emoji = replaceEmoji(given).trim();
  if (!isReaction(emoji)) throw new ProblemError("unprocessable", "a reaction is one emoji, or a short name for one");
  return await act(acting, deps, async (target, scene) => {
    if (target.gone) throw new ProblemError("not_found", `message ${target.seq} was deleted`);
    await checkRevision(acting.ifMatch, target, deps.log);
    const { account, ignoresNick } = scene;
    const places = placesAbout(target, acting.access, scene);
    const names = namesOf(author, callerOf(acting.access, account));
    const [first] = places;
    if (first === undefined) throw new Error("a message is seen nowhere");
    const said = messageOf(first, emoji, names, scene);
    if (account.presentation.reactionDisable) return dropped(said, { reason: "reactions_disabled" });
    const drop = ignored("ignored_nick", ignoresNick(names.username));
    if (drop !== null) return dropped(said, drop);
    // The same person in all gateways.
    const who = `${first.subject} ${posterKey(said)}`;
    const note: IdNote = { is: "reacted", of: target.seq, who, name: nameOf(names.username), emoji, on };
    const entries = places.map((at, index) => {
      const message = { ...said, gateway: at.gateway, event: EventLabel.reaction };
      return entryOf(at, message, aboutReaction(target, emoji, on), index === 0 ? note : null);
    });
    return { is: "entries", entries, body: { message: { id: String(target.seq) }, reaction: { emoji } } };
  });
}

const NOTHING_MORE = { source: null, files: [], avatar: null, topic: null } as const;

function entryOf({ subject }: PostPlace, message: Message, about: About, note: IdNote | null): NewEntry {
  const payload = encodeStored({ ...NOTHING_MORE, message, about });
  const entry = { subject, key: null, label: message.event, payload };
  return note === null ? entry : { ...entry, note };
}

type Names = ReturnType<typeof namesOf>;

function messageOf({ gateway }: PostPlace, text: string, names: Names, { account, stamp }: SayScene): Message {
  return {
    text: text.toWellFormed(),
    channel: "api",
    ...names,
    account: account.name,
    event: "",
    protocol: account.protocol,
    gateway,
    parent_id: "",
    timestamp: stamp(),
    id: "",
    Extra: null,
  };
}

const dropped = (message: Message, drop: NonNullable<Said["dropped"]>["drop"]): Act => ({
  is: "dropped",
  message,
  drop,
});

const callerOf = (access: Access, account: Account) => ({ userid: "", username: callerName(access, account) });

/** Who posted it, as it was said. */
function writerOf({ author, name }: Known): { readonly userid: string; readonly username: string } {
  const [id] = listOf(JSON.parse(author));
  return { userid: typeof id === "string" && id !== name ? id : "", username: name };
}

/**
 * The message with this id, as long as the caller sees it. Rejects with a ProblemError `not_found`, or with a LogError.
 */
export async function targetOf(
  id: string,
  access: Access,
  scene: Pick<SayScene, "account" | "routes" | "log">,
): Promise<Known> {
  const seq = seqOf(id);
  const known = seq === null ? null : await scene.log.ids.get(seq);
  if (known === null || gatewaysOf(known, access, scene).length === 0) {
    throw new ProblemError(
      "not_found",
      `there is no message "${shorten(id)}" for this caller, or it is too old to be known`,
    );
  }
  return known;
}

function act({ id, access }: Acting, { ingest }: ActDeps, make: Make): Promise<Reply> {
  return new Promise((resolve, reject) => {
    let made: Act | null = null;
    const makeSaid = async (scene: SayScene): Promise<Said> => {
      made = await make(await targetOf(id, access, scene), scene);
      if (made.is === "dropped") return { batch: null, dropped: made };
      const { entries, marks = [] } = made.is === "entries" ? made : { entries: [] };
      const batch = { account: scene.account.key, entries, ...(marks.length > 0 && { marks }) };
      return { batch: entries.length === 0 ? null : batch, dropped: null };
    };
    ingest.actThen({
      make: makeSaid,
      answered: (outcome) => resolve(answerOf(made, outcome)),
      failed: reject,
    });
  });
}

function answerOf(made: Act | null, { appended }: SayOutcome): Reply {
  if (made === null || made.is === "dropped") return droppedReply(made?.drop.reason ?? "bug");
  if (made.is === "done") return { status: 200, body: made.body };
  const seqs = appended?.is === "stored" ? appended.seqs.filter((seq) => seq !== null) : [];
  const [seq = 0] = seqs;
  const headers = made.isRevision === true ? { ETag: etagOfRevision(seq) } : {};
  return { status: 200, body: { ...made.body, receipts: receiptsPath(seqs) }, headers };
}

/** Where it is said what became of what was stored as these entries. */
export function receiptsPath([first = 0, ...others]: readonly Seq[]): string {
  const also = others.length === 0 ? "" : `?also=${others.join(",")}`;
  return `/v1/messages/${first}/receipts${also}`;
}
