import { describe, expect, test } from "vitest";
import { deleteOf, doOp, editOf, messagesOf, postOf, reactOf } from "../../../test/contract/ops.ts";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import type { Outcome } from "../../contract/outcome.ts";
import { messageRef } from "./ids.ts";
import { ours, sending, type SendingLife, sendingTown, textsOf } from "./sending.suite.ts";

describe("limits", () => {
  test("a burst goes out until the network objects, then one a second, and other channels are not slowed", async () => {
    const town = await sendingTown();
    // Its time stands still: the ban is not over before the last of them, however slow the machine is.
    const life = sending(town, { clock: new FakeClock() });
    const outcomes: Outcome[] = [];
    const post = async (text: string): Promise<Outcome> => (await doOp(life, postOf(life.dock, text))).outcome;
    for (let at = 0; at < 60; at += 1) outcomes.push(await post(`m${at}`));
    const at = outcomes.findIndex(({ is }) => is === "deferred");
    expect(at).toBeGreaterThanOrEqual(30);
    expect(outcomes[at]).toMatchObject({ is: "deferred", scope: "channel", why: { code: "rate_limited" } });
    expect(outcomes.slice(at).every(({ is }) => is === "deferred")).toBe(true);
    // Nobody asks within the ban.
    expect(town.server.limits.impatient).toBe(0);
    expect(town.server.requests.filter((one) => one.includes("chat.postMessage"))).toHaveLength(at + 1);
    expect((await doOp(life, postOf(life.pier, "elsewhere"))).outcome.is).toBe("delivered");
    expect(textsOf(town)).toHaveLength(at);
  });

  test.each([
    ["chat.update", (life: SendingLife, ts: string) => editOf(life.dock, [messageRef(ts)], "two")],
    ["chat.delete", (life: SendingLife, ts: string) => deleteOf(life.dock, [messageRef(ts)])],
    ["reactions.add", (life: SendingLife, ts: string) => reactOf(life.dock, messageRef(ts), "👍", ["👍"])],
  ] as const)("what is refused of %s is for that alone", async (method, op) => {
    const town = await sendingTown();
    const life = sending(town);
    const [ts = ""] = messagesOf((await doOp(life, postOf(life.dock, "one"))).outcome);
    town.server.limit({ path: `/${method}` }, 30);
    const outcome = (await doOp(life, op(life, ts))).outcome;
    expect(outcome).toMatchObject({ is: "deferred", retryInMs: 30_000, scope: "channel" });
    expect((await doOp(life, postOf(life.dock, "two"))).outcome.is).toBe("delivered");
  });
});

describe("refusals", () => {
  test.each([
    ["not_in_channel", "/invite @rialto"],
    ["channel_not_found", "/invite @rialto"],
    ["is_archived", "unarchives it"],
  ])("%s: the channel is lost, and it is said what helps", async (error, words) => {
    const town = await sendingTown();
    const life = sending(town);
    await doOp(life, postOf(life.dock, "before"));
    town.server.refuse("chat.postMessage", error);
    const { outcome } = await doOp(life, postOf(life.dock, "hi"));
    expect(outcome).toMatchObject({ is: "deferred", scope: "channel" });
    expect(life.host.losses).toMatchObject([{ channel: life.dock }]);
    expect(life.host.losses[0]?.why.message).toContain(words);
  });

  test("a channel that is really archived, or left, is lost", async () => {
    const town = await sendingTown();
    const life = sending(town);
    town.alice.archive(town.dock);
    town.alice.kick(town.pier, town.app.user);
    expect((await doOp(life, postOf(life.dock, "hi"))).outcome).toMatchObject({ is: "deferred", scope: "channel" });
    expect((await doOp(life, postOf(life.pier, "hi"))).outcome).toMatchObject({ is: "deferred", scope: "channel" });
    expect(life.host.losses.map(({ channel }) => channel)).toEqual([life.dock, life.pier]);
  });

  test.each<[string, Partial<Outcome>, string]>([
    ["token_revoked", { is: "deferred", scope: "session" }, "set Token"],
    ["account_inactive", { is: "deferred", scope: "session" }, "set Token"],
    ["org_login_required", { is: "deferred", scope: "session" }, "administrators"],
    ["restricted_action_read_only_channel", { is: "deferred", scope: "channel" }, "Posting permissions"],
    ["restricted_action", { is: "deferred", scope: "channel" }, "every minute"],
    ["message_limit_exceeded", { is: "deferred", scope: "channel" }, ""],
    ["internal_error", { is: "unknown" }, "internal_error"],
    ["fatal_error", { is: "unknown" }, "fatal_error"],
    ["msg_blocks_too_long", { is: "rejected" }, "longer than a message can be"],
    ["invalid_blocks", { is: "rejected" }, "invalid_blocks"],
    ["as_user_not_supported", { is: "rejected" }, "old kind"],
    ["something_new", { is: "rejected" }, "something_new"],
  ])("%s", async (error, outcome, words) => {
    const town = await sendingTown();
    const life = sending(town);
    await doOp(life, postOf(life.pier, "before"));
    await doOp(life, postOf(life.dock, "before"));
    town.server.refuse("chat.postMessage", error);
    const got = (await doOp(life, postOf(life.dock, "hi"))).outcome;
    expect(got).toMatchObject(outcome);
    expect("why" in got ? got.why.message : "").toContain(words);
    expect(life.host.losses).toEqual([]);
  });

  test.each([400, 401, 403, 404, 407, 451])(
    "a page of a proxy with the status %d: it is tried again",
    async (status) => {
      const town = await sendingTown();
      const life = sending(town);
      const made = messagesOf((await doOp(life, postOf(life.dock, "before"))).outcome);
      const row = town.alice.say(town.dock, "hi");
      const ops = [
        ["/chat.postMessage", postOf(life.dock, "hi")],
        ["/chat.update", editOf(life.dock, made, "edited")],
        ["/chat.delete", deleteOf(life.dock, made)],
        ["/reactions.add", reactOf(life.dock, messageRef(row.wire.ts), "👍", ["👍"])],
      ] as const;
      for (const [path, op] of ops) {
        town.server.faults.fail({ path }, status);
        const { outcome } = await doOp(life, op);
        expect(outcome).toMatchObject({ is: "deferred", scope: "channel", why: { code: "network" } });
        expect(outcome.is === "deferred" ? outcome.why.message : "").toContain(`HTTP ${status}`);
        expect((await doOp(life, op)).outcome.is).toBe("delivered");
      }
    },
  );

  test("a message that is too large for what is on the way is rejected", async () => {
    const town = await sendingTown();
    const life = sending(town);
    town.server.faults.fail({ path: "/chat.postMessage" }, 413);
    expect((await doOp(life, postOf(life.dock, "hi"))).outcome).toMatchObject({ is: "rejected" });
  });

  test("a missing scope is named, where to add it, and that it is tried again", async () => {
    const town = await sendingTown();
    const life = sending(town);
    town.app.scopes.delete("chat:write");
    const { outcome } = await doOp(life, postOf(life.dock, "hi"));
    expect(outcome).toMatchObject({ is: "deferred", scope: "channel", retryInMs: 60_000, why: { code: "forbidden" } });
    const words = outcome.is === "deferred" ? outcome.why.message : "";
    expect(words).toContain("scope chat:write");
    expect(words).toContain("every minute");
    town.app.scopes.add("chat:write");
    expect((await doOp(life, postOf(life.dock, "hi"))).outcome.is).toBe("delivered");
    town.app.scopes.delete("reactions:write");
    const row = town.alice.say(town.dock, "hi");
    const react = await doOp(life, reactOf(life.dock, messageRef(row.wire.ts), "👍", ["👍"]));
    expect(react.outcome).toMatchObject({ is: "rejected", why: { code: "forbidden" } });
  });

  test("an app that may not read the history posts, and sends nothing again that may be there", async () => {
    const town = await sendingTown();
    for (const scope of ["channels:history", "groups:history"]) town.app.scopes.delete(scope);
    const life = sending(town);
    expect((await doOp(life, postOf(life.dock, "one"))).outcome.is).toBe("delivered");
    const root = messageRef(town.alice.say(town.dock, "root").wire.ts);
    expect((await doOp(life, postOf(life.dock, "two", { thread: root }))).outcome.is).toBe("delivered");
    expect(ours(town, town.dock).map(({ wire }) => wire.thread_ts)).toEqual([undefined, root]);
    expect(life.host.records.filter(({ level }) => level === "warn")).toHaveLength(2);
    town.server.faults.loseAnswer({ path: "/chat.postMessage" });
    const op = postOf(life.dock, "three");
    expect((await doOp(life, op)).outcome.is).toBe("unknown");
    const again = (await doOp(life, op)).outcome;
    expect(again).toMatchObject({
      is: "unknown",
      upTo: "end",
      final: true,
      why: { message: expect.stringContaining("not sent again") as string },
    });
    expect(textsOf(town)).toEqual(["one", "two", "three"]);
    const edit = (await doOp(life, editOf(life.dock, [root], "x"))).outcome;
    expect(edit).toMatchObject({
      is: "rejected",
      why: { message: expect.stringContaining("channels:history") as string },
    });
  });

  test("what others wrote cannot be changed, and what cannot be any more says why", async () => {
    const town = await sendingTown();
    const life = sending(town);
    const row = town.alice.say(town.dock, "hers");
    const target = messageRef(row.wire.ts);
    expect((await doOp(life, editOf(life.dock, [target], "mine"))).outcome).toMatchObject({ is: "rejected" });
    expect((await doOp(life, deleteOf(life.dock, [target]))).outcome).toMatchObject({ is: "rejected" });
    const made = messagesOf((await doOp(life, postOf(life.dock, "one"))).outcome);
    town.server.refuse("chat.update", "edit_window_closed");
    const late = (await doOp(life, editOf(life.dock, made, "two"))).outcome;
    expect(late).toMatchObject({
      is: "rejected",
      why: { message: expect.stringContaining("Message editing") as string },
    });
  });
});

describe("threads", () => {
  test("answers are in the thread of what they answer, also when that is an answer, and also when it is gone", async () => {
    const town = await sendingTown();
    const { alice, dock } = town;
    const life = sending(town);
    const root = alice.say(dock, "root");
    const answer = alice.say(dock, "an answer", { thread: root, broadcast: true });
    const reply = { target: messageRef(answer.wire.ts), name: "Alice", excerpt: "an answer" };
    await doOp(life, postOf(life.dock, "one", { reply }));
    await doOp(life, postOf(life.dock, "two", { reply, thread: messageRef(root.wire.ts) }));
    expect(ours(town, dock).map(({ wire }) => wire.thread_ts)).toEqual([root.wire.ts, root.wire.ts]);
    const lonely = alice.say(dock, "lonely");
    const gone = { target: messageRef(lonely.wire.ts), name: "Alice", excerpt: "lonely" };
    alice.erase(lonely);
    const { outcome } = await doOp(life, postOf(life.dock, "three", { reply: gone }));
    expect(outcome).toMatchObject({ is: "delivered", receipt: { losses: [{ what: "reply" }] } });
    expect(ours(town, dock).at(-1)?.wire.thread_ts).toBeUndefined();
  });

  test("a root that was known and is gone by now loses the answer, and not the words", async () => {
    const town = await sendingTown();
    const { alice, dock } = town;
    const life = sending(town);
    const root = alice.say(dock, "root");
    const thread = messageRef(root.wire.ts);
    life.link.roots.note(dock.id, { ts: root.wire.ts, threadTs: "" });
    alice.erase(root);
    const { outcome } = await doOp(life, postOf(life.dock, "hi", { thread }));
    expect(outcome).toMatchObject({ is: "delivered", receipt: { losses: [{ what: "reply" }] } });
    expect(textsOf(town)).toEqual(["hi"]);
  });

  test.each(["restricted_action_thread_locked", "cannot_reply_to_message", "restricted_action_non_threadable_channel"])(
    "%s: it is said outside of the thread",
    async (error) => {
      const town = await sendingTown();
      const life = sending(town);
      const root = town.alice.say(town.dock, "root");
      await doOp(life, postOf(life.dock, "before"));
      town.server.refuse("chat.postMessage", error);
      const { outcome } = await doOp(life, postOf(life.dock, "hi", { thread: messageRef(root.wire.ts) }));
      expect(outcome).toMatchObject({ is: "delivered", receipt: { losses: [{ what: "reply" }] } });
      expect(ours(town, town.dock).at(-1)?.wire.thread_ts).toBeUndefined();
    },
  );
});
