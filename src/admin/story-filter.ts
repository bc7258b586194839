import { EventLabel } from "../contract/message.ts";
import type { Destination, StoryState, Story } from "./views.ts";

/** Which messages are shown, beside those that the words of a question find. Null: any. */
export interface StoryFilter {
  readonly gateway: string | null;
  /** Where it was said, or where it goes. */
  readonly account: string | null;
  readonly state: StoryState | null;
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

export const passesLabel = ({ events }: Pick<StoryFilter, "events">, label: string): boolean =>
  events || !WORDLESS.has(label);

/** Whether a destination can only be judged when the whole way of a message is known. */
export const isAboutDestinations = ({ gateway, account, state }: StoryFilter): boolean =>
  gateway !== null || account !== null || state !== null;

export function passes({ gateway, account, state, events }: StoryFilter, story: Story): boolean {
  const { destinations } = story;
  return (
    passesLabel({ events }, story.event) &&
    (gateway === null || destinations.some((each) => each.gateway === gateway)) &&
    (account === null || story.account === account || destinations.some((each) => each.account === account)) &&
    (state === null || story.state === state)
  );
}

const STATES: Readonly<Record<Destination["state"], StoryState>> = {
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

const WORST_FIRST: readonly StoryState[] = ["refused", "unconfirmed", "waiting", "arrived"];

/** The worst of all destinations. Pure. */
export function stateOf(destinations: readonly Pick<Destination, "state">[]): StoryState {
  const found = new Set(destinations.map(({ state }) => STATES[state]));
  return WORST_FIRST.find((state) => found.has(state)) ?? "none";
}
