import { describe, expect, test } from "vitest";
import { readAll, someBytes } from "../../../test/contract/shared-file.ts";
import { addPerson } from "../../../test/servers/telegram/people.ts";
import type { FileRef } from "../../contract/ids.ts";
import { begin, joinChat, live, stop, type TelegramLife, telegramTown, toldBy, until } from "./town.suite.ts";

const never = new AbortController().signal;
const PICTURE = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mOsr6//DwAFhAKAjM1mJgAAAABJRU5ErkJggg==",
  "base64",
);

describe("as it happens", () => {
  test("what people do is told once, in order", async () => {
    const town = await telegramTown();
    const { alice, chat } = town;
    const life = await live(town);
    const root = alice.say(chat, "hello", { entities: [{ type: "bold", offset: 0, length: 5 }] });
    alice.touch(root);
    alice.edit(root, "hello there");
    alice.react(root, "👍", "❤");
    alice.react(root, "❤");
    alice.react(root);
    alice.say(chat, "an answer", { reply: root, quote: "there" });
    alice.poll(chat, "Tea?", ["yes", "no"]);
    alice.contact(chat, "+123", "Bob");
    alice.dice(chat, 4);
    alice.place(chat, 45.438, 12.3358);
    alice.venue(chat, "Rialto", "Venice");
    alice.forward(root, chat);
    alice.rename(chat, "Harbour");
    alice.pin(root);
    alice.say(chat, "over");
    await until(life, town, "Alice: over");
    const map = "https://www.openstreetmap.org/?mlat=45.438&mlon=12.3358#map=16/45.438/12.3358";
    const venue = "https://www.openstreetmap.org/?mlat=52.37&mlon=4.9#map=16/52.37/4.9";
    expect(toldBy(life.host, chat)).toEqual([
      "Alice: <strong>hello</strong>",
      `Alice edits ${root.id}: hello there`,
      "Alice +👍",
      "Alice +❤️",
      "Alice -👍",
      "Alice -❤️",
      "Alice: <blockquote><p>there</p></blockquote><p>an answer</p>",
      "Alice: Poll: Tea?\n1. yes\n2. no",
      "Alice: (contact: Bob, +123)",
      "Alice: 🎲 4",
      `Alice: (place: ${map})`,
      `Alice: (place: Rialto, Venice: ${venue})`,
      "Alice: <em>Forwarded from Alice:</em><br>hello there",
      "Alice changed the name of the chat to: Harbour",
      "Alice pinned a message: “hello there”",
      "Alice: over",
    ]);
    expect(life.host.posted[1]?.replyTo).toBe(String(root.id));
  });

  test("who comes and goes is told once, though an administrator is told twice", async () => {
    const town = await telegramTown();
    const { alice, chat, server } = town;
    const life = await live(town);
    const bob = addPerson(server, "Bob");
    bob.enter(chat);
    bob.say(chat, "hi");
    bob.leave(chat);
    alice.add(chat, bob);
    alice.promote(chat, bob);
    alice.kick(chat, bob);
    alice.say(chat, "over");
    await until(life, town, "Alice: over");
    expect(toldBy(life.host, chat)).toEqual([
      "Bob joins",
      "Bob: hi",
      "Bob leaves",
      "Bob was added by Alice",
      "Bob was removed by Alice",
      "Alice: over",
    ]);
  });

  test("who is hidden, and what channels say", async () => {
    const town = await telegramTown();
    const { alice, chat, server } = town;
    const life = await live(town);
    const news = server.world.addChannel("News", alice.user);
    alice.say(chat, "as a channel", { as: news });
    server.groups.link(news, chat);
    const post = alice.say(news, "of the day");
    alice.edit(post, "of the night");
    alice.hide(chat, "captain");
    const hidden = alice.say(chat, "who am I");
    alice.react(hidden, "👍");
    alice.say(chat, "over");
    await until(life, town, "captain (Town): over");
    const copy = [...chat.messages.values()].find(({ wire }) => wire.is_automatic_forward === true);
    expect(toldBy(life.host, chat)).toEqual([
      "News: as a channel",
      "News: of the day",
      `News edits ${copy?.id}: of the night`,
      "captain (Town): who am I",
      "Town +👍",
      "captain (Town): over",
    ]);
  });

  test("what a channel says that is joined itself is told there alone, with what is answered in its group", async () => {
    const town = await telegramTown();
    const { alice, chat, server, bot } = town;
    const news = server.world.addChannel("News", alice.user);
    alice.add(news, bot);
    alice.promote(news, bot);
    server.groups.link(news, chat);
    const life = await live(town, { others: [news.id] });
    alice.say(news, "of the day");
    const copy = [...chat.messages.values()].find(({ wire }) => wire.is_automatic_forward === true);
    alice.say(chat, "really?", { reply: copy });
    await until(life, town, () => life.host.posted.length === 2);
    expect(toldBy(life.host, chat).toSorted()).toEqual([
      `${news.id} News: of the day`,
      "Alice: <blockquote><p>of the day</p></blockquote><p>really?</p>",
    ]);
    expect(life.host.posted.map(({ replyTo }) => replyTo)).toEqual([null, null]);
  });
});

describe("topics", () => {
  test("are rooms of their own, and General has no number", async () => {
    const town = await telegramTown({ is_forum: true });
    const { alice, chat } = town;
    const [ships, tea] = [alice.createTopic(chat, "Ships"), alice.createTopic(chat, "Tea")];
    const life = await live(town, { others: [`${chat.id}/${ships.id}`] });
    const root = alice.say(chat, "in Ships", { topic: ships });
    alice.say(chat, "answered", { topic: ships, reply: root });
    alice.say(chat, "in Tea", { topic: tea });
    alice.react(root, "🔥");
    alice.renameTopic(chat, ships, "Boats");
    alice.closeTopic(chat, ships);
    alice.say(chat, "in General");
    await until(life, town, "Alice: in General");
    const here = `${chat.id}/${ships.id}`;
    expect(toldBy(life.host, chat)).toEqual([
      `${here} Alice: in Ships`,
      `${here} Alice: answered`,
      `${here} Alice +🔥`,
      `${here} Alice changed the name of the topic to: Boats`,
      `${here} Alice closed the topic`,
      "Alice: in General",
    ]);
    expect(life.host.posted.map(({ replyTo }) => replyTo)).toEqual([null, String(root.id), null, null]);
  });
});

describe("files", () => {
  test("of all kinds can be fetched, with what people see beside them", async () => {
    const town = await telegramTown();
    const { alice, chat } = town;
    const life = await live(town);
    const content = someBytes(5_000);
    const file = (name: string) => ({ name, content });
    alice.send(chat, "document", file("notes.txt"), { caption: "read" });
    alice.send(chat, "photo", { name: "p.png", content: PICTURE });
    alice.send(chat, "animation", file("a.mp4"));
    alice.send(chat, "voice", file("v.oga"), { duration: 5 });
    for (const name of ["s.webp", "s.tgs", "s.webm"]) alice.send(chat, "sticker", file(name), { emoji: "😀" });
    alice.say(chat, "over");
    await until(life, town, "Alice: over");
    const told = toldBy(life.host, chat).map((words) => words.replaceAll(/-\d+\./gu, "."));
    expect(told).toEqual([
      "Alice: read [notes.txt]",
      "Alice: [photo.jpg]",
      "Alice: [a.mp4]",
      "Alice: (voice message, 0:05) [voice.ogg]",
      "Alice: (sticker 😀) [sticker.webp]",
      "Alice: (moving sticker: 😀)",
      "Alice: (sticker 😀) [sticker.webm]",
      "Alice: over",
    ]);
    const [notes] = life.host.posted[0]?.body.files ?? [];
    expect(notes).toMatchObject({ mime: "text/plain", bytes: 5_000, url: null });
    expect(JSON.stringify(notes)).not.toContain(town.bot.token);
    const opened = await life.session.openFile?.(notes?.ref as FileRef, never);
    if (opened?.ok !== true) throw new Error("it could not be opened");
    expect(Buffer.from(await readAll(opened.stream)).equals(content)).toBe(true);
  });

  test("that are stickers are told as PNG, and are, where something draws them", async () => {
    const town = await telegramTown();
    const { alice, chat } = town;
    const settings = { MediaConvertWebPToPNG: true };
    const webp = Buffer.concat([Buffer.from("RIFF\0\0\0\0WEBPVP8L"), someBytes(500)]);
    const drawn: number[] = [];
    const painter = async (content: Uint8Array) => {
      drawn.push(content.length);
      return await Promise.resolve(PICTURE);
    };
    const first = await live(town, { settings, painter });
    for (const name of ["s.webp", "s.tgs"]) alice.send(chat, "sticker", { name, content: webp }, { emoji: "😀" });
    alice.say(chat, "one");
    await until(first, town, "Alice: one");
    await stop(first);
    const second = await live(town, { settings, before: first });
    alice.send(chat, "sticker", { name: "s.webp", content: webp }, { emoji: "😀" });
    alice.say(chat, "two");
    await until(second, town, "Alice: two");
    const files = second.host.posted.flatMap(({ body }) => body.files);
    expect(files.map(({ name, mime }) => `${name.replace(/-\d+/u, "")} ${mime}`)).toEqual([
      "sticker.png image/png",
      "sticker.webp image/webp",
    ]);
    // What was told as PNG is opened by sessions with and without what draws it.
    const third = await live(town, { settings, before: second, painter });
    const contentIn = async ({ session }: TelegramLife): Promise<Buffer | null> => {
      const opened = await session.openFile?.(files[0]?.ref as FileRef, never);
      return opened?.ok === true ? Buffer.from(await readAll(opened.stream)) : null;
    };
    expect(await contentIn(third)).toEqual(PICTURE);
    expect(drawn).toEqual([webp.length]);
    await stop(third);
    expect(await contentIn(await live(town, { settings, before: third }))).toEqual(webp);
  });

  test("moving stickers come as a still picture where a package draws them", async () => {
    const town = await telegramTown();
    const { alice, chat } = town;
    const settings = { MediaConvertTgs: "png" };
    const drawn: Buffer[] = [];
    const moving = async (content: Uint8Array) => {
      drawn.push(Buffer.from(content));
      return await Promise.resolve(PICTURE);
    };
    const first = await live(town, { settings, moving });
    const tgs = someBytes(500);
    alice.send(chat, "sticker", { name: "s.tgs", content: tgs }, { emoji: "👋" });
    await until(first, town, () => toldBy(first.host, chat).length === 1);
    expect(toldBy(first.host, chat)[0]).toMatch(/^Alice: \(moving sticker: 👋\) \[sticker-\d+\.png\]$/u);
    const ref = first.host.posted[0]?.body.files[0]?.ref as FileRef;
    const opened = await first.session.openFile?.(ref, never);
    expect(opened?.ok === true && Buffer.from(await readAll(opened.stream)).equals(PICTURE)).toBe(true);
    expect(drawn).toEqual([Buffer.from(tgs)]);
    await stop(first);
    // The drawing is never sent under the name of a picture.
    const second = await live(town, { settings, before: first });
    expect(await second.session.openFile?.(ref, never)).toMatchObject({ ok: false, why: { code: "unsupported" } });
  });

  test("of an album are one message, whose words can be changed", async () => {
    const town = await telegramTown();
    const { alice, chat } = town;
    const life = await live(town);
    const item = (name: string) => ({ kind: "document" as const, file: { name, content: PICTURE } });
    const rows = alice.album(chat, [item("1.txt"), { ...item("2.txt"), caption: "two" }, item("3.txt")]);
    alice.say(chat, "after");
    await until(life, town, "Alice: after");
    if (rows[1] !== undefined) alice.edit(rows[1], "the second");
    await until(life, town, `Alice edits ${rows[1]?.id}: the second [1.txt] [2.txt] [3.txt]`);
    expect(toldBy(life.host, chat).slice(0, 2)).toEqual(["Alice: two [1.txt] [2.txt] [3.txt]", "Alice: after"]);
    expect(life.host.posted[0]?.messages).toEqual(rows.map(({ id }) => String(id)));
  });

  test("of an album that comes in several answers are one message, too", async () => {
    const town = await telegramTown();
    const { alice, chat, server } = town;
    const life = await live(town);
    const group = { more: { media_group_id: "1" } };
    alice.send(chat, "photo", { name: "1.png", content: PICTURE }, { ...group, caption: "look" });
    const asked = (): number => server.requests.filter((one) => one.endsWith("/getUpdates")).length;
    const before = asked();
    await until(life, town, () => asked() > before);
    alice.send(chat, "photo", { name: "2.png", content: PICTURE }, group);
    await until(life, town, () => life.host.posted.length > 0);
    expect(life.host.posted[0]?.body.files).toHaveLength(2);
  });

  test("that take the place of others are told with the words", async () => {
    const town = await telegramTown();
    const { alice, chat } = town;
    const life = await live(town);
    const row = alice.send(chat, "document", { name: "a.txt", content: PICTURE }, { caption: "read" });
    alice.replace(row, "document", { name: "b.txt", content: PICTURE });
    await until(life, town, `Alice edits ${row.id}: read [b.txt]`);
  });
});

describe("over a stop", () => {
  test("what happened meanwhile is told, once", async () => {
    const town = await telegramTown();
    const { alice, chat, server, bot } = town;
    const first = await live(town);
    const row = alice.say(chat, "before");
    await until(first, town, "Alice: before");
    await stop(first);
    alice.edit(row, "before the stop");
    alice.say(chat, "meanwhile");
    const second = await live(town, { before: first });
    await until(second, town, "Alice: meanwhile");
    expect(second.host.events.map(({ kind }) => kind)).toEqual(["posted", "edited", "posted"]);
    await until(second, town, () => server.updates.waiting(bot) === 0);
  });

  test("half an album is not told before it is whole", async () => {
    const town = await telegramTown();
    const { alice, chat } = town;
    const first = await live(town);
    alice.say(chat, "before");
    await until(first, town, "Alice: before");
    const group = { more: { media_group_id: "1" } };
    alice.send(chat, "photo", { name: "1.png", content: PICTURE }, group);
    await stop(first);
    alice.send(chat, "photo", { name: "2.png", content: PICTURE }, group);
    const second = await live(town, { before: first });
    await until(second, town, () => second.host.posted.length === 2);
    expect(second.host.posted[1]?.body.files).toHaveLength(2);
  });

  test("what is said in a group that becomes a supergroup is told in the same room", async () => {
    const town = await telegramTown();
    const { alice, server, bot } = town;
    const group = server.world.addGroup("Crew", alice.user);
    alice.add(group, bot);
    alice.promote(group, bot);
    const first = await begin(town);
    await joinChat(first, group.id);
    alice.say(group, "small");
    const large = alice.upgrade(group);
    alice.say(large, "large");
    await until(first, town, `${group.id} Alice: large`);
    expect(first.host.posted[0]?.messages[0]).toMatch(new RegExp(`^${group.id}/\\d+$`, "u"));
    await stop(first);
    alice.say(large, "later");
    const second = await begin(town, { before: first });
    await joinChat(second, group.id);
    await until(second, town, `${group.id} Alice: later`);
    expect(toldBy(second.host, group)).toEqual(["Alice: small", "Alice: large", "Alice: later"]);
  });

  test("nothing is confirmed that is not on disk", async () => {
    const town = await telegramTown();
    const { alice, chat, server, bot } = town;
    const life = await live(town);
    life.host.hold();
    alice.say(chat, "one");
    await until(life, town, "Alice: one");
    alice.say(chat, "two");
    await until(life, town, "Alice: two");
    expect(server.updates.waiting(bot)).toBe(2);
    life.host.release();
    await until(life, town, () => server.updates.waiting(bot) === 0);
  });
});

describe("pictures of people", () => {
  test("are waited for once, and come with what they say", async () => {
    const town = await telegramTown();
    const { alice, chat, server } = town;
    const size = { file_id: "face", file_unique_id: "f", width: 160, height: 160, file_size: 9 };
    const photos = { total_count: 1, photos: [[size]] };
    server.faults.answer({ path: "/getUserProfilePhotos" }, { json: { ok: true, result: photos } }, 1);
    const life = await live(town);
    alice.say(chat, "one");
    alice.say(chat, "two");
    await until(life, town, "Alice: two");
    expect(life.host.posted.map(({ author }) => author.avatar?.ref?.includes("face"))).toEqual([true, true]);
    expect(server.requests.filter((one) => one.endsWith("/getUserProfilePhotos"))).toHaveLength(1);
  });
});
