import { describe, expect, test } from "vitest";
import { bodyOf, deleteOf, doOp, editOf, messagesOf, postOf, reactOf } from "../../../test/contract/ops.ts";
import { eventually } from "../../../test/support/wait.ts";
import type { PostOp } from "../../contract/ops.ts";
import { messageRef } from "./ids.ts";
import { aFile, ours, oursIn, type OutLife, outLife, outTown, said, saying } from "./sending.suite.ts";
import type { DiscordTown } from "./town.suite.ts";

/** What posts, by the voice that the bot has. */
const VOICES = [
  { who: "a webhook", rights: ["ManageWebhooks"], path: /^\/webhooks\/\d+\/[^/]+$/ },
  { who: "the bot", rights: [], path: /^\/channels\/\d+\/messages$/ },
] as const;

/** A try whose answer is lost, another one of the same life or of the next, and what then stands. */
async function lost(town: DiscordTown, life: OutLife, op: PostOp, path: RegExp, inNextLife: boolean): Promise<OutLife> {
  town.server.faults.loseAnswer({ method: "POST", path });
  const tried = await doOp(life, op);
  expect(tried.outcome.is).toBe("unknown");
  const next = inNextLife ? outLife(town, { before: life }) : life;
  // The server's own memory of nonces is not what is relied on.
  town.server.world.clock.pass(600_000);
  const again = await doOp(next, { ...op, attempt: 2 });
  expect(again.outcome.is).toBe("delivered");
  return next;
}

describe.each(VOICES)("what $who posted without an answer is there once", ({ rights, path }) => {
  for (const inNextLife of [false, true]) {
    const when = inNextLife ? "in a new life, which knows only the cursor" : "when it is tried again";

    test(`${when}: text, among equal ones of the same author before and after it`, async () => {
      const town = await outTown(rights);
      let life = outLife(town);
      const first = messagesOf((await doOp(life, postOf(life.ref, "same"))).outcome);
      life = await lost(town, life, postOf(life.ref, "same"), path, inNextLife);
      town.alice.say(town.channel, "same");
      life = await lost(town, life, postOf(life.ref, "same"), path, inNextLife);
      const last = messagesOf((await doOp(life, postOf(life.ref, "same"))).outcome);
      expect(said(ours(town))).toHaveLength(4);
      expect([ours(town)[0]?.id, ours(town)[3]?.id]).toEqual([...first, ...last]);
    });

    test(`${when}: each of three equal texts has its own message`, async () => {
      const town = await outTown(rights);
      const life = outLife(town);
      const ops = ["a", "b", "c"].map(() => postOf(life.ref, "same"));
      let now = life;
      const refs: unknown[] = [];
      for (const op of ops) {
        town.server.faults.loseAnswer({ method: "POST", path });
        expect((await doOp(now, op)).outcome.is).toBe("unknown");
        if (inNextLife) now = outLife(town, { before: now });
        refs.push(...messagesOf((await doOp(now, op)).outcome));
      }
      expect(ours(town).map(({ id }) => id)).toEqual(refs);
      // What the core had not yet on its disk when it was killed, it tries again.
      now = outLife(town, { before: now });
      for (const [at, op] of ops.entries()) expect(messagesOf((await doOp(now, op)).outcome)).toEqual([refs[at]]);
      expect(ours(town)).toHaveLength(3);
    });

    test(`${when}: with a file`, async () => {
      const town = await outTown(rights);
      const life = outLife(town);
      const file = aFile(life, "a b.txt", 3_000);
      await lost(town, life, postOf(life.ref, "look", { body: bodyOf("look", [file]) }), path, inNextLife);
      expect(ours(town).map(({ wire }) => wire.attachments.length)).toEqual([1]);
    });

    test(`${when}: in a thread, which is begun once, too`, async () => {
      const town = await outTown(rights);
      const life = outLife(town);
      const row = town.alice.say(town.channel, "a question");
      const thread = messageRef({ thread: null, id: row.id });
      town.server.faults.loseAnswer({ method: "POST", path: /\/threads$/ });
      const op = postOf(life.ref, "an answer", { thread });
      expect((await doOp(life, op)).outcome.is).toBe("deferred");
      await lost(town, life, op, path, inNextLife);
      expect(said(oursIn(town, row.id))).toEqual([saying(/an answer$/)]);
      expect([...town.server.world.channels.values()].filter(({ parent }) => parent === town.channel.id)).toHaveLength(
        1,
      );
    });

    test(`${when}: the last part of several`, async () => {
      const town = await outTown(rights);
      const life = outLife(town);
      const text = Array.from({ length: 500 }, (_, at) => `word${at}`).join(" ");
      const op = postOf(life.ref, text);
      // The first part goes through, the answer to the second one is lost.
      town.server.faults.hold({ method: "POST", path })();
      town.server.faults.loseAnswer({ method: "POST", path });
      const tried = await doOp(life, op);
      expect(tried.outcome.is).toBe("unknown");
      expect(tried.attempt.confirmed).toHaveLength(1);
      const next = inNextLife ? outLife(town, { before: life }) : life;
      const again = await doOp(next, { ...op, resume: tried.attempt.confirmed[0] ?? null });
      expect(again.outcome.is).toBe("delivered");
      expect(
        said(ours(town))
          .join(" ")
          .match(/word\d+/g),
      ).toEqual(text.match(/word\d+/g));
    });

    test(`${when}: an edit with a new part and a file, a deletion, a reaction`, async () => {
      const town = await outTown(rights);
      let life = outLife(town);
      const next = (): void => {
        if (inNextLife) life = outLife(town, { before: life });
      };
      // What may be repeated is, when a connection that was kept breaks.
      const lose = (which: { readonly method: string; readonly path?: RegExp }): void => {
        town.server.faults.clear();
        town.server.faults.loseAnswer(which, 2);
      };
      const made = messagesOf((await doOp(life, postOf(life.ref, "one"))).outcome);
      const text = Array.from({ length: 400 }, (_, at) => `word${at}`).join(" ");
      const edit = editOf(life.ref, made, text, { body: bodyOf(text, [aFile(life, "a.txt", 100)]) });
      for (const [method, which] of [
        ["PATCH", /./],
        ["POST", path],
      ] as const) {
        lose({ method, path: which });
        expect((await doOp(life, edit)).outcome.is).toBe("unknown");
        next();
      }
      town.server.faults.clear();
      const now = messagesOf((await doOp(life, edit)).outcome);
      expect(ours(town).map(({ id }) => id)).toEqual(now);
      expect(
        said(ours(town))
          .join(" ")
          .match(/word\d+/g),
      ).toEqual(text.match(/word\d+/g));
      expect(ours(town).flatMap(({ wire }) => wire.attachments)).toHaveLength(1);
      const react = reactOf(life.ref, now[0] ?? made[0]!, "👍", ["👍"]);
      lose({ method: "PUT" });
      expect((await doOp(life, react)).outcome.is).toBe("unknown");
      town.server.faults.clear();
      expect((await doOp(life, react)).outcome.is).toBe("delivered");
      expect(ours(town)[0]?.reactions.map(({ users }) => users.length)).toEqual([1]);
      const erase = deleteOf(life.ref, now);
      lose({ method: "DELETE" });
      expect((await doOp(life, erase)).outcome.is).toBe("unknown");
      town.server.faults.clear();
      next();
      expect((await doOp(life, erase)).outcome.is).toBe("delivered");
      expect(ours(town)).toEqual([]);
    });
  }
});

test("what somebody else says with the same name and words is not taken for ours", async () => {
  const town = await outTown();
  const life = outLife(town);
  const other = town.server.webhooks.make(town.alice.id, town.channel, "theirs", null);
  const theirs = outLife(town, { webhook: { id: other.id, token: other.token } });
  await doOp(life, postOf(life.ref, "first"));
  const op = postOf(life.ref, "same");
  town.server.faults.break({ method: "POST", path: /^\/webhooks/ });
  expect((await doOp(life, op)).outcome.is).toBe("unknown");
  await doOp(theirs, postOf(life.ref, "same"));
  expect((await doOp(life, op)).outcome.is).toBe("delivered");
  expect(said(ours(town))).toEqual(["first", "same", "same"]);
});

describe("webhooks", () => {
  test("are made once, though the answer is lost, in many lives, and by two sessions at once", async () => {
    const town = await outTown();
    const life = outLife(town);
    town.server.faults.loseAnswer({ method: "POST", path: /\/webhooks$/ });
    const op = postOf(life.ref, "one");
    expect((await doOp(life, op)).outcome.is).toBe("deferred");
    expect((await doOp(life, op)).outcome.is).toBe("delivered");
    for (let lives = 0; lives < 3; lives += 1) await doOp(outLife(town), postOf(life.ref, "again"));
    expect(town.server.webhooks.of(town.channel.id)).toHaveLength(1);
    expect(town.server.requests.filter((one) => /^(?:POST|DELETE) .*\/webhooks$/.test(one))).toHaveLength(1);
    const other = await outTown();
    const racing = [outLife(other), outLife(other)];
    // Both look before either of them makes one.
    const release = other.server.faults.hold({ method: "POST", path: /\/webhooks$/ }, 2);
    const posts = racing.map(async (one) => await doOp(one, postOf(one.ref, "now")));
    const looked = (): number => other.server.requests.filter((one) => /^GET .*\/webhooks$/.test(one)).length;
    await eventually(
      async () => await Promise.resolve(looked()),
      (times) => times === 2,
      () => "both to look for webhooks",
    );
    release();
    expect((await Promise.all(posts)).map(({ outcome }) => outcome.is)).toEqual(["delivered", "delivered"]);
    expect(other.server.webhooks.of(other.channel.id)).toHaveLength(1);
    expect(said(ours(other))).toEqual(["now", "now"]);
  });

  test("that were deleted meanwhile are made again; what a deleted one wrote can be deleted, but not edited", async () => {
    const town = await outTown(["ManageWebhooks", "ManageMessages"]);
    const life = outLife(town);
    const old = messagesOf((await doOp(life, postOf(life.ref, "one"))).outcome);
    const [hook] = town.server.webhooks.of(town.channel.id);
    if (hook !== undefined) town.server.webhooks.remove(hook);
    expect((await doOp(life, postOf(life.ref, "two"))).outcome).toMatchObject({
      is: "delivered",
      receipt: { losses: [] },
    });
    expect(ours(town).map(({ wire }) => wire.author.username)).toEqual(["[irc] <Bob>", "[irc] <Bob>"]);
    expect(town.server.webhooks.of(town.channel.id)).toHaveLength(1);
    const edited = await doOp(life, editOf(life.ref, old, "1"));
    expect(edited.outcome).toMatchObject({ is: "rejected", why: { message: saying("webhook") } });
    expect((await doOp(life, deleteOf(life.ref, old))).outcome.is).toBe("delivered");
    expect(said(ours(town))).toEqual(["two"]);
  });

  test("that a channel cannot have more of leave the bot to speak, and the status says what helps", async () => {
    const town = await outTown();
    for (let at = 0; at < 15; at += 1) town.server.webhooks.make(town.alice.id, town.channel, `hook ${at}`, null);
    const life = outLife(town);
    expect((await doOp(life, postOf(life.ref, "one"))).outcome.is).toBe("delivered");
    expect(said(ours(town))).toEqual(["[irc] <Bob> one"]);
    expect(life.host.doubts.at(-1)?.message).toContain("delete one");
  });

  test("of the configuration are used as they are, and what they write is ours", async () => {
    const town = await outTown([]);
    const hook = town.server.webhooks.make(town.alice.id, town.channel, "theirs", null);
    const life = outLife(town, { webhook: { id: hook.id, token: hook.token } });
    const made = messagesOf((await doOp(life, postOf(life.ref, "one"))).outcome);
    await doOp(life, editOf(life.ref, made, "two"));
    expect(ours(town).map(({ wire }) => [wire.author.username, wire.content])).toEqual([["[irc] <Bob>", "two"]]);
    const [row] = ours(town);
    expect(row?.wire.webhook_id).toBe(hook.id);
    await doOp(life, deleteOf(life.ref, made));
    expect(ours(town)).toEqual([]);
  });
});
