import type { Hint } from "../../contract/host.ts";
import { textIn } from "../kit/json.ts";
import { channelRef } from "./ids.ts";
import { discordMemberIn } from "./model.ts";
import type { DiscordPeople } from "./people.ts";
import type { DiscordEvent } from "./shard.ts";

interface TypingOptions {
  readonly people: Pick<DiscordPeople, "author">;
  readonly guild: string;
  /** Our own id. */
  readonly me: string;
}

/** How long Discord shows that somebody types, in ms. */
export const TYPING_MS = 10_000;

/** Somebody types, which Discord says every 10 s; of the end it says nothing. */
export function typingHint({ type, data }: DiscordEvent, { people, guild, me }: TypingOptions): Hint | null {
  if (type !== "TYPING_START" || data["guild_id"] !== guild) return null;
  const member = discordMemberIn(data["member"]);
  const channel = textIn(data, "channel_id") ?? "";
  if (member === null || member.user.id === me || channel === "") return null;
  return { kind: "typing", channel: channelRef(channel), author: people.author(member), on: true, forMs: TYPING_MS };
}
