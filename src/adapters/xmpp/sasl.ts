import { randomBytes } from "node:crypto";
import { type ScramFinal, scramFinal, scramProves, scramStart } from "../../lib/scram.ts";
import type { Credentials, MechanismName } from "./login.ts";

/** What one way to log in says and wants to hear (RFC 6120 §6.3). The texts cross as Base64 of their UTF-8. */
export interface Mechanism {
  readonly first: string;
  /** What we say to a challenge; null where it cannot be answered safely. */
  readonly answer: (challenge: string) => Promise<string | null>;
  /** Whether the server may let us in with these last words: by SCRAM it has to prove that it knows the password. */
  readonly proves: (last: string) => boolean;
}

export function mechanismOf(name: MechanismName, { user, password }: Credentials): Mechanism {
  switch (name) {
    case "SCRAM-SHA-256":
      return scram("sha256", user, password);
    case "SCRAM-SHA-1":
      return scram("sha1", user, password);
    case "PLAIN":
      // RFC 4616 §2.
      return unproven(`\0${user}\0${password}`);
    case "ANONYMOUS":
      // Without a trace of who we are (RFC 4505 §2).
      return unproven("");
  }
}

const unproven = (first: string): Mechanism => ({
  first,
  answer: () => Promise.resolve(first),
  proves: () => true,
});

/** Nobody may guess it. */
const NONCE_BYTES = 18;

function scram(hash: "sha256" | "sha1", user: string, password: string): Mechanism {
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
