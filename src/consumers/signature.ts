import { createHmac, randomBytes } from "node:crypto";

/** Before the base64 of a secret, standard-webhooks 1.0. */
const PREFIX = "whsec_";
/** Bytes; the specification asks for 24 to 64. */
const SECRET_BYTES = 32;

export const newSecret = (): string => PREFIX + randomBytes(SECRET_BYTES).toString("base64");

/**
 * The three headers of an attempt: `id` the same over all of them, `atMs` of this one (Unix ms), one signature for each
 * secret (standard-webhooks 1.0, "Signature scheme").
 */
export function signedHeaders(
  message: { readonly id: string; readonly atMs: number; readonly body: string },
  secrets: readonly string[],
): Readonly<Record<"webhook-id" | "webhook-timestamp" | "webhook-signature", string>> {
  const timestamp = String(Math.floor(message.atMs / 1000));
  const signed = `${message.id}.${timestamp}.${message.body}`;
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), "base64");
    return `v1,${createHmac("sha256", key).update(signed).digest("base64")}`;
  });
  return {
    "webhook-id": message.id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatures.join(" "),
  };
}
