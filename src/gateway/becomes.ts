import type { PresentationSettings } from "../config/config.ts";
import type { Capabilities } from "../contract/capabilities.ts";

/** What something that crosses looks like at a network: as its own people have it, otherwise as the text says. */
type Becomes = "native" | "not shown" | `in words: ${string}`;

/** What people see that a message carries or that happens to one. */
export type Feature =
  | "edit"
  | "delete"
  | "reply"
  | "thread"
  | "reaction"
  | "file"
  | "mention"
  | "action"
  | "notice"
  | "join"
  | "topic"
  | "history";

/** The settings that decide, as they are unless somebody changes them. */
type Deciding = Pick<
  PresentationSettings,
  | "preserveThreading"
  | "quoteDisable"
  | "editFallback"
  | "deleteFallback"
  | "reactionDisable"
  | "reactionFallback"
  | "allowMention"
  | "showJoinPart"
  | "showTopicChange"
  | "syncTopic"
>;

/**
 * For the documentation: what plan.ts makes of each feature. `history`: whether what was said while we were away comes
 * later.
 */
export function becomes(capabilities: Capabilities, settings: Deciding): Readonly<Record<Feature, Becomes>> {
  const { ops, history } = capabilities;
  const reply = replyBecomes(capabilities, settings);
  return {
    edit: ops.edit === "native" ? "native" : EDITS[settings.editFallback],
    delete: ops.delete === "native" ? "native" : settings.deleteFallback === "note" ? "in words: a note" : "not shown",
    reply,
    thread: capabilities.thread === "native" && settings.preserveThreading ? "native" : threadBecomes(reply),
    reaction: reactionBecomes(capabilities, settings),
    file: FILES[capabilities.fileOut],
    mention: mentionBecomes(capabilities, settings),
    action: "native",
    notice: capabilities.notice === "native" ? "native" : noticeBecomes(capabilities),
    join: settings.showJoinPart ? "in words: a line" : "not shown",
    topic: topicBecomes(capabilities, settings),
    history:
      history === "none" ? "not shown" : history === "native" ? "native" : "in words: as far as the server keeps it",
  };
}

const EDITS: Readonly<Record<Deciding["editFallback"], Becomes>> = {
  diff: "in words: `s/old/new/`, or `* new text` where that is shorter",
  whole: "in words: `* new text`",
  none: "not shown",
};

const FILES: Readonly<Record<Capabilities["fileOut"], Becomes>> = {
  native: "native",
  emulated: "in words: a link",
  none: "not shown",
};

function replyBecomes({ reply, replyWords }: Capabilities, settings: Deciding): Becomes {
  if (!settings.preserveThreading) return "in words: an ordinary message";
  if (reply === "native") return "native";
  if (settings.quoteDisable) return "in words: an ordinary message";
  return replyWords === "quote" ? "in words: a quote before it" : "in words: `name: text`";
}

function threadBecomes(reply: Becomes): Becomes {
  return reply === "native" ? "in words: a reply to its first message" : reply;
}

function reactionBecomes({ ops }: Capabilities, { reactionDisable, reactionFallback }: Deciding): Becomes {
  if (reactionDisable) return "not shown";
  if (ops.react === "native") return "native";
  if (reactionFallback === "none") return "not shown";
  return ops.edit === "native" ? "in words: one line for all, which is edited" : "in words: a line";
}

function topicBecomes({ ops }: Capabilities, { syncTopic, showTopicChange }: Deciding): Becomes {
  if (syncTopic && ops.topic === "native") return "native";
  return syncTopic || showTopicChange ? "in words: a line" : "not shown";
}

function mentionBecomes({ mention }: Capabilities, { allowMention }: Deciding): Becomes {
  return mention !== "none" && allowMention.includes("users") ? "native" : "in words: the name, which notifies nobody";
}

function noticeBecomes({ notice }: Capabilities): Becomes {
  return notice === "emulated" ? "in words: an ordinary message" : "not shown";
}
