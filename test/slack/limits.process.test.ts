import { expect } from "vitest";
import { figures, numbered, say, whole } from "../hosted/figures.ts";
import { describeLimits } from "../hosted/limits.ts";
import type { Town } from "../hosted/town.ts";
import { slack, type SlackSide } from "./town.ts";

const COUNT = 20;

/** Of these alone. */
const METHODS = ["conversations.history", "users.info", "reactions.add", "conversations.replies"];

describeLimits(slack, {
  refusals: slack.modes.map((mode) => ({
    what: "Retry-After",
    mode,
    refuse: ({ asks, server }) => server.limit(asks.post, 1, Infinity),
  })),
  paces: slack.modes.map((mode) => ({
    what: "one post a second, and a burst of five",
    mode,
    pace: ({ server }) => server.limits.set("chat.postMessage", 5, 1_000),
    pauses: 3,
  })),
  own: Object.fromEntries(
    METHODS.map((method) => [
      `only ${method} is limited: posts go on, what people say comes, and nothing is asked while it is forbidden`,
      async (town: Town<SlackSide>) => await limitOne(town, method),
    ]),
  ),
});

async function limitOne(town: Town<SlackSide>, method: string): Promise<void> {
  const { side } = town;
  side.server.limits.set(method, 1, 2_000);
  const [ours, theirs] = [numbered("ours", COUNT), numbered("theirs", COUNT)];
  for (const [at, text] of ours.entries()) {
    const id = await town.post(text);
    await town.react(id, "👍");
    const said = await side.say(theirs[at] ?? "");
    if (at === COUNT / 2) {
      side.server.sockets.terminate();
      await side.reply(said, "an answer");
    }
  }
  await town.fence("after");
  const found = { ours: figures(ours, town.shown()), theirs: figures(theirs, town.texts()) };
  const { impatient, refused } = side.server.limits;
  say(`only ${method} is limited`, { ...found, impatient });
  expect(found).toEqual({ ours: whole(COUNT), theirs: whole(COUNT) });
  expect(town.heard("an answer")).toHaveLength(1);
  // One that was on its way when the pause began; as for Discord.
  expect(impatient).toBeLessThanOrEqual(refused - impatient);
}
