import { expect, test } from "vitest";
import { doOp, topicOf } from "../../../test/contract/ops.ts";
import { live, mattermostTown, ours } from "./town.suite.ts";
import { renderHeader } from "./header.ts";

test("a topic is the header of the channel, set by us, and no post of ours", async () => {
  const town = await mattermostTown();
  const life = await live(town);
  const { outcome } = await doOp(life, topicOf(life.ref, "ships: *three*"));
  expect(outcome).toEqual({ is: "delivered", receipt: { messages: [], losses: [] } });
  expect(town.server.world.channel(town.channel.id).header).toBe(String.raw`ships: \*three\*`);
  await doOp(life, topicOf(life.ref, ""));
  expect(town.server.world.channel(town.channel.id).header).toBe("");
  expect(ours(town)).toEqual([]);
});

test("a header that is too long is cut, also with its escapes, and the receipt says so", async () => {
  const town = await mattermostTown();
  const life = await live(town);
  for (const sign of ["a", "*", "🚢"]) {
    const { outcome } = await doOp(life, topicOf(life.ref, sign.repeat(1025)));
    expect(outcome).toMatchObject({ is: "delivered", receipt: { losses: [{ what: "length" }] } });
    const { header } = town.server.world.channel(town.channel.id);
    expect(Array.from(header).length).toBeGreaterThan(500);
  }
  expect(renderHeader("a".repeat(1024)).losses).toEqual([]);
});

test("a missing permission is refused for good, and named with where it is given", async () => {
  const town = await mattermostTown();
  const life = await live(town);
  town.bot.account.denied.add("manage_public_channel_properties");
  const { outcome } = await doOp(life, topicOf(life.ref, "ships"));
  expect(outcome).toMatchObject({ is: "rejected", why: { code: "forbidden" } });
  expect(JSON.stringify(outcome)).toMatch(/set the header.*manage_public_channel_properties.*System Console/);
  expect(life.host.losses).toEqual([]);
});

test("without an answer it may have been set; in a channel that is not joined it waits", async () => {
  const town = await mattermostTown();
  const life = await live(town);
  town.server.faults.answer({ method: "PUT" }, { status: 502 });
  expect((await doOp(life, topicOf(life.ref, "ships"))).outcome.is).toBe("unknown");
  await life.session.leave?.(life.ref, new AbortController().signal);
  expect((await doOp(life, topicOf(life.ref, "ships"))).outcome).toMatchObject({ is: "deferred", scope: "channel" });
});
