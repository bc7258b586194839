import { describe, expect, test } from "vitest";
import { bodyOf, deleteOf, doOp, editOf, messagesOf, postOf, reactOf } from "../../../test/contract/ops.ts";
import type { PostDraft } from "../../contract/ops.ts";
import { messageRef } from "./ids.ts";
import { doWhole, kindsOf, ours, sending, sendingTown, textsOf } from "./sending.suite.ts";

const long = (word: string, count: number): string =>
  Array.from({ length: count }, (_, at) => `${word}${at}`).join(" ");
const nobody: Pick<PostDraft, "author"> = { author: null };

describe("posts", () => {
  test("words with their formatting, and who says them", async () => {
    const town = await sendingTown();
    const life = sending(town);
    const body = bodyOf("**big** news & <b>no</b> markup @carol", [], "markdown");
    const { outcome } = await doOp(
      life,
      postOf(life.in(town.dock), "", { body, mayPing: { users: false, everyone: true } }),
    );
    const [row] = ours(town, town.dock);
    expect(messagesOf(outcome)).toEqual([messageRef(town.dock.id, row?.id ?? 0, false)]);
    expect(row?.wire.text).toBe("[irc] <Bob> big news & <b>no</b> markup @\u200bcarol");
    expect(row?.wire.entities).toEqual([{ type: "bold", offset: 12, length: 3 }]);
  });

  test("somebody of the chat is meant, whom we know or not, and never all", async () => {
    const town = await sendingTown();
    const life = sending(town);
    await doOp(life, postOf(life.in(town.dock), "@alice and @carol and @everyone", nobody));
    const [row] = ours(town, town.dock);
    expect(row?.wire.text).toBe("@alice and @carol and @\u200beveryone");
    expect(row?.wire.entities).toEqual([
      { type: "text_mention", offset: 0, length: 6, user: town.alice.user },
      // If there is somebody of that user name in the chat, the server tells them.
      { type: "mention", offset: 11, length: 6 },
    ]);
  });

  test.each([false, true])("previews, unless they are switched off: %s", async (DisableWebPagePreview) => {
    const town = await sendingTown();
    const life = sending(town, { settings: { DisableWebPagePreview } });
    const asked: unknown[] = [];
    const said = life.link.api.sendText.bind(life.link.api);
    life.link.api.sendText = async (place, text, signal) => {
      asked.push(text.preview);
      return await said(place, text, signal);
    };
    await doOp(life, postOf(life.in(town.dock), "https://example.org"));
    expect(asked).toEqual([!DisableWebPagePreview]);
  });

  test("what the server will send later has no id by which it could be changed", async () => {
    const town = await sendingTown();
    const life = sending(town);
    const answer = { ok: true, result: { message_id: 0, date: 1, chat: town.dock.wire } };
    town.server.faults.answer({ path: "/sendMessage" }, { status: 200, json: answer });
    const { outcome } = await doOp(life, postOf(life.in(town.dock), "hi"));
    expect(outcome).toEqual({ is: "delivered", receipt: { messages: [], losses: [] } });
  });

  test("a long text is several messages, each announced before it leaves", async () => {
    const town = await sendingTown();
    const life = sending(town);
    const text = long("word", 2_000);
    const { outcome, attempt } = await doOp(life, postOf(life.in(town.dock), text, nobody));
    const texts = textsOf(town, town.dock);
    expect(texts.length).toBeGreaterThan(3);
    expect(texts.join(" ").replaceAll(/\s+/g, " ")).toBe(text);
    expect(messagesOf(outcome)).toEqual(ours(town, town.dock).map(({ id }) => String(id)));
    expect(attempt.allowed).toEqual(attempt.confirmed);
    expect(attempt.allowed).toHaveLength(texts.length);
  });

  test("a reply, also to what is there no longer", async () => {
    const town = await sendingTown();
    const life = sending(town);
    const said = town.alice.say(town.dock, "who is there?");
    const gone = town.alice.say(town.dock, "never mind");
    town.alice.erase(gone);
    const replyTo = (id: number) => ({
      reply: { target: messageRef(town.dock.id, id, false), name: "Alice", excerpt: "who" },
      ...nobody,
    });
    await doOp(life, postOf(life.in(town.dock), "me", replyTo(said.id)));
    await doOp(life, postOf(life.in(town.dock), "nobody", replyTo(gone.id)));
    expect(ours(town, town.dock).map(({ wire }) => [wire.text, wire.reply_to_message?.message_id])).toEqual([
      ["me", said.id],
      ["nobody", undefined],
    ]);
  });

  test("only the first of several messages is the reply", async () => {
    const town = await sendingTown();
    const life = sending(town);
    const said = town.alice.say(town.dock, "tell me more");
    const reply = { target: messageRef(town.dock.id, said.id, false), name: "Alice", excerpt: "tell" };
    await doOp(life, postOf(life.in(town.dock), long("word", 1_500), { reply }));
    const answers = ours(town, town.dock).map(({ wire }) => wire.reply_to_message?.message_id);
    expect(answers[0]).toBe(said.id);
    expect(answers.slice(1).every((id) => id === undefined)).toBe(true);
  });

  test("into a topic, and into General", async () => {
    const town = await sendingTown();
    const life = sending(town);
    const topic = town.alice.createTopic(town.forum, "Ropes");
    await doOp(life, postOf(life.in(town.forum, topic.id), "knots", nobody));
    await doOp(life, postOf(life.in(town.forum), "weather", nobody));
    expect(ours(town, town.forum).map(({ wire }) => [wire.text, wire.message_thread_id])).toEqual([
      ["knots", topic.id],
      ["weather", undefined],
    ]);
  });

  test("nothing that could be seen is refused before anything leaves", async () => {
    const town = await sendingTown();
    const life = sending(town);
    const { outcome, attempt } = await doOp(life, postOf(life.in(town.dock), " \n\u200b", nobody));
    expect(outcome).toMatchObject({ is: "rejected", why: { code: "bad_content" } });
    expect(attempt.announced).toEqual([]);
  });

  test("a room that is not joined", async () => {
    const town = await sendingTown();
    const life = sending(town);
    const { outcome } = await doOp({ handlers: life.handlers }, postOf("-5" as never, "hi"));
    expect(outcome).toMatchObject({ is: "deferred", scope: "channel" });
  });
});

describe("edits", () => {
  test.each([
    ["the same number", 10, 20],
    ["more messages than before", 10, 2_000],
    ["fewer than before", 2_000, 10],
    ["all of them others", 1_600, 1_500],
  ])("%s", async (_what, before, after) => {
    const town = await sendingTown();
    const life = sending(town);
    const posted = messagesOf((await doOp(life, postOf(life.in(town.dock), long("old", before), nobody))).outcome);
    const text = long("new", after);
    const { outcome } = await doOp(life, editOf(life.in(town.dock), posted, text, nobody));
    const rows = ours(town, town.dock);
    expect(outcome.is).toBe("delivered");
    expect(textsOf(town, town.dock).join(" ").replaceAll(/\s+/g, " ")).toBe(text);
    const refs = rows.map(({ id }) => String(id));
    expect(messagesOf(outcome)).toEqual(refs.join() === posted.join() ? [] : refs);
  });

  test.each(["in the same session", "in a later one"])("what is the same already is done, %s", async (when) => {
    const town = await sendingTown();
    const life = sending(town);
    const posted = messagesOf((await doOp(life, postOf(life.in(town.dock), "hi"))).outcome);
    const other = when === "in a later one" ? sending(town) : life;
    const { outcome } = await doOp(other, editOf(other.in(town.dock), posted, "hi"));
    expect(outcome).toEqual({ is: "delivered", receipt: { messages: [], losses: [] } });
    expect(textsOf(town, town.dock)).toEqual(["[irc] <Bob> hi"]);
  });

  test("a later session finds out which messages are too many", async () => {
    const town = await sendingTown();
    const before = sending(town);
    const posted = messagesOf((await doOp(before, postOf(before.in(town.dock), long("old", 1_500)))).outcome);
    const life = sending(town);
    const { outcome } = await doOp(life, editOf(life.in(town.dock), posted, "short"));
    expect(textsOf(town, town.dock)).toEqual(["[irc] <Bob> short"]);
    expect(messagesOf(outcome)).toEqual(posted.slice(0, 1));
  });

  test("a message that is too many, and too old to be deleted, says nothing any more", async () => {
    const town = await sendingTown();
    const life = sending(town);
    const posted = messagesOf((await doOp(life, postOf(life.in(town.dock), long("old", 1_500), nobody))).outcome);
    town.clock.pass(49 * 3_600_000);
    const { outcome } = await doOp(life, editOf(life.in(town.dock), posted, "short", nobody));
    expect(outcome).toMatchObject({ is: "delivered", receipt: { losses: [{ what: "delete" }, { what: "delete" }] } });
    expect(textsOf(town, town.dock)).toEqual(["short", "…", "…"]);
  });

  test("a text with more styles than one message keeps has all of them in several, as a post and as an edit", async () => {
    const town = await sendingTown();
    const life = sending(town);
    const bold = `<p>${Array.from({ length: 150 }, (_, at) => `<b>x${at}</b> ${"y ".repeat(20)}`).join(" ")}</p>`;
    const post = await doOp(life, postOf(life.in(town.dock), "", { body: bodyOf(bold, [], "html") }));
    const body = bodyOf(`${bold}<p>more</p>`, [], "html");
    const { outcome } = await doOp(life, editOf(life.in(town.dock), messagesOf(post.outcome), "", { body }));
    expect([post.outcome, outcome]).toMatchObject([{ receipt: { losses: [] } }, { receipt: { losses: [] } }]);
    const styles = ours(town, town.dock).flatMap(({ wire }) =>
      Array.from(JSON.stringify(wire).matchAll(/"type":"bold"/g)),
    );
    expect(styles).toHaveLength(150);
  });

  test("of what is gone", async () => {
    const town = await sendingTown();
    const life = sending(town);
    const posted = messagesOf((await doOp(life, postOf(life.in(town.dock), "hi"))).outcome);
    for (const row of ours(town, town.dock)) town.alice.erase(row);
    const { outcome } = await doOp(life, editOf(life.in(town.dock), posted, "ho"));
    expect(outcome).toMatchObject({ is: "rejected", why: { code: "not_found" } });
    expect(textsOf(town, town.dock)).toEqual([]);
  });

  test("of which one message is gone: the others have the words", async () => {
    const town = await sendingTown();
    const life = sending(town);
    const posted = messagesOf((await doOp(life, postOf(life.in(town.dock), long("old", 1_500), nobody))).outcome);
    const [first] = ours(town, town.dock);
    if (first !== undefined) town.alice.erase(first);
    const { outcome } = await doOp(life, editOf(life.in(town.dock), posted, "new", nobody));
    expect(textsOf(town, town.dock)).toEqual(["new"]);
    expect(messagesOf(outcome)).toEqual([posted[1]]);
  });

  test("of what another has said: it is refused, with words", async () => {
    const town = await sendingTown();
    const life = sending(town);
    const said = town.alice.say(town.dock, "mine");
    const target = [messageRef(town.dock.id, said.id, false)];
    const { outcome } = await doOp(life, editOf(life.in(town.dock), target, "ours"));
    expect(outcome).toMatchObject({ is: "rejected", why: { code: "forbidden" } });
    expect("why" in outcome ? outcome.why.message : "").toContain("only what the bot itself has posted");
  });

  test("refused half done: that is said", async () => {
    const town = await sendingTown();
    const life = sending(town);
    const posted = messagesOf((await doOp(life, postOf(life.in(town.dock), long("old", 1_000), nobody))).outcome);
    const edited = life.link.api.editText.bind(life.link.api);
    let asked = 0;
    life.link.api.editText = async (...args) => {
      asked += 1;
      if (asked === 2) town.server.refuse("editMessageText", 400, "Bad Request: message can't be edited");
      return await edited(...args);
    };
    const { outcome } = await doOp(life, editOf(life.in(town.dock), posted, long("new", 1_000), nobody));
    expect(outcome.is).toBe("rejected");
    expect("why" in outcome ? outcome.why.message : "").toContain("a part of the message is changed");
  });

  test("what was made before a limit is not made again", async () => {
    const town = await sendingTown();
    const life = sending(town);
    const posted = messagesOf((await doOp(life, postOf(life.in(town.dock), "old", nobody))).outcome);
    const text = long("new", 3_000);
    town.server.limits.group = { count: 3, ms: 30_000 };
    const tries = await doWhole(life, town, editOf(life.in(town.dock), posted, text, nobody));
    expect(kindsOf(tries)).toContain("deferred");
    expect(kindsOf(tries).at(-1)).toBe("delivered");
    expect(textsOf(town, town.dock).join(" ").replaceAll(/\s+/g, " ")).toBe(text);
    expect(town.server.limits.impatient).toBe(0);
  });

  test("a lost answer to what is made is not made again", async () => {
    const town = await sendingTown();
    const life = sending(town);
    const posted = messagesOf((await doOp(life, postOf(life.in(town.dock), "old", nobody))).outcome);
    town.server.faults.loseAnswer({ path: "/sendMessage" });
    const tries = await doWhole(life, town, editOf(life.in(town.dock), posted, long("new", 1_000), nobody));
    expect(kindsOf(tries)).toEqual(["unknown"]);
    expect(ours(town, town.dock)).toHaveLength(2);
  });

  test("a lost answer to a change: it is changed again", async () => {
    const town = await sendingTown();
    const life = sending(town);
    const posted = messagesOf((await doOp(life, postOf(life.in(town.dock), "old", nobody))).outcome);
    town.server.faults.loseAnswer({ path: "/editMessageText" });
    const tries = await doWhole(life, town, editOf(life.in(town.dock), posted, "new", nobody));
    expect(kindsOf(tries).at(-1)).toBe("delivered");
    expect(textsOf(town, town.dock)).toEqual(["new"]);
  });
});

describe("deletions", () => {
  test("of all messages of a post, also of those that are gone", async () => {
    const town = await sendingTown();
    const life = sending(town);
    const posted = messagesOf((await doOp(life, postOf(life.in(town.dock), long("word", 1_500)))).outcome);
    const [, second] = ours(town, town.dock);
    if (second !== undefined) town.alice.erase(second);
    expect((await doOp(life, deleteOf(life.in(town.dock), posted))).outcome.is).toBe("delivered");
    expect((await doOp(life, deleteOf(life.in(town.dock), posted))).outcome.is).toBe("delivered");
    expect(ours(town, town.dock)).toEqual([]);
  });

  test("after 48 hours it is refused, with words", async () => {
    const town = await sendingTown();
    const life = sending(town);
    const posted = messagesOf((await doOp(life, postOf(life.in(town.dock), "hi"))).outcome);
    town.clock.pass(49 * 3_600_000);
    const { outcome } = await doOp(life, deleteOf(life.in(town.dock), posted));
    expect(outcome).toMatchObject({ is: "rejected", why: { code: "forbidden" } });
    expect("why" in outcome ? outcome.why.message : "").toContain("48 hours");
    expect(ours(town, town.dock)).toHaveLength(1);
  });
});

describe("reactions", () => {
  const react = async (standing: readonly string[][], allowed: readonly string[] | null = null) => {
    const town = await sendingTown();
    town.dock.reactions = allowed;
    const life = sending(town);
    const said = town.alice.say(town.dock, "hi");
    const target = messageRef(town.dock.id, said.id, false);
    const outcomes: string[] = [];
    for (const [emoji = "", ...all] of standing)
      outcomes.push((await doOp(life, reactOf(life.in(town.dock), target, emoji, all))).outcome.is);
    return { outcomes, on: said.reactions.get(town.bot.user.id)?.map((one) => ("emoji" in one ? one.emoji : "")) };
  };

  test.each<[string, string[][], readonly string[] | null, string[], string[] | undefined]>([
    ["one is put on", [["👍", "👍"]], null, ["delivered"], ["👍"]],
    ["in Telegram's spelling", [["❤️", "❤️"]], null, ["delivered"], ["❤"]],
    ["the newest counts", [["🔥", "👍", "🔥"]], null, ["delivered"], ["🔥"]],
    [
      "one is taken away, and an older one is there",
      [
        ["🔥", "👍", "🔥"],
        ["🔥", "👍"],
      ],
      null,
      ["delivered", "delivered"],
      ["👍"],
    ],
    ["the last is taken away", [["🔥", "🔥"], ["🔥"]], null, ["delivered", "delivered"], undefined],
    ["none that Telegram has", [["🦜", "🦜"]], null, ["rejected"], undefined],
    ["none that the chat allows", [["🔥", "👍", "🔥"]], ["👍"], ["rejected"], undefined],
    [
      "one that is not allowed is taken away",
      [
        ["👍", "👍", "🦜"],
        ["🦜", "👍"],
      ],
      null,
      ["delivered", "delivered"],
      ["👍"],
    ],
  ])("%s", async (_what, standing, allowed, outcomes, on) => {
    expect(await react(standing, allowed)).toEqual({ outcomes, on });
  });

  test("what the chat has forbidden since", async () => {
    const town = await sendingTown();
    const life = sending(town);
    const said = town.alice.say(town.dock, "hi");
    const channel = life.in(town.dock);
    town.dock.reactions = ["👍"];
    const target = messageRef(town.dock.id, said.id, false);
    const { outcome } = await doOp(life, reactOf(channel, target, "🔥", ["👍", "🔥"]));
    expect(outcome).toMatchObject({ is: "rejected", why: { code: "unsupported" } });
    expect((await doOp(life, reactOf(channel, target, "👍", ["🔥", "👍"]))).outcome.is).toBe("delivered");
    expect((await doOp(life, reactOf(channel, target, "🎉", ["👍", "🔥"]))).outcome.is).toBe("delivered");
    expect(said.reactions.get(town.bot.user.id)).toEqual([{ type: "emoji", emoji: "👍" }]);
  });

  test("to what is gone", async () => {
    const town = await sendingTown();
    const life = sending(town);
    const said = town.alice.say(town.dock, "hi");
    town.alice.erase(said);
    const op = reactOf(life.in(town.dock), messageRef(town.dock.id, said.id, false), "👍", ["👍"]);
    expect((await doOp(life, op)).outcome.is).toBe("delivered");
  });
});
