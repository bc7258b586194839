import { ChannelType } from "discord-api-types/v10";
import { describe, expect, test } from "vitest";
import { bodyOf, deleteOf, doOp, editOf, messagesOf, postOf, reactOf } from "../../../test/contract/ops.ts";
import type { MessageRef } from "../../contract/ids.ts";
import { messageRef } from "./ids.ts";
import { aFile, ours, oursIn, outLife, outTown, said, saying } from "./sending.suite.ts";
import type { DiscordTown } from "./town.suite.ts";

const plain = (id: string): MessageRef => messageRef({ thread: null, id });

const VOICES = [
  { who: "a webhook", rights: ["ManageWebhooks"], name: "" },
  { who: "the bot", rights: [], name: "[irc] <Bob> " },
] as const;

describe.each(VOICES)("what $who says in threads", ({ rights, name }) => {
  test("goes to the thread of a message, which is begun when there is none", async () => {
    const town = await outTown(rights);
    const life = outLife(town);
    const asked = town.alice.say(town.channel, "a question");
    const reply = { target: plain(asked.id), name: "Alice", excerpt: "a question" };
    const one = await doOp(life, postOf(life.ref, "one", { thread: plain(asked.id), reply }));
    const two = await doOp(outLife(town), postOf(life.ref, "two", { thread: plain(asked.id) }));
    const rows = oursIn(town, asked.id);
    expect(said(rows)).toEqual([`${name}one`, `${name}two`]);
    expect(town.server.world.channels.get(asked.id)?.name).toBe("a question");
    expect(messagesOf(one.outcome)).toEqual([`${asked.id}/${rows[0]?.id}`]);
    const again = { target: messagesOf(two.outcome)[0] ?? plain(""), name: "Bob", excerpt: "two" };
    await doOp(life, postOf(life.ref, "three", { thread: messagesOf(two.outcome)[0] ?? null, reply: again }));
    const third = oursIn(town, asked.id)[2];
    expect(third?.wire.content).toMatch(/three$/);
    expect([
      third?.wire.message_reference?.message_id,
      third?.wire.content.includes(`/${asked.id}/${rows[1]?.id}`),
    ]).toEqual(name === "" ? [undefined, true] : [rows[1]?.id, false]);
  });

  test("is changed, deleted and reacted to there, also when the thread was archived since", async () => {
    const town = await outTown(rights);
    const life = outLife(town);
    const asked = town.alice.say(town.channel, "a question");
    const posted = await doOp(life, postOf(life.ref, "one", { thread: plain(asked.id) }));
    const thread = town.server.world.channels.get(asked.id);
    if (thread === undefined) throw new Error("there is no thread");
    const made = messagesOf(posted.outcome);
    town.alice.archive(thread);
    expect((await doOp(life, postOf(life.ref, "two", { thread: plain(asked.id) }))).outcome).toMatchObject({
      is: "delivered",
      receipt: { losses: [] },
    });
    const file = aFile(life, "a.txt", 10);
    for (const step of ["edit", "react", "delete"] as const) {
      town.alice.archive(thread);
      const op =
        step === "edit"
          ? editOf(life.ref, made, "1", { body: bodyOf("1", [file]) })
          : step === "react"
            ? reactOf(life.ref, made[0] ?? plain(""), "👍", ["👍"])
            : deleteOf(life.ref, made);
      const { outcome } = await doOp(life, op);
      expect([step, outcome.is]).toEqual([step, "delivered"]);
      if (step !== "delete") expect(oursIn(town, asked.id)[0]?.wire.content).toBe(`${name}1`);
    }
    expect(said(oursIn(town, asked.id))).toEqual([`${name}two`]);
  });

  test("is said in the channel when the thread is locked, gone, or may not be begun", async () => {
    const town = await outTown(rights);
    const life = outLife(town);
    const asked = town.alice.say(town.channel, "a question");
    const thread = town.alice.startThread(asked, "talk");
    const op = (words: string) => postOf(life.ref, words, { thread: plain(asked.id) });
    await doOp(life, op("one"));
    town.alice.archive(thread, true);
    const locked = await doOp(life, op("two"));
    expect(locked.outcome).toMatchObject({ is: "delivered", receipt: { losses: [{ what: "thread" }] } });
    town.alice.deleteChannel(thread);
    await doOp(life, postOf(life.ref, "three", { thread: messageRef({ thread: asked.id, id: "1" }) }));
    town.server.world.overwrite(town.channel, town.guild.id, [], ["CreatePublicThreads"]);
    const other = town.alice.say(town.channel, "another");
    const forbidden = await doOp(life, postOf(life.ref, "four", { thread: plain(other.id) }));
    expect(forbidden.outcome).toMatchObject({
      is: "delivered",
      receipt: { losses: [{ what: "thread", note: saying("Create Public Threads") }] },
    });
    expect(said(ours(town)).map((text) => text.split("\n").at(-1))).toEqual(
      ["two", "three", "four"].map((words) => `${name}${words}`),
    );
  });

  test("goes to a thread that is a room of its own", async () => {
    const town = await outTown(rights);
    const thread = town.alice.startThread(town.alice.say(town.channel, "a question"), "talk");
    const life = outLife(town, { channel: thread });
    const made = messagesOf((await doOp(life, postOf(life.ref, "one"))).outcome);
    expect(made).toEqual([oursIn(town, thread.id)[0]?.id]);
    await doOp(life, editOf(life.ref, made, "two"));
    expect(said(oursIn(town, thread.id))).toEqual([`${name}two`]);
    await doOp(life, deleteOf(life.ref, made));
    expect(oursIn(town, thread.id)).toEqual([]);
  });

  test("is a forum's post, or an answer in one", async () => {
    const town = await outTown(rights);
    const forum = town.server.world.addChannel(town.guild, "questions", ChannelType.GuildForum);
    const life = outLife(town, { channel: forum });
    const long = Array.from({ length: 400 }, (_, at) => `word${at}`).join(" ");
    const op = postOf(life.ref, long);
    town.server.faults.loseAnswer({ method: "POST", path: rights.length > 0 ? /^\/webhooks/ : /\/threads$/ });
    expect((await doOp(life, op)).outcome.is).toBe("unknown");
    const next = outLife(town, { before: life, channel: forum });
    const { outcome, attempt } = await doOp(next, op);
    const made = messagesOf(outcome);
    const posts = (): readonly string[] =>
      [...town.server.world.channels.values()].filter(({ parent }) => parent === forum.id).map(({ id }) => id);
    const [post = "", ...others] = posts();
    expect(others).toEqual([]);
    const rows = oursIn(town, post);
    expect(made).toEqual([post, `${post}/${rows[1]?.id}`]);
    expect(
      said(rows)
        .join(" ")
        .match(/word\d+/g),
    ).toEqual(long.match(/word\d+/g));
    // The rest of it is tried again by a life that knows only what is done.
    const resume = attempt.confirmed[0] ?? null;
    const resumed = await doOp(outLife(town, { before: next, channel: forum }), { ...op, resume });
    expect(resumed.outcome).toMatchObject({ is: "delivered" });
    expect(oursIn(town, post)).toHaveLength(2);
    // ... and by one that does not even know what it announced.
    const blank = await doOp(outLife(town, { channel: forum }), { ...op, resume });
    expect(blank.outcome).toMatchObject({ is: "delivered" });
    expect(posts()).toEqual([post]);
    const answered = await doOp(
      next,
      postOf(life.ref, "answer", { reply: { target: plain(post), name: "Bob", excerpt: "" } }),
    );
    expect(messagesOf(answered.outcome)[0]).toMatch(new RegExp(`^${post}/`));
    await doOp(next, editOf(life.ref, [plain(post)], "short"));
    expect(oursIn(town, post)[0]?.wire.content).toBe(`${name}short`);
    await doOp(next, deleteOf(life.ref, [plain(post)]));
    expect(said(oursIn(town, post))[0]).not.toContain("short");
  });

  test("is refused with the remedy where a forum wants a tag", async () => {
    const town = await outTown(rights);
    const forum = town.server.world.addChannel(town.guild, "questions", ChannelType.GuildForum);
    const life = outLife(town, { channel: forum });
    refuseTags(town);
    expect((await doOp(life, postOf(life.ref, "hello"))).outcome).toMatchObject({
      is: "rejected",
      why: { code: "config", message: saying("tag") },
    });
  });
});

function refuseTags({ server }: DiscordTown): void {
  const json = { code: 40_067, message: "A tag is required to create a forum post in this channel" };
  server.faults.answer({ method: "POST", path: /^\/(?:webhooks\/|channels\/\d+\/threads)/ }, { status: 400, json });
}
