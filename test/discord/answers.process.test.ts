import { expect, test } from "vitest";
import { describeAnswers } from "../hosted/answers.ts";
import { say } from "../hosted/figures.ts";
import { Town } from "../hosted/town.ts";
import { EVERYBODY } from "../servers/discord/permissions.ts";
import { discord, type DiscordSide } from "./town.ts";

describeAnswers(discord);

const MAKE = { method: "POST", path: /^\/channels\/\d+\/webhooks$/u };

test.each([
  ["in one life", async (town: Town<DiscordSide>) => void (await Promise.resolve(town))],
  ["with a kill", async (town: Town<DiscordSide>) => await town.die()],
])("the answer to making the webhook is lost, %s: there is one of ours", async (how, then) => {
  const town = await Town.start(discord, { mode: "bot" });
  const { app, channel, guild, server } = town.side;
  await town.rialto.stop();
  server.faults.loseAnswer(MAKE);
  server.world.changeRole(guild, guild.roles.get(guild.id)!, [...EVERYBODY, "ManageWebhooks"]);
  await town.begin();
  await town.post("target");
  await town.until(() => town.asked(MAKE) > 0, "the request");
  await then(town);
  await town.fence("after");
  const ours = server.webhooks.of(channel.id).filter(({ application }) => application === app.user.id);
  const found = { webhooks: ours.length, posts: town.count("target"), unconfirmed: await town.unconfirmed() };
  say(`the answer to making the webhook is lost, ${how}`, found);
  expect(found).toEqual({ webhooks: 1, posts: 1, unconfirmed: 0 });
});
