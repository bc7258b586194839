import { afterAll, beforeAll, expect, test } from "vitest";
import { numbered } from "../irc/world.ts";
import { eventually } from "../support/wait.ts";
import { idIn, wordsOf } from "./guest.ts";
import { type WebStage, webStage } from "./stage.ts";

let stage: WebStage;
beforeAll(async () => {
  stage = await webStage("Rate = 100000\n");
});
afterAll(async () => await stage.stop());

/** More than what is said between two looks at what is too much. */
const MANY = 230;

test("a room in which much was said is open to guests, to programs and to newcomers as before", async () => {
  const [ann, bob] = [await stage.guest("ann"), await stage.guest("bob")];
  const lines = numbered("line", MANY);
  const answers = await Promise.all(lines.map(async (line) => await ann.say(line)));
  expect(answers.filter(({ status }) => status !== 201)).toEqual([]);
  const id = idIn(await ann.say("the last"), "message");
  expect(
    (await bob.ask({ method: "PUT", path: `/v1/messages/${id}/reactions/${encodeURIComponent("👍")}` })).status,
  ).toBe(204);
  const edited = await ann.ask({ method: "PATCH", path: `/v1/messages/${id}`, body: { text: "the very last" } });
  expect(edited.status).toBe(200);
  await stage.game.say({ text: "of a program", username: "game", gateway: "lobby" });
  const cyd = await stage.guest("cyd");
  expect((await cyd.say("of a newcomer")).status).toBe(201);
  const wanted = [...lines, "the very last", "of a program", "of a newcomer"].toSorted();
  const seen = (): readonly string[] => [...bob.messages.values()].map(({ blocks }) => wordsOf(blocks)).toSorted();
  await eventually(
    () => Promise.resolve(seen()),
    (texts) => texts.length >= wanted.length && texts.includes("of a program"),
    () => `all that was said; seen: ${seen().length} of ${wanted.length}`,
  );
  expect(seen()).toEqual(wanted);
});
