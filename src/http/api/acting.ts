import type { Account } from "../../config/config.ts";
import { EventLabel, type Message } from "../../contract/message.ts";
import { aboutDeletion, aboutEdit, aboutReaction, isReaction, nameOf } from "../../gateway/acts.ts";
import type { About } from "../../gateway/codec.ts";
import type { Drop } from "../../gateway/drops.ts";
import { replaceEmoji } from "../../gateway/emoji.ts";
import type { Matcher } from "../../gateway/filters.ts";
import { ignored, type Inbound, isLoop } from "../../gateway/inbound.ts";
import { postedExcerpt, textFormat, posterKey } from "../../gateway/posted.ts";
import type { Routes } from "../../gateway/routes.ts";
import { accountOf } from "../../gateway/subject.ts";
import { withSuffix } from "../../gateway/suffix.ts";
import type { IdNote, Known, Log, Seq, Subject } from "../../log/log.ts";
import { problem, type HttpProblem } from "./problem.ts";

/** What clients with FullEvents do to messages: they name them by their id, which is the seq as text. */

/**
 * What becomes of a posted message; `label` and `note` as for `NewEntry`. What is dropped is answered, and not relayed.
 */
export type PostResult =
  | {
      readonly is: "entry";
      readonly message: Message;
      readonly label: string;
      readonly about: About | null;
      readonly note: IdNote | null;
    }
  | { readonly is: "drop"; readonly message: Message; readonly drop: Drop }
  | { readonly is: "refused"; readonly problem: HttpProblem };

export interface ActionContext {
  readonly account: Account;
  readonly inbound: Inbound;
  /** IgnoreNicks of the account. */
  readonly ignoresNick: Matcher;
  readonly routes: Routes;
  readonly log: Pick<Log, "ids">;
}

/** Where a client posted to. */
export interface PostPlace {
  readonly gateway: string;
  readonly subject: Subject;
}

/**
 * The message with this id, if it is one that this account can know of from this gateway. Rejects with the log's
 * LogError.
 */
export async function findTarget(
  id: string,
  at: PostPlace,
  acting: Pick<ActionContext, "account" | "routes" | "log">,
): Promise<Known | null> {
  const seq = seqOf(id);
  const known = seq === null ? null : await acting.log.ids.get(seq);
  if (known === null || known.subject === at.subject) return known;
  const gateways = acting.routes.reads(acting.account.key).get(known.subject);
  return gateways?.includes(at.gateway) === true ? known : null;
}

/** An id of a client; null: it is none. */
export function seqOf(id: string): Seq | null {
  return /^[1-9]\d{0,14}$/.test(id) ? Number(id) : null;
}

/** An edit, a deletion or a reaction of a client. `id`: as it named the message. Rejects with the log's LogError. */
export async function act(message: Message, id: string, at: PostPlace, acting: ActionContext): Promise<PostResult> {
  const target = await findTarget(id, at, acting);
  // Taken back twice is taken back: the repeat of a post must not fail.
  if (target?.gone === true && message.event === EventLabel.delete) return dropped(message, target, { reason: "gone" });
  if (target === null || target.gone) {
    const why = target === null ? "there is no message with this id in this gateway" : "the message was deleted";
    return refused(404, `${message.event} needs the id of a message: ${why}`);
  }
  if (isLoop(message)) return dropped(message, target, { reason: "loop" });
  if (message.event !== EventLabel.edit && message.event !== EventLabel.delete)
    return react(message, target, at, acting);
  if (target.subject !== at.subject || accountOf(target.subject) !== acting.account.key) {
    return refused(403, `${message.event} is for messages that this account posted in this gateway; this one is not`);
  }
  return message.event === EventLabel.edit ? edit(message, target, acting) : remove(message, target);
}

function edit(message: Message, target: Known, { account, inbound }: ActionContext): PostResult {
  if (account.presentation.editDisable) return dropped(message, target, { reason: "edits_disabled" });
  const verdict = inbound({ ...message, event: "" });
  if (verdict.is === "drop") return dropped(message, target, verdict);
  const excerpt = postedExcerpt(verdict.message, account);
  const note: IdNote = { is: "revised", of: target.seq, refs: [], excerpt };
  const source = { format: textFormat(account), text: verdict.message.text };
  const { text } = withSuffix(source, account.presentation.editSuffix);
  return entry({ ...verdict.message, text }, EventLabel.edit, aboutEdit(target), note);
}

function remove(message: Message, target: Known): PostResult {
  const note: IdNote = { is: "gone", of: target.seq };
  return entry({ ...message, text: "", Extra: null }, EventLabel.delete, aboutDeletion(target), note);
}

function react(message: Message, target: Known, at: PostPlace, { account, ignoresNick }: ActionContext): PostResult {
  const emoji = replaceEmoji(message.text).trim();
  if (!isReaction(emoji)) return refused(400, `text of ${message.event} must be one emoji`);
  if (account.presentation.reactionDisable) return dropped(message, target, { reason: "reactions_disabled" });
  const drop = ignored("ignored_nick", ignoresNick(message.username));
  if (drop !== null) return dropped(message, target, drop);
  const on = message.event === EventLabel.reaction;
  const who = `${at.subject} ${posterKey(message)}`;
  const note: IdNote = { is: "reacted", of: target.seq, who, name: nameOf(message.username), emoji, on };
  const shown = { ...message, text: emoji, event: EventLabel.reaction, Extra: null };
  return entry(shown, EventLabel.reaction, aboutReaction(target, emoji, on), note);
}

const entry = (message: Message, label: string, about: About, note: IdNote): PostResult => {
  return { is: "entry", message: { ...message, parent_id: "" }, label, about, note };
};

const dropped = (message: Message, { seq }: Known, drop: Drop): PostResult => {
  return { is: "drop", message: { ...message, id: String(seq), parent_id: "" }, drop };
};

const refused = (status: HttpProblem["status"], message: string): PostResult => {
  return { is: "refused", problem: problem(status, message) };
};
