/** Ways to log in that we have, the best first. */
export const MECHANISMS = ["SCRAM-SHA-256", "SCRAM-SHA-1", "PLAIN", "ANONYMOUS"] as const;
export type MechanismName = (typeof MECHANISMS)[number];

export interface Credentials {
  readonly user: string;
  readonly password: string;
  readonly anonymous: boolean;
  /** The only one to use, or empty. */
  readonly mechanism: string;
  readonly noPlain: boolean;
  /** The password itself may be sent without TLS. */
  readonly plainInClear: boolean;
}

export type Choice =
  | { readonly ok: true; readonly mechanism: MechanismName }
  | { readonly ok: false; readonly message: string };

/**
 * The best mechanism that both have. The password itself is sent only over TLS, or where the settings allow it or name
 * PLAIN.
 */
export function chooseMechanism(offered: readonly string[], credentials: Credentials, secure: boolean): Choice {
  const { anonymous, mechanism, noPlain, plainInClear } = credentials;
  const mayPlain = !noPlain && (secure || plainInClear || mechanism === "PLAIN");
  const ours = MECHANISMS.filter((name) =>
    name === "ANONYMOUS" ? anonymous : !anonymous && (name !== "PLAIN" || mayPlain),
  );
  const wanted = mechanism === "" ? ours : ours.filter((name) => name === mechanism);
  const found = wanted.find((name) => offered.includes(name));
  if (found !== undefined) return { ok: true, mechanism: found };
  const has = `the server offers ${offered.length === 0 ? "no way to log in" : offered.slice(0, 16).join(", ")}`;
  if (anonymous) return { ok: false, message: `${has}, but not ANONYMOUS; set Jid and Password of an account` };
  if (mechanism !== "") return { ok: false, message: `${has}, but not ${mechanism}; change Mechanism` };
  if (!offered.includes("PLAIN")) return { ok: false, message: `${has}, none of which Rialto supports` };
  const remedy = noPlain ? "remove NoPLAIN" : 'use TLS, or set Mechanism = "PLAIN" if nobody on the way can read it';
  return { ok: false, message: `${has}, but Rialto does not use PLAIN here; ${remedy}` };
}
