import { randomBytes } from "node:crypto";
import { type Prepared, saslprep } from "../../lib/saslprep.ts";
import { type ScramFinal, scramFinal, scramProves, scramStart } from "../../lib/scram.ts";
import type { Credentials, MechanismName } from "./login.ts";

/** What one way to log in says and wants to hear (RFC 6120 §6.3). The texts cross as Base64 of their UTF-8. */
export interface XmppMechanism {
  readonly first: string;
  /** What we say to a challenge; null where it cannot be answered safely. */
  readonly answer: (challenge: string) => Promise<string | null>;
  /** Whether the server may let us in with these last words: by SCRAM it has to prove that it knows the password. */
  readonly proves: (last: string) => boolean;
}

export type Made =
  | { readonly ok: true; readonly mechanism: XmppMechanism }
  /** The name or password cannot be used for it. */
  | { readonly ok: false; readonly message: string };

/** Never rejects. */
export async function mechanismOf(name: MechanismName, credentials: Credentials): Promise<Made> {
  switch (name) {
    case "SCRAM-SHA-256":
      return await prepared("sha256", credentials);
    case "SCRAM-SHA-1":
      return await prepared("sha1", credentials);
    case "PLAIN":
      // RFC 4616 §2.
      return unproven(`\0${credentials.user}\0${credentials.password}`);
    case "ANONYMOUS":
      // Without a trace of who we are (RFC 4505 §2).
      return unproven("");
  }
}

const unproven = (first: string): Made => ({
  ok: true,
  mechanism: { first, answer: () => Promise.resolve(first), proves: () => true },
});

async function prepared(hash: "sha256" | "sha1", credentials: Credentials): Promise<Made> {
  const user = await saslprep(credentials.user);
  if (!user.ok) return { ok: false, message: `Jid cannot be used to log in by SCRAM: ${user.why}; change it` };
  const password = await saslprep(credentials.password);
  if (!password.ok) {
    const remedy = "change the password on the server and here";
    return { ok: false, message: `Password cannot be used to log in by SCRAM: ${password.why}; ${remedy}` };
  }
  return { ok: true, mechanism: scram(hash, user.text, password.text) };
}

/** Nobody may guess it. */
const NONCE_BYTES = 18;

function scram(hash: "sha256" | "sha1", user: Prepared, password: Prepared): XmppMechanism {
  const start = scramStart(hash, user, randomBytes(NONCE_BYTES).toString("base64"));
  let final: ScramFinal | null = null;
  return {
    first: start.message,
    answer: async (challenge) => {
      final = await scramFinal(start, challenge, password);
      return final?.message ?? null;
    },
    proves: (last) => final !== null && scramProves(final, last),
  };
}
