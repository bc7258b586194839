import type { Host } from "../../contract/host.ts";
import type { ChannelRef } from "../../contract/ids.ts";
import type { Reason } from "../../contract/outcome.ts";
import type { TelegramApi } from "./api.ts";
import type { TelegramIdentity } from "./me.ts";
import type { TelegramRoom } from "./room.ts";
import type { TelegramSettings } from "./settings.ts";

/** What sending needs of a session. */
export interface TelegramLink {
  readonly api: TelegramApi;
  readonly host: Host;
  readonly settings: TelegramSettings;
  readonly me: TelegramIdentity;
  readonly people: {
    /** Who is called so, in lower case, among those who have spoken in the chat. */
    idOf(chat: number, name: string): number | null;
  };
  /** Bytes of one upload. */
  readonly uploadMax: number;
  /** Null while it is not joined. */
  room(channel: ChannelRef): TelegramRoom | null;
  /** It has turned out to be of no use any more. */
  lose(channel: ChannelRef, why: Reason, retryInMs: number): void;
  /** The chat has another id from now on: all rooms of it speak to that one. */
  migrated(from: number, to: number): void;
}
