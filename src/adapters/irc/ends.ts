import type { Ended } from "../../contract/session.ts";
import type { ReasonCode } from "../../contract/outcome.ts";
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
export const closedByServer = (place: string): Ended => lost("network", `${place} closed the connection`);

/** A server, as the setting `Server` has it. */
export interface IrcServer {
  readonly host: string;
  readonly port: number;
}

export const placeName = ({ host, port }: IrcServer): string => `${host.includes(":") ? `[${host}]` : host}:${port}`;

/** Why there is no connection, from what the system or TLS says of it. */
export function connectFailure(error: unknown, server: IrcServer): Ended {
  const code = errorCode(error);
  const place = placeName(server);
  if (code === "EADDRNOTAVAIL" || code === "ERR_INVALID_IP_ADDRESS") {
    return misconfigured("Bind is not an address of this machine; fix it or remove it");
  }
  if (isBadCertificate(code)) {
    const remedy = "the server's admins must fix it, or set SkipTLSVerify = true to accept any certificate";
    return misconfigured(`the certificate of ${place} cannot be trusted (${code}); ${remedy}`);
  }
  if (IDENTITY.test(code)) {
    const remedy = "it must contain a certificate and its private key, without a pass phrase";
    return misconfigured(`TLSClientCertificate cannot be used (${code}); ${remedy}`);
  }
  if (isNoTls(code)) {
    return misconfigured(`${place} does not speak TLS (${code}); use its TLS port, often 6697, or set UseTLS = false`);
  }
  return lost(code === "ETIMEDOUT" ? "timeout" : "network", `cannot connect to ${place}: ${systemSays(error, code)}`);
}

/** The connection is there, but TLS fails on it. `what`: "does not answer". */
export function tlsFailure(server: IrcServer, code: ReasonCode, what: string): Ended {
  const check = "check that this is its TLS port, often 6697, or set UseTLS = false";
  return lost(code, `${placeName(server)} ${what} during the TLS handshake; ${check}`);
}

function systemSays(error: unknown, code: string): string {
  const words = systemWords(code);
  if (words !== undefined) return `${words} (${code})`;
  return code === "" && error instanceof Error ? quote(error.message) : code || "unknown error";
}

const IDENTITY = /^ERR_OSSL_(?:PEM|X509|EVP|ASN1|UNSUPPORTED|BAD_DECRYPT|CRYPTO)|^ERR_OSSL_.*KEY|^ERR_CRYPTO_/u;
const USER_NAME = /(?:invalid|illegal|bad|erroneous) (?:user ?name|ident)/iu;
const SASL = /\bsasl\b|\b(?:must|need to|have to) (?:be )?(?:identif|logg?(?:ed)? ?in|authenticat)/iu;
/** K-lined, G:Lined, Z-lined …: the reason that follows is the operators' own, and may hold any word. */
const LINED = /\b[kgzdx][-: ]?lined?\b|\bakill/iu;
/** Throttled, full, restarting: it heals by itself. */
const PASSING =
  /throttl|too (?:fast|many)|no more connections|reconnect|try again|wait|full|capacity|restart|shutdown|shutting|timeout|timed out/iu;
/** Some servers do not tell a wrong password from an address that may not connect. */
const PASSWORD = /password|authentication failed|access denied|not (?:authori[sz]ed|allowed|welcome)|unauthori[sz]ed/iu;
const BANNED = /\bban(?:s|ned)?\b|dnsbl|blacklist|proxy|tor exit/iu;

/** What an ERROR before the welcome means (RFC 2812 §3.7.4: its text is all there is). */
export function refusedBy(text: string): Ended {
  const said = `the server refuses the connection: ${quote(text)}`;
  if (USER_NAME.test(text)) return misconfigured(`${said}; change UserName`);
  if (LINED.test(text)) return needsLogin(said);
  if (SASL.test(text)) return needsLogin(`${said}; set UseSASL = true, NickServNick and NickServPassword`);
  if (PASSING.test(text)) return lost("rate_limited", said);
  if (BANNED.test(text)) return needsLogin(said);
  if (PASSWORD.test(text)) return needsLogin(`${said}; check Password`);
  return lost("network", said);
}
