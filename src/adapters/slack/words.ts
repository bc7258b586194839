import { protectSlackSource, slackSource } from "../../content/slack-source.ts";
import type { SlackNames } from "../../content/slack-tokens.ts";
import { isObject, type Json, textIn } from "../kit/json.ts";
import type { SlackFile, SlackMessage } from "./model.ts";

/** Clients and servers say these to themselves: there is nothing in them for people. */
const SILENT: ReadonlySet<string> = new Set([
  "assistant_app_thread",
  "bot_disable",
  "bot_enable",
  "channel_posting_permissions",
  "message_replied",
  "reply_broadcast",
  "tombstone",
]);

/** What people and programs say. */
const SAID: ReadonlySet<string> = new Set([
  "",
  "bot_message",
  "file_comment",
  "file_mention",
  "file_share",
  "me_message",
  "slackbot_response",
  "thread_broadcast",
]);

const EKM = "(a message that the encryption keys of the organization keep from Rialto)";

export const isSaid = ({ subtype }: Pick<SlackMessage, "subtype">): boolean => SAID.has(subtype);

export const isSilent = ({ subtype }: Pick<SlackMessage, "subtype">): boolean => SILENT.has(subtype);

/** What the server says that somebody has done, to follow the name, as source text; null: nothing. */
export function systemWords(
  { subtype, text, raw }: Pick<SlackMessage, "subtype" | "text" | "raw">,
  names: SlackNames,
): string | null {
  const field = (key: string): string => protectSlackSource(textIn(raw, key) ?? "");
  switch (subtype) {
    case "channel_name":
    case "group_name":
      return `renamed the channel from ${field("old_name")} to ${field("name")}`;
    // The rooms linked with it are told that it is out of reach, and when it is back.
    case "channel_archive":
    case "group_archive":
    case "channel_unarchive":
    case "group_unarchive":
      return null;
    case "channel_convert_to_private":
      return "made the channel private";
    case "channel_convert_to_public":
      return "made the channel public";
    case "pinned_item":
      return "pinned a message";
    case "unpinned_item":
      return "unpinned a message";
    case "bot_add":
      return "added an integration to the channel";
    case "bot_remove":
      return "removed an integration from the channel";
    case "huddle_thread":
    case "sh_room_created":
      return "started a huddle";
    case "ekm_access_denied":
      return EKM;
    default: {
      // Many begin with who has done it.
      const words = text.replace(/^<@?[UW][A-Z0-9]+(?:\|[^>]*)?>\s*/u, "");
      return slackSource({ text: words, blocks: [], attachments: [] }, names) || null;
    }
  }
}

/** Whether a file can be opened here. Others are words. */
export function isFile({ mode, url, access }: SlackFile): boolean {
  return url !== null && !NO_CONTENT.has(mode) && !access.startsWith("access_denied") && access !== "file_not_found";
}

/** Pages and places elsewhere, and what is no more. */
const NO_CONTENT: ReadonlySet<string> = new Set(["canvas", "external", "hidden_by_limit", "list", "quip", "tombstone"]);

/** A file that cannot be opened, as source text. */
export function fileWords({ mode, name, title, url, permalink, access }: SlackFile): string {
  if (mode === "tombstone") return "(a file that was deleted)";
  if (mode === "hidden_by_limit")
    return "(a file that Slack hides, because the workspace is over the limit of its plan)";
  if (access === "check_file_info" && permalink === null)
    return "(a file of another workspace, which Rialto cannot open)";
  const shown = protectSlackSource(title || name);
  const address = mode === "external" ? (url ?? permalink) : permalink;
  if (address === null || !/^https?:\/\/[^\s<>|]+$/u.test(address)) return `(file: ${shown})`;
  return `(file: <${address}|${shown}>)`;
}

/** What Slack shows of a page that is linked: it says nothing that the link does not. */
function isUnfurl(attachment: Json): boolean {
  const isOfLink = ["from_url", "original_url", "app_unfurl_url"].some((key) => (textIn(attachment, key) ?? "") !== "");
  return isOfLink && attachment["is_share"] !== true;
}

/** What programs attach, and what people forward. */
export const saidAttachments = ({ attachments }: Pick<SlackMessage, "attachments">): readonly Json[] =>
  attachments.filter((one) => isObject(one) && !isUnfurl(one));
