import type { ReasonCode } from "../../contract/outcome.ts";
import type { Ended } from "../../contract/session.ts";
import { errorCode, isBadCertificate, isNoTls, systemWords } from "../../lib/network-error.ts";

/** Texts of servers are for people, but foreign: cut, and without control characters. */
const QUOTE_MAX = 200;

export function quote(text: string): string {
  const plain = text.replaceAll(/\p{Cc}/gu, " ").trim();
  return plain.length > QUOTE_MAX ? `${plain.slice(0, QUOTE_MAX)}…` : plain;
}

export const lost = (code: ReasonCode, message: string): Ended => ({ cause: "lost", why: { code, message } });
export const needsLogin = (message: string): Ended => ({ cause: "auth", why: { code: "auth", message } });
export const misconfigured = (message: string): Ended => ({ cause: "config", why: { code: "config", message } });
export const givenUp = (): Ended => lost("stopping", "connecting was cancelled");
export const ASKED: Ended = { cause: "asked", why: { code: "stopping", message: "Rialto closed the connection" } };

/** A server, as the setting `Server` has it. */
export interface XmppServer {
  readonly host: string;
  readonly port: number;
}

export const placeName = ({ host, port }: XmppServer): string => `${host.includes(":") ? `[${host}]` : host}:${port}`;

/** Null for what is no `host:port`. */
export function placeOf(server: string): XmppServer | null {
  const colon = server.lastIndexOf(":");
  const host = server.slice(0, colon).replace(/^\[(?<address>.*)\]$/u, "$<address>");
  const port = Number(server.slice(colon + 1));
  return host === "" || !Number.isInteger(port) || port < 1 || port > 65_535 ? null : { host, port };
}

/** Why there is no connection, from what the system or TLS says of it. */
export function connectFailure(error: unknown, server: XmppServer): Ended {
  const code = errorCode(error);
  const place = placeName(server);
  if (isBadCertificate(code)) {
    const remedy = "the server's admins must fix it, or set SkipTLSVerify = true to accept any certificate";
    return misconfigured(`the certificate of ${place} cannot be trusted (${code}); ${remedy}`);
  }
  if (isNoTls(code)) {
    return misconfigured(
      `${place} does not start with TLS (${code}); use its port for direct TLS, or remove UseDirectTLS`,
    );
  }
  const words = systemWords(code) ?? (code === "" && error instanceof Error ? quote(error.message) : "unknown error");
  const said = code === "" ? words : `${words} (${code})`;
  return lost(code === "ETIMEDOUT" ? "timeout" : "network", `cannot connect to ${place}: ${said}`);
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
