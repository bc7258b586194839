import { expect, test } from "vitest";
import { startTown } from "../hosted/home.ts";
import { eventually } from "../support/wait.ts";
import { type DiscordSide, discord } from "./town.ts";

const isTyping = ({ server, channel, app }: DiscordSide): boolean =>
  server.world.typists.get(channel.id)?.has(app.user.id) === true;

/** People repeat that they type while they do. */
async function untilTyping(side: DiscordSide, type: () => Promise<void>): Promise<void> {
  await eventually(
    type,
    () => isTyping(side),
    () => "the bot to type",
  );
}

test("typing of programs and of people reaches the other rooms of the gateway, and not its own", async () => {
  const { town } = await startTown(discord, { count: 2 });
  const [one, other] = town.pair;
  const annaTypes = async (): Promise<void> => {
    expect(await town.type()).toBe(204);
  };
  await untilTyping(one, annaTypes);
  await untilTyping(other, annaTypes);
  await town.post("ends it");
  for (const side of town.pair) {
    await eventually(
      () => Promise.resolve(town.shown(side)),
      (shown) => shown.includes("ends it"),
      () => "the message",
    );
    side.server.world.typists.clear();
  }
  await untilTyping(other, () => Promise.resolve(one.alice.typing(one.channel)));
  expect(isTyping(one)).toBe(false);
});
