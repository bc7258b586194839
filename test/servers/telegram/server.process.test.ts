import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { eventually, within } from "../../support/wait.ts";
import { Caller, type Reply } from "./calls.ts";
import { addPerson, type Folk, install, seat, standing } from "./people.ts";
import { FakeTelegram } from "./server.ts";
import type { BotRow, ChatRow, WireUpdate } from "./wire.ts";

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
const updates = async (more: object = {}): Promise<readonly WireUpdate[]> => await caller().updates(more);
const heard = async (): Promise<readonly WireUpdate[]> => await caller().heard();

const texts = (all: readonly WireUpdate[]): unknown[] =>
  all.map((one) => (one.message ?? one.edited_message ?? one.channel_post)?.text);

describe("requests", () => {
  test("by address, form and JSON, whatever the capitals of the method", async () => {
    const base = `${server.url}/bot${bot.token}`;
    const one = await (await fetch(`${base}/sendmessage?chat_id=${dock.id}&text=one`)).json();
    expect(one).toMatchObject({ ok: true, result: { text: "one", chat: { id: dock.id } } });
    const body = new URLSearchParams({
      chat_id: String(dock.id),
      text: "bold",
      entities: '[{"type":"bold","offset":0,"length":4}]',
    });
    const two = await (await fetch(`${base}/SENDMESSAGE`, { method: "POST", body })).json();
    expect(two).toMatchObject({ result: { entities: [{ type: "bold", offset: 0, length: 4 }] } });
    expect(server.requests).toEqual(["GET /sendMessage", "POST /sendMessage"]);
  });

  test("tokens and methods", async () => {
    expect(await ask("nothing")).toEqual({ ok: false, error_code: 404, description: "Not Found" });
    expect(await ask("getMe", {}, "nonsense")).toMatchObject({ error_code: 404 });
    expect(await ask("getMe", {}, `1:${"a".repeat(35)}`)).toEqual({
      ok: false,
      error_code: 401,
      description: "Unauthorized",
    });
    const { token } = bot;
    server.revoke(bot);
    expect((await ask("getMe", {}, token)).error_code).toBe(401);
    expect((await ask("getMe")).result).toMatchObject({ id: bot.user.id, can_read_all_group_messages: true });
    expect((await ask("logOut")).ok).toBe(true);
    expect(await ask("getMe")).toEqual({ ok: false, error_code: 400, description: "Logged out" });
  });
});

describe("texts", () => {
  test("empty, long, unchanged, not there", async () => {
    expect(await why({ text: " \n" })).toBe("Bad Request: message text is empty");
    expect(await why({ text: "😀".repeat(4097) })).toBe("Bad Request: message is too long");
    // The network counts code points.
    expect(await why({ text: "😀".repeat(4096) })).toBeUndefined();
    const id = Number((await say({ text: "a" })).result?.["message_id"]);
    const edit = async (text: string, message = id): Promise<unknown> =>
      (await ask("editMessageText", { chat_id: dock.id, message_id: message, text })).description;
    expect(await edit("a")).toMatch(/^Bad Request: message is not modified: specified new/);
    expect(await edit("x".repeat(4097))).toBe("Bad Request: MESSAGE_TOO_LONG");
    expect(await edit("b")).toBeUndefined();
    expect(await edit("b", 999)).toBe("Bad Request: message to edit not found");
    expect(await edit("b", alice.say(dock, "mine").id)).toBe("Bad Request: message can't be edited");
  });

  test("answers and quotations", async () => {
    const { id } = alice.say(dock, "one two", { entities: [{ type: "bold", offset: 4, length: 3 }] });
    expect(await why({ reply_parameters: { message_id: 999 } })).toBe("Bad Request: message to be replied not found");
    const alone = await say({ reply_parameters: { message_id: 999, allow_sending_without_reply: true } });
    expect(alone.result).not.toHaveProperty("reply_to_message");
    expect(await why({ reply_parameters: { message_id: id, quote: "three" } })).toBe("Bad Request: QUOTE_TEXT_INVALID");
    // Its styles belong to it.
    expect(await why({ reply_parameters: { message_id: id, quote: "two" } })).toBe("Bad Request: QUOTE_TEXT_INVALID");
    const quoted = await say({ reply_parameters: { message_id: id, quote: "one" } });
    expect(quoted.result).toMatchObject({
      reply_to_message: { message_id: id, text: "one two" },
      message_thread_id: id,
      quote: { text: "one", position: 0, is_manual: true },
    });
    expect(quoted.result).not.toHaveProperty("is_topic_message");
    const quay = server.world.addSupergroup("Quay", alice.user);
    seat(quay, bot);
    const elsewhere = await say({ reply_parameters: { message_id: id, chat_id: dock.id } }, quay);
    expect(elsewhere.result).toMatchObject({ external_reply: { chat: { id: dock.id }, message_id: id } });
  });

  test("deleting: others' with the right, nothing after two days", async () => {
    const remove = async (id: number): Promise<unknown> =>
      (await ask("deleteMessage", { chat_id: dock.id, message_id: id })).description;
    const mine = Number((await say({})).result?.["message_id"]);
    const hers = alice.say(dock, "hers").id;
    expect(await remove(hers)).toBe("Bad Request: message can't be deleted");
    alice.promote(dock, bot);
    expect(await remove(hers)).toBeUndefined();
    expect(await remove(hers)).toBe("Bad Request: message to delete not found");
    server.world.clock.pass(49 * 3600 * 1000);
    expect(await remove(mine)).toBe("Bad Request: message can't be deleted for everyone");
  });
});

describe("updates", () => {
  test("are kept until they are confirmed, and skipped from the end", async () => {
    for (const text of ["a", "b", "c"]) alice.say(dock, text);
    const [first] = await updates({ limit: 1 });
    expect(texts(await updates())).toEqual(["a", "b", "c"]);
    expect(texts(await updates({ offset: (first?.update_id ?? 0) + 1 }))).toEqual(["b", "c"]);
    expect(texts(await updates())).toEqual(["b", "c"]);
    expect(texts(await updates({ offset: -1 }))).toEqual(["c"]);
    expect(texts(await updates())).toEqual(["c"]);
  });

  test("a poll waits, and ends for another one", async () => {
    const first = ask("getUpdates", { timeout: 30 });
    await eventually(
      async () => server.requests.length,
      (count) => count === 1,
      () => "the first poll",
    );
    const second = ask("getUpdates", { timeout: 30 });
    expect(await within(first, () => "the end of the first poll")).toEqual({
      ok: false,
      error_code: 409,
      description: "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running",
    });
    alice.say(dock, "now");
    expect(texts((await second).result as unknown as WireUpdate[])).toEqual(["now"]);
    expect(server.updates.conflicts).toBe(1);
    await ask("setWebhook", { url: "https://example.org/hook" });
    expect((await ask("getUpdates")).description).toMatch(
      /^Conflict: can't use getUpdates method while webhook is active/,
    );
    expect((await ask("getWebhookInfo")).result).toMatchObject({
      url: "https://example.org/hook",
      pending_update_count: 1,
    });
    await ask("deleteWebhook");
    expect(await updates()).toHaveLength(1);
  });

  test("survive a restart, and an answer that is lost", async () => {
    alice.say(dock, "a");
    server.faults.loseAnswer({ path: "/getUpdates" });
    await expect(updates()).rejects.toThrow("fetch failed");
    await server.restart();
    expect(texts(await updates())).toEqual(["a"]);
    server.faults.loseAnswer({ path: "/sendMessage" });
    await expect(say({ text: "once" })).rejects.toThrow("fetch failed");
    expect(standing(dock).map(({ wire }) => wire.text)).toEqual(["a", "once"]);
  });

  test("with privacy a bot hears what is meant for it", async () => {
    bot.hasPrivacy = true;
    const { result } = await say({ text: "mine" });
    const mine = server.world.message(dock, Number(result?.["message_id"]));
    alice.say(dock, "nothing");
    alice.say(dock, "an answer", { reply: mine });
    alice.say(dock, `/go@${bot.user.username}`);
    alice.say(dock, "/go@other_bot");
    alice.say(dock, `@${bot.user.username} hear`);
    alice.rename(dock, "Quay");
    expect(texts(await heard())).toEqual([
      "an answer",
      `/go@${bot.user.username}`,
      `@${bot.user.username} hear`,
      undefined,
    ]);
    alice.promote(dock, bot);
    alice.say(dock, "all");
    expect((await heard()).map((one) => one.my_chat_member?.new_chat_member.status ?? one.message?.text)).toEqual([
      "administrator",
      "all",
    ]);
  });

  test("reactions only for administrators who ask for them, and never a bot's own", async () => {
    const row = alice.say(dock, "one");
    alice.react(row, "👍");
    alice.promote(dock, bot);
    alice.react(row, "👎");
    await heard();
    await updates({ allowed_updates: ["message", "message_reaction"] });
    alice.react(row, "🔥", "👀");
    await ask("setMessageReaction", {
      chat_id: dock.id,
      message_id: row.id,
      reaction: [{ type: "emoji", emoji: "👍" }],
    });
    const [told, ...rest] = await heard();
    expect(rest).toEqual([]);
    expect(told?.message_reaction).toMatchObject({
      user: { id: alice.id },
      old_reaction: [{ emoji: "👎" }],
      new_reaction: [{ emoji: "🔥" }, { emoji: "👀" }],
    });
    const react = async (...emoji: string[]): Promise<unknown> => {
      const reaction = emoji.map((one) => ({ type: "emoji", emoji: one }));
      return (await ask("setMessageReaction", { chat_id: dock.id, message_id: row.id, reaction })).description;
    };
    expect(await react("🚀")).toBe("Bad Request: REACTION_INVALID");
    expect(await react("👍", "👎")).toBe("Bad Request: REACTIONS_TOO_MANY");
    dock.reactions = ["❤"];
    expect(await react("👍")).toBe("Bad Request: REACTION_INVALID");
    expect(await react()).toBeUndefined();
    expect(row.reactions.has(bot.user.id)).toBe(false);
  });

  test("of reactions to a channel's posts only the numbers are told", async () => {
    const news = server.world.addChannel("News", alice.user);
    seat(news, bot);
    const row = alice.say(news, "one");
    await updates({ allowed_updates: ["message_reaction", "message_reaction_count"] });
    for (const one of [alice, addPerson(server, "Bob")]) {
      seat(news, one);
      one.react(row, "👍");
    }
    expect((await heard()).map((one) => one.message_reaction_count?.reactions)).toEqual([
      undefined,
      [{ type: { type: "emoji", emoji: "👍" }, total_count: 1 }],
      [{ type: { type: "emoji", emoji: "👍" }, total_count: 2 }],
    ]);
  });

  test("no bot hears a bot, but a channel's post comes into its group by itself", async () => {
    const other = install(server, "other", [dock]);
    const news = server.world.addChannel("News", alice.user);
    seat(news, bot);
    server.groups.link(news, dock);
    await ask("sendMessage", { chat_id: dock.id, text: "from a bot" }, other.token);
    await say({ text: "post" }, news);
    alice.say(news, "hers");
    const [forwarded, post, second] = await heard();
    expect(forwarded?.message).toMatchObject({
      is_automatic_forward: true,
      from: { id: 777_000 },
      sender_chat: { id: news.id },
    });
    expect(post?.channel_post).toMatchObject({ text: "hers", sender_chat: { id: news.id } });
    expect(second?.message?.text).toBe("hers");
    alice.hide(dock, "boss");
    alice.say(dock, "hidden");
    alice.say(dock, "as a channel", { as: news });
    expect(
      (await heard()).map(({ message }) => [
        message?.from?.username,
        message?.sender_chat?.id,
        message?.author_signature,
      ]),
    ).toEqual([
      ["GroupAnonymousBot", dock.id, "boss"],
      ["Channel_Bot", news.id, undefined],
    ]);
  });
});
