/** The code of a failed connection; of several addresses that were tried, that of the first. Empty: there is none. */
export function errorCode(error: unknown): string {
  if (typeof error !== "object" || error === null) return "";
  if ("errors" in error && Array.isArray(error.errors) && error.errors.length > 0) return errorCode(error.errors[0]);
  return "code" in error && typeof error.code === "string" ? error.code : "";
}

/** OpenSSL's verification results as node names them (X509_V_ERR_*), and node's own check of the name. */
const CERTIFICATE =
  /CERT|^UNABLE_TO_|^SELF_SIGNED|^DEPTH_ZERO|^INVALID_(?:CA|PURPOSE)$|^HOSTNAME_MISMATCH$|^PATH_LENGTH_EXCEEDED$|^CRL_|^ERR_TLS_CERT_ALTNAME_INVALID$/u;
const PLAINTEXT = /^ERR_SSL_(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|UNKNOWN_PROTOCOL)$|^EPROTO$/u;

/** The other side's certificate cannot be trusted. */
export const isBadCertificate = (code: string): boolean => CERTIFICATE.test(code);

/** What answers there does not speak TLS. */
export const isNoTls = (code: string): boolean => PLAINTEXT.test(code);

/** What a code of the system means, for people; undefined: not known here. */
export const systemWords = (code: string): string | undefined => WORDS.get(code);

const WORDS: ReadonlyMap<string, string> = new Map([
  ["ECONNREFUSED", "nothing is listening there"],
  ["ECONNRESET", "the connection was interrupted"],
  ["EPIPE", "the connection was interrupted"],
  ["ENOTFOUND", "there is no such host; check Server"],
  ["EAI_AGAIN", "the host name cannot be looked up right now"],
  ["ETIMEDOUT", "no answer"],
  ["EHOSTUNREACH", "there is no route to it"],
  ["ENETUNREACH", "there is no route to it"],
]);
