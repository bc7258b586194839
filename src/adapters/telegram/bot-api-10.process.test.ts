import { expect, test } from "vitest";
import { Caller } from "../../../test/servers/telegram/calls.ts";
import { install, seat } from "../../../test/servers/telegram/people.ts";
import type { WireMessage } from "../../../test/servers/telegram/wire.ts";
import { live, telegramTown, toldBy, until } from "./town.suite.ts";

/** Messages of Bot API 10.0 to 10.3, as they come with the others. */
test("messages of later servers come in their order, and those for one person alone do not", async () => {
  const town = await telegramTown();
  const { alice, bot, chat, server } = town;
  const life = await live(town);
  let last = alice.say(chat, "first").id;
  const put = (more: Partial<WireMessage>): void => {
    last += 1;
    const date = Math.floor(server.world.clock.now() / 1000);
    server.updates.put(bot, { message: { message_id: last, date, chat: chat.wire, from: alice.user, ...more } });
  };
  const photo = [{ file_id: "p", file_unique_id: "p", width: 9, height: 9 }];
  const film = { file_id: "f", file_unique_id: "f", width: 9, height: 9, duration: 1 };
  put({
    rich_message: {
      blocks: [
        { type: "heading", size: 1, text: "Ships" },
        { type: "photo", photo },
      ],
    },
  });
  put({ photo, live_photo: { ...film, photo } });
  put({ text: "psst", message_id: 0, ephemeral_message_id: 4, receiver_user: bot.user });
  put({ text: "a question of a guest", guest_query_id: "q" });
  put({ community_chat_added: { community: { id: 1, name: "Fleet" } } });
  put({ community_chat_joined: { community: { id: 1, name: "Fleet" } } });
  put({ community_chat_removed: {} });
  put({ text: "last" });
  await until(life, town, "Alice: last");
  const told = toldBy(life.host, chat).map((words) => words.replaceAll(/-\d+(?=[-.])/gu, ""));
  expect(told).toEqual([
    "Alice: first",
    "Alice: <h1>Ships</h1> [photo.jpg]",
    "Alice: [photo.jpg] [live-photo.mp4]",
    "Alice added the chat to the community Fleet",
    "Alice joins from the community Fleet",
    "Alice removed the chat from its community",
    "Alice: last",
  ]);
});

test.each([true, false])("messages of other bots come where BotFather has that on: %j", async (hearsBots) => {
  const town = await telegramTown();
  const { alice, bot, chat, server } = town;
  bot.hearsBots = hearsBots;
  const other = install(server, "Weather");
  seat(chat, other);
  const life = await live(town);
  await new Caller(server, other.token).ask("sendMessage", { chat_id: chat.id, text: "rain" });
  alice.say(chat, "over");
  await until(life, town, "Alice: over");
  const said = life.host.posted.map(({ author, body }) => [author.bot === true, body.source.text]);
  expect(said).toEqual([...(hearsBots ? [[true, "rain"]] : []), [false, "over"]]);
});
