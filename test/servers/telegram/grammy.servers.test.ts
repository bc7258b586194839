import type { Update } from "@grammyjs/types";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { eventually, Inbox, within } from "../../support/wait.ts";
import { needs } from "../installed.ts";
import { type Bot, grammy, type Grammy } from "./grammy.ts";
import { addPerson, type Folk, install, seat, standing } from "./people.ts";
import { FakeTelegram } from "./server.ts";
import type { BotRow, ChatRow } from "./wire.ts";

needs(["grammy"], () => {
  let library: Grammy;
  let server: FakeTelegram;
  let alice: Folk;
  let dock: ChatRow;
  let row: BotRow;
  let bot: Bot;
  let seen: Inbox<Update>;
  let polling: Promise<void> | null;

  const make = (token = row.token): Bot => new library.Bot(token, { client: { apiRoot: server.url } });

  /** Gets what people do, by long polling. */
  const listen = (how: object = {}): void => {
    bot.use(({ update }) => seen.push(update));
    polling = bot.start(how);
  };

  const next = async (): Promise<Update> => {
    const over = (polling ?? Promise.resolve()).then(() => "the bot has stopped");
    return await seen.next(() => "an update", over);
  };

  const refusal = (error_code: number, description: string | RegExp): object => ({
    error_code,
    description: typeof description === "string" ? description : (expect.stringMatching(description) as unknown),
  });

  beforeEach(async () => {
    library = grammy();
    server = await FakeTelegram.start();
    alice = addPerson(server, "Alice", { username: "alice" });
    dock = server.world.addSupergroup("Dock", alice.user);
    row = install(server, "rialto", [dock]);
    row.hasPrivacy = false;
    bot = make();
    seen = new Inbox();
    polling = null;
  });

  afterEach(async () => {
    if (polling !== null) await bot.stop();
    await polling;
    await server.stop();
  });

  describe("grammY takes our server for Telegram: what a bot does", () => {
    test("who it is", async () => {
      await bot.init();
      expect([bot.botInfo.id, bot.botInfo.username]).toEqual([row.user.id, "rialto_bot"]);
      const wrong = make(`1:${"a".repeat(35)}`);
      await expect(wrong.init()).rejects.toMatchObject(refusal(401, "Unauthorized"));
    });

    test("texts, entities, edits, deletion", async () => {
      const chat_id = dock.id;
      const sent = await bot.api.raw.sendMessage({
        chat_id,
        text: " a 😀 b ",
        entities: [{ type: "spoiler", offset: 3, length: 2 }],
      });
      expect([sent.text, sent.entities]).toEqual(["a 😀 b", [{ type: "spoiler", offset: 2, length: 2 }]]);
      const { message_id } = sent;
      await bot.api.raw.editMessageText({ chat_id, message_id, text: "two" });
      const again = bot.api.raw.editMessageText({ chat_id, message_id, text: "two" });
      await expect(again).rejects.toBeInstanceOf(library.GrammyError);
      await expect(again).rejects.toMatchObject(refusal(400, /^Bad Request: message is not modified/));
      expect(standing(dock).map(({ wire }) => wire.text)).toEqual(["two"]);
      expect(await bot.api.raw.deleteMessages({ chat_id, message_ids: [message_id, 999] })).toBe(true);
      expect(standing(dock)).toEqual([]);
      const long = bot.api.raw.sendMessage({ chat_id, text: "x".repeat(4097) });
      await expect(long).rejects.toMatchObject(refusal(400, "Bad Request: message is too long"));
    });

    test("files of every kind, albums, and their bytes", async () => {
      const chat_id = dock.id;
      const content = Buffer.from([0, 10, 13, 253, 254, 255]);
      const file = (name: string): InstanceType<Grammy["InputFile"]> => new library.InputFile(content, name);
      const sent = await bot.api.raw.sendDocument({ chat_id, document: file("naïve.bin"), caption: "look" });
      expect([sent.document.file_name, sent.caption]).toEqual(["naïve.bin", "look"]);
      const { file_path: at } = await bot.api.raw.getFile({ file_id: sent.document.file_id });
      const response = await fetch(`${server.url}/file/bot${row.token}/${at}`);
      expect(Buffer.from(await response.arrayBuffer())).toEqual(content);
      expect((await bot.api.raw.sendVideo({ chat_id, video: file("a.mp4") })).video.mime_type).toBe("video/mp4");
      expect((await bot.api.raw.sendAudio({ chat_id, audio: file("a.mp3"), title: "T" })).audio.title).toBe("T");
      expect((await bot.api.raw.sendVoice({ chat_id, voice: file("a.ogg") })).voice.duration).toBe(1);
      expect((await bot.api.raw.sendAnimation({ chat_id, animation: file("a.gif") })).document.file_name).toBe("a.gif");
      expect((await bot.api.raw.sendSticker({ chat_id, sticker: file("a.webm") })).sticker.is_video).toBe(true);
      const photo = bot.api.raw.sendPhoto({ chat_id, photo: file("a.png") });
      await expect(photo).rejects.toMatchObject(refusal(400, "Bad Request: IMAGE_PROCESS_FAILED"));
      const media = ["one.mp4", "two.mp4"].map((name) => ({
        type: "video" as const,
        media: file(name),
        caption: name,
      }));
      const album = await bot.api.raw.sendMediaGroup({ chat_id, media });
      expect(album.map(({ caption }) => caption)).toEqual(["one.mp4", "two.mp4"]);
      expect(new Set(standing(dock).flatMap(({ wire }) => wire.media_group_id ?? [])).size).toBe(1);
      const message_id = album[1]?.message_id ?? 0;
      await bot.api.raw.editMessageCaption({ chat_id, message_id, caption: "three" });
      await bot.api.raw.editMessageMedia({ chat_id, message_id, media: { type: "video", media: file("four.mp4") } });
      const changed = server.world.message(dock, message_id).wire;
      expect([changed.video?.file_name, changed.caption]).toEqual(["four.mp4", undefined]);
      const document = { type: "document" as const, media: file("five.bin") };
      await expect(bot.api.raw.editMessageMedia({ chat_id, message_id, media: document })).rejects.toMatchObject(
        refusal(400, "Bad Request: can't change media type in the album"),
      );
    });

    test("places, contacts, polls, forwards, copies, reactions, chats", async () => {
      const chat_id = dock.id;
      const { raw } = bot.api;
      expect((await raw.sendVenue({ chat_id, latitude: 1, longitude: 2, title: "T", address: "A" })).venue.title).toBe(
        "T",
      );
      expect((await raw.sendContact({ chat_id, phone_number: "+31", first_name: "Bo" })).contact.first_name).toBe("Bo");
      expect((await raw.sendPoll({ chat_id, question: "q", options: [{ text: "a" }] })).poll.options).toHaveLength(1);
      const { id: message_id } = alice.say(dock, "hers");
      const forwarded = await raw.forwardMessage({ chat_id, from_chat_id: chat_id, message_id });
      expect(forwarded.forward_origin).toMatchObject({ type: "user", sender_user: { first_name: "Alice" } });
      const copy = await raw.copyMessage({ chat_id, from_chat_id: chat_id, message_id });
      expect(server.world.message(dock, copy.message_id).wire.text).toBe("hers");
      expect(await raw.setMessageReaction({ chat_id, message_id, reaction: [{ type: "emoji", emoji: "❤" }] })).toBe(
        true,
      );
      expect(await raw.getChat({ chat_id })).toMatchObject({ type: "supergroup", title: "Dock" });
      expect((await raw.getChatMember({ chat_id, user_id: row.user.id })).status).toBe("member");
      expect(await raw.leaveChat({ chat_id })).toBe(true);
      const gone = "Forbidden: bot is not a member of the supergroup chat";
      await expect(raw.sendMessage({ chat_id, text: "x" })).rejects.toMatchObject(refusal(403, gone));
    });

    test("limits, migrations and broken wires are its own errors", async () => {
      server.limits.group = { count: 1, ms: 60_000 };
      await bot.api.raw.sendMessage({ chat_id: dock.id, text: "one" });
      await expect(bot.api.raw.sendMessage({ chat_id: dock.id, text: "two" })).rejects.toMatchObject({
        ...refusal(429, /^Too Many Requests: retry after \d+$/),
        parameters: { retry_after: expect.any(Number) as unknown },
      });
      server.limits.off();
      const group = server.world.addGroup("Old", alice.user);
      seat(group, row);
      const { id } = alice.upgrade(group);
      await expect(bot.api.raw.sendMessage({ chat_id: group.id, text: "x" })).rejects.toMatchObject({
        ...refusal(400, "Bad Request: group chat was upgraded to a supergroup chat"),
        parameters: { migrate_to_chat_id: id },
      });
      server.faults.loseAnswer({ path: "/sendMessage" });
      await expect(bot.api.raw.sendMessage({ chat_id: dock.id, text: "once" })).rejects.toBeInstanceOf(
        library.HttpError,
      );
      expect(standing(dock).map(({ wire }) => wire.text)).toEqual(["one", "once"]);
    });
  });

  describe("grammY takes our server for Telegram: what a bot hears", () => {
    test("what people say and do, once and in order", async () => {
      row.allowed = null;
      seat(dock, row, ["can_manage_chat"]);
      listen({ allowed_updates: ["message", "edited_message", "message_reaction", "my_chat_member", "chat_member"] });
      const said = alice.say(dock, "see https://example.org", { entities: [{ type: "bold", offset: 0, length: 3 }] });
      expect((await next()).message?.entities).toEqual([
        { type: "bold", offset: 0, length: 3 },
        { type: "url", offset: 4, length: 19 },
      ]);
      alice.say(dock, "yes", { reply: said, quote: "see" });
      const { message: answer } = await next();
      expect([answer?.reply_to_message?.message_id, answer?.quote?.text]).toEqual([said.id, "see"]);
      alice.edit(said, "seen");
      expect((await next()).edited_message).toMatchObject({ text: "seen", message_id: said.id });
      alice.react(said, "👍");
      expect((await next()).message_reaction?.new_reaction).toEqual([{ type: "emoji", emoji: "👍" }]);
      const file = { name: "a.txt", content: Buffer.from("a") };
      alice.album(dock, [
        { kind: "document", file, caption: "two" },
        { kind: "document", file },
      ]);
      const [one, two] = [await next(), await next()].map(({ message }) => message);
      expect([one?.caption, one?.media_group_id === two?.media_group_id]).toEqual(["two", true]);
      alice.venue(dock, "Quay", "Water 1");
      expect((await next()).message).toMatchObject({ venue: { title: "Quay" }, location: {} });
      alice.rename(dock, "Pier");
      expect((await next()).message?.new_chat_title).toBe("Pier");
      const bob = addPerson(server, "Bob");
      bob.enter(dock);
      expect([await next(), await next()].map((one) => Object.keys(one)[1])).toEqual(["chat_member", "message"]);
      expect(seen.waiting).toEqual([]);
    });

    test("restarts, refusals and pages of a proxy are overcome, and nothing is lost or doubled", async () => {
      listen();
      alice.say(dock, "one");
      expect((await next()).message?.text).toBe("one");
      await server.restart(async () => void alice.say(dock, "two"));
      expect((await next()).message?.text).toBe("two");
      server.limit({ path: "/getUpdates" }, 1);
      alice.say(dock, "three");
      expect((await next()).message?.text).toBe("three");
      expect(seen.waiting).toEqual([]);
    });

    test("another poller ends it", async () => {
      await bot.init();
      const failed = bot.start({}).then(
        () => "it stopped",
        (error: unknown) => error,
      );
      await eventually(
        async () => server.requests,
        (all) => all.includes("POST /getUpdates"),
        () => "the poll",
      );
      await make().api.raw.getUpdates({ timeout: 0 });
      expect(await within(failed, () => "the end of polling")).toMatchObject(
        refusal(409, /^Conflict: terminated by other getUpdates request/),
      );
    });
  });
});
