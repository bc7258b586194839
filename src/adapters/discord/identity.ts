import type { OpAuthor } from "../../contract/ops.ts";
import type { Reason } from "../../contract/outcome.ts";
import { cut } from "../../content/length.ts";
import { shownName } from "../../content/shown-name.ts";
import { RIGHT } from "./rights.ts";
import type { DiscordRoom } from "./room.ts";
import type { DiscordSettings } from "./settings.ts";

/** Units of UTF-16 of a webhook's name. */
const NAME_MAX = 80;
const ADDRESS_MAX = 2_048;

/** How a message shows who speaks: by the name and picture of a webhook's message, or as the bot. */
export interface DiscordSpeaker {
  readonly name: string;
  /** The address of the picture; null: the webhook's own. */
  readonly avatar: string | null;
}

/** Whether webhooks speak in this room. */
export function speaksByHook(
  { rights, webhook }: Pick<DiscordRoom, "rights" | "webhook">,
  { AutoWebhooks }: Pick<DiscordSettings, "AutoWebhooks">,
): boolean {
  return webhook !== null || (AutoWebhooks && (rights & RIGHT.manageWebhooks) !== 0n);
}

/** `local`: the picture that is to be shown instead of theirs. Null: the name cannot be one of a webhook's. */
export function speakerOf(author: OpAuthor, local: string | null): DiscordSpeaker | null {
  const name = hookName(author.shown);
  return name === "" ? null : { name, avatar: publicUrl(local ?? author.avatar?.url ?? null) };
}

/**
 * A name as webhooks may have it: neither `clyde` nor `discord` in it, and not `everyone` or `here`; a hair space in
 * such a word is hardly seen.
 */
export function hookName(shown: string): string {
  const name = shownName(shown)
    .replaceAll(/(?<=c)(?=lyde)|(?<=d)(?=iscord)/giu, HAIR)
    .replace(/^(e)(?=veryone$)|^(h)(?=ere$)/iu, `$&${HAIR}`);
  return cut(name, NAME_MAX, "utf16").trim();
}

const HAIR = "\u200a";

/** Whether those of this account are shown with the picture that the server has for somebody of their name. */
export function wantsLocalAvatar({ account }: OpAuthor, { UseLocalAvatar }: Pick<DiscordSettings, "UseLocalAvatar">) {
  const [protocol = ""] = account.split(".", 1);
  return UseLocalAvatar.some((one) => [account, protocol].includes(one.toLowerCase()));
}

/** The network fetches it itself: it must be there for everybody. */
function publicUrl(url: string | null): string | null {
  return url !== null && url.length <= ADDRESS_MAX && /^https?:\/\/[^\s<>"]+$/u.test(url) ? url : null;
}

/** What a person can do so that messages show who speaks; null: they do in all rooms, or need not. */
export function namesAdvice(
  rooms: readonly Pick<DiscordRoom, "name" | "rights" | "webhook">[],
  settings: Pick<DiscordSettings, "AutoWebhooks">,
): Reason | null {
  if (!settings.AutoWebhooks) return null;
  const lacking = rooms.filter((room) => !speaksByHook(room, settings)).map(({ name }) => `#${name}`);
  if (lacking.length === 0) return null;
  const where = lacking.slice(0, 5).join(", ") + (lacking.length > 5 ? ` and ${lacking.length - 5} more` : "");
  const message = `in ${where} senders are named before the text, because the bot lacks the permission Manage Webhooks (Server Settings > Roles, or Edit Channel > Permissions); AutoWebhooks = false says that it is meant so`;
  return { code: "unsupported", message };
}
