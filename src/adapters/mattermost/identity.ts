import type { OpAuthor } from "../../contract/ops.ts";
import type { Reason } from "../../contract/outcome.ts";
import { cut } from "../../content/length.ts";
import type { MattermostLink } from "./link.ts";
import { oneLine } from "../kit/words.ts";

const NAME_MAX = 64;
const ADDRESS_MAX = 1_024;

/** How a post shows who speaks. */
export interface PostIdentity {
  /** The name comes before the text. */
  readonly prefix: boolean;
  readonly props: Readonly<Record<string, string>>;
}

const BOT: PostIdentity = { prefix: true, props: {} };

type IdentityLink = Pick<MattermostLink, "limits" | "me" | "settings">;

/** By the post's own name and picture where the server shows these, else by the name before the text. */
export function identityOf(author: OpAuthor | null, { limits, me, settings }: IdentityLink): PostIdentity {
  if (author === null || settings.PrefixMessagesWithNick || !limits.nameOverride || !me.isBot) return BOT;
  const name = authorName(author);
  if (name === "") return BOT;
  const icon = limits.iconOverride ? iconOf(author) : null;
  const props = { from_webhook: "true", override_username: name, ...(icon !== null && { override_icon_url: icon }) };
  return { prefix: false, props };
}

/** As the author of a post is shown. */
export function authorName({ shown }: OpAuthor): string {
  return cut(oneLine(shown).trim(), NAME_MAX, "codepoints").trim();
}

/** Clients fetch it themselves: it must be there for everybody. */
export function iconOf({ avatar }: OpAuthor): string | null {
  const url = avatar?.url ?? null;
  return url !== null && url.length <= ADDRESS_MAX && /^https?:\/\/[^\s<>"]+$/u.test(url) ? url : null;
}

/** What a person can do so that posts show who speaks; null: they do, or need not. */
export function identityAdvice({ limits, me, settings }: IdentityLink): Reason | null {
  if (settings.PrefixMessagesWithNick) return null;
  if (!me.isBot) {
    const message = `senders are named before the text, because @${me.username} is no bot account: with the token of a bot account (Integrations > Bot Accounts), posts show their names and pictures; PrefixMessagesWithNick = true says that it is meant so`;
    return { code: "config", message };
  }
  if (!limits.nameOverride) {
    const message =
      "senders are named before the text; posts show their names if System Console > Integrations > Integration Management > Enable integrations to override usernames is on; PrefixMessagesWithNick = true says that it is meant so";
    return { code: "unsupported", message };
  }
  return null;
}
