import { ChannelType } from "discord-api-types/v10";
import { expect, onTestFinished, test, vi } from "vitest";
import { bodyOf, doOp, editOf, messagesOf, postOf } from "../../../test/contract/ops.ts";
import { isObject } from "../kit/json.ts";
import { DiscordApi } from "./api.ts";
import { aFile, ours, outLife, outTown, said } from "./sending.suite.ts";

const WORDS = "@everyone @here <@1> <@&2> `@here` http://e.example/@everyone";
const SENDERS = ["post", "executeWebhook", "createPost", "editMessage", "editWebhookMessage"] as const;

/** By request: what each message that was asked for may notify. */
function watched(): () => Readonly<Record<string, readonly unknown[]>> {
  const spies = SENDERS.map((name) => [name, vi.spyOn(DiscordApi.prototype, name)] as const);
  onTestFinished(() => {
    for (const [, spy] of spies) spy.mockRestore();
  });
  return () =>
    Object.fromEntries(
      spies.map(([name, { mock }]) => {
        const bodies = mock.calls.map((given: readonly unknown[]) =>
          given.find((one) => isObject(one) && "content" in one),
        );
        return [name, bodies.map((body) => (isObject(body) ? body["allowed_mentions"] : null))];
      }),
    );
}

test("every request with a text says that it calls nobody, whatever the text looks like", async () => {
  const allowed = watched();
  for (const rights of [["ManageWebhooks"], []] as const) {
    const town = await outTown(rights);
    const life = outLife(town);
    const file = aFile(life, "a.txt", 3);
    const posted = await doOp(life, postOf(life.ref, WORDS));
    await doOp(life, postOf(life.ref, "", { body: bodyOf(WORDS, [file]) }));
    await doOp(life, editOf(life.ref, messagesOf(posted.outcome), `${WORDS} again`));
    expect(said(ours(town)).every((content) => content.includes("@everyone @here"))).toBe(true);
    expect(ours(town).map(({ wire }) => wire.mention_everyone)).toEqual([false, false]);
    const forum = town.server.world.addChannel(town.guild, "questions", ChannelType.GuildForum);
    const inForum = outLife(town, { channel: forum });
    await doOp(inForum, postOf(inForum.ref, WORDS));
  }
  const closed = { parse: [], users: [], replied_user: false };
  expect(allowed()).toEqual({
    post: [closed, closed],
    executeWebhook: [closed, closed, closed],
    createPost: [closed],
    editMessage: [{ parse: [] }],
    editWebhookMessage: [{ parse: [] }],
  });
});

test.each([
  ["markdown", "`ID`"],
  ["mattermost", "```\nID\n```"],
  ["discord", "`ID`"],
  ["discord", "\\ID"],
])("an id in code, or behind a backslash, notifies nobody: %s %s", async (format, text) => {
  const town = await outTown();
  const life = outLife(town);
  const source = text.replace("ID", `<@${town.alice.user.id}>`);
  const { outcome } = await doOp(life, postOf(life.ref, "", { body: bodyOf(source, [], format) }));
  expect(outcome.is).toBe("delivered");
  expect(ours(town).map(({ wire }) => wire.mentions)).toEqual([[]]);
});
