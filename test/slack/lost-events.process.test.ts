import { expect, test } from "vitest";
import { EventLabel, type Message } from "../../src/contract/message.ts";
import { startTown } from "../hosted/home.ts";
import type { Town } from "../hosted/town.ts";
import { eventually } from "../support/wait.ts";
import { slack, type SlackSide } from "./town.ts";

/** The channels are compared with what was told, now and then. */
const SWEEP_MS = 200_000;

test("events that Slack loses on a sound connection are told later, each once", async () => {
  const { town } = await startTown(slack);
  const { side } = town;
  const [changed, erased, liked] = [await side.say("changes"), await side.say("goes"), await side.say("is liked")];
  await town.fence("before");
  side.server.hub.lose = Infinity;
  await side.say("nobody hears this");
  await side.reply(liked, "nor this");
  side.edit(changed, "has changed");
  side.erase(erased);
  side.react(liked, "👍");
  side.server.hub.lose = 0;
  const missed = (): readonly number[] => {
    const acts = (event: string, of: string): readonly Message[] =>
      town.told().filter((one) => one.event === event && one.id === town.heard(of)[0]?.id);
    return [
      town.heard("nobody hears this").length,
      town.heard("nor this").length,
      acts(EventLabel.edit, "changes").length,
      acts(EventLabel.delete, "goes").length,
      acts(EventLabel.reaction, "is liked").length,
    ];
  };
  await waitFor(town, missed);
  await town.fence("after");
  expect(missed()).toEqual([1, 1, 1, 1, 1]);
});

async function waitFor(town: Town<SlackSide>, missed: () => readonly number[]): Promise<void> {
  await eventually(
    async () => await Promise.resolve(missed()),
    (counts) => counts.every((count) => count > 0),
    () => `what was lost; told: ${JSON.stringify(missed())}; Rialto printed:\n${town.printed().slice(-3_000)}`,
    SWEEP_MS,
  );
}
