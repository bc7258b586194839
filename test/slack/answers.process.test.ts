import { expect, test } from "vitest";
import { describeAnswers } from "../hosted/answers.ts";
import { say } from "../hosted/figures.ts";
import { Town } from "../hosted/town.ts";
import { slack, type SlackSide } from "./town.ts";

describeAnswers(slack);

/** Two files of one message. */
const FILES = ["a.txt", "b.txt"].map((Name) => ({ Name, Data: Buffer.from(`content of ${Name}`).toString("base64") }));

/** The requests of which one loses its answer. */
const STEPS = [
  ["a place for a file", /^\/files\.getUploadURLExternal$/u],
  ["the bytes of a file", /^\/upload\/v1\//u],
  ["putting files into the channel", /^\/files\.completeUploadExternal$/u],
  ["where files were put", /^\/files\.info$/u],
] as const;

test.each(STEPS)("the answer to %s is lost: the message stands once, with its files", async (what, path) => {
  const town = await Town.start(slack);
  await lose(town, path);
  await judge(town, what);
});

test.each(STEPS)("the answer to %s is lost, and Rialto is killed: the message stands once", async (what, path) => {
  const town = await Town.start(slack);
  await lose(town, path);
  await town.die();
  await judge(town, `${what}, with a kill`);
});

test("where files were put is told late: the message is known, and can be edited and deleted", async () => {
  const town = await Town.start(slack);
  const { files, hub } = town.side.server;
  files.lateShares = 2;
  hub.dropped.add("message");
  const id = await town.post("two files", { Extra: { file: FILES } });
  await town.until(() => files.lateShares === 0, "that it is asked where they are");
  hub.dropped.clear();
  const edited = (): boolean => town.shown().some((text) => text.endsWith("two files, edited"));
  await town.edit(id, "two files, edited");
  await town.until(edited, "the edit");
  await town.erase(id);
  await town.until(() => !edited(), "the deletion");
  expect(await town.unconfirmed()).toBe(0);
});

async function lose(town: Town<SlackSide>, path: RegExp): Promise<void> {
  const { faults, hub, requests } = town.side.server;
  faults.loseAnswer({ path });
  // Where files are is asked only where no event tells it.
  hub.dropped.add("message");
  await town.post("two files", { Extra: { file: FILES } });
  const isAsked = (one: string): boolean => path.test(one.split(" ")[1] ?? "");
  await town.until(() => requests.some(isAsked), `the request for ${String(path)}`);
  hub.dropped.clear();
}

async function judge(town: Town<SlackSide>, what: string): Promise<void> {
  await town.fence("after");
  const files = town.side.standing().flatMap(({ files }) => (files > 0 ? [files] : []));
  // Messages with files cannot have another name: it stands before the text.
  const texts = town.shown().filter((text) => /^(?:anna: )?two files$/u.test(text)).length;
  const found = { texts, files, unconfirmed: await town.unconfirmed() };
  say(`the answer to ${what} is lost`, found);
  expect(found).toEqual({ texts: 1, files: [2], unconfirmed: 0 });
}
