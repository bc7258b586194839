import { isUnfinished } from "../gateway/again.ts";
import {
  type ResendRequest,
  type ResendResult,
  type TypedDestination,
  type TypedResend,
  type TypedResult,
  UNKNOWN,
} from "./resend.ts";
import type { Destination, Story } from "./views.ts";

interface ResendParts {
  /** Null: nobody knows it. */
  readonly story: (seq: number) => Promise<Pick<Story, "destinations"> | null>;
  readonly send: (request: ResendRequest) => Promise<ResendResult>;
}

/** Resolves once it is durable; rejects with the log's LogError. */
export async function resendTyped(
  { seq, mayDouble, ...typed }: TypedResend,
  { story, send }: ResendParts,
): Promise<TypedResult> {
  const found = await story(seq);
  if (found === null) return UNKNOWN;
  const chosen = chooseDestination(found.destinations, typed);
  if (typeof chosen === "string") return { is: "refused", message: chosen };
  const place = { gateway: chosen.gateway, account: chosen.account, channel: chosen.channel };
  const done = await send({ seq, ...place, mayDouble, once: null });
  return done.is === "unknown" || done.is === "refused" ? done : { is: "taken", ...place };
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
  const open = found.filter(({ state }) => isUnfinished(state));
  const [first] = open.length === 1 ? open : found;
  if (first === undefined) {
    return all.length === 0 ? "it goes nowhere" : `it does not go to ${destination}, but to ${listOf(all)}`;
  }
  if (found.length === 1 || open.length === 1) return first;
  const more = new Set(found.map((one) => one.channel)).size > 1 ? "ACCOUNT/CHANNEL" : "the gateway as well";
  return `it goes to several of these, ${listOf(found)}: write ${more}`;
}

const listOf = (all: readonly Place[]): string =>
  all.map(({ gateway, account, channel }) => `${account}/${channel} (${gateway})`).join(", ");
