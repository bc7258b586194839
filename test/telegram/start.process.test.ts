import { expect, test } from "vitest";
import { figures, say, whole } from "../hosted/figures.ts";
import { Home } from "../hosted/home.ts";
import { telegram, type TelegramSide } from "./town.ts";

const GET_CHAT = { path: /^\/getChat$/u };

/** What a start meets when it asks for its chat. */
const TROUBLES: readonly (readonly [string, (side: TelegramSide) => void])[] = [
  ["a page of a proxy, three times", ({ server }) => server.faults.fail(GET_CHAT, 502, 3)],
  ["a broken connection, three times", ({ server }) => server.faults.break(GET_CHAT, 3)],
  ["a limit, twice", ({ server }) => server.limit(GET_CHAT, 2, 2)],
];

// Telegram forgets what was confirmed: while a chat is not joined, nothing of it may be.
test("a start meets trouble: what was said before and meanwhile is told once, in order", async () => {
  const home = await Home.found(
    telegram,
    TROUBLES.map(() => ({})),
  );
  await home.live();
  await home.rialto.kill9();
  const words = ["while nobody was there", "and again", "while it starts"];
  await home.each(async ({ side }, at) => {
    for (const text of words.slice(0, 2)) await side.say(text);
    TROUBLES[at]?.[1](side);
  });
  await home.begin();
  const found = await home.each(async (town) => {
    await town.side.say(words[2] ?? "");
    await town.fence("after");
    return figures(words, town.textsOnce());
  });
  const all = Object.fromEntries(TROUBLES.map(([what], at) => [what, found[at]]));
  say("a start meets trouble", all);
  expect(all).toEqual(Object.fromEntries(TROUBLES.map(([what]) => [what, whole(words.length)])));
});
