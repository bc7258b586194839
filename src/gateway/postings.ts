import type { Gateway } from "../config/config.ts";
import type { Subject } from "../log/log.ts";
import { subjectOf } from "./subject.ts";

/** What becomes of a message that a client posts, by the gateway it names. */
export type PostingTarget =
  | { readonly is: "ok"; readonly gateway: string; readonly subject: Subject }
  /** No enabled gateway of this name has the account; `names` are those that have it. */
  | { readonly is: "unknown"; readonly names: readonly string[] }
  | { readonly is: "receive-only"; readonly gateway: string }
  /** The client named none, and there are several: `names` are those where the account may send. */
  | { readonly is: "ambiguous"; readonly names: readonly string[] };

/** What one account may post where. */
interface Membership {
  readonly names: string[];
  readonly sending: string[];
  readonly byName: Map<string, PostingTarget>;
}

/** Compiles the answers for all accounts; names are compared exactly as written. */
export function compilePostings(
  gateways: readonly Gateway[],
): (accountKey: string, gatewayName: string | null) => PostingTarget {
  const memberships = new Map<string, Membership>();
  for (const { name, bridges } of gateways) {
    const maySend = new Map<string, boolean>();
    for (const { account, direction } of bridges) {
      maySend.set(account, direction !== "out" || maySend.get(account) === true);
    }
    for (const [account, may] of maySend) {
      const membership = memberships.get(account) ?? {
        names: [],
        sending: [],
        byName: new Map<string, PostingTarget>(),
      };
      memberships.set(account, membership);
      membership.names.push(name);
      if (may) membership.sending.push(name);
      membership.byName.set(
        name,
        may ? { is: "ok", gateway: name, subject: subjectOf(account, name) } : { is: "receive-only", gateway: name },
      );
    }
  }
  const unnamed = new Map([...memberships].map(([account, membership]) => [account, withoutName(membership)]));
  return (accountKey, gatewayName) => {
    const membership = memberships.get(accountKey);
    if (membership === undefined) return { is: "unknown", names: [] };
    const posting =
      gatewayName === null || gatewayName === "" ? unnamed.get(accountKey) : membership.byName.get(gatewayName);
    return posting ?? { is: "unknown", names: membership.names };
  };
}

function withoutName({ names, sending, byName }: Membership): PostingTarget | undefined {
  if (sending.length > 1) return { is: "ambiguous", names: sending };
  const only = sending[0] ?? names[0];
  return only === undefined ? undefined : byName.get(only);
}
