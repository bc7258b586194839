import { describe, expect, test } from "vitest";
import { bodyOf, deleteOf, doOp, editOf, messagesOf, postOf, reactOf } from "../../../test/contract/ops.ts";
import { addEmoji } from "../../../test/servers/discord/people.ts";
import { aSharedFile } from "../../../test/contract/shared-file.ts";
import { aFile, ours, outLife, outTown, said } from "./sending.suite.ts";
import { messageRef } from "./ids.ts";

describe("messages", () => {
  test("have the name and picture of their author, through one webhook of ours", async () => {
    const town = await outTown();
    const life = outLife(town);
    const avatar = aSharedFile({ name: "a.png", url: "https://pics.example/a.png" });
    const author = { id: "b", name: "Bob", shown: "discord Bob", avatar, account: "irc.a" };
    const first = await doOp(life, postOf(life.ref, "hello *there*", { author }));
    expect(first.outcome).toMatchObject({ is: "delivered", receipt: { losses: [] } });
    await doOp(outLife(town), postOf(life.ref, "again"));
    const rows = ours(town);
    expect(rows.map(({ wire }) => wire.author.username)).toEqual(["d\u200aiscord Bob", "[irc] <Bob>"]);
    expect(rows[0]?.wire.author.avatar).not.toBeNull();
    expect(said(rows)).toEqual([String.raw`hello \*there\*`, "again"]);
    expect(town.server.webhooks.of(town.channel.id)).toHaveLength(1);
    expect(messagesOf(first.outcome)).toEqual([rows[0]?.id]);
  });

  test("have the picture of somebody of the same name here, where that is wanted", async () => {
    const town = await outTown();
    town.alice.user.avatar = "a".repeat(32);
    const life = outLife(town, { settings: { UseLocalAvatar: ["irc"] } });
    const author = { id: "a", name: "Alice", shown: "Alice", avatar: null, account: "irc.a" };
    await doOp(life, postOf(life.ref, "hello", { author }));
    await doOp(life, postOf(life.ref, "hello", { author: { ...author, account: "xmpp.a" } }));
    // The name that ReplaceNicks leaves comes first, then the original.
    await doOp(life, postOf(life.ref, "hello", { author: { ...author, name: "al", nick: "alice" } }));
    await doOp(life, postOf(life.ref, "hello", { author: { ...author, nick: "zoe" } }));
    const avatars = ours(town).map(({ wire }) => wire.author.avatar !== null);
    expect(avatars).toEqual([true, false, true, true]);
  });

  test("begin with the name where the bot may have no webhook", async () => {
    const town = await outTown([]);
    const life = outLife(town);
    await doOp(life, postOf(life.ref, "hello"));
    expect(said(ours(town))).toEqual(["[irc] <Bob> hello"]);
    expect(town.server.webhooks.of(town.channel.id)).toEqual([]);
  });

  test("mention members whom they mean, and notify nobody else", async () => {
    const town = await outTown();
    const life = outLife(town);
    await doOp(life, postOf(life.ref, "@alice and @nobody and @everyone <@1>"));
    const [row] = ours(town);
    expect(row?.wire.content).toContain(`<@${town.alice.id}>`);
    expect(row?.wire.mentions.map(({ id }) => id)).toEqual([town.alice.id]);
    expect(row?.wire.mention_everyone).toBe(false);
    await doOp(life, postOf(life.ref, "@alice", { mayPing: { users: false, everyone: false } }));
    expect(ours(town)[1]?.wire.mentions).toEqual([]);
  });

  test("show other words of what they answer where an edit has them", async () => {
    const town = await outTown();
    const life = outLife(town);
    const first = await doOp(life, postOf(life.ref, "my password is hunter2"));
    const [target] = messagesOf(first.outcome);
    if (target === undefined) throw new Error("nothing was said");
    const reply = { target, name: "sam", excerpt: "my password is hunter2" };
    const answer = await doOp(life, postOf(life.ref, "oops", { reply }));
    expect(said(ours(town))[1]).toContain("hunter2");
    const blank = { reply: { ...reply, excerpt: "" } };
    await doOp(life, editOf(life.ref, messagesOf(answer.outcome), "oops", blank));
    const [line, words] = said(ours(town))[1]?.split("\n") ?? [];
    expect(line).toMatch(/^-# ↪ \[sam\]\(<https:\/\/discord\.com\/channels\/[\d/]+>\)$/u);
    expect(words).toBe("oops");
  });

  test("answer by a line that jumps there, and natively where the bot speaks", async () => {
    const town = await outTown();
    const life = outLife(town);
    const asked = town.alice.say(town.channel, "who is [there]?");
    const reply = { target: messageRef({ thread: null, id: asked.id }), name: "Alice", excerpt: "who is [there]?" };
    await doOp(life, postOf(life.ref, "me", { reply }));
    const jump = `https://discord.com/channels/${town.guild.id}/${town.channel.id}/${asked.id}`;
    expect(said(ours(town))).toEqual([`-# \u21aa [Alice: who is (there)?](<${jump}>)\nme`]);
    const bot = outLife(town, { settings: { AutoWebhooks: false } });
    await doOp(bot, postOf(life.ref, "me too", { reply }));
    expect(ours(town)[1]?.wire.message_reference?.message_id).toBe(asked.id);
    expect(ours(town)[1]?.wire.mentions).toEqual([]);
  });

  test("have their files with them, ten in each; what is too large is a link, and its text is kept", async () => {
    const town = await outTown();
    town.server.world.maxFile = 5_000;
    const life = outLife(town);
    const files = Array.from({ length: 11 }, (_, at) =>
      aFile(life, `f${at}.txt`, 100 + at, at === 0 ? "a caption" : ""),
    );
    const large = { ...aFile(life, "x.bin", 6_000), url: "https://e.example/x.bin" };
    const { outcome } = await doOp(life, postOf(life.ref, "look", { body: bodyOf("look", [...files, large]) }));
    const rows = ours(town);
    expect(rows.map(({ wire }) => wire.attachments.length)).toEqual([10, 1]);
    expect(said(rows)).toEqual(["look\na caption", "x.bin: https://e.example/x.bin"]);
    expect(outcome).toMatchObject({ is: "delivered", receipt: { losses: [{ what: "file" }] } });
    expect(outcome.is === "delivered" && outcome.receipt.messages).toEqual(rows.map(({ id }) => id));
  });

  test("that are files alone are there, though one of them is too large", async () => {
    const town = await outTown();
    town.server.world.maxFile = 5_000;
    const life = outLife(town);
    const files = [aFile(life, "a.bin", 6_000), aFile(life, "b.bin", 100), aFile(life, "empty.bin", 0)];
    const { outcome } = await doOp(life, postOf(life.ref, "", { body: bodyOf("", files) }));
    const [row, ...more] = ours(town);
    expect(more).toEqual([]);
    expect(row?.wire.content).toMatch(/^a\.bin was shared, .*larger.*\nempty\.bin was shared, .*empty/s);
    expect(row?.wire.attachments.map(({ filename }) => filename)).toEqual(["b.bin"]);
    expect(outcome).toMatchObject({ is: "delivered", receipt: { losses: [{ what: "file" }, { what: "file" }] } });
  });

  test("of more than fits are several, in order and with every word", async () => {
    const town = await outTown();
    const life = outLife(town);
    const words = Array.from({ length: 900 }, (_, at) => `*word${at}*`).join(" ");
    const { outcome } = await doOp(life, postOf(life.ref, words));
    const texts = said(ours(town));
    expect(texts.length).toBeGreaterThan(2);
    expect(texts.every((text) => text.length <= 2_000)).toBe(true);
    expect(texts.join(" ").match(/word\d+/g)).toEqual(words.match(/word\d+/g));
    expect(messagesOf(outcome)).toHaveLength(texts.length);
  });
});

describe("what is changed", () => {
  const long = (word: string): string => Array.from({ length: 500 }, (_, at) => `${word}${at}`).join(" ");

  for (const [who, rights] of [
    ["a webhook", ["ManageWebhooks"]],
    ["the bot", []],
  ] as const) {
    test(`edits replace all messages by ${who}: too many are deleted, missing ones are made`, async () => {
      const town = await outTown(rights);
      const life = outLife(town);
      const first = messagesOf((await doOp(life, postOf(life.ref, long("old")))).outcome);
      expect(first.length).toBeGreaterThan(1);
      const shorter = await doOp(life, editOf(life.ref, first, "short"));
      expect(messagesOf(shorter.outcome)).toEqual(first.slice(0, 1));
      expect(said(ours(town)).map((text) => text.replace("[irc] <Bob> ", ""))).toEqual(["short"]);
      const longer = await doOp(life, editOf(life.ref, first.slice(0, 1), long("new")));
      const now = messagesOf(longer.outcome);
      expect(now).toHaveLength(first.length);
      expect(ours(town).map(({ id }) => id)).toEqual(now);
      expect(new Set(ours(town).map(({ wire }) => wire.author.username)).size).toBe(1);
      expect(messagesOf((await doOp(life, editOf(life.ref, now, long("xyz")))).outcome)).toEqual([]);
      expect((await doOp(life, deleteOf(life.ref, now))).outcome.is).toBe("delivered");
      expect((await doOp(life, deleteOf(life.ref, now))).outcome.is).toBe("delivered");
      expect(ours(town)).toEqual([]);
      expect((await doOp(life, editOf(life.ref, now, "late"))).outcome).toMatchObject({ is: "rejected" });
    });
  }

  test("an edit keeps the line by which a message answers, and notifies nobody", async () => {
    const town = await outTown();
    const life = outLife(town);
    const asked = town.alice.say(town.channel, "who?");
    const reply = { target: messageRef({ thread: null, id: asked.id }), name: "Alice", excerpt: "who?" };
    const made = messagesOf((await doOp(life, postOf(life.ref, "me", { reply }))).outcome);
    await doOp(life, editOf(life.ref, made, "not me @alice"));
    const [row] = ours(town);
    expect(row?.wire.content).toMatch(/^-# .*\nnot me <@\d+>$/);
  });

  test("files that an edit adds are part of the edited message; those that it drops are gone; refs stay", async () => {
    const town = await outTown();
    const life = outLife(town);
    const [a, b, c] = ["a.txt", "b c.txt", "c.txt"].map((name) => aFile(life, name, 100));
    if (a === undefined || b === undefined || c === undefined) throw new Error("no files");
    const made = messagesOf((await doOp(life, postOf(life.ref, "one", { body: bodyOf("one", [a, b]) }))).outcome);
    const names = (): unknown => ours(town).map(({ wire }) => wire.attachments.map(({ filename }) => filename));
    expect(names()).toEqual([["a.txt", "b_c.txt"]]);
    const [before] = ours(town);
    const kept = before?.wire.attachments[1]?.id;
    const edited = await doOp(life, editOf(life.ref, made, "two", { body: bodyOf("two", [b, c]) }));
    expect(messagesOf(edited.outcome)).toEqual([]);
    expect(names()).toEqual([["b_c.txt", "c.txt"]]);
    expect(ours(town)[0]?.wire.attachments[0]?.id).toBe(kept);
    await doOp(life, editOf(life.ref, made, "three"));
    expect(names()).toEqual([["b_c.txt", "c.txt"]]);
    expect(said(ours(town))).toEqual(["three"]);
    const changed = { before: 2, added: [], removed: ["[b c.txt]", "[c.txt]"].map((name, at) => ({ at, name })) };
    await doOp(life, { ...editOf(life.ref, made, "three"), changed });
    expect(names()).toEqual([[]]);
  });

  test("a file that an edit adds and that is too large is a link", async () => {
    const town = await outTown();
    town.server.world.maxFile = 5_000;
    const life = outLife(town);
    const made = messagesOf((await doOp(life, postOf(life.ref, "one"))).outcome);
    const files = [{ ...aFile(life, "x.bin", 6_000), url: "https://e.example/x" }, aFile(life, "b.txt", 100)];
    const { outcome } = await doOp(life, editOf(life.ref, made, "two", { body: bodyOf("two", files) }));
    expect(outcome).toMatchObject({ is: "delivered", receipt: { losses: [{ what: "file" }] } });
    expect(said(ours(town))).toEqual(["two\nx.bin: https://e.example/x"]);
    expect(ours(town)[0]?.wire.attachments.map(({ filename }) => filename)).toEqual(["b.txt"]);
  });

  test("reactions stand as long as somebody elsewhere has them, of Unicode and of the server", async () => {
    const town = await outTown();
    const life = outLife(town);
    const parrot = addEmoji(town.server, town.guild, "parrot");
    const row = town.alice.say(town.channel, "hi");
    const target = messageRef({ thread: null, id: row.id });
    const mine = (): unknown =>
      row.reactions.filter(({ users }) => users.includes(town.app.user.id)).map(({ emoji }) => emoji.id ?? emoji.name);
    await doOp(life, reactOf(life.ref, target, "👍", ["👍"]));
    await doOp(life, reactOf(life.ref, target, ":parrot:", ["👍", ":parrot:"]));
    expect(mine()).toEqual(["👍", parrot.id]);
    const unknown = await doOp(life, reactOf(life.ref, target, ":nobodys:", [":nobodys:"]));
    expect(unknown.outcome).toMatchObject({ is: "rejected", why: { code: "unsupported" } });
    await doOp(life, reactOf(life.ref, target, "👍", ["👍"]));
    await doOp(life, reactOf(life.ref, target, ":parrot:", ["👍"]));
    expect(mine()).toEqual(["👍"]);
    await doOp(life, reactOf(life.ref, target, "👍", []));
    await doOp(life, reactOf(life.ref, target, "👍", []));
    expect(mine()).toEqual([]);
  });
});
