import type { Destination } from "./views.ts";

/** A destination as people type it. */
export interface TypedDestination {
  /** `account`, or `account/channel`. */
  readonly destination: string;
  /** Null: whichever there is. */
  readonly gateway: string | null;
}

type Place = Pick<Destination, "gateway" | "account" | "channel" | "state">;

/** The one that is meant, or why it is none, for people. Pure. */
export function chooseDestination<D extends Place>(
  all: readonly D[],
  { destination, gateway }: TypedDestination,
): D | string {
  const slash = destination.indexOf("/");
  const account = (slash === -1 ? destination : destination.slice(0, slash)).toLowerCase();
  const channel = slash === -1 ? null : destination.slice(slash + 1);
  const found = all.filter(
    (one) =>
      one.account.toLowerCase() === account &&
      (channel === null || one.channel === channel) &&
      (gateway === null || one.gateway === gateway),
  );
  // Of several, the one that can be meant.
  const open = found.filter(({ state }) => UNFINISHED.has(state));
  const [first] = open.length === 1 ? open : found;
  if (first === undefined) {
    return all.length === 0 ? "it goes nowhere" : `it does not go to ${destination}, but to ${listOf(all)}`;
  }
  if (found.length === 1 || open.length === 1) return first;
  const more = new Set(found.map((one) => one.channel)).size > 1 ? "ACCOUNT/CHANNEL" : "the gateway as well";
  return `it goes to several of these, ${listOf(found)}: write ${more}`;
}

const UNFINISHED: ReadonlySet<string> = new Set<Destination["state"]>(["failed", "expired", "unconfirmed"]);

const listOf = (all: readonly Place[]): string =>
  all.map(({ gateway, account, channel }) => `${account}/${channel} (${gateway})`).join(", ");
