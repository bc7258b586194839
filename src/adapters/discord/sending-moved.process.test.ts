import { ChannelType } from "discord-api-types/v10";
import { describe, expect, test } from "vitest";
import { doOp, messagesOf, postOf } from "../../../test/contract/ops.ts";
import { messageRef } from "./ids.ts";
import { ours, oursIn, outLife, outTown, said } from "./sending.suite.ts";

const EXECUTE = { method: "POST", path: /^\/webhooks\/\d+\/[^/]+$/ };

const VOICES = [
  { who: "a webhook", rights: ["ManageWebhooks"], name: "" },
  { who: "the bot", rights: [], name: "[irc] <Bob> " },
] as const;

test("a webhook that somebody has moved says nothing where it is now; another one is made", async () => {
  const town = await outTown();
  const life = outLife(town);
  await doOp(life, postOf(life.ref, "one"));
  const elsewhere = town.server.world.addChannel(town.guild, "public");
  for (const row of town.server.world.webhooks.values()) row.channel = elsewhere.id;
  const moved = await doOp(life, postOf(life.ref, "two"));
  await doOp(life, postOf(life.ref, "three"));
  expect(moved.outcome.is).toBe("delivered");
  expect(said(ours(town))).toEqual(["one", "two", "three"]);
  expect(messagesOf(moved.outcome)).toEqual([ours(town)[1]?.id]);
  expect(said(oursIn(town, elsewhere.id))).toEqual([]);
});

test("a configured webhook that is gone is not asked for each post, and the reason is said until it is another", async () => {
  const town = await outTown();
  const life = outLife(town, { webhook: { id: "123456789012345678", token: "gone" } });
  const from = town.server.requests.length;
  for (const text of ["one", "two", "three"]) await doOp(life, postOf(life.ref, text));
  expect(said(ours(town))).toEqual(["one", "two", "three"].map((text) => `[irc] <Bob> ${text}`));
  const asked = town.server.requests.slice(from).filter((request) => request.includes("/webhooks/123456789012345678"));
  expect(asked).toHaveLength(1);
  expect(life.host.doubts.at(-1)?.message).toContain("WebhookURL");
});

test("what a webhook said without an answer is found by the bot, which speaks by now", async () => {
  const town = await outTown();
  const before = outLife(town);
  town.server.faults.loseAnswer(EXECUTE);
  const op = postOf(before.ref, "hello");
  expect((await doOp(before, op)).outcome.is).toBe("unknown");
  const next = outLife(town, { before, settings: { AutoWebhooks: false } });
  expect((await doOp(next, op)).outcome.is).toBe("delivered");
  expect(said(ours(town))).toEqual(["hello"]);
});

describe.each(VOICES)("where $who may not write in a thread", ({ rights, name }) => {
  test.each([50_013, 50_001])("its words go to the channel (%d)", async (code) => {
    const town = await outTown(rights);
    const life = outLife(town);
    const asked = town.alice.say(town.channel, "a question");
    const path = /^(\/webhooks\/\d+\/[^/]+|\/channels\/\d+\/messages)$/;
    town.server.faults.answer({ method: "POST", path }, { status: 403, json: { code, message: "Missing" } }, 1);
    const thread = messageRef({ thread: null, id: asked.id });
    const { outcome } = await doOp(life, postOf(life.ref, "an answer", { thread }));
    expect(outcome).toMatchObject({ is: "delivered", receipt: { losses: [{ what: "thread" }] } });
    expect(said(ours(town))).toEqual([`${name}an answer`]);
  });

  test("an answer to a forum's post that is locked is a post of its own", async () => {
    const town = await outTown(rights);
    const forum = town.server.world.addChannel(town.guild, "questions", ChannelType.GuildForum);
    const life = outLife(town, { channel: forum });
    const begun = messagesOf((await doOp(life, postOf(life.ref, "a question"))).outcome);
    const { faults } = town.server;
    const path = /^(\/webhooks\/\d+\/[^/]+|\/channels\/\d+\/messages)$/;
    faults.answer({ method: "POST", path }, { status: 400, json: { code: 160_005, message: "Thread is locked" } }, 1);
    const refused = { status: 403, json: { code: 50_013, message: "Missing Permissions" } };
    faults.answer({ method: "PATCH", path: /^\/channels\/\d+$/ }, refused, 1);
    const { outcome } = await doOp(life, postOf(life.ref, "an answer", { thread: begun[0] ?? null }));
    expect(outcome).toMatchObject({ is: "delivered", receipt: { losses: [{ what: "thread" }] } });
    const [post = ""] = messagesOf(outcome);
    expect(said(oursIn(town, post))).toEqual([`${name}an answer`]);
  });
});
