import type { Ended } from "../../contract/session.ts";
import type { WhyCode } from "../../contract/outcome.ts";

/** Texts of servers are for people, but foreign: cut, and without control characters. */
const QUOTE_MAX = 200;

export function quote(text: string): string {
  const plain = text.replaceAll(/\p{Cc}/gu, " ").trim();
  return plain.length > QUOTE_MAX ? `${plain.slice(0, QUOTE_MAX)}…` : plain;
}

export const lost = (code: WhyCode, message: string): Ended => ({ cause: "lost", why: { code, message } });
export const needsLogin = (message: string): Ended => ({ cause: "auth", why: { code: "auth", message } });
export const misconfigured = (message: string): Ended => ({ cause: "config", why: { code: "config", message } });
export const givenUp = (): Ended => lost("stopping", "connecting was given up");
export const closedByServer = (place: string): Ended => lost("network", `${place} closed the connection`);

/** Why there is no connection, from what the system or TLS says of it. */
export function connectFailure(
  error: unknown,
  { host, port }: { readonly host: string; readonly port: number },
): Ended {
  const code = codeOf(error);
  const place = `${host}:${port}`;
  const message = error instanceof Error ? quote(error.message) : "unknown error";
  if (code === "EADDRNOTAVAIL" || code === "ERR_INVALID_IP_ADDRESS") {
    return misconfigured("Bind is not an address of this machine; mend it, or leave it out");
  }
  if (CERTIFICATE.test(code)) {
    const remedy = "let the server mend its certificate, or set SkipTLSVerify = true to take any";
    return misconfigured(`the certificate of ${place} cannot be trusted (${code}); ${remedy}`);
  }
  if (IDENTITY.test(code)) {
    const remedy = "it must hold a certificate and its private key, without a pass phrase";
    return misconfigured(`TLSClientCertificate cannot be used (${code}); ${remedy}`);
  }
  if (PLAINTEXT.test(code)) {
    return misconfigured(`${place} does not speak TLS (${code}); use its TLS port, often 6697, or set UseTLS = false`);
  }
  return lost(
    code === "ETIMEDOUT" ? "timeout" : "network",
    `cannot connect to ${place}: ${code === "" ? message : code}`,
  );
}

/** OpenSSL's verification results as node names them (X509_V_ERR_*), and node's own check of the name. */
const CERTIFICATE =
  /CERT|^UNABLE_TO_|^SELF_SIGNED|^DEPTH_ZERO|^INVALID_(?:CA|PURPOSE)$|^HOSTNAME_MISMATCH$|^PATH_LENGTH_EXCEEDED$|^CRL_|^ERR_TLS_CERT_ALTNAME_INVALID$/u;
const IDENTITY = /^ERR_OSSL_(?:PEM|X509|EVP|ASN1|UNSUPPORTED|BAD_DECRYPT|CRYPTO)|^ERR_OSSL_.*KEY|^ERR_CRYPTO_/u;
const PLAINTEXT = /^ERR_SSL_(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|UNKNOWN_PROTOCOL)$|^EPROTO$/u;

function codeOf(error: unknown): string {
  if (typeof error !== "object" || error === null) return "";
  if ("errors" in error && Array.isArray(error.errors) && error.errors.length > 0) return codeOf(error.errors[0]);
  return "code" in error && typeof error.code === "string" ? error.code : "";
}

/** Throttled, full, restarting: it heals by itself. */
const PASSING =
  /throttl|too (?:fast|many)|reconnect|try again|wait|full|capacity|restart|shutdown|shutting|timeout|timed out/iu;
const BANNED = /[kgzd]-?lin|ban(?:ned)?\b|not (?:authori[sz]ed|welcome)|access denied/iu;
const PASSWORD = /password/iu;

/** What an ERROR before the welcome means (RFC 2812 §3.7.4: its text is all there is). */
export function refusedBy(text: string): Ended {
  const said = `the server refuses the connection: ${quote(text)}`;
  if (PASSING.test(text)) return lost("rate_limited", said);
  if (PASSWORD.test(text)) return needsLogin(`${said}; check Password`);
  if (BANNED.test(text)) return needsLogin(said);
  return lost("network", said);
}
