import type { DiscordHook } from "./api.ts";

/** A channel that the core has, or wants: of text, of announcements, a thread, a forum, the text of a voice channel. */
export interface DiscordRoom {
  readonly id: string;
  readonly guild: string;
  /** As people read it. */
  readonly name: string;
  /** `ChannelType`. */
  readonly type: number;
  /** The channel whose webhooks speak here: of a thread its channel, else itself. */
  readonly hookChannel: string;
  /** Our permissions in it (`PermissionFlagsBits`), as they are now. */
  readonly rights: bigint;
  /** Seconds between two messages of one bot; 0: no slow mode. */
  readonly slowS: number;
  /** The webhook that the configuration names for it; null: none. */
  readonly webhook: DiscordHook | null;
  /** Posts to it can be sent. */
  readonly joined: boolean;
}
