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
/** Of an account that the network does not let in, whatever its settings are. */
export const banned = (message: string): Ended => ({ cause: "auth", why: { code: "forbidden", message } });
export const misconfigured = (message: string): Ended => ({ cause: "config", why: { code: "config", message } });
export const givenUp = (): Ended => lost("stopping", "connecting was cancelled");
export const ASKED: Ended = { cause: "asked", why: { code: "stopping", message: "Rialto closed the connection" } };

/** A server, as the setting `Server` has it. */
export interface ServerPlace {
  readonly host: string;
  readonly port: number;
}

export const placeName = ({ host, port }: ServerPlace): string => `${host.includes(":") ? `[${host}]` : host}:${port}`;

/** Null for what is no `host:port`. */
export function placeOf(server: string): ServerPlace | null {
  const colon = server.lastIndexOf(":");
  const host = server.slice(0, colon).replace(/^\[(?<address>.*)\]$/u, "$<address>");
  const port = Number(server.slice(colon + 1));
  return host === "" || !Number.isInteger(port) || port < 1 || port > 65_535 ? null : { host, port };
}

/**
 * Why there is no connection, from what the system or TLS says of it. `noTls`: what to say of a server that does not
 * speak TLS, behind its name, and what to do about it.
 */
export function connectFailure(
  error: unknown,
  place: ServerPlace,
  noTls: { readonly what: string; readonly remedy: string },
): Ended {
  const code = errorCode(error);
  const name = placeName(place);
  if (isBadCertificate(code)) {
    const remedy = "the server's admins must fix it, or set SkipTLSVerify = true to accept any certificate";
    return misconfigured(`the certificate of ${name} cannot be trusted (${code}); ${remedy}`);
  }
  if (isNoTls(code)) return misconfigured(`${name} ${noTls.what} (${code}); ${noTls.remedy}`);
  return lost(code === "ETIMEDOUT" ? "timeout" : "network", `cannot connect to ${name}: ${systemSays(error, code)}`);
}

function systemSays(error: unknown, code: string): string {
  const words = systemWords(code);
  if (words !== undefined) return `${words} (${code})`;
  return code === "" && error instanceof Error ? quote(error.message) : code || "unknown error";
}
