import { type APIMessage, MessageType } from "discord-api-types/v10";
import type { UserRef } from "../../contract/ids.ts";
import { type DiscordMessage, discordMessageIn } from "./model.ts";
import type { DiscordReceiveContext } from "./receive.ts";
import { DISCORD_API } from "./settings.ts";
import { siteOf } from "./site.ts";

export const ALICE = {
  id: "100",
  username: "alice",
  discriminator: "0",
  global_name: "Alice",
  avatar: null,
} as const satisfies APIMessage["author"];

/** A message as the network tells it, with what is given. */
export function rawMessage(given: Partial<APIMessage> = {}): APIMessage {
  return {
    id: "500",
    channel_id: "5",
    type: MessageType.Default,
    author: ALICE,
    content: "hello",
    timestamp: "2024-05-01T12:00:00.000000+00:00",
    edited_timestamp: null,
    tts: false,
    mention_everyone: false,
    mentions: [],
    mention_roles: [],
    attachments: [],
    embeds: [],
    pinned: false,
    ...given,
  };
}

export function aMessage(given: Partial<APIMessage> = {}): DiscordMessage {
  const message = discordMessageIn(rawMessage(given));
  if (message === null) throw new Error("this is no message");
  return message;
}

/** What a message is read with, in the channel 5. */
export const aReceiveContext: DiscordReceiveContext = {
  room: "5",
  thread: null,
  first: null,
  showEmbeds: false,
  hidden: null,
  site: siteOf({ ApiURL: DISCORD_API }),
  isOurs: ({ author }) => author.id === "me",
  writer: ({ author }) => ({ id: author.id as UserRef, identity: null, name: author.username, avatar: null }),
  person: (user) => ({ id: user as UserRef, identity: null, name: `user ${user}`, avatar: null }),
  nameOf: ({ user, nick }) => nick || user.username,
  names: {
    user: (id) => (id === "7" ? "Known" : null),
    role: (id) => (id === "8" ? "mods" : null),
    channel: (id) => (id === "9" ? "general" : null),
  },
};
