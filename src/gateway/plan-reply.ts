import type { Capabilities } from "../contract/capabilities.ts";
import type { Body } from "../contract/content.ts";
import type { PostDraft } from "../contract/ops.ts";
import type { Loss } from "../contract/outcome.ts";
import type { About } from "./codec.ts";
import { withReply } from "./fallback.ts";
import { draftOf, type PlanCase, type PlanScene } from "./plan-draft.ts";
import { fileLosses } from "./plan-files.ts";
import { formatLosses } from "./plan-formats.ts";
import type { Answer, AnswerEdit, OpDraft, Planned } from "./planned.ts";
import { can, isTooOld, withTextMax } from "./room-limits.ts";

/** Messages that answer others, and their quotes. */

type PostedDraft = Omit<Extract<OpDraft, { readonly kind: "post" }>, "kind">;

/** `said`: without what stands for the reply. */
export function posted(
  draft: PostedDraft,
  losses: readonly Loss[],
  scene: PlanScene,
  said: Body = draft.body,
): Extract<Planned, { readonly is: "op" }> {
  return { is: "op", op: { kind: "post", ...draft }, losses: [...bodyLosses(said, scene), ...losses] };
}

export function bodyLosses({ blocks, files }: Body, { capabilities }: PlanScene): readonly Loss[] {
  return [...fileLosses(files, capabilities), ...formatLosses(blocks, capabilities)];
}

export const lost = (what: Loss["what"], note: string): Loss => ({ what, note });

export function replyOp(
  at: PlanCase,
  about: About,
  scene: PlanScene,
  draft: PostDraft = draftOf(at, scene),
): ReturnType<typeof posted> {
  const { capabilities, words, destination } = scene;
  if (!destination.presentation.preserveThreading) {
    return posted(draft, [lost("reply", "replies are ordinary messages here (PreserveThreading)")], scene);
  }
  const thread = capabilities.thread === "native" ? (at.here.thread[0] ?? null) : null;
  const losses = about.thread === null || thread !== null ? [] : [threadLoss(capabilities)];
  // Where the network shows the thread, a message that only belongs to it is not an answer to a message.
  if (thread !== null && about.seq === about.thread) return posted({ ...draft, thread }, losses, scene);
  const [target] = capabilities.reply === "none" ? [] : at.here.about;
  const reply = target === undefined ? null : { target, name: about.name, excerpt: about.excerpt };
  const quoting = (isQuoted: boolean): { readonly quotes?: true } =>
    isQuoted && can("edit", at.here, capabilities) ? { quotes: true } : {};
  if (reply !== null && capabilities.reply === "native") {
    const isQuoted = capabilities.quotesReplies === true && about.excerpt !== "";
    return posted({ ...draft, reply, thread, ...quoting(isQuoted) }, losses, scene);
  }
  const body = withReply(draft.body, about, words);
  const isQuoted = body?.source.text !== withReply(draft.body, { ...about, excerpt: "" }, words)?.source.text;
  const told = lost("reply", body === null ? "shown as an ordinary message" : "said in words");
  const whole = { ...draft, body: body ?? draft.body, reply, thread, ...quoting(isQuoted) };
  return posted(whole, [...losses, told], scene, draft.body);
}

function threadLoss({ thread }: Capabilities): Loss {
  return lost("thread", thread === "native" ? "its thread is not known here" : "there are no threads here");
}

/** The answer as it would be written now that the message which it quotes is deleted; null: it cannot be changed. */
export function withoutQuote(
  { seq, stored, messages, ageMs, files }: Answer,
  { gateway, here }: PlanCase,
  scene: PlanScene,
  draft?: PostDraft,
): AnswerEdit | null {
  const { about } = stored;
  const place = { ...here, ageMs, files, avatar: null };
  if (about?.is !== "reply" || !can("edit", place, scene.capabilities) || isTooOld(place)) return null;
  const written = replyOp({ stored, gateway, here: place }, { ...about, excerpt: "" }, scene, draft);
  const planned = withTextMax(written, here.limits, scene.capabilities);
  if (planned.is === "omitted" || planned.op.kind !== "post") return null;
  const { kind: _, quotes: __, ...edit } = planned.op;
  return { ...edit, of: seq, target: messages };
}
