import type { Ended } from "../../contract/session.ts";
import { connectFailure, lost, misconfigured, needsLogin, quote, type ServerPlace } from "../kit/ends.ts";

/** Why there is no connection, from what the system or TLS says of it. */
export function notConnected(error: unknown, server: ServerPlace): Ended {
  return connectFailure(error, server, {
    what: "does not start with TLS",
    remedy: "use its port for direct TLS, or remove UseDirectTLS",
  });
}

/** What an error of the stream means (RFC 6120 §4.9.3). */
export function streamEnded(condition: string, text: string, place: string): Ended {
  const said = `${place} ended the stream: ${condition}${text === "" ? "" : ` (${quote(text)})`}`;
  switch (condition) {
    case "host-unknown":
    case "host-gone":
    case "improper-addressing":
      return misconfigured(`${said}; check the domain of Jid`);
    case "not-authorized":
      return needsLogin(`${said}; check Jid and Password`);
    case "policy-violation":
    case "resource-constraint":
      return lost("rate_limited", said);
    default:
      return lost(condition === "system-shutdown" ? "network" : "remote_error", said);
  }
}

/** What a refusal of our login means (RFC 6120 §6.5). */
export function loginRefused(condition: string, text: string): Ended {
  const said = `the server refuses the login: ${condition}${text === "" ? "" : ` (${quote(text)})`}`;
  if (condition === "temporary-auth-failure") return lost("remote_error", said);
  if (condition === "encryption-required") return misconfigured(`${said}; remove NoTLS and NoStartTLS`);
  return needsLogin(`${said}; check Jid and Password`);
}
