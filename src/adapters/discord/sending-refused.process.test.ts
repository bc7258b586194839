import { describe, expect, test } from "vitest";
import { bodyOf, doOp, editOf, messagesOf, postOf, reactOf } from "../../../test/contract/ops.ts";
import { RecordingAttempt } from "../../../test/contract/recording-attempt.ts";
import type { Answer } from "../../../test/servers/discord/requests.ts";
import { eventually } from "../../../test/support/wait.ts";
import { messageRef, progressAt } from "./ids.ts";
import { aFile, ours, outLife, outTown, said, saying } from "./sending.suite.ts";

const EXECUTE = { method: "POST", path: /^\/webhooks\/\d+\/[^/]+$/ } as const;

const refusal = (status: number, code: number, message: string, more: object = {}): Answer => ({
  status,
  json: { code, message, ...more },
});

test("a server that refuses files gets the words, and a link for each file", async () => {
  const town = await outTown();
  const life = outLife(town);
  const files = ["a.txt", "b.txt"].map((name) =>
    Object.assign({}, aFile(life, name, 10), { url: `https://media.example/${name}` }),
  );
  const refused = refusal(400, 0, "Bad Request");
  town.server.faults.answer(EXECUTE, refused, 2);
  const { outcome } = await doOp(life, postOf(life.ref, "", { body: bodyOf("look", files) }));
  expect(outcome).toMatchObject({ is: "delivered", receipt: { losses: [{ what: "file" }, { what: "file" }] } });
  expect(said(ours(town))).toEqual(["look\na.txt: https://media.example/a.txt\nb.txt: https://media.example/b.txt"]);
});

test("a hidden picture that the server refuses is a link without a preview", async () => {
  const town = await outTown();
  const life = outLife(town);
  const file = { ...aFile(life, "a.png", 10), url: "https://media.example/a.png", spoiler: "the ending" };
  town.server.faults.answer(EXECUTE, refusal(400, 0, "Bad Request"), 1);
  await doOp(life, postOf(life.ref, "", { body: bodyOf("look", [file]) }));
  expect(ours(town).map(({ wire }) => [wire.content, wire.flags])).toEqual([
    ["look\n[hidden picture: the ending](https://media.example/a.png)", 4],
  ]);
});

describe("a limit", () => {
  test.each([
    ["user", "channel"],
    ["shared", "channel"],
    ["global", "session"],
  ] as const)(
    "of scope %s is waited for, as long as the server says, and nothing is asked before",
    async (kind, scope) => {
      const town = await outTown();
      const life = outLife(town);
      await doOp(life, postOf(life.ref, "one"));
      town.server.faults.limit(EXECUTE, 40, kind);
      const limited = await doOp(life, postOf(life.ref, "two"));
      expect(limited.outcome).toMatchObject({ is: "deferred", why: { code: "rate_limited" }, scope });
      expect(limited.outcome.is === "deferred" && limited.outcome.retryInMs).toBeGreaterThan(35_000);
      const asked = town.server.requests.length;
      const again = await doOp(life, postOf(life.ref, "two"));
      expect(again.outcome).toMatchObject({ is: "deferred", scope });
      expect(town.server.requests.slice(asked).filter((one) => one.startsWith("POST"))).toEqual([]);
      expect(said(ours(town))).toEqual(["one"]);
    },
  );

  test("that says nothing sensible is waited for within limits", async () => {
    const town = await outTown();
    const life = outLife(town);
    await doOp(life, postOf(life.ref, "one"));
    for (const json of [
      { retry_after: 1e12, global: false },
      { retry_after: -5, global: false },
    ]) {
      town.server.faults.answer(EXECUTE, { status: 429, json });
      const { outcome } = await doOp(outLife(town), postOf(life.ref, "two"));
      expect(outcome.is).toBe("deferred");
      const retryInMs = outcome.is === "deferred" ? outcome.retryInMs : 0;
      expect(retryInMs).toBeGreaterThanOrEqual(50);
      expect(retryInMs).toBeLessThanOrEqual(3_600_000);
    }
  });

  test("of slow mode holds up its channel, and the reason says who is free of it", async () => {
    const town = await outTown([]);
    town.server.world.slowsBots = true;
    town.alice.setSlow(town.channel, 30);
    const life = outLife(town);
    await doOp(life, postOf(life.ref, "one"));
    const { outcome } = await doOp(life, postOf(life.ref, "two"));
    expect(outcome).toMatchObject({
      is: "deferred",
      scope: "channel",
      why: { code: "rate_limited", message: saying("Manage Messages") },
    });
  });

  test("holds up nothing of what is said: 60 messages come in order and once, whatever happens to the answers", async () => {
    const town = await outTown();
    const { server } = town;
    server.limits.off = false;
    server.limits.set("POST /webhooks/:webhook/:token", 20, 100);
    let life = outLife(town);
    const words = Array.from({ length: 60 }, (_, at) => (at % 3 === 0 ? "same" : `word ${at}`));
    for (const [at, text] of words.entries()) {
      if (at % 7 === 3) server.faults.loseAnswer(EXECUTE);
      if (at % 11 === 5) server.faults.fail(EXECUTE, 502);
      const op = postOf(life.ref, text);
      for (let tries = 0; ; tries += 1) {
        const { outcome } = await doOp(life, op);
        if (outcome.is === "delivered") break;
        expect(tries).toBeLessThan(1_000);
        expect(["deferred", "unknown"]).toContain(outcome.is);
        if (outcome.is === "unknown" && at % 2 === 0) life = outLife(town, { before: life });
      }
    }
    expect(said(ours(town))).toEqual(words);
  });
});

describe("a refusal", () => {
  test("for a missing right is waited for, and says what is to be changed where", async () => {
    const town = await outTown([]);
    const life = outLife(town);
    town.server.world.overwrite(town.channel, town.guild.id, [], ["SendMessages"]);
    const { outcome } = await doOp(life, postOf(life.ref, "one"));
    expect(outcome).toMatchObject({
      is: "deferred",
      scope: "channel",
      why: { code: "forbidden", message: saying(/Send Messages.*Edit Channel > Permissions/) },
    });
    town.server.world.overwrite(town.channel, town.guild.id, ["SendMessages"], []);
    expect((await doOp(life, postOf(life.ref, "one"))).outcome.is).toBe("delivered");
  });

  test("of a right to webhooks that was taken away leaves the bot to speak", async () => {
    const town = await outTown();
    const life = outLife(town);
    town.server.faults.answer({ method: "GET", path: /\/webhooks$/ }, refusal(403, 50_013, "Missing Permissions"));
    expect((await doOp(life, postOf(life.ref, "one"))).outcome.is).toBe("delivered");
    expect(said(ours(town))).toEqual(["[irc] <Bob> one"]);
    expect(life.host.doubts.at(-1)?.message).toContain("Manage Webhooks");
  });

  test("of a name leaves the bot to say it", async () => {
    const town = await outTown();
    const life = outLife(town);
    town.server.faults.answer(EXECUTE, refusal(400, 50_035, "Invalid Form Body"));
    const { outcome } = await doOp(life, postOf(life.ref, "one"));
    expect(outcome).toMatchObject({ is: "delivered", receipt: { losses: [{ what: "identity" }] } });
    expect(said(ours(town))).toEqual(["[irc] <Bob> one"]);
  });

  test("by what stands before the servers, for a body too large, leaves the file out", async () => {
    const town = await outTown();
    const life = outLife(town);
    town.server.faults.answer(EXECUTE, {
      status: 413,
      headers: { "content-type": "text/html" },
      bytes: "<h1>413</h1>",
    });
    const file = { ...aFile(life, "a.bin", 500), url: "https://e.example/a" };
    const { outcome } = await doOp(life, postOf(life.ref, "look", { body: bodyOf("look", [file]) }));
    expect(outcome).toMatchObject({ is: "delivered", receipt: { losses: [{ what: "file" }] } });
    expect(said(ours(town))).toEqual(["look\na.bin: https://e.example/a"]);
  });

  test("of files says them in words, and needs no request to know it", async () => {
    const town = await outTown([]);
    const life = outLife(town);
    town.server.world.overwrite(town.channel, town.guild.id, [], ["AttachFiles"]);
    const files = [aFile(life, "a.txt", 10)];
    const posted = await doOp(life, postOf(life.ref, "one", { body: bodyOf("one", files) }));
    expect(posted.outcome).toMatchObject({ is: "delivered", receipt: { losses: [{ what: "file" }] } });
    const edit = editOf(life.ref, messagesOf(posted.outcome), "two", { body: bodyOf("two", files) });
    expect((await doOp(life, edit)).outcome).toMatchObject({
      is: "delivered",
      receipt: { losses: [{ what: "file" }] },
    });
    expect(said(ours(town))).toEqual([saying(/^\[irc\] <Bob> two\na\.txt was shared.*Attach Files/)]);
    expect(town.server.limits.invalid).toBe(0);
  });

  test("because the channel is gone, or out of sight, loses it and not the message", async () => {
    const town = await outTown([]);
    const life = outLife(town);
    town.server.world.overwrite(town.channel, town.guild.id, [], ["ViewChannel"]);
    const hidden = await doOp(life, postOf(life.ref, "one"));
    expect(hidden.outcome).toMatchObject({ is: "deferred", scope: "channel", why: { code: "forbidden" } });
    expect(life.host.losses).toMatchObject([{ channel: life.ref, why: { message: saying("View Channel") } }]);
    const other = outLife(town);
    town.server.faults.answer({}, refusal(404, 10_003, "Unknown Channel"));
    expect((await doOp(other, postOf(other.ref, "one"))).outcome).toMatchObject({
      is: "deferred",
      why: { code: "not_found" },
    });
  });

  test.each([
    ["AutoMod", 400, 200_000, "bad_content", "AutoMod"],
    ["harmful links", 400, 240_000, "bad_content", "links"],
    ["an unknown code", 400, 99_999, "bad_content", "Because"],
  ] as const)("by %s is final, and says why", async (_, status, code, reason, words) => {
    const town = await outTown([]);
    const life = outLife(town);
    town.server.faults.answer({ method: "POST" }, refusal(status, code, "Because"));
    const { outcome } = await doOp(life, postOf(life.ref, "one"));
    expect(outcome).toMatchObject({ is: "rejected", why: { code: reason, message: saying(words) } });
  });

  test("of a reaction is final where it cannot change", async () => {
    const town = await outTown();
    const life = outLife(town);
    const row = town.alice.say(town.channel, "hi");
    town.alice.block(town.app.user.id);
    const target = messageRef({ thread: null, id: row.id });
    const blocked = await doOp(life, reactOf(life.ref, target, "👍", ["👍"]));
    expect(blocked.outcome).toMatchObject({ is: "rejected", why: { message: saying("blocked") } });
    town.alice.erase(row);
    expect((await doOp(life, reactOf(life.ref, target, "👍", ["👍"]))).outcome.is).toBe("delivered");
  });
});

describe("nothing leaves", () => {
  test("before the disk knows of it", async () => {
    const town = await outTown();
    const life = outLife(town, { durable: false });
    const { outcome } = await doOp(life, postOf(life.ref, "one", { body: bodyOf("one", [aFile(life, "a", 10)]) }));
    expect(outcome).toMatchObject({ is: "deferred" });
    expect(ours(town)).toEqual([]);
  });

  test("after it was cancelled; what may have left is not said to be undone", async () => {
    const town = await outTown();
    const life = outLife(town);
    await doOp(life, postOf(life.ref, "first"));
    const attempt = new RecordingAttempt();
    attempt.abort();
    expect(await life.handlers.post(postOf(life.ref, "one"), attempt)).toMatchObject({ is: "deferred" });
    const release = town.server.faults.hold(EXECUTE);
    const under = new RecordingAttempt();
    const op = postOf(life.ref, "two");
    const running = life.handlers.post(op, under);
    // It has been announced by then, and the history has been asked.
    await eventually(
      async () => await Promise.resolve(life.link.announced(op.id, progressAt(`1@${town.channel.id}`))),
      (post) => post !== null,
      () => "the post to be announced",
    );
    under.abort();
    expect(await running).toMatchObject({ is: "unknown" });
    release();
  });
});
