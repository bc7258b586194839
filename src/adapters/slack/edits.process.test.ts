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

const image = { type: "image", alt_text: "a map", image_url: "https://e.example/a" };
const section = (text: string) => [{ type: "section", text: { type: "mrkdwn", text } }];

test.each([
  ["the text", { text: "thinking done", blocks: [] }, "thinking done"],
  ["the blocks", { blocks: section("thinking done") }, "thinking done"],
  ["an attachment of its own", { attachments: [{ id: 1, text: "done", fallback: "done" }] }, "thin\ndone"],
])("a program that changes %s without an edit is heard", async (_, change, words) => {
  const town = await slackTown();
  const { alice, channel, server } = town;
  const { host } = await live(town);
  const row = alice.say(channel, "thin");
  await until(host, "Alice: thin");
  server.messages.touch(row, change as object);
  alice.say(channel, "over");
  await until(host, "Alice: over");
  expect(toldBy(host)).toEqual(["Alice: thin", `Alice edits: ${words}`, "Alice: over"]);
});

test("an answer that is streamed is delivered from its first piece on, each piece once", async () => {
  const town = await slackTown();
  const { alice, channel, server } = town;
  const { host } = await live(town);
  const row = alice.say(channel, "");
  for (const text of ["thin", "thin", "thinking", "thinking done"]) server.messages.touch(row, { text });
  alice.say(channel, "over");
  await until(host, "Alice: over");
  expect(toldBy(host)).toEqual(["Alice: thin", "Alice edits: thinking", "Alice edits: thinking done", "Alice: over"]);
});

test("a file that its owner deletes is taken from its message", async () => {
  const town = await slackTown();
  const { alice, channel, server } = town;
  const { host } = await live(town);
  const row = alice.sendFile(channel, { name: "a.txt", content: new TextEncoder().encode("words") }, "see");
  await until(host, () => toldBy(host).length === 1);
  for (const id of row.files) server.messages.loseFile(id);
  await until(host, () => host.events.some(({ kind }) => kind === "edited"));
  expect(host.events.at(-1)).toMatchObject({ kind: "edited", hasAllFiles: true, body: { files: [] } });
});

test.each([
  ["a page of a link", { attachments: [{ id: 1, from_url: "https://example.org/", title: "A page" }] }],
  ["the size of a picture", { blocks: [{ ...image, image_width: 9 }] }],
  ["the number of replies", { reply_count: 3 }],
])("%s that the server adds is no edit", async (_, change) => {
  const town = await slackTown();
  const { alice, channel, server } = town;
  const { host } = await live(town);
  const row = alice.say(channel, "see");
  server.messages.touch(row, { blocks: [image] as never });
  await until(host, () => toldBy(host).length === 2);
  server.messages.touch(row, change as object);
  alice.say(channel, "over");
  await until(host, "Alice: over");
  expect(toldBy(host).slice(2)).toEqual(["Alice: over"]);
});
