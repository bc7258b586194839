import type { Access } from "../../../access/access.ts";
import type { Account } from "../../../config/config.ts";
import type { MessageStyle, TextFormat } from "../../../contract/api-v1.ts";
import type { Block, Source } from "../../../contract/content.ts";
import { EventLabel, type Message } from "../../../contract/message.ts";
import { parse, render } from "../../../content/formats.ts";
import { plainText } from "../../../content/plain.ts";
import type { Mentions } from "../../../gateway/codec.ts";
import { textFormat } from "../../../gateway/posted.ts";
import type { NewMessage, SayingAuthor } from "./shapes.ts";

export const LABELS: Readonly<Record<MessageStyle, string>> = {
  normal: "",
  action: EventLabel.action,
  notice: EventLabel.notice,
};

/** A text as the message carries it, and as it was written where that is another format than the account's. */
export interface Written {
  readonly text: string;
  readonly source: Source | null;
}

/** Clients of `/api` read the text of a message in the format of the account that posted it. */
export function written(text: string, format: TextFormat, account: Account): Written {
  const own = textFormat(account);
  if (format === own) return { text, source: null };
  const blocks = parse(format, text);
  // One plain paragraph is the same in both, as most are.
  if (own === "plain" && isPlain(blocks, text)) return { text, source: null };
  const shown = own === "plain" ? plainText(blocks) : render("markdown", blocks);
  return { text: shown, source: { format, text } };
}

function isPlain(blocks: readonly Block[], text: string): boolean {
  const [block, second] = blocks;
  if (block?.t !== "para" || second !== undefined) return false;
  const [inline, next] = block.of;
  return inline?.t === "text" && next === undefined && inline.text === text;
}

/** For `Stored.mentions`: only where it makes a difference, as no whole room is notified without such a sign. */
export function mentionsOf(
  mentions: NewMessage["mentions"],
  { text, username }: Pick<Message, "text" | "username">,
): { readonly mentions?: Mentions } {
  if (mentions === "all") return {};
  if (mentions === "none") return { mentions };
  return text.includes("@") || username.includes("@") ? { mentions: "users" } : {};
}

interface Names {
  readonly userid: string;
  readonly username: string;
  readonly avatar: string;
}

/** As the message has them. A lone surrogate is not a character, and becomes U+FFFD. */
export function namesOf(author: SayingAuthor | undefined, otherwise: Pick<Names, "userid" | "username">): Names {
  const { id, name, avatar } = author ?? {};
  if (id === undefined && name === undefined) return { ...otherwise, avatar: avatar?.toWellFormed() ?? "" };
  const userid = id?.toWellFormed() ?? "";
  return { userid, username: name?.toWellFormed() ?? userid, avatar: avatar?.toWellFormed() ?? "" };
}

/** Who speaks where the client does not say. */
export function callerName({ by, name }: Access, account: Account): string {
  return by === "token" && name !== "" ? name : account.name.slice(account.name.indexOf(".") + 1);
}
