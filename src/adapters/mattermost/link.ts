import type { Host } from "../../contract/host.ts";
import type { ChannelRef } from "../../contract/ids.ts";
import type { Reason } from "../../contract/outcome.ts";
import type { MattermostApi } from "./api.ts";
import type { MattermostLimits, MattermostUser } from "./model.ts";
import type { OwnPosts } from "./own-posts.ts";
import type { MattermostPeople } from "./people.ts";
import type { MattermostRoom } from "./room.ts";
import type { ThreadRoots } from "./roots.ts";
import type { MattermostSettings } from "./settings.ts";

/** By the clock of the server. */
interface ServerTimes {
  now(): number;
  /** Up to when earlier sessions were told what happens; 0: there was none. */
  readonly toldMs: number;
}

/** What sending needs of a session. */
export interface MattermostLink {
  readonly api: MattermostApi;
  readonly host: Host;
  readonly settings: MattermostSettings;
  readonly me: MattermostUser;
  readonly limits: MattermostLimits;
  readonly people: MattermostPeople;
  /** Filled by what comes back to us, also by what was missed. */
  readonly own: OwnPosts;
  readonly roots: ThreadRoots;
  readonly times: ServerTimes;
  /** Null while it is not joined. */
  room(channel: ChannelRef): MattermostRoom | null;
  /** It has turned out to be of no use any more: archived, or not ours. */
  lose(channel: ChannelRef, why: Reason, retryInMs: number): void;
}
