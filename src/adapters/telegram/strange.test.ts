import { expect, test } from "vitest";
import * as fc from "../../../test/support/property.ts";
import type { Author, Event } from "../../contract/events.ts";
import { mint, type ChannelRef } from "../../contract/ids.ts";
import { isObject, textIn } from "../kit/json.ts";
import { TelegramDigests } from "./digests.ts";
import { telegramHappeningIn } from "./happening.ts";
import { userRef } from "./ids.ts";
import { ALICE, CREW } from "./message.suite.ts";
import { updateIn } from "./model.ts";
import { came, edited, reacted, type TelegramReceiveContext, toEvents } from "./receive.ts";
import { TelegramTold } from "./told.ts";

const channel: ChannelRef = mint("ChannelRef", "-1001");
const named = (id: number): Author => ({ id: userRef(id), identity: null, name: "x", avatar: null });

const context: TelegramReceiveContext = {
  me: 1,
  author: ({ from, senderChat, chat }) => named((senderChat ?? from ?? chat).id),
  person: ({ id }) => named(id),
  peer: ({ id }) => named(id),
  emoji: (reaction) => textIn(reaction, "emoji") ?? "",
  isJoined: () => false,
  stickersAsPng: true,
  stickersAsStills: true,
};

/** Names of the network's fields, so that strange values stand where others are expected. */
const FIELDS = (
  "text entities caption caption_entities photo sticker voice video_note poll venue location contact dice story game " +
  "invoice checklist paid_media giveaway rich_message new_chat_members left_chat_member new_chat_title pinned_message " +
  "forum_topic_edited forum_topic_created forward_origin external_reply quote reply_to_message reply_to_story via_bot " +
  "media_group_id sender_chat author_signature message_thread_id is_topic_message edit_date migrate_to_chat_id user " +
  "old_reaction new_reaction old_chat_member new_chat_member actor_chat message_id type blocks items cells options " +
  "tasks first_name title username file_id file_size duration live_photo document animation offset length emoji status " +
  "reply_markup inline_keyboard url media label button buttons credit summary is_animated community_chat_joined gift " +
  "community_chat_added guest_bot_caller_user receiver_user"
).split(" ");

const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.oneof(fc.string(), fc.integer(), fc.double(), fc.boolean(), fc.constant(null), fc.constant("bold")),
    fc.array(tie("any"), { maxLength: 4 }),
    tie("object"),
  ),
  object: fc.dictionary(fc.constantFrom(...FIELDS), tie("any"), { maxKeys: 6 }),
}));

const KINDS = ["message", "edited_message", "channel_post", "message_reaction", "chat_member"] as const;

function eventsOf(raw: unknown): readonly Event[] {
  const update = updateIn(raw);
  if (update === null) return [];
  const what = telegramHappeningIn(update);
  const at = { channel, update: update.id };
  const told = new TelegramTold(new TelegramDigests({}));
  switch (what.is) {
    case "said":
      told.note([what.message], channel);
      return toEvents([what.message], channel, context);
    case "edited": {
      told.isOther(what.message);
      const change = { message: what.message, update: at.update };
      const event = edited(told.changed(what.message, channel) ?? [what.message], change, channel, context);
      return event === null ? [] : [event];
    }
    case "reacted":
      return reacted(what.reacting, at, context);
    case "came": {
      const event = came(what.coming, at, context);
      return event === null ? [] : [event];
    }
    case "other":
      return [];
  }
}

test("whatever stands in an update, it is read, and what is told has a text", () => {
  let told = 0;
  fc.assert(
    fc.property(fc.constantFrom(...KINDS), value.object, (kind, more) => {
      const body = { message_id: 5, date: 100, chat: CREW, from: ALICE, user: ALICE, ...(isObject(more) ? more : {}) };
      const events = eventsOf({ update_id: 7, [kind]: body });
      told += events.length;
      for (const event of events) {
        expect(event.key).not.toBeNull();
        if (event.kind === "posted") expect(event.body.source.text !== "" || event.body.files.length > 0).toBe(true);
        if (event.kind === "member" || event.kind === "topic") expect(event.text).not.toBe("");
      }
    }),
    { numRuns: 2_000 },
  );
  expect(told).toBeGreaterThan(fc.portion(100));
});
