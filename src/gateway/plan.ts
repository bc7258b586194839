import type { Account } from "../config/config.ts";
import type { Capabilities } from "../contract/capabilities.ts";
import type { Body } from "../contract/content.ts";
import { EventLabel } from "../contract/message.ts";
import type { MayPing, PostDraft, StandingReaction } from "../contract/ops.ts";
import type { Loss } from "../contract/outcome.ts";
import { type About, decodeStored, type Mentions, type Stored } from "./codec.ts";
import { asEdit, deletionLine, spoken, withChanges, type Wording } from "./fallback.ts";
import { gapOf } from "./moments.ts";
import { isFailure } from "./failures.ts";
import { isOutage } from "./outages.ts";
import { authorOf, type PlanCase, draftOf, type PlanScene, writerOf } from "./plan-draft.ts";
import { pictureWanted, wantedFiles } from "./plan-files.ts";
import { bodyLosses, lost, posted, replyOp, withoutQuote } from "./plan-reply.ts";
import type { Answer, AnswerEdit, Here, Narrowing, Needs, OpDraft, Planned } from "./planned.ts";
import { asNews } from "./plain-message.ts";
import { putOn, reactionLine, standingLine } from "./reaction-line.ts";
import { can, canReact, isTooOld, withTextMax } from "./room-limits.ts";
import { topicLoss, topicToSet } from "./topics.ts";
import { compileView } from "./view.ts";

/**
 * What becomes of the log's entries on their way to one destination account. Pure: the same entry and answers always
 * give the same op.
 */
export interface Plan {
  /** Whether an event with this label goes to the destination at all. */
  readonly admits: (label: string) => boolean;
  readonly read: (payload: string) => Stored;
  /** Whether it becomes the topic of the room: of several that wait, only the newest counts. */
  readonly setsTopic: (stored: Stored, room: Narrowing) => boolean;
  /** What has to be looked up before `op`. */
  readonly needs: (stored: Stored, room: Narrowing) => Needs;
  /** What the destination is to do in one gateway, from the answers to `needs`. */
  readonly op: (stored: Stored, gateway: string, here: Here) => Planned;
  /** The one line that stands for messages that waited too long, or that CatchUp leaves out. */
  readonly expired: (gap: Gap) => PostDraft;
}

/** `count` messages that were said between these two moments, in Unix milliseconds. */
interface Gap {
  readonly count: number;
  readonly fromMs: number;
  readonly toMs: number;
}

/** Compiles the plan of one destination; `accounts` are all accounts by key, as for `compileView`. */
export function compilePlan(
  destination: Account,
  accounts: ReadonlyMap<string, Account>,
  capabilities: Capabilities,
): Plan {
  const { presentation } = destination;
  const mayPing: MayPing = {
    users: presentation.allowMention.includes("users"),
    everyone: presentation.allowMention.includes("everyone"),
  };
  const words: Wording = { ...presentation, replyWords: capabilities.replyWords, quiet: !mayPing.users };
  const view = compileView(destination, accounts, undefined, nameMarksOf(destination, capabilities));
  const scene: PlanScene = { destination, accounts, capabilities, mayPing, words, view };
  return {
    admits: compileAdmits(scene),
    read: (payload) => {
      const stored = decodeStored(payload);
      return { ...stored, message: asNews(stored.message) };
    },
    setsTopic: (stored, room) => topicToSet(stored, room, destination, capabilities) !== null,
    needs: (stored, room) => needsOf(stored, room, scene),
    op: (stored, gateway, here) => withTextMax(opOf({ stored, gateway, here }, scene), here.limits, capabilities),
    expired: (gap) => lineOf(spoken(expiredText(gap))),
  };
}

function nameMarksOf({ settings }: Account, { nameMarks }: Capabilities): string | null {
  if (nameMarks === undefined || typeof nameMarks === "string") return nameMarks ?? null;
  return nameMarks.formats[String(settings[nameMarks.setting])] ?? null;
}

function compileAdmits({ destination: { presentation }, capabilities, view }: PlanScene): (label: string) => boolean {
  const takesNotices = capabilities.notice !== "none";
  return (label) => {
    if (label === EventLabel.notice) return takesNotices;
    if (label === EventLabel.reaction) return !presentation.reactionDisable;
    // Whether or not it can be done there: a message that waits still changes.
    if (label === EventLabel.edit || label === EventLabel.delete) return true;
    return label === EventLabel.again || label === EventLabel.withdrawal || view.admits(label);
  };
}

function needsOf(stored: Stored, room: Narrowing, scene: PlanScene): Needs {
  const { about } = stored;
  const { destination, capabilities, view } = scene;
  const { presentation } = destination;
  const { ops, reply, thread } = capabilities;
  const hasLine = presentation.reactionFallback === "line" && can("edit", room, capabilities);
  const needs: Needs = {
    about: null,
    thread: null,
    standing: false,
    line: null,
    quoting: null,
    files: wantedFiles(stored, room, capabilities),
    avatar: pictureWanted(stored, capabilities, view),
  };
  if (topicToSet(stored, room, destination, capabilities) !== null) return { ...needs, avatar: null };
  if (about === null) return needs;
  const quoting = can("edit", room, capabilities) ? about.seq : null;
  switch (about.is) {
    case "reply":
      if (!presentation.preserveThreading) return needs;
      return {
        ...needs,
        quoting,
        about: reply === "none" ? null : about.seq,
        thread: thread === "none" ? null : about.thread,
      };
    case "edit":
      return { ...needs, about: ops.edit === "none" ? null : about.seq };
    case "delete":
      if (stored.message.event === EventLabel.withdrawal) return { ...needs, about: about.seq, quoting, avatar: null };
      if (!can("delete", room, capabilities)) return { ...needs, avatar: null };
      return { ...needs, about: about.seq, line: hasLine ? about.seq : null, quoting, avatar: null };
    case "reaction":
      if (canReact(about.emoji, room, capabilities)) return { ...needs, about: about.seq, standing: true };
      if (!hasLine) return needs;
      return { ...needs, about: isAnswered(scene) ? about.seq : null, standing: true, line: about.seq };
  }
}

/** Whether a line can be an answer to what it is about. */
function isAnswered({ destination: { presentation }, capabilities }: PlanScene): boolean {
  return presentation.preserveThreading && capabilities.reply !== "none";
}

function opOf(at: PlanCase, places: PlanScene): Planned {
  const { about } = at.stored;
  const scene = sceneOf(at.stored, places);
  if (isOutage(at.stored)) return outageOp(at, scene);
  if (isFailure(at.stored)) return failureOp(at, scene);
  if (at.stored.message.event === EventLabel.topic) return topicOp(at, scene);
  if (about === null) return posted(draftOf(at, scene), [], scene);
  switch (about.is) {
    case "reply":
      return replyOp(at, about, scene);
    case "edit":
      return editOp(at, about, scene);
    case "delete":
      return deleteOp(at, about, scene);
    case "reaction":
      return reactOp(at, about, scene);
  }
}

const sceneOf = ({ mentions }: Stored, scene: PlanScene): PlanScene =>
  mentions === undefined ? scene : quieter(scene, mentions);

/** What its poster does not want to notify is notified nowhere. */
function quieter(scene: PlanScene, mentions: Mentions): PlanScene {
  const users = scene.mayPing.users && mentions === "users";
  return { ...scene, mayPing: { users, everyone: false }, words: { ...scene.words, quiet: !users } };
}

function editOp(at: PlanCase, about: About, scene: PlanScene): Planned {
  const { destination, accounts } = scene;
  const isOld = isTooOld(at.here);
  const isNative = can("edit", at.here, scene.capabilities) && !isOld;
  const draft = draftOf(at, scene);
  if (isNative && at.here.about.length > 0) {
    const { changed } = about;
    const target = at.here.about;
    const op: OpDraft = { kind: "edit", ...draft, target, ...(changed !== undefined && { changed }) };
    return { is: "op", op, losses: bodyLosses(draft.body, scene) };
  }
  const { editFallback } = destination.presentation;
  if (editFallback === "none")
    return { is: "omitted", losses: [lost("edit", "edits are not shown here (EditFallback)")] };
  const { account } = at.stored.message;
  const suffix = accounts.get(account.toLowerCase())?.presentation.editSuffix ?? "";
  // Who has never seen the message makes nothing of what changed in it.
  const said = asEdit(draft.body, isNative ? "whole" : editFallback, about.excerpt, suffix);
  const body = withChanges(said, draft.body, about.changed);
  if (body === null) return { is: "omitted", losses: [lost("edit", "it changes no text")] };
  const why = isNative ? "the message is not known here; " : isOld ? "the message is too old to be edited here; " : "";
  const files =
    draft.body.files.length > body.files.length ? [lost("file", "files of an edit are not sent again")] : [];
  return {
    is: "op",
    op: { kind: "post", ...draft, body },
    losses: [lost("edit", `${why}said in a new message`), ...files],
  };
}

/** A line of Rialto's own, which notifies nobody where the network has a way for that. */
function quietLine({ stored }: PlanCase, { capabilities }: PlanScene): PostDraft {
  const style = capabilities.notice === "none" ? "normal" : "notice";
  return lineOf({ ...spoken(stored.message.text), style });
}

/** An answer to the message that did not arrive elsewhere, or its deletion. */
function failureOp(at: PlanCase, scene: PlanScene): Planned {
  const { about } = at.stored;
  if (about === null) return { is: "omitted", losses: [] };
  if (about.is !== "delete") return replyOp(at, about, scene, quietLine(at, scene));
  const target = can("delete", at.here, scene.capabilities) ? at.here.about : [];
  if (target.length === 0) return { is: "omitted", losses: [lost("delete", "the notice stays")] };
  return { is: "op", op: { kind: "delete", target, author: null }, losses: [] };
}

/** Said quietly, by nobody in particular. */
function outageOp(at: PlanCase, scene: PlanScene): Planned {
  const { stored, here } = at;
  const draft = quietLine(at, scene);
  const canEdit = can("edit", here, scene.capabilities) && !isTooOld(here);
  const isEdit = stored.about !== null && here.about.length > 0 && canEdit;
  const op: OpDraft = isEdit ? { kind: "edit", ...draft, target: here.about } : { kind: "post", ...draft };
  return { is: "op", op, losses: [] };
}

function deleteOp(at: PlanCase, about: About, scene: PlanScene): Planned {
  const isOver = at.stored.message.event === EventLabel.withdrawal;
  if (isOver || can("delete", at.here, scene.capabilities)) {
    // The line about its reactions goes with it.
    const target = isOver ? [] : [...at.here.about, ...(at.here.line ?? [])];
    const answers = at.here.answers.flatMap((answer) => answerEdit(answer, at, scene) ?? []);
    if (target.length === 0 && answers.length === 0)
      return { is: "omitted", losses: isOver ? [] : [lost("delete", "the message is not known here")] };
    const edits = answers.length === 0 ? {} : { answers };
    return { is: "op", op: { kind: "delete", target, author: writerOf(at, about, scene), ...edits }, losses: [] };
  }
  if (scene.destination.presentation.deleteFallback === "none") {
    return { is: "omitted", losses: [lost("delete", "the copy here is not deleted")] };
  }
  const line = lineOf(deletionLine(about, at.stored.message.username));
  return { is: "op", op: { kind: "post", ...line }, losses: [lost("delete", "said in a line")] };
}

function answerEdit(answer: Answer, at: PlanCase, places: PlanScene): AnswerEdit | null {
  const { stored } = answer;
  const scene = sceneOf(stored, places);
  return withoutQuote(answer, at, scene, isFailure(stored) ? quietLine({ ...at, stored }, scene) : undefined);
}

function reactOp(at: PlanCase, about: About, scene: PlanScene): Planned {
  const { emoji, on } = about;
  const { capabilities } = scene;
  const isAllowed = (other: string): boolean => canReact(other, at.here, capabilities);
  if (isAllowed(emoji)) {
    const [target] = at.here.about;
    if (target === undefined) return { is: "omitted", losses: [lost("reaction", "the message is not known here")] };
    const standing = at.here.standing.filter((one) => isAllowed(one.emoji));
    return { is: "op", op: { kind: "react", target, author: authorOf(at, scene), emoji, on, standing }, losses: [] };
  }
  if (scene.destination.presentation.reactionFallback === "none") {
    const isKnown = can("react", at.here, capabilities);
    const note = isKnown ? "this reaction is not allowed here" : "reactions are not shown here";
    return { is: "omitted", losses: [lost("reaction", note)] };
  }
  const put = putOn([at.stored, ...at.here.together]);
  if (at.here.line !== null && can("edit", at.here, capabilities)) {
    const standing = at.here.standing.filter((one) => !isAllowed(one.emoji));
    return lineOp({ ...at, here: { ...at.here, standing } }, about, put, scene);
  }
  return put.length === 0 ? NOTHING_NEW : newLine(about, put);
}

const IN_A_LINE: readonly Loss[] = [{ what: "reaction", note: "said in a line" }];
const NOTHING_NEW: Planned = { is: "omitted", losses: [{ what: "reaction", note: "there is nothing to show" }] };

function newLine(about: About, put: readonly StandingReaction[]): Planned {
  return { is: "op", op: { kind: "post", ...lineOf(reactionLine(about, put)) }, losses: IN_A_LINE };
}

/**
 * The one line of a message follows what stands now, for as long as it can be edited. Who takes something back begins
 * no line.
 */
function lineOp({ here }: PlanCase, about: About, put: readonly StandingReaction[], scene: PlanScene): Planned {
  const { standing } = here;
  const target = here.line ?? [];
  const isThere = target.length > 0;
  const isNew = put.length > 0;
  if (!isThere && (standing.length === 0 || !isNew)) return NOTHING_NEW;
  if (standing.length === 0 && can("delete", here, scene.capabilities)) {
    return { is: "op", op: { kind: "delete", target, author: null }, losses: IN_A_LINE };
  }
  if (isThere && isTooOld(here)) return isNew ? newLine(about, put) : NOTHING_NEW;
  const [answered] = isAnswered(scene) ? here.about : [];
  const reply = answered === undefined ? null : { target: answered, name: about.name, excerpt: about.excerpt };
  const isSeen = reply !== null && scene.capabilities.reply === "native";
  const draft = { ...lineOf(standingLine(about, standing, isSeen)), reply };
  const op: OpDraft = isThere ? { kind: "edit", ...draft, target } : { kind: "post", ...draft };
  return { is: "op", op, losses: IN_A_LINE };
}

function topicOp(at: PlanCase, scene: PlanScene): Planned {
  const { destination, capabilities } = scene;
  const topic = topicToSet(at.stored, at.here, destination, capabilities);
  if (topic !== null) return { is: "op", op: { kind: "topic", topic }, losses: [] };
  const loss = topicLoss(at.stored, destination, capabilities);
  const isShown = loss === null || loss.isSaid;
  return isShown
    ? posted(draftOf({ ...at, stored: withoutName(at.stored) }, scene), loss === null ? [] : [loss.loss], scene)
    : { is: "omitted", losses: [loss.loss] };
}

/** The line about a topic has the name of who changed it before it, and does not repeat it. */
function withoutName(stored: Stored): Stored {
  const { message } = stored;
  const name = `${message.username} `;
  if (message.username === "" || message.protocol === "api" || !message.text.startsWith(name)) return stored;
  return { ...stored, message: { ...message, text: message.text.slice(name.length) } };
}

/** Rialto itself speaks. */
function lineOf(body: Body): PostDraft {
  return { author: null, body, reply: null, thread: null, mayPing: { users: false, everyone: false } };
}

function expiredText({ count, fromMs, toMs }: Gap): string {
  const [messages, were] = count === 1 ? ["message", "was"] : ["messages", "were"];
  return `${count} ${messages} ${gapOf(fromMs, toMs)} ${were} left out.`;
}
