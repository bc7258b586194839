import { readFile } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Caller, type Reply } from "./calls.ts";
import { addPerson, type Folk, install, seat, standing } from "./people.ts";
import { FakeTelegram } from "./server.ts";
import type { BotRow, ChatRow } from "./wire.ts";

let server: FakeTelegram;
let alice: Folk;
let bot: BotRow;
let dock: ChatRow;

beforeEach(async () => {
  server = await FakeTelegram.start();
  alice = addPerson(server, "Alice", { username: "alice" });
  dock = server.world.addSupergroup("Dock", alice.user);
  bot = install(server, "rialto", [dock]);
  bot.hasPrivacy = false;
});

afterEach(async () => await server.stop());

const caller = (token = bot.token): Caller => new Caller(server, token);
const ask = async (method: string, body: object = {}, token = bot.token): Promise<Reply> =>
  await caller(token).ask(method, body);
const say = async (more: object, chat = dock): Promise<Reply> =>
  await ask("sendMessage", { chat_id: chat.id, text: "x", ...more });
const why = async (more: object, chat = dock): Promise<unknown> => (await say(more, chat)).description;
const upload = async (method: string, fields: Record<string, string | Blob>): Promise<Reply> =>
  await caller().upload(method, fields);

describe("files", () => {
  const content = Buffer.from([0, 1, 2, 253, 254, 255]);

  test("go and come as they are, within limits", async () => {
    const sent = await upload("sendDocument", {
      chat_id: String(dock.id),
      document: new Blob([content]),
      caption: "look",
    });
    expect(sent.result).toMatchObject({ caption: "look", document: { file_name: "notes.txt", file_size: 6 } });
    const { file_id: id } = sent.result!["document"] as { file_id: string };
    const { file_path: at } = (await ask("getFile", { file_id: id })).result as { file_path: string };
    const address = `${server.url}/file/bot${bot.token}/${at}`;
    expect(Buffer.from(await (await fetch(address)).arrayBuffer())).toEqual(content);
    server.world.clock.pass(2 * 3600 * 1000);
    expect((await fetch(address)).status).toBe(404);
    expect((await ask("sendDocument", { chat_id: dock.id, document: id })).ok).toBe(true);
    expect((await ask("sendPhoto", { chat_id: dock.id, photo: id })).description).toBe(
      "Bad Request: can't use file of type Document as Photo",
    );
    const large = server.files.store("document", { name: "large.bin", content, size: 21 * 1024 * 1024 });
    expect((await ask("getFile", { file_id: large.id })).description).toBe("Bad Request: file is too big");
    server.files.maxUpload = 5;
    const refused = await upload("sendDocument", { chat_id: String(dock.id), document: new Blob([content]) });
    expect(refused).toEqual({ ok: false, error_code: 413, description: "Request Entity Too Large" });
    expect((await upload("sendPhoto", { chat_id: String(dock.id), photo: new Blob(["text"]) })).description).toBe(
      "Bad Request: IMAGE_PROCESS_FAILED",
    );
    const caption = "y".repeat(1025);
    expect((await ask("sendDocument", { chat_id: dock.id, document: id, caption })).description).toBe(
      "Bad Request: message caption is too long",
    );
  });

  test("an album is all or nothing", async () => {
    const form = {
      chat_id: String(dock.id),
      media: JSON.stringify([
        { type: "document", media: "attach://a", caption: "two" },
        { type: "document", media: "attach://b" },
      ]),
    };
    expect((await upload("sendMediaGroup", { ...form, a: new Blob([content]) })).description).toBe(
      "Bad Request: can't parse InputMedia: media not found",
    );
    expect(standing(dock)).toEqual([]);
    await upload("sendMediaGroup", { ...form, a: new Blob([content]), b: new Blob([content]) });
    const [one, two] = standing(dock).map(({ wire }) => wire);
    expect([one?.caption, two?.caption, one?.media_group_id === two?.media_group_id]).toEqual(["two", undefined, true]);
    const mixed = JSON.stringify([
      { type: "document", media: "attach://a" },
      { type: "photo", media: "attach://b" },
    ]);
    expect((await upload("sendMediaGroup", { ...form, media: mixed })).description).toBe(
      "Bad Request: document can't be mixed with other media types",
    );
    const broken = JSON.stringify([{ type: "photo", media: "attach://a" }]);
    const refused = await upload("sendMediaGroup", { ...form, media: broken, a: new Blob([content]) });
    expect(refused.description).toBe(
      'Bad Request: failed to send message #1 with the error message "IMAGE_PROCESS_FAILED"',
    );
  });

  test("a server on the same machine gives the place on its disk", async () => {
    const local = await FakeTelegram.start({ isLocal: true });
    try {
      const guest = install(local, "guest");
      const stored = local.files.store("document", { name: "a.bin", content, size: 100 * 1024 * 1024 });
      const response = await fetch(`${local.url}/bot${guest.token}/getFile?file_id=${stored.id}`);
      const { result } = (await response.json()) as { result: { file_path: string } };
      expect(await readFile(result.file_path)).toEqual(content);
      const quay = local.world.addSupergroup("Quay", addPerson(local, "Bob").user);
      seat(quay, guest);
      local.files.maxUpload = 5;
      const form = { chat_id: String(quay.id), document: new Blob([content]) };
      expect((await new Caller(local, guest.token).upload("sendDocument", form)).description).toBe(
        "Bad Request: file of size 6 bytes is too big; the maximum size is 5 bytes",
      );
    } finally {
      await local.stop();
    }
  });
});

describe("chats", () => {
  test("topics", async () => {
    const forum = server.world.addSupergroup("Forum", alice.user, { is_forum: true });
    seat(forum, bot);
    const topic = alice.createTopic(forum, "Boats");
    const row = alice.say(forum, "in it", { topic });
    expect(row.wire).toMatchObject({
      message_thread_id: topic.id,
      is_topic_message: true,
      reply_to_message: { message_id: topic.id },
    });
    expect((await say({ message_thread_id: topic.id }, forum)).result).toMatchObject({ is_topic_message: true });
    expect((await say({ reply_parameters: { message_id: row.id } }, forum)).result).toMatchObject({
      message_thread_id: topic.id,
    });
    expect((await say({}, forum)).result).not.toHaveProperty("message_thread_id");
    for (const thread of [1, 999])
      expect(await why({ message_thread_id: thread }, forum)).toBe("Bad Request: message thread not found");
    alice.closeTopic(forum, topic);
    expect(await why({ message_thread_id: topic.id }, forum)).toBe("Bad Request: TOPIC_CLOSED");
    expect(await why({ reply_parameters: { message_id: row.id } }, forum)).toBe("Bad Request: TOPIC_CLOSED");
    forum.isGeneralClosed = true;
    expect(await why({}, forum)).toBe("Bad Request: TOPIC_CLOSED");
    alice.promote(forum, bot);
    expect((await say({ message_thread_id: topic.id }, forum)).ok).toBe(true);
    alice.deleteTopic(forum, topic);
    expect(await why({ message_thread_id: topic.id }, forum)).toBe("Bad Request: message thread not found");
    expect(await why({ message_thread_id: 5 })).toBe("Bad Request: message thread not found");
  });

  test("a group becomes a supergroup", async () => {
    const group = server.world.addGroup("Old", alice.user);
    seat(group, bot);
    const chat = alice.upgrade(group);
    expect(await say({}, group)).toEqual({
      ok: false,
      error_code: 400,
      description: "Bad Request: group chat was upgraded to a supergroup chat",
      parameters: { migrate_to_chat_id: chat.id },
    });
    expect(
      (await caller().heard()).map(({ message }) => [
        message?.chat.id,
        message?.migrate_to_chat_id ?? message?.migrate_from_chat_id,
      ]),
    ).toEqual([
      [group.id, chat.id],
      [chat.id, group.id],
    ]);
    expect((await say({}, chat)).ok).toBe(true);
  });

  test("kicked, gone, restricted, blocked, slowed, unknown", async () => {
    alice.restrict(dock, bot, { can_send_messages: false });
    expect(await why({})).toBe("Bad Request: not enough rights to send text messages to the chat");
    alice.demote(dock, bot);
    dock.slowMode = 30;
    expect((await say({})).ok).toBe(true);
    const slowed = await say({});
    expect(slowed).toMatchObject({ error_code: 429, parameters: { retry_after: 30 } });
    server.world.clock.pass(30_000);
    expect((await say({})).ok).toBe(true);
    alice.kick(dock, bot);
    expect(await say({})).toMatchObject({
      error_code: 403,
      description: "Forbidden: bot was kicked from the supergroup chat",
    });
    expect((await caller().heard()).at(-1)?.my_chat_member?.new_chat_member.status).toBe("kicked");
    alice.add(dock, bot);
    await ask("leaveChat", { chat_id: dock.id });
    expect(await why({})).toBe("Forbidden: bot is not a member of the supergroup chat");
    expect(await why({ chat_id: -5 })).toBe("Bad Request: chat not found");
    expect(await why({ chat_id: alice.id })).toBe("Forbidden: bot can't initiate conversation with a user");
    const chat = alice.start(bot);
    expect((await say({}, chat)).result).toMatchObject({ chat: { id: alice.id, type: "private" } });
    alice.block(bot);
    expect(await why({}, chat)).toBe("Forbidden: bot was blocked by the user");
    const news = server.world.addChannel("News", alice.user, "news");
    news.members.set(bot.user.id, { ...news.members.get(alice.id)!, status: "member" });
    expect(await why({ chat_id: "@NEWS" })).toBe("Bad Request: need administrator rights in the channel chat");
  });

  test("twenty a minute to one group, and others are not slowed", async () => {
    const quay = server.world.addSupergroup("Quay", alice.user);
    seat(quay, bot);
    server.limits.group = { count: 20, ms: 60_000 };
    for (let count = 0; count < 20; count += 1) expect((await say({})).ok).toBe(true);
    const refused = await say({});
    expect(refused.description).toBe(`Too Many Requests: retry after ${String(refused.parameters?.["retry_after"])}`);
    expect((await say({}, quay)).ok).toBe(true);
    expect(server.limits.impatient).toBe(0);
    await say({});
    expect([server.limits.impatient, server.limits.refused]).toEqual([1, 2]);
    server.world.clock.pass(61_000);
    expect((await say({})).ok).toBe(true);
  });
});
