import { expect, test } from "vitest";
import { until } from "../../../test/contract/life.ts";
import { BOB, bodyOf, deleteOf, doOp, editOf, postOf, reactOf, topicOf } from "../../../test/contract/ops.ts";
import { aSharedFile, fileIdOf, someBytes } from "../../../test/contract/shared-file.ts";
import { eventually } from "../../../test/support/wait.ts";
import type { MessageRef } from "../../contract/ids.ts";
import type { Outcome } from "../../contract/outcome.ts";
import { live, mattermostTown } from "./town.suite.ts";

const signal = new AbortController().signal;

const made = (outcome: Outcome): readonly MessageRef[] => (outcome.is === "delivered" ? outcome.receipt.messages : []);

test("nothing that Rialto does sets the status of the account that it uses", async () => {
  const town = await mattermostTown();
  const { alice, bot, channel, server } = town;
  const life = await live(town);
  // That a connection makes it is the server's doing.
  bot.account.status = "offline";
  await alice.say(channel, "hello");
  await until(life.host, "Alice: hello");
  const id = fileIdOf("f");
  life.host.files.set(id, someBytes(10));
  const body = bodyOf("hi", [aSharedFile({ id, name: "a.txt", bytes: 10 })]);
  const [post] = made((await doOp(life, postOf(life.ref, "", { author: BOB, body }))).outcome);
  if (post === undefined) throw new Error("nothing was posted");
  const ops = [
    reactOf(life.ref, post, "👍", ["👍"]),
    reactOf(life.ref, post, "👍", []),
    editOf(life.ref, [post], "ho"),
    topicOf(life.ref, "ships"),
    deleteOf(life.ref, [post]),
  ];
  for (const op of ops) expect((await doOp(life, op)).outcome.is).toBe("delivered");
  life.session.typing?.show(life.ref, true);
  await life.session.members?.(life.ref, signal);
  await life.session.rooms?.(signal);
  await eventually(
    async () => await Promise.resolve(server.sockets.actions),
    (actions) => actions.has("user_typing"),
    () => "the bot to type",
  );
  expect([...server.sockets.actions].toSorted()).toEqual(["ping", "user_typing"]);
  expect(server.requests.filter((request) => /status|presence|active/u.test(request))).toEqual([]);
  expect(bot.account.status).toBe("offline");
});
