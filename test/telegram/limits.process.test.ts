import { expect } from "vitest";
import { figures, numbered, say, whole } from "../hosted/figures.ts";
import { describeLimits } from "../hosted/limits.ts";
import type { Town } from "../hosted/town.ts";
import { telegram, type TelegramSide } from "./town.ts";

const [mode] = telegram.modes;

/** As the documentation has it for groups, with a shorter minute. */
const MINUTE_MS = 6_000;
const COUNT = 60;

describeLimits(telegram, {
  refusals: [{ what: "retry_after", mode, refuse: ({ asks, server }) => server.limit(asks.post, 1, Infinity) }],
  paces: [
    {
      what: "seven posts in two seconds to the group",
      mode,
      pace: ({ server }) => Object.assign(server.limits, { group: { count: 7, ms: 2_000 } }),
      pauses: 0,
    },
  ],
  own: {
    "sixty posts at twenty a minute: all stand, once and in order, and nothing is asked while it is forbidden":
      fillMinutes,
    "slow mode: all stand, once and in order, and what people say comes": slowDown,
  },
});

async function fillMinutes(town: Town<TelegramSide>): Promise<void> {
  const { side } = town;
  side.server.limits.group = { count: 20, ms: MINUTE_MS };
  const ours = numbered("ours", COUNT);
  for (const text of ours) await town.post(text);
  await town.until(() => town.shown().includes(`ours ${COUNT}`), "the last one");
  const { impatient, refused } = side.server.limits;
  const found = { ...figures(ours, town.shown()), impatient, unconfirmed: await town.unconfirmed() };
  say("sixty posts at twenty a minute", { ...found, refused });
  expect(found).toEqual({ ...whole(COUNT), impatient: 0, unconfirmed: 0 });
  // How often depends on how far apart they came: the server frees them one by one.
  expect(refused).toBeGreaterThan(0);
}

async function slowDown(town: Town<TelegramSide>): Promise<void> {
  const { side } = town;
  // Administrators need not wait.
  side.alice.demote(side.chat, side.bot);
  side.bot.hasPrivacy = false;
  side.chat.slowMode = 1;
  const [ours, theirs] = [numbered("ours", 6), numbered("theirs", 6)];
  for (const [at, text] of ours.entries()) {
    await town.post(text);
    await side.say(theirs[at] ?? "");
  }
  await town.fence("after");
  const found = { ours: figures(ours, town.shown()), theirs: figures(theirs, town.texts()) };
  say("slow mode", found);
  expect(found).toEqual({ ours: whole(6), theirs: whole(6) });
}
