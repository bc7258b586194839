import type { ReasonCode } from "../../contract/outcome.ts";
import type { Ended } from "../../contract/session.ts";
import { errorCode, isBadCertificate } from "../../lib/network-error.ts";
import { banned, connectFailure, lost, misconfigured, needsLogin, placeName, type ServerPlace } from "../kit/ends.ts";
import { quote } from "./quote.ts";

export const closedByServer = (place: string): Ended => lost("network", `${place} closed the connection`);

/** Why there is no connection, from what the system or TLS says of it. */
export function notConnected(error: unknown, server: ServerPlace): Ended {
  const code = errorCode(error);
  if (code === "EADDRNOTAVAIL" || code === "ERR_INVALID_IP_ADDRESS") {
    return misconfigured("Bind is not an address of this machine; fix it or remove it");
  }
  if (IDENTITY.test(code) && !isBadCertificate(code)) {
    const remedy = "it must contain a certificate and its private key, without a pass phrase";
    return misconfigured(`TLSClientCertificate cannot be used (${code}); ${remedy}`);
  }
  return connectFailure(error, server, {
    what: "does not speak TLS",
    remedy: "use its TLS port, often 6697, or set UseTLS = false",
  });
}

/** The connection is there, but TLS fails on it. `what`: "does not answer". */
export function tlsFailure(server: ServerPlace, code: ReasonCode, what: string): Ended {
  const check = "check that this is its TLS port, often 6697, or set UseTLS = false";
  return lost(code, `${placeName(server)} ${what} during the TLS handshake; ${check}`);
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
  if (LINED.test(text)) return banned(said);
  if (SASL.test(text)) return needsLogin(`${said}; set UseSASL = true, NickServNick and NickServPassword`);
  if (PASSING.test(text)) return lost("rate_limited", said);
  if (BANNED.test(text)) return banned(said);
  if (PASSWORD.test(text)) return needsLogin(`${said}; check Password`);
  return lost("network", said);
}
