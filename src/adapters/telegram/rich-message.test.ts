import { expect, test } from "vitest";
import { mint } from "../../contract/ids.ts";
import type { Json } from "../kit/json.ts";
import { TelegramDigests } from "./digests.ts";
import { userRef } from "./ids.ts";
import { aTelegramMessage, BOB } from "./message.suite.ts";
import { type TelegramReceiveContext, toEvents } from "./receive.ts";
import { TelegramTold } from "./told.ts";

const channel = mint("ChannelRef", "-1001");
const somebody = () => ({ id: userRef(7), identity: null, name: "Alice", avatar: null });
const context: TelegramReceiveContext = {
  me: 1,
  author: somebody,
  person: somebody,
  peer: somebody,
  emoji: () => "",
  isJoined: () => false,
  stickersAsPng: false,
};

const rich = (...blocks: readonly Json[]): Json => ({ rich_message: { blocks } });
const heading: Json = { type: "heading", size: 1, text: "Ships" };
const photo: Json = { type: "photo", photo: [{ file_id: "p" }], caption: { text: "a ship" } };

test.each<readonly [string, Json, string, readonly string[]]>([
  ["keeps its blocks", rich(heading, photo), "<h1>Ships</h1><p>a ship</p>", ["photo-5-1.jpg"]],
  [
    "names its first author and its bot",
    { ...rich(heading), forward_origin: { type: "user", sender_user: BOB }, via_bot: { id: 9, username: "gif" } },
    "<p><em>Forwarded from Bob:</em></p><h1>Ships</h1><p><em>via @gif</em></p>",
    [],
  ],
  ["of pictures alone has no words", rich({ type: "photo", photo: [{ file_id: "p" }] }), "", ["photo-5-1.jpg"]],
])("a message in blocks %s", (_, more, text, files) => {
  const [event] = toEvents([aTelegramMessage(more)], channel, context);
  if (event?.kind !== "posted") throw new Error("nothing was said");
  expect(event.body.source.text).toBe(text);
  expect(event.body.files.map(({ name }) => name)).toEqual(files);
});

test("an edit of its formats alone is an edit, and one of nothing is none", () => {
  const told = new TelegramTold(new TelegramDigests({}));
  const bold = rich({ type: "paragraph", text: { type: "bold", text: "a" } });
  told.note([aTelegramMessage(bold)], channel);
  expect(told.isOther(aTelegramMessage(bold))).toBe(false);
  expect(told.isOther(aTelegramMessage(rich({ type: "paragraph", text: "a" })))).toBe(true);
});
