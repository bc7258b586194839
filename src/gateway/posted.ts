import type { Account } from "../config/config.ts";
import type { FileItem, Message } from "../contract/message.ts";
import { parse } from "../content/formats.ts";
import { hiddenText } from "../content/hidden.ts";
import type { IdNote } from "../log/log.ts";
import { authorKey, excerptOf, nameOf } from "./acts.ts";
import { namesOf, saidWith } from "./caption.ts";
import { hasFullEvents } from "./full-events.ts";

/** How clients of an account of the API write and read text: clients of old know no Markdown. */
export function textFormat(account: Account): "markdown" | "plain" {
  const chosen = account.settings["TextFormat"];
  if (chosen === "markdown" || chosen === "plain") return chosen;
  return hasFullEvents(account) ? "markdown" : "plain";
}

/** The beginning of the words of a posted message, without its spoilers. */
export function postedExcerpt({ text, Extra }: Message, account: Account): string {
  const words = hiddenText(parse(textFormat(account), text));
  const files = (Extra?.file ?? []).map(captioned);
  return excerptOf(saidWith(words, files) || namesOf(files));
}

function captioned({ Name: name, Comment: comment, Spoiler: spoiler }: FileItem) {
  return { name, comment, ...(spoiler !== undefined && { spoiler }) };
}

/** What a posted message is to those who refer to it; `refs` as for `IdNote`. */
export function postedNote(message: Message, account: Account, refs: readonly string[]): IdNote {
  const excerpt = postedExcerpt(message, account);
  return { is: "said", refs, author: posterKey(message), name: nameOf(message.username), excerpt };
}

/**
 * What tells those who post by one account apart: their ids, or their names where they have none, as far as these are
 * kept.
 */
export function posterKey({ userid, username }: Message): string {
  return authorKey(excerptOf(userid === "" ? username : userid), null);
}
