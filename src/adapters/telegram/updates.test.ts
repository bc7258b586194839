import { expect, test } from "vitest";
import { telegramHappeningIn } from "./happening.ts";
import { ALICE, CREW } from "./message.suite.ts";
import { updateIn } from "./model.ts";

/** All kinds of Bot API 10.3 beside those that Rialto reports. */
const OTHERS = (
  "business_connection business_message edited_business_message deleted_business_messages guest_message " +
  "stopped_message_generation message_reaction_count inline_query chosen_inline_result callback_query shipping_query " +
  "pre_checkout_query purchased_paid_media poll poll_answer my_chat_member chat_join_request chat_boost " +
  "removed_chat_boost managed_bot subscription"
).split(" ");

test.each(OTHERS)("an update of the kind %s tells nothing, whatever it holds", (kind) => {
  const body = { chat: CREW, date: 100, message_id: 5, from: ALICE, user: ALICE, text: "hello", data: "x", id: "1" };
  const update = updateIn({ update_id: 1, [kind]: body });
  expect(update && telegramHappeningIn(update)).toEqual({ is: "other" });
});
