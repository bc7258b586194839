import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../installed.ts";
import { addPerson, type Folk, install, seat, standing } from "./people.ts";
import { PtbBot } from "./ptb.ts";
import { FakeTelegram } from "./server.ts";
import type { BotRow, ChatRow, WireMessage, WireUpdate } from "./wire.ts";

needs(["python3-python-telegram-bot"], () => {
  let server: FakeTelegram;
  let alice: Folk;
  let dock: ChatRow;
  let row: BotRow;
  let bot: PtbBot;

  // The library takes a second to load: these tests share one bot and one chat.
  beforeAll(async () => {
    server = await FakeTelegram.start();
    alice = addPerson(server, "Alice", { username: "alice" });
    dock = server.world.addSupergroup("Dock", alice.user, { is_forum: true });
    row = install(server, "rialto");
    row.hasPrivacy = false;
    seat(dock, row, ["can_delete_messages", "can_manage_topics"]);
    bot = new PtbBot(server.url, row.token);
  });

  afterAll(async () => {
    await bot.stop();
    await server.stop();
  });

  const send = async (more: object): Promise<WireMessage> =>
    (await bot.call("send_message", { chat_id: dock.id, ...more })) as WireMessage;

  const file = (content: Buffer, name: string, attach = false): object => ({
    file: content.toString("base64"),
    name,
    attach,
  });

  describe("python-telegram-bot takes our server for Telegram", () => {
    test("texts with entities, edits, answers, reactions, deletion", async () => {
      const entity = { class: "MessageEntity", type: "bold", offset: 2, length: 2 };
      const sent = await send({ text: "a 😀 @alice", entities: [entity] });
      expect(sent.entities).toEqual([
        { type: "bold", offset: 2, length: 2 },
        { type: "mention", offset: 5, length: 6 },
      ]);
      const at = { chat_id: dock.id, message_id: sent.message_id };
      expect(await bot.call("edit_message_text", { ...at, text: "b" })).toMatchObject({ text: "b" });
      await expect(bot.call("edit_message_text", { ...at, text: "b" })).rejects.toThrow(
        /BadRequest: Message is not modified/,
      );
      const reply = { class: "ReplyParameters", message_id: sent.message_id, quote: "b" };
      const answer = await send({ text: "yes", reply_parameters: reply });
      expect([answer.reply_to_message?.message_id, answer.quote?.text]).toEqual([sent.message_id, "b"]);
      expect(await bot.call("set_message_reaction", { ...at, reaction: "👍" })).toBe(true);
      expect(server.world.message(dock, sent.message_id).reactions.get(row.user.id)).toMatchObject([{ emoji: "👍" }]);
      await expect(bot.call("set_message_reaction", { ...at, reaction: "🚀" })).rejects.toThrow(
        "BadRequest: Reaction_invalid",
      );
      expect(await bot.call("delete_message", at)).toBe(true);
      await expect(bot.call("delete_message", at)).rejects.toThrow("BadRequest: Message to delete not found");
    });

    test("files and albums", async () => {
      const content = Buffer.from([0, 1, 253, 254, 255]);
      const document = file(content, "a b.bin");
      const sent = (await bot.call("send_document", { chat_id: dock.id, document, caption: "look" })) as WireMessage;
      expect([sent.document?.file_name, sent.caption]).toEqual(["a b.bin", "look"]);
      const back = await bot.call("download", { file_id: sent.document?.file_id });
      expect(Buffer.from(String(back), "base64")).toEqual(content);
      const media = ["one.txt", "two.txt"].map((name) => ({
        class: "InputMediaDocument",
        media: file(content, name, true),
      }));
      const album = (await bot.call("send_media_group", { chat_id: dock.id, media })) as WireMessage[];
      expect(album.map((one) => one.document?.file_name)).toEqual(["one.txt", "two.txt"]);
      expect(album[0]?.media_group_id).toBe(album[1]?.media_group_id);
    });

    test("chats, members, topics, kinds without files", async () => {
      expect(await bot.call("get_chat", { chat_id: dock.id })).toMatchObject({ title: "Dock", is_forum: true });
      expect(await bot.call("get_chat_administrators", { chat_id: dock.id })).toMatchObject([
        { status: "creator" },
        { status: "administrator", can_delete_messages: true },
      ]);
      expect(await bot.call("get_chat_member_count", { chat_id: dock.id })).toBe(2);
      const topic = (await bot.call("create_forum_topic", { chat_id: dock.id, name: "Boats" })) as {
        message_thread_id: number;
      };
      const inside = await send({ text: "in it", message_thread_id: topic.message_thread_id });
      expect(inside.is_topic_message).toBe(true);
      await expect(send({ text: "x", message_thread_id: 1 })).rejects.toThrow("BadRequest: Message thread not found");
      const place = { chat_id: dock.id, latitude: 52.4, longitude: 4.9 };
      expect(await bot.call("send_location", place)).toMatchObject({ location: { latitude: 52.4 } });
      expect(await bot.call("send_poll", { chat_id: dock.id, question: "tea?", options: ["yes", "no"] })).toMatchObject(
        {
          poll: { question: "tea?", options: [{ text: "yes" }, { text: "no" }] },
        },
      );
      expect(await bot.call("send_dice", { chat_id: dock.id })).toMatchObject({ dice: { emoji: "🎲" } });
    });

    test("refusals are what the library knows", async () => {
      server.limit({ path: "/sendMessage" }, 7);
      await expect(send({ text: "x" })).rejects.toMatchObject({ name: "RetryAfter", more: 7 });
      server.refuse("sendMessage", 403, "Forbidden: bot was kicked from the supergroup chat");
      await expect(send({ text: "x" })).rejects.toThrow("Forbidden: Forbidden: bot was kicked");
      const group = server.world.addGroup("Old", alice.user);
      seat(group, row);
      const chat = alice.upgrade(group);
      await expect(send({ chat_id: group.id, text: "x" })).rejects.toMatchObject({
        name: "ChatMigrated",
        more: chat.id,
      });
      server.faults.fail({ path: "/sendMessage" }, 502);
      await expect(send({ text: "x" })).rejects.toThrow("NetworkError");
      expect(standing(chat)).toEqual([]);
    });

    test("what people say, by polling", async () => {
      const allowed = { allowed_updates: ["message", "edited_message", "message_reaction", "my_chat_member"] };
      await bot.call("poll", { ...allowed, drop_pending_updates: true });
      const seen = async (): Promise<WireUpdate> => await bot.next();
      const said = alice.say(dock, "hello @rialto_bot");
      expect((await seen()).message).toMatchObject({ text: "hello @rialto_bot", from: { first_name: "Alice" } });
      alice.edit(said, "changed");
      expect((await seen()).edited_message?.text).toBe("changed");
      alice.react(said, "🔥");
      expect((await seen()).message_reaction).toMatchObject({ new_reaction: [{ type: "emoji", emoji: "🔥" }] });
      const png = Buffer.from(
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mOsr6//DwAFhAKAjM1mJgAAAABJRU5ErkJggg==",
        "base64",
      );
      alice.send(dock, "photo", { name: "a.png", content: png }, { caption: "see" });
      expect((await seen()).message).toMatchObject({ caption: "see", photo: [{ width: 90 }, { width: 1 }] });
      alice.send(dock, "sticker", { name: "a.tgs", content: png }, { emoji: "🐟" });
      expect((await seen()).message?.sticker).toMatchObject({ is_animated: true, emoji: "🐟" });
      alice.kick(dock, row);
      expect((await seen()).message?.left_chat_member?.id).toBe(row.user.id);
      expect((await seen()).my_chat_member?.new_chat_member.status).toBe("kicked");
    });
  });
});
