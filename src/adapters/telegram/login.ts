import type { Ended } from "../../contract/session.ts";
import { lost, misconfigured, needsLogin, quote } from "../kit/ends.ts";
import type { TelegramApi } from "./api.ts";
import type { TelegramIdentity } from "./me.ts";
import { says, type TelegramFailure } from "./result.ts";

export type TelegramLogin =
  | {
      readonly ok: true;
      readonly me: TelegramIdentity;
      /** The last update that was there when we came for the first time; null: we have been there. */
      readonly last: number | null;
    }
  | { readonly ok: false; readonly ended: Ended };

interface LoginOptions {
  readonly api: Pick<TelegramApi, "me" | "webhook" | "updates">;
  /** We have never been there: what was said before is not for us. */
  readonly isFirst: boolean;
  readonly signal: AbortSignal;
}

/** Finds out who we are, and whether we are told what happens. */
export async function logIn({ api, isFirst, signal }: LoginOptions): Promise<TelegramLogin> {
  const me = await api.me(signal);
  if (!me.ok) return failed(endOf(me.failure, isFirst));
  const webhook = await api.webhook(signal);
  if (!webhook.ok) return failed(endOf(webhook.failure, isFirst));
  if (webhook.value !== "") return failed(misconfigured(webhookWords(webhook.value)));
  if (!isFirst) return { ok: true, me: me.value, last: null };
  const newest = await api.updates({ offset: -1, waitS: 0, most: 1 }, signal);
  if (!newest.ok) return failed(endOf(newest.failure, isFirst));
  const id = newest.value.at(-1)?.["update_id"];
  return { ok: true, me: me.value, last: typeof id === "number" ? id : 0 };
}

const failed = (ended: Ended): TelegramLogin => ({ ok: false, ended });

const BOTFATHER = "write /mybots to @BotFather, choose the bot, then API Token";

/** What a failure means for the whole session. */
export function endOf(failure: TelegramFailure, isFirst: boolean): Ended {
  const { why, status, description, message, code } = failure;
  if (why === "certificate" || why === "no_tls") return misconfigured(`${message}; check ApiURL`);
  if (says(failure, "logged out")) return misconfigured(LOGGED_OUT);
  if (status === 401) {
    return needsLogin(
      `Telegram does not accept Token (${description}: mistyped or revoked); take it anew: ${BOTFATHER}`,
    );
  }
  if (status === 409) return says(failure, "webhook") ? misconfigured(webhookWords("")) : lost("config", OTHER_POLLER);
  if (isElsewhere(failure)) {
    return isFirst
      ? misconfigured("there is no Bot API at ApiURL: check it, and whether Token is whole")
      : lost("remote_error", "something else than the Bot API answers at ApiURL");
  }
  return lost(code, message);
}

/** What answers speaks something else; in front of Telegram that may be a proxy with nothing behind it for now. */
const isElsewhere = ({ why, description, status }: TelegramFailure): boolean =>
  why === "unreadable" ||
  status === 404 ||
  (why === "refused" && description === "" && status >= 200 && status < 500 && status !== 429);

export const OTHER_POLLER =
  "another program asks for this bot's messages, and each takes some from the other: stop it, or make a bot for Rialto alone (/newbot at @BotFather)";

const LOGGED_OUT =
  "the bot is logged out of this server: set ApiURL to the Bot API server that it is to use; back at Telegram's own it is ten minutes after the logout";

function webhookWords(address: string): string {
  const host = URL.canParse(address) ? ` at ${quote(new URL(address).host)}` : "";
  return `Telegram tells another program what happens: the bot has a webhook${host}. Stop that program, and remove the webhook by the method deleteWebhook; or make a bot for Rialto alone (/newbot at @BotFather)`;
}
