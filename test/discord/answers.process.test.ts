import { expect, test } from "vitest";
import { describeAnswers, type LostAnswer } from "../hosted/answers.ts";
import { Home } from "../hosted/home.ts";
import { discord, type DiscordSide } from "./town.ts";

const MAKE = { method: "POST", path: /^\/channels\/\d+\/webhooks$/u };

/** Of ours there is one then. */
const MAKING: LostAnswer<DiscordSide> = {
  what: "to making the webhook",
  lives: "one",
  before: ({ server }) => server.faults.loseAnswer(MAKE),
  lose: async (town) => {
    await town.post("target");
    await town.until(() => town.asked(MAKE) > 0, "the request");
  },
  judge: (town, unconfirmed) => {
    const { app, channel, server } = town.side;
    const ours = server.webhooks.of(channel.id).filter(({ application }) => application === app.user.id);
    return {
      found: { webhooks: ours.length, posts: town.count("target"), unconfirmed },
      wanted: { webhooks: 1, posts: 1, unconfirmed: 0 },
    };
  },
};

describeAnswers(discord, [MAKING]);

test("the answer is lost to making the webhook, and Rialto is killed: there is one of ours", async () => {
  const home = await Home.found(discord, [MAKING]);
  // The first post asks for the webhook.
  await home.begin();
  await home.each(MAKING.lose);
  await home.die();
  const judged = await home.each(async (town) => {
    await town.fence("after");
    return MAKING.judge(town, await town.unconfirmed());
  });
  expect(judged.map(({ found }) => found)).toEqual(judged.map(({ wanted }) => wanted));
});
