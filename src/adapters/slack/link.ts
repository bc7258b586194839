import type { Host } from "../../contract/host.ts";
import type { ChannelRef } from "../../contract/ids.ts";
import type { Reason } from "../../contract/outcome.ts";
import type { SlackApi } from "./api.ts";
import type { KeptDoubts } from "./kept-doubts.ts";
import type { SlackIdentity } from "./login.ts";
import type { SlackOwnMessages } from "./own-messages.ts";
import type { SlackPeople } from "./people.ts";
import type { SlackRoom } from "./room.ts";
import type { SlackRoots } from "./roots.ts";
import type { SlackSettings } from "./settings.ts";

/** What sending needs of a session. */
export interface SlackLink {
  readonly api: SlackApi;
  readonly host: Host;
  readonly settings: SlackSettings;
  readonly me: SlackIdentity;
  readonly people: SlackPeople;
  /** Filled by what comes back to us, also by what was missed. */
  readonly own: SlackOwnMessages;
  readonly roots: SlackRoots;
  /** Whether the workspace has an emoji of its own of this name, as far as is known. */
  readonly hasEmoji: (name: string) => boolean;
  /** What earlier sessions left in doubt, and what this one does. */
  readonly doubts: KeptDoubts;
  /** Up to which message of the server earlier sessions were told what happens; empty: there was none. */
  readonly toldTs: string;
  /** Null while it is not joined. */
  room(channel: ChannelRef): SlackRoom | null;
  /** It has turned out to be of no use any more: archived, or not ours. */
  lose(channel: ChannelRef, why: Reason, retryInMs: number): void;
}
