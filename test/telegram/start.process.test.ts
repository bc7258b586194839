import { expect, test } from "vitest";
import { figures, say, whole } from "../hosted/figures.ts";
import { Town } from "../hosted/town.ts";
import { telegram, type TelegramSide } from "./town.ts";

const GET_CHAT = { path: /^\/getChat$/u };

/** What a start meets when it asks for its chat. */
const TROUBLES: readonly (readonly [string, (side: TelegramSide) => void])[] = [
  ["a page of a proxy, three times", ({ server }) => server.faults.fail(GET_CHAT, 502, 3)],
  ["a broken connection, three times", ({ server }) => server.faults.break(GET_CHAT, 3)],
  ["a limit, twice", ({ server }) => server.limit(GET_CHAT, 2, 2)],
];

// Telegram forgets what was confirmed: while a chat is not joined, nothing of it may be.
test.each(TROUBLES)(
  "a start meets %s: what was said before and meanwhile is told once, in order",
  async (what, meet) => {
    const town = await Town.start(telegram);
    const { side } = town;
    await town.rialto.kill9();
    const words = ["while nobody was there", "and again", "while it starts"];
    for (const text of words.slice(0, 2)) await side.say(text);
    meet(side);
    await town.begin();
    await side.say(words[2] ?? "");
    await town.fence("after");
    const found = figures(words, town.textsOnce());
    say(`a start meets ${what}`, found);
    expect(found).toEqual(whole(words.length));
  },
);
