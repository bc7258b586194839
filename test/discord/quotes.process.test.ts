import { expect, test } from "vitest";
import { Home } from "../hosted/home.ts";
import type { Town } from "../hosted/town.ts";
import { discord, type DiscordSide } from "./town.ts";

const OURS = "my password is hunter2";
const HERS = "my number is 4711";

/** What Discord shows of our answers, the oldest first. */
function answers({ side }: Town<DiscordSide>): readonly string[] {
  const contents = Array.from(side.server.world.messages.values(), ({ wire }) => wire.content);
  return contents.filter((content) => /\n(?:oops|really)/u.test(content));
}

/** Both ways are open; a message of anna and another of alice are answered by anna. */
async function answered(home: Home<DiscordSide>): Promise<{ town: Town<DiscordSide>; ours: string; hers: string }> {
  await home.live();
  const [town] = home.towns;
  if (town === undefined) throw new Error("there is no town");
  const ours = await town.post(OURS);
  const hers = await town.side.say(HERS);
  await town.until(() => town.heard(HERS).length === 1, "what alice says");
  await town.post("oops", { parent_id: ours });
  await town.post("really?", { parent_id: town.heard(HERS)[0]?.id ?? "" });
  await town.until(() => answers(town).length === 2, "the answers");
  return { town, ours, hers };
}

test.each([
  ["in the same life", async () => await Promise.resolve()],
  ["after a stop", async (home: Home<DiscordSide>) => (await home.rialto.stop(), await home.begin())],
  ["after a kill", async (home: Home<DiscordSide>) => await home.die()],
])("a deletion %s takes the words out of the answers that quote them, wherever they were said", async (_, between) => {
  const home = await Home.found(discord, [{}]);
  const { town, ours, hers } = await answered(home);
  expect(answers(town).map((content) => content.includes("hunter2") || content.includes("4711"))).toEqual([true, true]);
  await between(home);
  await town.fence("between");
  await town.erase(ours);
  town.side.erase(hers);
  await town.until(() => !answers(town).some((content) => /hunter2|4711/u.test(content)), "the quotes to go");
  await town.fence("after");
  const [anna, alice] = answers(town).map((content) => content.replace(/\(<[^<>]*>\)/u, "(link)"));
  expect([anna, alice]).toEqual(["-# ↪ [anna](link)\noops", "-# ↪ [alice](link)\nreally?"]);
});

test("an answer that was edited keeps its new words", async () => {
  const home = await Home.found(discord, [{}]);
  await home.live();
  const [town] = home.towns;
  if (town === undefined) throw new Error("there is no town");
  const ours = await town.post(OURS);
  const answer = await town.post("oops", { parent_id: ours });
  await town.until(() => answers(town).length === 1, "the answer");
  await town.edit(answer, "really now");
  await town.until(() => answers(town)[0]?.endsWith("really now") === true, "the edit");
  await home.die();
  await town.erase(ours);
  await town.until(() => !(answers(town)[0] ?? OURS).includes(OURS), "the quote to go");
  expect(answers(town)[0]?.replace(/\(<[^<>]*>\)/u, "(link)")).toBe("-# ↪ [anna](link)\nreally now");
});
