import { describe, expect, test } from "vitest";
import { until } from "../../../test/contract/life.ts";
import { BOB, bodyOf, deleteOf, doOp, editOf, messagesOf, postOf, reactOf } from "../../../test/contract/ops.ts";
import { aSharedFile, fileIdOf, someBytes } from "../../../test/contract/shared-file.ts";
import { RecordingAttempt } from "../../../test/contract/recording-attempt.ts";
import { within } from "../../../test/support/wait.ts";
import type { MessageRef } from "../../contract/ids.ts";
import { progressAt } from "./ids.ts";
import { live, mattermostTown } from "./town.suite.ts";
import { ours } from "./town.suite.ts";

const ref = (id: string): MessageRef => id as MessageRef;

describe("posts", () => {
  test("show name and picture of their author, and his words as he typed them", async () => {
    const town = await mattermostTown({ config: { usernameOverride: true, iconOverride: true } });
    const life = await live(town);
    const avatar = aSharedFile({ name: "avatar", url: "https://e.example/bob.png" });
    const { outcome, attempt } = await doOp(life, postOf(life.ref, "*hi* @all", { author: { ...BOB, avatar } }));
    const [post] = ours(town);
    expect(post).toMatchObject({
      message: "\\*hi\\* @\u200ball",
      props: {
        from_webhook: "true",
        override_username: "[irc] <Bob>",
        override_icon_url: "https://e.example/bob.png",
      },
    });
    expect(outcome).toEqual({ is: "delivered", receipt: { messages: [post?.id], losses: [] } });
    expect(attempt.messages).toEqual([post?.id]);
  });

  test("begin with the name where the server forbids other ones, and the status says what helps", async () => {
    const town = await mattermostTown({ config: { usernameOverride: false } });
    const life = await live(town);
    await doOp(life, postOf(life.ref, "hi"));
    await doOp(life, postOf(life.ref, "waves", { body: { ...bodyOf("waves"), style: "action" } }));
    expect(ours(town).map(({ message }) => message)).toEqual(["[irc] <Bob> hi", "[irc] <Bob> _waves_"]);
    expect(life.host.doubts.at(-1)?.message ?? life.host.doubts[0]?.message).toContain("override usernames");
  });

  test("name people of the channel, and nobody else", async () => {
    const town = await mattermostTown();
    const life = await live(town);
    await doOp(life, postOf(life.ref, "alice: see @Alice, @nobody and @here"));
    await doOp(life, postOf(life.ref, "@room!", { mayPing: { users: false, everyone: true } }));
    await doOp(life, postOf(life.ref, "@alice", { mayPing: { users: false, everyone: false } }));
    const texts = ours(town).map(({ message }) => message);
    expect(texts[0]).toContain("@alice: see @alice, @\u200bnobody and @\u200bhere");
    expect(texts[1]).toContain("@all!");
    expect(texts[2]).toContain("@\u200balice");
  });

  test("answer in the thread of what they answer, also when that is an answer, and also when it is gone", async () => {
    const town = await mattermostTown();
    const life = await live(town);
    const { alice, channel } = town;
    const root = await alice.say(channel, "root");
    const answer = await alice.reply(root, "an answer");
    const reply = { target: ref(answer.id), name: "Alice", excerpt: "an answer" };
    await doOp(life, postOf(life.ref, "one", { reply }));
    await doOp(life, postOf(life.ref, "two", { reply, thread: ref(root.id) }));
    expect(ours(town).map(({ root_id: id }) => id)).toEqual([root.id, root.id]);
    alice.erase(root.id);
    const { outcome } = await doOp(life, postOf(life.ref, "three", { reply }));
    expect(outcome).toMatchObject({ is: "delivered", receipt: { losses: [{ what: "reply" }] } });
    expect(ours(town).at(-1)?.root_id).toBe("");
  });

  test("have their files with them, ten in each; what is too large is a link", async () => {
    const town = await mattermostTown({ config: { maxFileSize: 5_000 } });
    const life = await live(town);
    const files = Array.from({ length: 11 }, (_, at) => {
      const name = `f${at}.bin`;
      life.host.files.set(fileIdOf(name), someBytes(1_000 + at));
      return aSharedFile({ name, id: fileIdOf(name), bytes: 1_000 + at });
    });
    const large = aSharedFile({ name: "x.bin", id: fileIdOf("x.bin"), bytes: 6_000, url: "https://e.example/x.bin" });
    const { outcome } = await doOp(life, postOf(life.ref, "look", { body: bodyOf("look", [...files, large]) }));
    const posts = ours(town);
    expect(posts.map(({ file_ids: ids }) => ids?.length ?? 0)).toEqual([10, 1]);
    expect(posts[0]?.message).toContain("look\nx.bin: https://e.example/x.bin");
    expect(outcome).toMatchObject({ is: "delivered", receipt: { losses: [{ what: "file" }] } });
    const [first] = posts[0]?.file_ids ?? [];
    expect(town.server.world.files.get(first ?? "")?.content).toEqual(Buffer.from(someBytes(1_000)));
  });

  test("of more than the server takes are several, in order and with every word", async () => {
    const town = await mattermostTown({ config: { maxPostSize: 300 } });
    const life = await live(town);
    const words = Array.from({ length: 200 }, (_, at) => `*word${at}*`).join(" ");
    const { outcome } = await doOp(life, postOf(life.ref, words));
    const texts = ours(town).map(({ message }) => message);
    expect(texts.every((text) => text.length <= 300)).toBe(true);
    expect(texts.join(" ").match(/word\d+/g)).toEqual(words.match(/word\d+/g));
    expect(messagesOf(outcome)).toHaveLength(texts.length);
  });
});

describe("what is changed", () => {
  test("edits replace all posts of a message: too many are deleted, missing ones are made", async () => {
    const town = await mattermostTown({ config: { maxPostSize: 100 } });
    const life = await live(town);
    const long = (word: string): string => Array.from({ length: 25 }, (_, at) => `${word}${at}`).join(" ");
    const first = messagesOf((await doOp(life, postOf(life.ref, long("old")))).outcome);
    expect(first.length).toBeGreaterThan(1);
    const shorter = await doOp(life, editOf(life.ref, first, "short"));
    expect(messagesOf(shorter.outcome)).toEqual(first.slice(0, 1));
    expect(ours(town).map(({ message }) => message.replace("[irc] <Bob> ", ""))).toEqual(["short"]);
    const longer = await doOp(life, editOf(life.ref, first.slice(0, 1), long("new")));
    const now = messagesOf(longer.outcome);
    expect(now.length).toBe(first.length);
    expect(ours(town).map(({ id }) => id)).toEqual(now);
    const same = await doOp(life, editOf(life.ref, now, long("xyz")));
    expect(messagesOf(same.outcome)).toEqual([]);
    const gone = await doOp(life, deleteOf(life.ref, now));
    expect(gone.outcome.is).toBe("delivered");
    expect((await doOp(life, deleteOf(life.ref, now))).outcome.is).toBe("delivered");
    expect(ours(town)).toEqual([]);
    expect((await doOp(life, editOf(life.ref, now, "late"))).outcome).toMatchObject({ is: "rejected" });
  });

  test("an edit keeps the files, and brings what has come with it", async () => {
    const town = await mattermostTown();
    const life = await live(town);
    const files = ["a", "b"].map((name) => {
      life.host.files.set(fileIdOf(name), someBytes(100));
      return aSharedFile({ name, id: fileIdOf(name), bytes: 100 });
    });
    const made = messagesOf(
      (await doOp(life, postOf(life.ref, "one", { body: bodyOf("one", files.slice(0, 1)) }))).outcome,
    );
    const edit = async (target: readonly MessageRef[], text: string): Promise<readonly MessageRef[]> =>
      messagesOf((await doOp(life, editOf(life.ref, target, text, { body: bodyOf(text, files) }))).outcome);
    const shown = () => ours(town).map(({ message, file_ids: ids }) => [message.replace(/^.*> /, ""), ids?.length]);
    const both = await edit(made, "two");
    expect(shown()).toEqual([
      ["two", 1],
      ["", 1],
    ]);
    expect(both).toEqual(ours(town).map(({ id }) => id));
    expect(await edit(both, "three")).toEqual([]);
    expect(shown()).toEqual([
      ["three", 1],
      ["", 1],
    ]);
    expect(town.server.world.files.size).toBe(2);
    await doOp(life, deleteOf(life.ref, both));
    expect(ours(town)).toEqual([]);
  });

  test("an edit that is longer leaves many files where they are, and one that is shorter too", async () => {
    const town = await mattermostTown({ config: { maxPostSize: 100 } });
    const life = await live(town);
    const files = Array.from({ length: 12 }, (_, at) => {
      const id = fileIdOf(`f${at}`);
      life.host.files.set(id, someBytes(100 + at));
      return aSharedFile({ name: `f${at}`, id, bytes: 100 + at });
    });
    const long = Array.from({ length: 30 }, (_, at) => `word${at}`).join(" ");
    const shown = () => ours(town).map(({ file_ids: ids }) => ids?.length ?? 0);
    let target = messagesOf(
      (await doOp(life, postOf(life.ref, "one", { body: bodyOf("one", files.slice(0, 11)) }))).outcome,
    );
    expect(shown()).toEqual([10, 1]);
    for (const [text, counts] of [
      [long, [10, 1, 0, 1]],
      ["short", [10, 1, 1]],
      [long, [10, 1, 1]],
    ] as const) {
      const { outcome } = await doOp(life, editOf(life.ref, target, text, { body: bodyOf(text, files) }));
      expect(outcome.is).toBe("delivered");
      if (messagesOf(outcome).length > 0) target = messagesOf(outcome);
      expect(shown()).toEqual(counts);
      expect(target).toEqual(ours(town).map(({ id }) => id));
      const words = ours(town).map(({ message }) => message.replace(/^.*> /, ""));
      expect(words.join(" ").match(/\w+/g)).toEqual(text.split(" "));
    }
  });

  test("an edit brings no file twice, whatever else of the message was too large", async () => {
    const town = await mattermostTown({ config: { maxFileSize: 5_000 } });
    const life = await live(town);
    const files = [6_000, 100, 200].map((bytes) => {
      const id = fileIdOf(`a/b of ${bytes}`);
      life.host.files.set(id, someBytes(bytes));
      return aSharedFile({ name: "a/b", id, bytes });
    });
    const made = messagesOf((await doOp(life, postOf(life.ref, "one", { body: bodyOf("one", files) }))).outcome);
    await doOp(life, editOf(life.ref, made, "two", { body: bodyOf("two", files) }));
    const posts = ours(town);
    expect(posts.map(({ file_ids: ids }) => ids?.length)).toEqual([2]);
    expect(posts[0]?.message).toContain("two");
    expect(town.server.world.files.size).toBe(2);
  });

  test("reactions stand as long as somebody elsewhere has them", async () => {
    const town = await mattermostTown();
    const life = await live(town);
    const post = await town.alice.say(town.channel, "hi");
    const shown = (): readonly string[] =>
      (town.server.world.reactions.get(post.id) ?? [])
        .filter(({ user_id: id }) => id === town.bot.id)
        .map((one) => one.emoji_name);
    for (const emoji of ["👍", "❤️", "😄", "🇩🇪", "👍🏽"]) {
      expect((await doOp(life, reactOf(life.ref, ref(post.id), emoji, [emoji]))).outcome.is).toBe("delivered");
      expect(shown().length).toBeGreaterThan(0);
      expect((await doOp(life, reactOf(life.ref, ref(post.id), emoji, []))).outcome.is).toBe("delivered");
      expect([emoji, ...shown()]).toEqual([emoji]);
    }
    town.server.world.emoji.set("parrot", "emojiid");
    expect((await doOp(life, reactOf(life.ref, ref(post.id), ":parrot:", [":parrot:"]))).outcome.is).toBe("delivered");
    expect(shown()).toContain("parrot");
    const unknown = await doOp(life, reactOf(life.ref, ref(post.id), ":no_such:", [":no_such:"]));
    expect(unknown.outcome).toMatchObject({ is: "rejected", why: { code: "unsupported" } });
    town.alice.erase(post.id);
    expect((await doOp(life, reactOf(life.ref, ref(post.id), "👍", ["👍"]))).outcome.is).toBe("delivered");
  });
});

describe("when something goes wrong", () => {
  test("a reaction waits while the server cannot say whether it has the emoji", async () => {
    const town = await mattermostTown();
    const life = await live(town);
    town.server.world.emoji.set("our_logo", "emojiid");
    const post = await town.alice.say(town.channel, "hi");
    const react = async (emoji = ":our_logo:") =>
      (await doOp(life, reactOf(life.ref, ref(post.id), emoji, [emoji]))).outcome;
    const EMOJI = { method: "GET", path: /^\/emoji\/name\// };
    town.server.faults.fail(EMOJI, 502);
    expect(await react()).toMatchObject({ is: "unknown" });
    town.server.faults.fail(EMOJI, 501);
    expect(await react()).toMatchObject({ is: "rejected", why: { code: "unsupported" } });
    expect(await react()).toMatchObject({ is: "delivered" });
    town.server.faults.limit(EMOJI, 7);
    expect(await react(":other_logo:")).toMatchObject({ is: "deferred", retryInMs: 7_000 });
  });

  test("what was done without an answer is done once: retried at once, behind the window, after a restart, in another life", async () => {
    const town = await mattermostTown();
    const { server } = town;
    const life = await live(town);
    const POSTS = { method: "POST", path: /^\/posts$/ };
    const lose = async (text: string) => {
      server.faults.loseAnswer(POSTS);
      const op = postOf(life.ref, text);
      expect((await doOp(life, op)).outcome.is).toBe("unknown");
      return op;
    };
    const one = await lose("one");
    expect((await doOp(life, { ...one, attempt: 2 })).outcome.is).toBe("delivered");
    const two = await lose("two");
    server.world.clock.pass(60_000);
    expect((await doOp(life, { ...two, attempt: 2 })).outcome.is).toBe("delivered");
    const three = await lose("three");
    await server.restart();
    const next = await live(town);
    expect((await doOp(next, three)).outcome.is).toBe("delivered");
    server.faults.break(POSTS);
    const four = postOf(next.ref, "four");
    expect((await doOp(next, four)).outcome.is).toBe("unknown");
    expect((await doOp(next, { ...four, attempt: 2 })).outcome.is).toBe("delivered");
    expect(ours(town).map(({ message }) => message.replace(/^.* /, ""))).toEqual(["one", "two", "three", "four"]);
  });

  test("300 messages come in order and once, whatever happens to the answers", async () => {
    const town = await mattermostTown();
    const { server } = town;
    let life = await live(town);
    for (let at = 0; at < 300; at += 1) {
      const which = { method: "POST", path: /^\/posts$/ };
      if (at % 7 === 3) server.faults.loseAnswer(which);
      if (at % 11 === 5) server.faults.break(which);
      if (at % 50 === 20) server.posts.forget();
      if (at % 100 === 50) life = await live(town);
      const op = postOf(life.ref, `no. ${at}`);
      for (let attempt = 1; ; attempt += 1) {
        if (at % 100 === 52 && attempt === 2) life = await live(town);
        const { outcome } = await doOp(life, { ...op, attempt });
        if (outcome.is === "delivered") break;
        expect(attempt).toBeLessThan(5);
      }
    }
    expect(ours(town).map(({ message }) => message.replace(/^.*no\. /, ""))).toEqual(
      Array.from({ length: 300 }, (_, at) => String(at)),
    );
  });

  test("files of a post that an earlier life made are not brought once more", async () => {
    const town = await mattermostTown({ config: { maxPostSize: 100 } });
    const [life, next] = [await live(town), await live(town)];
    for (const { host } of [life, next]) host.files.set(fileIdOf("a"), someBytes(100));
    const file = aSharedFile({ name: "a", id: fileIdOf("a"), bytes: 100 });
    const words = Array.from({ length: 25 }, (_, at) => `word${at}`).join(" ");
    const op = postOf(life.ref, words, { body: bodyOf(words, [file]) });
    const made = messagesOf((await doOp(life, op)).outcome);
    expect(made.length).toBeGreaterThan(1);
    expect(messagesOf((await doOp(next, op)).outcome)).toEqual(made);
    expect(messagesOf((await doOp(next, { ...op, resume: progressAt("1") })).outcome)).toEqual(made.slice(1));
    expect(ours(town).map(({ id }) => id)).toEqual(made);
    expect(town.server.world.files.size).toBe(1);
  });

  test("a post that arrives while its files are brought there for the next try is not made again", async () => {
    const town = await mattermostTown();
    const { server } = town;
    const life = await live(town);
    server.world.hub.dropped.add("posted");
    life.host.files.set(fileIdOf("a"), someBytes(100));
    const body = bodyOf("look", [aSharedFile({ name: "a", id: fileIdOf("a"), bytes: 100 })]);
    const op = postOf(life.ref, "look", { body });
    const asked = async (request: string, count: number) =>
      await until(life.host, () => server.requests.filter((one) => one.startsWith(request)).length >= count);
    const arrive = server.faults.hold({ method: "POST", path: /^\/posts$/ });
    const attempt = new RecordingAttempt();
    const first = life.session.handlers.post(op, attempt);
    await asked("POST /posts", 1);
    attempt.abort();
    expect(await first).toMatchObject({ is: "unknown" });
    const upload = server.faults.hold({ method: "POST", path: "/files" });
    const second = doOp(life, { ...op, attempt: 2 });
    await asked("POST /files", 2);
    arrive();
    await until(life.host, () => ours(town).length === 1);
    // The server knows the repeated post for half a minute.
    server.world.clock.pass(60_000);
    upload();
    expect((await second).outcome).toMatchObject({ is: "delivered", receipt: { messages: [ours(town)[0]?.id] } });
    expect(ours(town)).toHaveLength(1);
  });

  test("a post that is cancelled waits for nobody whom it names", async () => {
    const town = await mattermostTown();
    const life = await live(town);
    const go = town.server.faults.hold({ method: "GET", path: /^\/users\/username\// });
    const attempt = new RecordingAttempt();
    const posting = life.session.handlers.post(postOf(life.ref, "see @alice"), attempt);
    await until(life.host, () => town.server.requests.some((request) => request.includes("/users/username/")));
    attempt.abort();
    expect(await within(posting, () => "the outcome")).toMatchObject({ is: "deferred", why: { code: "stopping" } });
    go();
    expect((await doOp(life, postOf(life.ref, "see @alice"))).outcome.is).toBe("delivered");
    expect(ours(town).map(({ message }) => message)).toEqual([expect.stringContaining("@alice")]);
  });

  test("a limit is waited for, as long as the server says", async () => {
    const town = await mattermostTown();
    const life = await live(town);
    town.server.faults.limit({ method: "POST", path: /^\/posts$/ }, 7);
    const { outcome } = await doOp(life, postOf(life.ref, "hi"));
    expect(outcome).toMatchObject({
      is: "deferred",
      retryInMs: 7_000,
      scope: "session",
      why: { code: "rate_limited" },
    });
    expect(ours(town)).toEqual([]);
  });

  test("a missing permission is named, and where it is given", async () => {
    const town = await mattermostTown();
    const life = await live(town);
    town.bot.account.denied.add("create_post");
    const { outcome } = await doOp(life, postOf(life.ref, "hi"));
    expect(outcome).toMatchObject({ is: "deferred", scope: "channel", why: { code: "forbidden" } });
    expect(JSON.stringify(outcome)).toMatch(/create_post.*System Console/);
    const named = expect.stringMatching(/^town: .*create_post.*System Console/) as string;
    expect(life.host.doubts.at(-1)).toEqual({ code: "forbidden", message: named });
    town.bot.account.denied.clear();
    const made = messagesOf((await doOp(life, postOf(life.ref, "hi"))).outcome);
    expect(life.host.doubts.at(-1)).toBeNull();
    town.bot.account.denied.add("edit_post");
    expect((await doOp(life, editOf(life.ref, made, "ho"))).outcome).toMatchObject({
      is: "rejected",
      why: { code: "forbidden", message: expect.stringContaining("edit_post") as string },
    });
    expect(life.host.losses).toEqual([]);
  });

  test("a channel that is archived, or that we were removed from, is lost and not refused", async () => {
    const town = await mattermostTown();
    const life = await live(town);
    town.server.sockets.blind = true;
    const ops = [postOf(life.ref, "one"), postOf(life.ref, "two")];
    town.server.faults.answer(
      { method: "POST", path: /^\/posts$/ },
      { status: 400, json: { id: "api.post.create_post.can_not_post_to_deleted.error", message: "Can not post." } },
    );
    const archived = await doOp(life, ops[0] ?? postOf(life.ref, ""));
    expect(archived.outcome).toMatchObject({ is: "deferred", scope: "channel" });
    expect(life.host.losses.map(({ why }) => why.message).join()).toContain("archived");
  });
});
