import { expect, test } from "vitest";
import { tooMany, type Which } from "../servers/discord/faults.ts";
import { CHANNEL_WEBHOOKS } from "../servers/discord/limits.ts";
import { figures, type Mode, numbered, say, Town, whole } from "./town.ts";

const COUNT = 20;
const WORDS = numbered("ours", COUNT);

const POSTS: Readonly<Record<Mode, Which>> = {
  webhooks: { method: "POST", path: "/webhooks/" },
  bot: { method: "POST", path: /^\/channels\/\d+\/messages$/u },
};
const SCOPES = ["user", "shared", "global"] as const;
const REFUSALS = SCOPES.flatMap((scope) => (["webhooks", "bot"] as const).map((mode) => [scope, mode] as const));

test.each(REFUSALS)(
  "posts are refused as too many (%s, %s): others go on, and nothing is lost",
  async (scope, mode) => {
    const town = await Town.start(mode, 2);
    const [tight, free] = town.sides;
    if (tight === undefined || free === undefined) throw new Error("there are two servers");
    for (const { server } of town.sides) {
      server.limits.set("POST /channels/:channel/messages", 100, 1_000);
      server.limits.set("POST /webhooks/:webhook/:token", 100, 1_000);
    }
    tight.server.faults.answer(POSTS[mode], tooMany(1, scope), Infinity);
    for (const text of WORDS) await town.post(text);
    // While nothing goes there, all else does.
    await town.hear("from the tight one", tight);
    await town.until(() => town.heard("from the tight one").length === 1, "what is said there");
    await town.until(() => town.shown(free).includes("ours 20"), "what goes elsewhere");
    await town.until(() => town.shown(free).includes("from the tight one"), "what goes from there to elsewhere");
    const before = figures(WORDS, town.shown(tight));
    tight.server.faults.clear();
    await town.fence("after");
    const found = { before, tight: figures(WORDS, town.shown(tight)), free: figures(WORDS, town.shown(free)) };
    say(`posts are refused as too many (${scope}, ${mode})`, found);
    expect(found).toEqual({ before: { ...whole(COUNT), lost: COUNT }, tight: whole(COUNT), free: whole(COUNT) });
  },
);

test("everything is refused as too many, also a new login: nothing is lost either way", async () => {
  const town = await Town.start();
  const { server } = town.side;
  const theirs = numbered("theirs", COUNT);
  server.faults.limit({}, 1, "global", Infinity);
  server.sockets.terminate();
  const before = server.requests.length;
  for (const [at, text] of WORDS.entries()) {
    await town.post(text);
    await town.hear(theirs[at] ?? "");
  }
  await town.until(() => server.requests.length >= before + 3, "three refused requests");
  server.faults.clear();
  await town.fence("after");
  const told = town.told().map(({ text }) => text);
  const found = { ours: figures(WORDS, town.shown()), theirs: figures(theirs, told) };
  say("everything is refused as too many", found);
  expect(found).toEqual({ ours: whole(COUNT), theirs: whole(COUNT) });
});

/** What the server lets through, and how many refusals that is worth at most: one for each pause. */
const PACES: readonly (readonly [what: string, mode: Mode, pace: (town: Town) => void, pauses: number])[] = [
  [
    "a bucket of five",
    "webhooks",
    ({ side }) => side.server.limits.set("POST /webhooks/:webhook/:token", 5, 500),
    COUNT / 5,
  ],
  [
    "a bucket of five",
    "bot",
    ({ side }) => side.server.limits.set("POST /channels/:channel/messages", 5, 500),
    COUNT / 5,
  ],
  ["ten for all webhooks of a channel", "webhooks", ({ side }) => side.server.limits.set(CHANNEL_WEBHOOKS, 10, 500), 3],
  ["ten requests of all kinds", "bot", ({ side }) => side.server.limits.set("global", 10, 500), COUNT / 4],
  [
    "slow mode, also for bots",
    "bot",
    ({ side }) => {
      side.server.world.slowsBots = true;
      side.alice.setSlow(side.channel, 1);
    },
    COUNT + 2,
  ],
];

test.each(PACES)(
  "%s (%s): nothing is lost, and nothing is asked while it is forbidden",
  async (what, mode, pace, most) => {
    const town = await Town.start(mode);
    const { server } = town.side;
    server.limits.set("POST /channels/:channel/messages", 100, 1_000);
    server.limits.set("POST /webhooks/:webhook/:token", 100, 1_000);
    pace(town);
    const before = server.limits.refused;
    for (const text of WORDS) await town.post(text);
    await town.until(() => town.shown().includes("ours 20"), "the last one");
    const refused = server.limits.refused - before;
    server.limits.off = true;
    server.world.slowsBots = false;
    await town.fence("after");
    const found = { ...figures(WORDS, town.shown()), unconfirmed: await town.unconfirmed() };
    say(`${what} (${mode})`, { ...found, refused, most });
    expect(found).toEqual({ ...whole(COUNT), unconfirmed: 0 });
    expect(refused).toBeLessThanOrEqual(most);
  },
);
