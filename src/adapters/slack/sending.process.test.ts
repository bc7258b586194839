import { describe, expect, test } from "vitest";
import { CountingClock } from "../../../test/contract/recording-host.ts";
import { eventually } from "../../../test/support/wait.ts";
import { BOB, bodyOf, deleteOf, doOp, editOf, messagesOf, postOf, reactOf } from "../../../test/contract/ops.ts";
import { addEmoji } from "../../../test/servers/slack/people.ts";
import { aSharedFile } from "../../../test/contract/shared-file.ts";
import { messageRef } from "./ids.ts";
import type { Outcome } from "../../contract/outcome.ts";
import { ours, sending, type SendingTown, sendingTown, textsOf } from "./sending.suite.ts";

/** Twenty seconds are one; it knows how long anybody wanted to wait. */
class HastyClock extends CountingClock {
  readonly waits: number[] = [];

  override after(ms: number, task: () => void): () => void {
    this.waits.push(ms);
    return super.after(ms / 20, task);
  }
}

describe("posts", () => {
  test("show name and picture of their author, and his words as he typed them", async () => {
    const town = await sendingTown();
    const life = sending(town);
    const avatar = aSharedFile({ name: "avatar", url: "https://e.example/bob.png" });
    const op = postOf(life.dock, "*hi* <!channel> & @channel <@U1>", { author: { ...BOB, avatar } });
    const { outcome, attempt } = await doOp(life, op);
    const [row] = ours(town, town.dock);
    expect(row?.wire).toMatchObject({
      username: "[irc] <Bob>",
      icons: { image_48: "https://e.example/bob.png" },
      metadata: { event_type: "rialto_op", event_payload: { op: op.id, upTo: "1.end" } },
      blocks: [
        {
          type: "rich_text",
          block_id: `rialto/${op.id}/1.end`,
          elements: [
            {
              type: "rich_text_section",
              elements: [{ type: "text", text: "*hi* <!channel> & @channel <@U1>" }],
            },
          ],
        },
      ],
    });
    expect(row?.wire.text).toContain("&lt;!channel&gt; &amp;");
    expect(outcome).toEqual({ is: "delivered", receipt: { messages: [row?.wire.ts], losses: [] } });
    expect(attempt.messages).toEqual([row?.wire.ts]);
    expect(life.host.doubts).toEqual([null]);
  });

  test.each([true, false])(
    "begin with the name where the app has no right to others (refused: %j)",
    async (refuses) => {
      const town = await sendingTown();
      town.app.scopes.delete("chat:write.customize");
      town.app.refusesNames = refuses;
      const life = sending(town);
      await doOp(life, postOf(life.dock, "hi"));
      await doOp(life, postOf(life.dock, "waves", { body: { ...bodyOf("waves"), style: "action" } }));
      expect(textsOf(town)).toEqual(["[irc] &lt;Bob&gt; hi", "[irc] &lt;Bob&gt; _waves_"]);
      expect(ours(town, town.dock).map(({ wire }) => wire.username)).toEqual([undefined, undefined]);
      expect(life.host.doubts.at(-1)?.message).toContain("chat:write.customize");
    },
  );

  test.each([true, false])("do so from then on when the right is gone (refused: %j)", async (refuses) => {
    const town = await sendingTown();
    const life = sending(town);
    const scopes = town.app.scopes;
    Object.assign(life.link.me, { scopes: new Set(scopes) });
    scopes.delete("chat:write.customize");
    town.app.refusesNames = refuses;
    const first = await doOp(life, postOf(life.dock, "one"));
    await doOp(life, postOf(life.dock, "two"));
    expect(first.outcome).toMatchObject({ is: "delivered", receipt: { losses: [{ what: "identity" }] } });
    expect(textsOf(town)).toEqual(["[irc] &lt;Bob&gt; one", "[irc] &lt;Bob&gt; two"]);
    expect(life.host.doubts.at(-1)?.message).toContain("chat:write.customize");
  });

  test.each<[string, (town: SendingTown) => void, Outcome["is"]]>([
    ["429", ({ server }) => server.limit({ path: "/chat.update" }, 1), "deferred"],
    ["a lost answer", ({ server }) => server.faults.loseAnswer({ path: "/chat.update" }, 2), "deferred"],
    ["a page of a proxy", ({ server }) => server.faults.fail({ path: "/chat.update" }, 403), "deferred"],
    ["no right to edit", ({ server }) => server.refuse("chat.update", "edit_window_closed"), "delivered"],
  ])("a name that was passed over is put there by a later try, also of another life: %s", async (_, fail, is) => {
    for (const isKilled of [false, true]) {
      const town = await sendingTown();
      const life = sending(town);
      await doOp(life, postOf(life.dock, "before"));
      Object.assign(life.link.me, { scopes: new Set(town.app.scopes) });
      town.app.scopes.delete("chat:write.customize");
      town.app.refusesNames = false;
      fail(town);
      const op = postOf(life.dock, "```\none\n```\ntwo", { body: bodyOf("```\none\n```\ntwo", [], "markdown") });
      const first = await doOp(life, op);
      expect(first.outcome.is).toBe(is);
      town.server.limits.off = true;
      const last =
        is === "delivered"
          ? first
          : await eventually(
              async () => await doOp(isKilled ? sending(town) : life, op),
              ({ outcome }) => outcome.is === "delivered",
              () => "the name",
            );
      expect(messagesOf(last.outcome)).toEqual(
        ours(town, town.dock)
          .slice(1)
          .map(({ wire }) => wire.ts),
      );
      const [, { wire } = { wire: null }] = ours(town, town.dock);
      const said = JSON.stringify(wire?.blocks);
      expect(said.match(/<Bob>/g)?.length).toBe(is === "delivered" ? undefined : 1);
      expect(said).toContain('"one"');
      expect(wire?.text?.startsWith("[irc] &lt;Bob&gt;")).toBe(is === "deferred");
    }
  });

  test("a name that was passed over has room before a text as long as one can be", async () => {
    const town = await sendingTown();
    const life = sending(town);
    Object.assign(life.link.me, { scopes: new Set(town.app.scopes) });
    town.app.scopes.delete("chat:write.customize");
    town.app.refusesNames = false;
    const text = "word ".repeat(799).trim();
    const { outcome } = await doOp(life, postOf(life.dock, text));
    expect(outcome).toMatchObject({
      is: "delivered",
      receipt: { losses: [{ note: expect.stringContaining("names") as string }] },
    });
    const said = JSON.stringify(ours(town, town.dock)[0]?.wire.blocks);
    expect(said).toContain(text);
    expect(said).toContain("[irc] <Bob> ");
  });

  test("PrefixMessagesWithNick names senders before the text, and nobody has to hear what would help", async () => {
    const town = await sendingTown();
    const life = sending(town, { settings: { PrefixMessagesWithNick: true } });
    await doOp(life, postOf(life.dock, "hi"));
    await doOp(life, postOf(life.dock, "", { body: bodyOf("```\na\n```", [], "markdown") }));
    await doOp(life, postOf(life.dock, "Rialto speaks", { author: null }));
    expect(textsOf(town)[0]).toBe("[irc] &lt;Bob&gt; hi");
    expect(textsOf(town)[1]).toContain("[irc] &lt;Bob&gt;\n```");
    expect(textsOf(town)[2]).toBe("Rialto speaks");
    expect(life.host.doubts).toEqual([null]);
  });

  test.each([
    ["@everyone <b> \u202e& :smile:", "@everyone <b> & :smile:"],
    ["x".repeat(100), "x".repeat(80)],
  ])("the name %j is shown as it can be", async (shown, username) => {
    const town = await sendingTown();
    const life = sending(town);
    await doOp(life, postOf(life.dock, "hi", { author: { ...BOB, shown } }));
    expect(ours(town, town.dock)[0]?.wire.username).toBe(username);
  });

  test("a name of which nothing can be seen is none, and the app speaks", async () => {
    const town = await sendingTown();
    const life = sending(town);
    await doOp(life, postOf(life.dock, "hi", { author: { ...BOB, shown: "\u200b \u2060" } }));
    expect(textsOf(town)).toEqual(["hi"]);
    expect(ours(town, town.dock)[0]?.wire.username).toBeUndefined();
  });

  test.each([4_000, 4_001, 12_000, 40_000])("of %d characters stand there with every word", async (length) => {
    const town = await sendingTown();
    const life = sending(town);
    const text = Array.from({ length }, (_, at) => `word${at}`)
      .join(" ")
      .slice(0, length);
    const { outcome } = await doOp(life, postOf(life.dock, text));
    const rows = ours(town, town.dock);
    expect(
      rows
        .map(({ wire }) => wire.text ?? "")
        .join(" ")
        .match(/word\d+/g),
    ).toEqual(text.match(/word\d+/g));
    expect(messagesOf(outcome)).toEqual(rows.map(({ wire }) => wire.ts));
  });

  test("name people of the channel, and nobody else", async () => {
    const town = await sendingTown();
    const { alice, server, team } = town;
    const life = sending(town);
    const eve = server.world.addUser(team.id, "eve");
    await doOp(life, postOf(life.dock, "alice: see @Alice, @eve and @here"));
    await doOp(life, postOf(life.dock, "@room!", { mayPing: { users: false, everyone: true } }));
    await doOp(life, postOf(life.dock, "@alice", { mayPing: { users: false, everyone: false } }));
    const texts = textsOf(town);
    expect(texts[0]).toContain(`<@${alice.id}>: see <@${alice.id}>`);
    expect(texts[0]).not.toContain(eve.id);
    expect(texts[0]).not.toContain("<!");
    expect(texts[1]).toBe("<!channel>!");
    expect(texts[2]).not.toContain("<@");
    // Who was asked for once is known.
    const asked = server.requests.filter((one) => one.includes("users.list") || one.includes("members"));
    expect(asked).toHaveLength(2);
  });

  test("a text does not wait long for who its people are, and the next one not at all", async () => {
    const town = await sendingTown();
    const clock = new HastyClock();
    const life = sending(town, { clock });
    await doOp(life, postOf(life.dock, "nobody is called"));
    const release = town.server.faults.hold({ path: "/users.list" });
    await doOp(life, postOf(life.dock, "@alice one"));
    await doOp(life, postOf(life.dock, "@alice two"));
    expect(clock.waits.filter((ms) => ms === 10_000)).toHaveLength(1);
    release();
    await eventually(
      async () => {
        await doOp(life, postOf(life.dock, "@alice three"));
        return textsOf(town).at(-1) ?? "";
      },
      (text) => text === `<@${town.alice.id}> three`,
      () => "a text that calls Alice",
    );
    expect(
      textsOf(town)
        .slice(1, 3)
        .some((text) => text.includes("<@")),
    ).toBe(false);
  });

  test("a name that two have calls nobody", async () => {
    const town = await sendingTown();
    const { server, team, dock } = town;
    const other = server.world.addUser(team.id, "al", { profile: { display_name: "alice" } });
    dock.members.add(other.id);
    const life = sending(town);
    await doOp(life, postOf(life.dock, "@alice"));
    expect(textsOf(town)[0]).not.toContain("<@");
  });

  test("custom emoji are shown where the workspace has them", async () => {
    const town = await sendingTown();
    addEmoji(town.server, town.team, "barrel", "https://e.example/barrel.png");
    const life = sending(town);
    const body = {
      ...bodyOf(""),
      blocks: [{ t: "para", of: [":barrel:", ":none:"].map((text) => ({ t: "emoji", text }) as const) }],
    } as const;
    await doOp(life, postOf(life.dock, "", { body }));
    const [block] = ours(town, town.dock)[0]?.wire.blocks ?? [];
    expect(JSON.stringify(block)).toContain('{"type":"emoji","name":"barrel"}');
    expect(JSON.stringify(block)).toContain('{"type":"text","text":":none:"}');
  });
});

describe("what is changed", () => {
  const long = (word: string): string => Array.from({ length: 1_000 }, (_, at) => `${word}${at}`).join(" ");

  test("edits replace all messages: too many are deleted, missing ones are made", async () => {
    const town = await sendingTown();
    const life = sending(town);
    const first = messagesOf((await doOp(life, postOf(life.dock, long("old")))).outcome);
    expect(first.length).toBeGreaterThan(1);
    const shorter = await doOp(life, editOf(life.dock, first, "short"));
    expect(messagesOf(shorter.outcome)).toEqual(first.slice(0, 1));
    expect(textsOf(town)).toEqual(["short"]);
    const longer = await doOp(life, editOf(life.dock, first.slice(0, 1), long("new")));
    const now = messagesOf(longer.outcome);
    expect(now.length).toBe(first.length);
    expect(ours(town, town.dock).map(({ wire }) => wire.ts)).toEqual(now);
    expect(
      textsOf(town)
        .join(" ")
        .match(/new\d+/g),
    ).toEqual(long("new").split(" "));
    expect(ours(town, town.dock).map(({ wire }) => wire.username)).toEqual(now.map(() => "[irc] <Bob>"));
    const same = await doOp(life, editOf(life.dock, now, long("xyz")));
    expect(messagesOf(same.outcome)).toEqual([]);
    const gone = await doOp(life, deleteOf(life.dock, now));
    expect(gone.outcome.is).toBe("delivered");
    expect((await doOp(life, deleteOf(life.dock, now))).outcome.is).toBe("delivered");
    expect(ours(town, town.dock)).toEqual([]);
    expect((await doOp(life, editOf(life.dock, now, "late"))).outcome).toMatchObject({ is: "rejected" });
  });

  test("keeps what the message says of itself, and says nothing again that stands there", async () => {
    const town = await sendingTown();
    const life = sending(town, { settings: { PrefixMessagesWithNick: true } });
    const op = postOf(life.dock, "one");
    const made = messagesOf((await doOp(life, op)).outcome);
    await doOp(life, editOf(life.dock, made, "two"));
    const mark = { op: op.id, upTo: "1.end" };
    const [row] = ours(town, town.dock);
    expect(row?.wire).toMatchObject({
      text: "[irc] &lt;Bob&gt; two",
      metadata: { event_payload: mark },
      blocks: [{ block_id: `rialto/${op.id}/1.end` }],
    });
    const before = town.server.requests.length;
    await doOp(life, editOf(life.dock, made, "two"));
    expect(town.server.requests.slice(before).filter((one) => one.includes("chat.update"))).toEqual([]);
  });

  test("an answer of an edit, a deletion or a reaction that is lost is found to be done", async () => {
    const town = await sendingTown();
    const life = sending(town);
    const made = messagesOf((await doOp(life, postOf(life.dock, "one"))).outcome);
    const [first] = made;
    if (first === undefined) throw new Error("there is none");
    const edit = editOf(life.dock, made, "two");
    town.server.faults.loseAnswer({ path: "/chat.update" }, 2);
    expect((await doOp(life, edit)).outcome.is).toBe("unknown");
    expect((await doOp(life, edit)).outcome.is).toBe("delivered");
    expect(textsOf(town)).toEqual(["two"]);
    const react = reactOf(life.dock, first, "👍", ["👍"]);
    town.server.faults.loseAnswer({ path: "/reactions.add" }, 2);
    expect((await doOp(life, react)).outcome.is).toBe("unknown");
    expect((await doOp(life, react)).outcome.is).toBe("delivered");
    const gone = deleteOf(life.dock, made);
    town.server.faults.loseAnswer({ path: "/chat.delete" }, 2);
    expect((await doOp(life, gone)).outcome.is).toBe("unknown");
    expect((await doOp(life, gone)).outcome.is).toBe("delivered");
    expect(textsOf(town)).toEqual([]);
  });

  test("reactions stand while anybody has them, under the name that the workspace knows", async () => {
    const town = await sendingTown();
    addEmoji(town.server, town.team, "barrel", "https://e.example/barrel.png");
    const life = sending(town);
    const row = town.alice.say(town.dock, "hi");
    const target = messageRef(row.wire.ts);
    const react = async (emoji: string, standing: readonly string[]) =>
      (await doOp(life, reactOf(life.dock, target, emoji, standing))).outcome;
    const shown = () => row.reactions.map(({ name }) => name);
    expect((await react("👍", ["👍"])).is).toBe("delivered");
    expect((await react("👍", ["👍"])).is).toBe("delivered");
    expect((await react(":barrel:", [":barrel:"])).is).toBe("delivered");
    expect(shown()).toEqual(["+1", "barrel"]);
    expect(await react(":nobody_has_this:", [":nobody_has_this:"])).toMatchObject({
      is: "rejected",
      why: { code: "unsupported" },
    });
    expect((await react("👍", [":+1:"])).is).toBe("delivered");
    expect(shown()).toEqual(["+1", "barrel"]);
    expect((await react("👍", [])).is).toBe("delivered");
    expect((await react(":barrel:", [])).is).toBe("delivered");
    expect(shown()).toEqual([]);
    town.alice.erase(row);
    expect((await react("👍", ["👍"])).is).toBe("delivered");
    expect((await react("👍", [])).is).toBe("delivered");
  });
});
