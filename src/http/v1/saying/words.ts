import type { Access } from "../../../access/access.ts";
import type { Account } from "../../../config/config.ts";
import type { MessageStyle } from "../../../contract/api-v1.ts";
import { EventLabel, type Message } from "../../../contract/message.ts";
import type { Mentions } from "../../../gateway/codec.ts";
import type { NewMessageBody, SayingAuthor } from "./shapes.ts";

export const LABELS: Readonly<Record<MessageStyle, string>> = {
  normal: "",
  action: EventLabel.action,
  notice: EventLabel.notice,
};

/**
 * For `Stored.mentions`; null: nothing has to be said, as no whole room is notified without such a sign, or may be.
 */
export function mentionsOf(
  mentions: NewMessageBody["mentions"],
  { text, username }: Pick<Message, "text" | "username">,
): Mentions | null {
  if (mentions === "all") return null;
  if (mentions === "none") return mentions;
  return text.includes("@") || username.includes("@") ? "users" : null;
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
