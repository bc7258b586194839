import { describe, expect, test } from "vitest";
import { deleteOf, doOp, editOf, messagesOf, postOf, reactOf } from "../../../test/contract/ops.ts";
import type { ChannelRef, MessageRef } from "../../contract/ids.ts";
import { messageRef, readMessageRef } from "./ids.ts";
import { ours, sending, sendingTown, textsOf } from "./sending.suite.ts";

const NONE = messageRef(0, 0, false);

describe("a basic group", () => {
  test("its messages carry its id", async () => {
    const town = await sendingTown();
    const life = sending(town);
    const [ref] = messagesOf((await doOp(life, postOf(life.in(town.crew), "hi"))).outcome);
    expect(ref === undefined ? null : readMessageRef(ref)).toEqual({
      chat: town.crew.id,
      id: ours(town, town.crew)[0]?.id,
    });
    const edited = await doOp(life, editOf(life.in(town.crew), ref === undefined ? [] : [ref], "ho"));
    expect(edited.outcome.is).toBe("delivered");
    expect(textsOf(town, town.crew)).toEqual(["[irc] <Bob> ho"]);
  });

  test.each([
    ["an edit", (channel: ChannelRef, posted: readonly MessageRef[]) => editOf(channel, posted, "changed")],
    ["a deletion", (channel: ChannelRef, posted: readonly MessageRef[]) => deleteOf(channel, posted)],
    ["a reaction", (channel: ChannelRef, [ref]: readonly MessageRef[]) => reactOf(channel, ref ?? NONE, "👍", ["👍"])],
  ])("%s is the first to hear of that: it touches no message of the supergroup", async (_what, op) => {
    const town = await sendingTown();
    const life = sending(town);
    const other = sending(town);
    const channel = life.in(town.crew);
    const posted = messagesOf((await doOp(life, postOf(channel, "before"))).outcome);
    const chat = town.alice.upgrade(town.crew);
    // So that the number is somebody's there.
    for (let at = 0; at < 3; at += 1) await doOp(other, postOf(other.in(chat), `after ${at}`));
    expect((await doOp(life, op(channel, posted))).outcome).toMatchObject({
      is: "rejected",
      why: { code: "not_found" },
    });
    expect(textsOf(town, chat)).toEqual(["after 0", "after 1", "after 2"].map((text) => `[irc] <Bob> ${text}`));
    expect(ours(town, chat).every(({ reactions }) => reactions.size === 0)).toBe(true);
  });

  test("it becomes one while the answer to a post is on its way: the message is known by the old id", async () => {
    const town = await sendingTown();
    const life = sending(town);
    const channel = life.in(town.crew);
    const said = life.link.api.sendText.bind(life.link.api);
    life.link.api.sendText = async (...args) => {
      const answer = await said(...args);
      life.link.migrated(town.crew.id, town.alice.upgrade(town.crew).id);
      return answer;
    };
    const [ref] = messagesOf((await doOp(life, postOf(channel, "hi"))).outcome);
    expect(ref === undefined ? null : readMessageRef(ref)?.chat).toBe(town.crew.id);
  });

  test("it becomes a supergroup: posts follow it, and earlier messages are out of reach", async () => {
    const town = await sendingTown();
    const life = sending(town);
    const channel = life.in(town.crew);
    const posted = messagesOf((await doOp(life, postOf(channel, "before"))).outcome);
    const chat = town.alice.upgrade(town.crew);
    const reply = { target: posted[0] ?? NONE, name: "Bob", excerpt: "before" };
    const { outcome } = await doOp(life, postOf(channel, "after", { reply }));
    expect(outcome).toMatchObject({ is: "delivered", receipt: { losses: [{ what: "reply" }] } });
    const [row] = ours(town, chat);
    expect([row?.wire.text, row?.wire.reply_to_message]).toEqual(["[irc] <Bob> after", undefined]);
    expect(messagesOf(outcome)).toEqual([String(row?.id)]);
    for (const op of [editOf(channel, posted, "changed"), deleteOf(channel, posted)])
      expect((await doOp(life, op)).outcome).toMatchObject({ is: "rejected", why: { code: "not_found" } });
    expect(textsOf(town, chat)).toEqual(["[irc] <Bob> after"]);
  });
});
