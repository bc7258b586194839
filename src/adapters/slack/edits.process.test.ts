import { expect, test } from "vitest";
import type { Told, To } from "../../../test/servers/slack/hub.ts";
import type { FakeSlack } from "../../../test/servers/slack/server.ts";
import { live, slackTown, stop, toldBy, until } from "./town.suite.ts";

/** Of an edit, the server tells only the second: from now on all are of the same one. */
function stand({ world }: FakeSlack): void {
  const second = world.clock.seconds();
  world.clock.seconds = () => second;
}

test("of several edits within a second the last one stands, also where it brings back what was there", async () => {
  const town = await slackTown();
  const { alice, channel, server } = town;
  const { host } = await live(town);
  stand(server);
  const row = alice.say(channel, "one");
  for (const text of ["two", "three", "two", "three"]) alice.edit(row, text);
  alice.say(channel, "over");
  await until(host, "Alice: over");
  expect(toldBy(host)).toEqual([
    "Alice: one",
    ...["two", "three", "two", "three"].map((text) => `Alice edits: ${text}`),
    "Alice: over",
  ]);
});

test("an edit that comes after a later one of the same second changes nothing, in the next session either", async () => {
  const town = await slackTown();
  const { alice, channel, server } = town;
  const first = await live(town);
  const heard: { readonly event: Told; readonly to: To }[] = [];
  server.hub.watch((event, id) => void heard.push({ event, to: { team: town.team.id, channel: id } }));
  const late = (): void => {
    const one = heard.find(({ event }) => event["subtype"] === "message_changed");
    if (one !== undefined) server.hub.publish("message.channels", one.event, one.to);
  };
  stand(server);
  const row = alice.say(channel, "one");
  server.hub.lose = 1;
  alice.edit(row, "two");
  alice.edit(row, "three");
  late();
  alice.say(channel, "between");
  await until(first.host, "Alice: between");
  await stop(first);
  const second = await live(town, { before: first });
  late();
  alice.say(channel, "over");
  await until(second.host, "Alice: over");
  expect(toldBy(second.host)).toEqual(["Alice: one", "Alice edits: three", "Alice: between", "Alice: over"]);
});

test("one that was missed, of the same second as one that was told, is found in the history", async () => {
  const town = await slackTown();
  const { alice, channel, server } = town;
  const first = await live(town);
  stand(server);
  const row = alice.say(channel, "one");
  alice.edit(row, "two");
  await until(first.host, "Alice edits: two");
  await stop(first);
  alice.edit(row, "three");
  server.world.clock.pass(60_000);
  const second = await live(town, { before: first });
  await until(second.host, "Alice edits: three");
  alice.say(channel, "over");
  await until(second.host, "Alice: over");
  const edits = ["Alice edits: two", "Alice edits: three"];
  expect(toldBy(second.host)).toEqual(["Alice: one", ...edits, "Alice: over"]);
});

test("two of the same second that were told are not told again, once their message is kept no more", async () => {
  const town = await slackTown();
  const { alice, channel, server } = town;
  const first = await live(town);
  stand(server);
  const row = alice.say(channel, "one");
  for (const text of ["two", "three"]) alice.edit(row, text);
  for (let at = 1; at <= 25; at += 1) alice.say(channel, `heard ${at}`);
  await until(first.host, "Alice: heard 25");
  await stop(first);
  const second = await live(town, { before: first });
  alice.say(channel, "over");
  await until(second.host, "Alice: over");
  const edits = toldBy(second.host).filter((words) => words.includes("edits"));
  expect(edits).toEqual(["Alice edits: two", "Alice edits: three"]);
});
