import { describe, expect, test } from "vitest";
import { bodyOf, deleteOf, doOp, editOf, messagesOf, postOf, reactOf } from "../../../test/contract/ops.ts";
import { RecordingAttempt } from "../../../test/contract/recording-attempt.ts";
import { seat } from "../../../test/servers/telegram/people.ts";
import type { ChatRow } from "../../../test/servers/telegram/wire.ts";
import { ALL_PERMISSIONS } from "../../../test/servers/telegram/world.ts";
import { eventually } from "../../../test/support/wait.ts";
import type { Outcome } from "../../contract/outcome.ts";
import { messageRef } from "./ids.ts";
import {
  aFile,
  doWhole,
  kindsOf,
  ours,
  sending,
  type TelegramSendingLife,
  type TelegramSendingTown,
  sendingTown,
  textsOf,
} from "./sending.suite.ts";

const nobody = { author: null };
const long = (word: string, count: number): string =>
  Array.from({ length: count }, (_, at) => `${word}${at}`).join(" ");
const wordsOf = (outcome: Outcome): string => ("why" in outcome ? outcome.why.message : "");

describe("limits", () => {
  test("sixty posts to a group that takes twenty a minute: all of them, in order, and no request in a ban", async () => {
    const town = await sendingTown();
    const life = sending(town);
    town.server.limits.on();
    const elsewhere: Outcome[] = [];
    for (let at = 0; at < 60; at += 1) {
      const tries = await doWhole(life, town, postOf(life.in(town.dock), `m${at}`, nobody));
      expect(kindsOf(tries).at(-1)).toBe("delivered");
      if (tries.length === 1 || elsewhere.length > 5) continue;
      elsewhere.push((await doOp(life, postOf(life.in(town.pier), "elsewhere", nobody))).outcome);
    }
    expect(textsOf(town, town.dock)).toEqual(Array.from({ length: 60 }, (_, at) => `m${at}`));
    expect(town.server.limits.impatient).toBe(0);
    expect(town.server.limits.refused).toBeGreaterThan(0);
    expect(elsewhere.map(({ is }) => is)).toEqual(elsewhere.map(() => "delivered"));
    expect(elsewhere.length).toBeGreaterThan(0);
  });

  test("while a chat is shut the bot does not type there; a refusal of typing holds up no message", async () => {
    const town = await sendingTown();
    const life = sending(town);
    const dock = life.in(town.dock);
    const typed = (): number => town.server.requests.filter((one) => one.endsWith("/sendChatAction")).length;
    town.server.limit({ path: "/sendChatAction" }, 30);
    life.typing.show(dock, true);
    await eventually(
      () => Promise.resolve(typed()),
      (count) => count === 1,
      () => "the request",
    );
    expect((await doOp(life, postOf(dock, "one"))).outcome.is).toBe("delivered");
    const pier = life.in(town.pier);
    town.server.limit({ path: "/sendMessage" }, 30);
    expect((await doOp(life, postOf(pier, "two"))).outcome.is).toBe("deferred");
    life.typing.show(pier, true);
    life.typing.show(dock, true);
    expect((await doOp(life, postOf(dock, "three"))).outcome.is).toBe("delivered");
    expect(typed()).toBe(1);
  });

  test("while a chat is shut nothing is asked there, and others go on", async () => {
    const town = await sendingTown();
    const life = sending(town);
    const [ref = messageRef(0, 0, false)] = messagesOf((await doOp(life, postOf(life.in(town.dock), "one"))).outcome);
    town.server.limit({ path: "/sendMessage" }, 30);
    const dock = life.in(town.dock);
    expect((await doOp(life, postOf(dock, "two"))).outcome).toMatchObject({
      is: "deferred",
      retryInMs: 30_000,
      scope: "channel",
      why: { code: "rate_limited" },
    });
    const asked = town.server.requests.length;
    const ops = [
      postOf(dock, "two"),
      editOf(dock, [ref], "2"),
      deleteOf(dock, [ref]),
      reactOf(dock, ref, "👍", ["👍"]),
    ];
    for (const op of ops) {
      const { outcome } = await doOp(life, op);
      expect(outcome).toMatchObject({ is: "deferred", scope: "channel", why: { code: "rate_limited" } });
      expect(outcome.is === "deferred" && outcome.retryInMs > 20_000 && outcome.retryInMs <= 30_000).toBe(true);
    }
    expect(town.server.requests).toHaveLength(asked);
    expect((await doOp(life, postOf(life.in(town.pier), "elsewhere"))).outcome.is).toBe("delivered");
    town.clock.pass(30_000);
    expect((await doOp(life, postOf(dock, "two"))).outcome.is).toBe("delivered");
  });

  test("all topics of a chat share its limit", async () => {
    const town = await sendingTown();
    const life = sending(town);
    const topic = town.alice.createTopic(town.forum, "Ropes");
    town.server.limit({ path: "/sendMessage" }, 30);
    await doOp(life, postOf(life.in(town.forum), "one"));
    expect((await doOp(life, postOf(life.in(town.forum, topic.id), "two"))).outcome.is).toBe("deferred");
    expect(textsOf(town, town.forum)).toEqual([]);
  });

  test("slow mode", async () => {
    const town = await sendingTown();
    const life = sending(town);
    town.dock.slowMode = 30;
    for (const text of ["one", "two", "three"])
      expect(kindsOf(await doWhole(life, town, postOf(life.in(town.dock), text, nobody))).at(-1)).toBe("delivered");
    expect(textsOf(town, town.dock)).toEqual(["one", "two", "three"]);
    expect(town.server.requests.filter((one) => one.includes("sendMessage"))).toHaveLength(5);
  });

  test("in the middle of a long text: it goes on behind what was sent", async () => {
    const town = await sendingTown();
    const life = sending(town);
    town.server.limits.group = { count: 2, ms: 20_000 };
    const text = long("word", 4_000);
    const tries = await doWhole(life, town, postOf(life.in(town.dock), text, nobody));
    expect(
      kindsOf(tries)
        .slice(0, -1)
        .every((kind) => kind === "deferred"),
    ).toBe(true);
    expect(tries.length).toBeGreaterThan(2);
    expect(textsOf(town, town.dock).join(" ").replaceAll(/\s+/g, " ")).toBe(text);
    expect(tries.flatMap(({ attempt }) => attempt.messages)).toHaveLength(textsOf(town, town.dock).length);
  });
});

describe("an answer that never came", () => {
  test.each(["loseAnswer", "break"] as const)("of a post (%s): it is not said twice", async (what) => {
    const town = await sendingTown();
    const life = sending(town);
    town.server.faults[what]({ path: "/sendMessage" });
    const tries = await doWhole(life, town, postOf(life.in(town.dock), "hi", nobody));
    expect(kindsOf(tries)).toEqual(["unknown"]);
    expect(textsOf(town, town.dock)).toEqual(what === "break" ? [] : ["hi"]);
  });

  test("what comes next waits until there are answers again, and is in no doubt", async () => {
    const town = await sendingTown();
    const life = sending(town);
    const { faults, requests } = town.server;
    const dock = life.in(town.dock);
    faults.break({ path: "/sendMessage" });
    expect((await doOp(life, postOf(dock, "one", nobody))).outcome.is).toBe("unknown");
    for (let tries = 0; tries < 2; tries += 1) {
      faults.break({ path: "/getMe" });
      const { outcome, attempt } = await doOp(life, postOf(dock, "two", nobody));
      expect([outcome.is, attempt.allowed]).toEqual(["deferred", []]);
    }
    expect((await doOp(life, postOf(dock, "two", nobody))).outcome.is).toBe("delivered");
    expect((await doOp(life, postOf(dock, "three", nobody))).outcome.is).toBe("delivered");
    expect(textsOf(town, town.dock)).toEqual(["two", "three"]);
    expect(requests.filter((one) => one.includes("getMe"))).toHaveLength(3);
  });

  test("of a part in the middle: the others come, once", async () => {
    const town = await sendingTown();
    const life = sending(town);
    const text = long("word", 3_000);
    let asked = 0;
    const said = life.link.api.sendText.bind(life.link.api);
    life.link.api.sendText = async (...args) => {
      asked += 1;
      if (asked === 2) town.server.faults.loseAnswer({ path: "/sendMessage" });
      return await said(...args);
    };
    const tries = await doWhole(life, town, postOf(life.in(town.dock), text, nobody));
    expect(kindsOf(tries)).toEqual(["unknown", "delivered"]);
    expect(textsOf(town, town.dock).join(" ").replaceAll(/\s+/g, " ")).toBe(text);
  });

  test("of an album", async () => {
    const town = await sendingTown();
    const life = sending(town);
    town.server.faults.loseAnswer({ path: "/sendMediaGroup" });
    const files = [aFile(life, "a.txt"), aFile(life, "b.txt")];
    const tries = await doWhole(life, town, postOf(life.in(town.dock), "", { body: bodyOf("hi", files) }));
    expect(kindsOf(tries)).toEqual(["unknown"]);
    expect(textsOf(town, town.dock)).toHaveLength(2);
  });

  test("a server in trouble", async () => {
    const town = await sendingTown();
    const life = sending(town);
    town.server.faults.fail({ path: "/sendMessage" }, 502);
    expect((await doOp(life, postOf(life.in(town.dock), "hi"))).outcome.is).toBe("unknown");
  });

  test("nobody listens at all: that is certain", async () => {
    const town = await sendingTown();
    const life = sending(town);
    await town.server.stop();
    const { outcome, attempt } = await doOp(life, postOf(life.in(town.dock), "hi"));
    expect(outcome).toMatchObject({ is: "deferred", why: { code: "network" } });
    expect(attempt.confirmed).toEqual([]);
    expect(wordsOf(outcome)).not.toContain(town.bot.token);
  });
});

describe("an attempt that must end", () => {
  test("before it begins", async () => {
    const town = await sendingTown();
    const life = sending(town);
    const attempt = new RecordingAttempt();
    attempt.abort();
    expect((await life.handlers.post(postOf(life.in(town.dock), "hi"), attempt)).is).toBe("deferred");
    expect(town.server.requests).toEqual([]);
  });

  test("between its parts", async () => {
    const town = await sendingTown();
    const life = sending(town);
    const attempt = new RecordingAttempt();
    attempt.onSent = () => attempt.abort();
    const outcome = await life.handlers.post(postOf(life.in(town.dock), long("word", 2_000)), attempt);
    expect([outcome.is, attempt.confirmed.length]).toEqual(["deferred", 1]);
    expect(textsOf(town, town.dock)).toHaveLength(1);
  });

  test("that may not announce sends nothing", async () => {
    const town = await sendingTown();
    const life = sending(town);
    const attempt = new RecordingAttempt(() => false);
    expect((await life.handlers.post(postOf(life.in(town.dock), "hi"), attempt)).is).toBe("deferred");
    expect(town.server.requests).toEqual([]);
  });
});

describe("refusals", () => {
  type Doing = (town: TelegramSendingTown, life: TelegramSendingLife) => void;
  test.each<[string, Doing, string]>([
    ["kicked", ({ alice, dock, bot }) => alice.kick(dock, bot), "add @Rialto_bot"],
    ["the chat is unknown", ({ dock, bot }) => void dock.members.delete(bot.user.id), "add @Rialto_bot"],
  ])("%s: the room is lost, with what helps", async (_what, change, words) => {
    const town = await sendingTown();
    const life = sending(town);
    const channel = life.in(town.dock);
    change(town, life);
    const { outcome } = await doOp(life, postOf(channel, "hi"));
    expect(outcome).toMatchObject({ is: "deferred", scope: "channel" });
    expect(life.host.losses).toMatchObject([{ channel }]);
    expect(life.host.losses[0]?.why.message).toContain(words);
  });

  test("restricted: a person may change that", async () => {
    const town = await sendingTown();
    const life = sending(town);
    town.alice.restrict(town.dock, town.bot);
    const { outcome } = await doOp(life, postOf(life.in(town.dock), "hi"));
    expect(outcome).toMatchObject({ is: "deferred", scope: "channel", why: { code: "forbidden" } });
    expect(wordsOf(outcome)).toContain("every minute");
    expect(life.host.doubts.map((why) => why?.message)).toEqual([expect.stringMatching(/let @Rialto_bot do that/)]);
    seat(town.dock, town.bot);
    expect((await doOp(life, postOf(life.in(town.dock), "hi"))).outcome.is).toBe("delivered");
    expect(life.host.doubts.at(-1)).toBeNull();
  });

  test("no pictures, no documents: what was shared is said", async () => {
    const town = await sendingTown();
    const life = sending(town);
    town.dock.permissions = { ...ALL_PERMISSIONS, can_send_photos: false, can_send_documents: false };
    const body = bodyOf("look", [aFile(life, "a.jpg")]);
    const { outcome } = await doOp(life, postOf(life.in(town.dock), "", { body, ...nobody }));
    expect(outcome).toMatchObject({ is: "delivered", receipt: { losses: [{ what: "file" }] } });
    expect(textsOf(town, town.dock)[0]).toMatch(
      /^look\na\.jpg was shared, but could not be copied here \(.*documents/s,
    );
  });

  test("no pictures, but documents: it goes as one", async () => {
    const town = await sendingTown();
    const life = sending(town);
    town.dock.permissions = { ...ALL_PERMISSIONS, can_send_photos: false };
    const body = bodyOf("look", [aFile(life, "a.jpg")]);
    await doOp(life, postOf(life.in(town.dock), "", { body, ...nobody }));
    expect(textsOf(town, town.dock)).toEqual(["look [document a.jpg]"]);
  });

  test("what one chat does not take goes to another as it is, and here when it may again", async () => {
    const town = await sendingTown();
    const life = sending(town);
    const body = bodyOf("look", [aFile(life, "a.mp3")]);
    const op = (chat: ChatRow) => postOf(life.in(chat), "", { body, ...nobody });
    town.dock.permissions = { ...ALL_PERMISSIONS, can_send_audios: false, can_send_documents: false };
    await doOp(life, op(town.dock));
    await doOp(life, op(town.pier));
    town.dock.permissions = ALL_PERMISSIONS;
    await doOp(life, op(town.dock));
    expect(textsOf(town, town.pier)).toEqual(["look [audio a.mp3]"]);
    expect(textsOf(town, town.dock)[1]).toBe("look [audio a.mp3]");
  });

  test("whoever may say nothing at all keeps files until that changes", async () => {
    const town = await sendingTown();
    const life = sending(town);
    const op = postOf(life.in(town.dock), "", { body: bodyOf("look", [aFile(life, "a.mp3")]), ...nobody });
    town.dock.permissions = { ...ALL_PERMISSIONS, can_send_messages: false };
    expect((await doOp(life, op)).outcome).toMatchObject({ is: "deferred", why: { code: "forbidden" } });
    town.dock.permissions = ALL_PERMISSIONS;
    expect((await doOp(life, op)).outcome.is).toBe("delivered");
    expect(textsOf(town, town.dock)).toEqual(["look [audio a.mp3]"]);
  });

  test.each(["CHAT_SEND_AUDIOS_FORBIDDEN", "CHAT_SEND_MEDIA_FORBIDDEN"])("%s: it goes as a document", async (words) => {
    const town = await sendingTown();
    const life = sending(town);
    town.server.refuse("sendAudio", 400, `Bad Request: ${words}`);
    const body = bodyOf("look", [aFile(life, "a.mp3")]);
    expect((await doOp(life, postOf(life.in(town.dock), "", { body }))).outcome.is).toBe("delivered");
    expect(ours(town, town.dock)).toHaveLength(1);
  });

  test("a topic that is gone is no fault of a file", async () => {
    const town = await sendingTown();
    const life = sending(town);
    const body = bodyOf("look", [aFile(life, "a.mp3")]);
    await doOp(life, postOf(life.in(town.forum, 77), "", { body, ...nobody }));
    await doOp(life, postOf(life.in(town.pier), "", { body, ...nobody }));
    expect([textsOf(town, town.forum), textsOf(town, town.pier)]).toEqual([[], ["look [audio a.mp3]"]]);
  });

  test("an attempt that ends while a file is opened says nothing of the file", async () => {
    const town = await sendingTown();
    const life = sending(town);
    const op = postOf(life.in(town.dock), "", { body: bodyOf("look", [aFile(life, "a.mp3")]), ...nobody });
    const attempt = new RecordingAttempt();
    const open = life.host.openFile.bind(life.host);
    life.host.openFile = async () => {
      attempt.abort();
      return await Promise.resolve({ ok: false, why: { code: "stopping", message: "it was cancelled" } });
    };
    expect((await life.handlers.post(op, attempt)).is).toBe("deferred");
    life.host.openFile = open;
    await doOp(life, op);
    expect(textsOf(town, town.dock)).toEqual(["look [audio a.mp3]"]);
  });

  test("a closed topic waits for whoever opens it", async () => {
    const town = await sendingTown();
    const life = sending(town);
    const topic = town.alice.createTopic(town.forum, "Ropes");
    town.alice.closeTopic(town.forum, topic);
    const channel = life.in(town.forum, topic.id);
    const { outcome } = await doOp(life, postOf(channel, "hi", nobody));
    expect(outcome).toMatchObject({ is: "deferred", scope: "channel" });
    expect(wordsOf(outcome)).toContain("topic is closed");
    expect(life.host.doubts.map((why) => why?.message)).toEqual([expect.stringContaining("the topic is closed")]);
    town.alice.reopenTopic(town.forum, topic);
    expect((await doOp(life, postOf(channel, "hi", nobody))).outcome.is).toBe("delivered");
    expect(textsOf(town, town.forum)).toEqual(["hi"]);
  });

  test("a topic that is gone: nothing is said elsewhere", async () => {
    const town = await sendingTown();
    const life = sending(town);
    const topic = town.alice.createTopic(town.forum, "Ropes");
    town.alice.deleteTopic(town.forum, topic);
    const { outcome } = await doOp(life, postOf(life.in(town.forum, topic.id), "hi"));
    expect(outcome.is).not.toBe("delivered");
    expect(wordsOf(outcome)).toContain("topic");
    expect(textsOf(town, town.forum)).toEqual([]);
  });

  test.each([
    [400, "Bad Request: something new", { is: "rejected" }],
    [401, "Unauthorized", { is: "deferred", scope: "session" }],
    [500, "Internal Server Error", { is: "unknown" }],
  ] as const)("%d %s", async (code, words, outcome) => {
    const town = await sendingTown();
    const life = sending(town);
    town.server.refuse("sendMessage", code, words);
    const got = (await doOp(life, postOf(life.in(town.dock), "hi"))).outcome;
    expect(got).toMatchObject(outcome);
    expect(wordsOf(got)).not.toContain(town.bot.token);
  });
});
