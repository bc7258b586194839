import { EventLabel } from "../contract/message.ts";
import type { Destination, Fate, Story } from "./views.ts";

/** Which messages are shown, beside those that the words of a question find. Null: any. */
export interface Only {
  readonly gateway: string | null;
  /** Where it was said, or where it goes. */
  readonly account: string | null;
  readonly fate: Fate | null;
  /** Joins, leaves and deletions as well. */
  readonly events: boolean;
}

/** They have no words of anybody, and there are many. */
const WORDLESS: ReadonlySet<string> = new Set([
  EventLabel.join,
  EventLabel.leave,
  EventLabel.joinLeave,
  EventLabel.delete,
]);

export const passesLabel = ({ events }: Pick<Only, "events">, label: string): boolean => events || !WORDLESS.has(label);

/** Whether a destination can only be judged when the whole way of a message is known. */
export const isAboutWays = ({ gateway, account, fate }: Only): boolean =>
  gateway !== null || account !== null || fate !== null;

export function passes({ gateway, account, fate, events }: Only, story: Story): boolean {
  const { destinations } = story;
  return (
    passesLabel({ events }, story.event) &&
    (gateway === null || destinations.some((each) => each.gateway === gateway)) &&
    (account === null || story.account === account || destinations.some((each) => each.account === account)) &&
    (fate === null || story.fate === fate)
  );
}

const FATES: Readonly<Record<Destination["state"], Fate>> = {
  failed: "refused",
  expired: "refused",
  withheld: "refused",
  unconfirmed: "unconfirmed",
  sending: "waiting",
  waiting: "waiting",
  sent: "arrived",
  settled: "arrived",
  read: "arrived",
  folded: "arrived",
  cancelled: "none",
  omitted: "none",
  unread: "none",
  before: "none",
  unknown: "none",
};

const WORST_FIRST: readonly Fate[] = ["refused", "unconfirmed", "waiting", "arrived"];

/** The worst of all destinations. Pure. */
export function fateOf(destinations: readonly Pick<Destination, "state">[]): Fate {
  const found = new Set(destinations.map(({ state }) => FATES[state]));
  return WORST_FIRST.find((fate) => found.has(fate)) ?? "none";
}
