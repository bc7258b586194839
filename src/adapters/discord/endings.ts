import type { ReasonCode } from "../../contract/outcome.ts";
import type { Ended } from "../../contract/session.ts";
import { lost, misconfigured, needsLogin, quote } from "../kit/ends.ts";
import { codeOf as requestCodeOf } from "../kit/outcomes.ts";
import type { DiscordFailure } from "./rest-result.ts";

const PORTAL = "discord.com/developers/applications";
const NEW_TOKEN = `see that it is complete, or make a new one (${PORTAL} > the application > Bot > Reset Token)`;
/** What is changed there is not told to anybody. */
const THEN = "then restart Rialto, which otherwise notices within an hour";
const MESSAGE_INTENT = `the bot may not read messages: switch on Message Content Intent at ${PORTAL} > the application > Bot > Privileged Gateway Intents; ${THEN}`;
export const MEMBERS_INTENT = `the bot is not told who comes, goes or takes another name: switch on Server Members Intent at ${PORTAL} > the application > Bot > Privileged Gateway Intents, then restart Rialto`;

/** The same in the words of the contract. */
export function codeOf(failure: Pick<DiscordFailure, "why" | "status">): ReasonCode {
  return requestCodeOf(failure);
}

/** What a failure means for the whole session. */
export function endOf(failure: DiscordFailure): Ended {
  const { status, why, message } = failure;
  if (status === 401) {
    return needsLogin(`Discord does not accept Token (mistyped, or reset since); ${NEW_TOKEN}`);
  }
  if (why === "no_tls" || why === "certificate") return misconfigured(`${message}; check ApiURL`);
  return lost(codeOf(failure), message);
}

/** What a close of the gateway means (`GatewayCloseCodes`). `words`: what the socket said, if anything. */
export function endOfClose(code: number, words: string): Ended {
  switch (code) {
    case 4004:
      return needsLogin(`Discord's gateway does not accept Token; ${NEW_TOKEN}`);
    case 4010:
    case 4011:
      return misconfigured(
        "Discord wants the bot to be in shards, because it is in very many servers: use a bot of its own for Rialto",
      );
    case 4012:
      return misconfigured(
        "Discord no longer speaks this version of its API: a newer Rialto is needed, or another version in ApiURL",
      );
    case 4013:
      return misconfigured("Discord does not know an intent that Rialto asks for: a newer Rialto is needed");
    case 4014:
      return misconfigured(MESSAGE_INTENT);
    case 4008:
      return lost("rate_limited", "Discord's gateway was told too much at once");
    default: {
      const said = words === "" ? (code >= 4000 ? ` (${code})` : "") : `: ${quote(words)}`;
      return lost("network", `the connection to Discord's gateway was closed${said}`);
    }
  }
}
