import type { OpAuthor } from "../../contract/ops.ts";
import type { Reason } from "../../contract/outcome.ts";
import { cut } from "../../content/length.ts";
import { shownName } from "../../content/shown-name.ts";
import type { SlackLink } from "./link.ts";

const NAME_MAX = 80;
const ADDRESS_MAX = 2_048;
/** The scope with which messages have names of their own. */
export const NAMES_SCOPE = "chat:write.customize";

/** How a message shows who speaks. */
export interface SlackSpeaker {
  readonly username: string;
  /** Null: the app's own picture. */
  readonly iconUrl: string | null;
}

type IdentityLink = Pick<SlackLink, "me" | "settings">;

/** Whether messages show names of their own, as far as our rights go. */
export function hasNames({ me, settings }: IdentityLink): boolean {
  return !settings.PrefixMessagesWithNick && me.scopes.has(NAMES_SCOPE);
}

/** Null: the name cannot be one of a message's. */
export function speakerOf(author: OpAuthor | null): SlackSpeaker | null {
  if (author === null) return null;
  const username = cut(shownName(author.shown), NAME_MAX, "codepoints").trim();
  return username === "" ? null : { username, iconUrl: publicUrl(author.avatar?.url ?? null) };
}

/** The network fetches it itself: it must be there for everybody. */
function publicUrl(url: string | null): string | null {
  return url !== null && url.length <= ADDRESS_MAX && /^https?:\/\/[^\s<>"]+$/u.test(url) ? url : null;
}

/** What a person can do so that messages show who speaks; null: they do, or need not. */
export function identityAdvice({ me, settings }: IdentityLink): Reason | null {
  if (settings.PrefixMessagesWithNick || me.scopes.has(NAMES_SCOPE)) return null;
  const message = `senders are named before the text; messages show their names and pictures if the app has the scope ${NAMES_SCOPE} (api.slack.com/apps > OAuth & Permissions > Bot Token Scopes, then reinstall it); PrefixMessagesWithNick = true says that it is meant so`;
  return { code: "unsupported", message };
}
