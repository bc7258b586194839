import type { ReasonCode } from "../../contract/outcome.ts";
import type { Ended } from "../../contract/session.ts";
import { lost, misconfigured, needsLogin, quote } from "../kit/ends.ts";
import { codeOf as requestCodeOf } from "../kit/outcomes.ts";
import type { DiscordFailure } from "./rest-result.ts";

const newToken = (portal: string): string =>
  `see that it is complete, or make a new one (${portal} > the application > Bot > Reset Token)`;
/** What is changed there is not told to anybody. */
const THEN = "then restart Rialto, which otherwise notices within an hour";
const messageIntent = (portal: string): string =>
  `the bot may not read messages: switch on Message Content Intent at ${portal} > the application > Bot > Privileged Gateway Intents; ${THEN}`;
export const membersIntent = (portal: string): string =>
  `the bot is not told who comes, goes or takes another name: switch on Server Members Intent at ${portal} > the application > Bot > Privileged Gateway Intents, then restart Rialto`;

/** The same in the words of the contract. */
export function codeOf(failure: Pick<DiscordFailure, "why" | "status">): ReasonCode {
  return requestCodeOf(failure);
}

/** What a failure means for the whole session. `portal`: where bots are made. */
export function endOf(failure: DiscordFailure, portal: string): Ended {
  const { status, why, message } = failure;
  if (status === 401) {
    return needsLogin(`Discord does not accept Token (mistyped, or reset since); ${newToken(portal)}`);
  }
  if (why === "no_tls" || why === "certificate") return misconfigured(`${message}; check ApiURL`);
  return lost(codeOf(failure), message);
}

/** What a close of the gateway means (`GatewayCloseCodes`). `words`: what the socket said, if anything. */
export function endOfClose(code: number, words: string, portal: string): Ended {
  switch (code) {
    case 4004:
      return needsLogin(`Discord's gateway does not accept Token; ${newToken(portal)}`);
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
      return misconfigured(messageIntent(portal));
    case 4008:
      return lost("rate_limited", "Discord's gateway was told too much at once");
    default: {
      const said = words === "" ? (code >= 4000 ? ` (${code})` : "") : `: ${quote(words)}`;
      return lost("network", `the connection to Discord's gateway was closed${said}`);
    }
  }
}
