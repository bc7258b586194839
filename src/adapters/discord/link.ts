import type { Host } from "../../contract/host.ts";
import type { ChannelRef, OpId, Progress } from "../../contract/ids.ts";
import type { Reason } from "../../contract/outcome.ts";
import type { DiscordApi } from "./api.ts";
import type { DiscordUser } from "./model.ts";
import type { OwnMessages } from "./own-messages.ts";
import type { DiscordPeople } from "./people.ts";
import type { DiscordEmoji } from "./records.ts";
import type { DiscordRoom } from "./room.ts";
import type { DiscordSettings } from "./settings.ts";

/** A post that is about to leave, of which the disk knows before it does. */
export interface DiscordPostUnderWay {
  readonly op: OpId;
  readonly upTo: Progress;
  /** The channel or thread that it goes to. */
  readonly channel: string;
  /** The newest message there that we knew: what is ours and newer may be this one. Empty: there is none. */
  readonly floor: string;
  /** Of its words, and of who says them: a later try may have another name, or none. Empty: not known. */
  readonly digest: string;
  /** Up to where it says the post; null: not known. */
  readonly end: Progress | null;
}

/** What sending needs of a session. */
export interface DiscordLink {
  readonly api: DiscordApi;
  readonly host: Host;
  readonly settings: DiscordSettings;
  readonly me: DiscordUser;
  /** The application, whose webhooks are ours. */
  readonly application: string;
  readonly people: DiscordPeople;
  /** What is ours of what came, filled by what comes back to us, also by what was missed. */
  readonly own: OwnMessages;
  /** Null while it is not joined. */
  room(channel: ChannelRef): DiscordRoom | null;
  /** The guild's own emoji of this name: as it is written, else the only one but for case; null: there is none. */
  emojiNamed(guild: string, name: string): DiscordEmoji | null;
  /** It has turned out to be of no use any more. */
  lose(channel: ChannelRef, why: Reason, retryInMs: number): void;
  /** Calls back with each channel whose webhooks somebody has made, changed, moved or deleted. */
  onHooksChanged(task: (channel: string) => void): void;
  /** The newest message of a channel or thread that was heard of, by anybody; empty: none. */
  newest(channel: string): string;
  /**
   * Resolves to true once the disk has it, as often as it is asked; to false when the session ends or the signal is
   * aborted before: nothing may leave then.
   */
  announce(post: DiscordPostUnderWay, signal: AbortSignal): Promise<boolean>;
  /** What an earlier try, also of an earlier life, announced for this part; null: it never left. */
  announced(op: OpId, upTo: Progress): DiscordPostUnderWay | null;
}
