import { describe, expect, test } from "vitest";
import { figures, numbered, say, whole } from "./figures.ts";
import type { Ask, Network, Side } from "./network.ts";
import { Town } from "./town.ts";

/** More than a page or two of a channel. */
const LATER = 250;
/** A word and its number have more characters than this; so long posts have more than two parts. */
const WORD = 4;

const FILE = { Name: "a.txt", Data: Buffer.from("content").toString("base64") };

interface Case {
  readonly what: string;
  /** The request whose answer is lost. */
  readonly ask: Ask;
  /** `target`: what was said, and its id. */
  readonly act: (town: Town<Side>, id: string, target: string) => Promise<unknown>;
  /** How often it was done: once. */
  readonly done: (town: Town<Side>, target: string) => number;
}

const POST: Case = {
  what: "post",
  ask: "post",
  act: async (town, _, target) => await town.post(target),
  done: (town, target) => town.count(target) - 1,
};

const CASES: readonly Case[] = [
  POST,
  {
    what: "edit",
    ask: "edit",
    act: async (town, id, target) => await town.edit(id, `${target}, edited`),
    done: (town, target) => town.count(`${target}, edited`),
  },
  {
    what: "deletion",
    ask: "delete",
    act: async (town, id) => await town.erase(id),
    done: (town, target) => 1 - town.count(target),
  },
  {
    what: "reaction",
    ask: "react",
    act: async (town, id) => await town.react(id, "👍"),
    done: (town) => town.side.standing().reduce((sum, { reactions }) => sum + reactions.length, 0),
  },
  {
    what: "file",
    ask: "file",
    act: async (town) => await town.post("a file", { Extra: { file: [FILE] } }),
    done: (town) => town.side.standing().reduce((sum, { files }) => sum + files, 0),
  },
];

const targetOf = ({ what }: Case): string => `the ${what}'s target`;

/** What happens before Rialto may look for what it has posted. */
const THEN: readonly (readonly [string, (town: Town<Side>, first: string) => Promise<void>])[] = [
  ["in one life", async () => await Promise.resolve()],
  ["with a kill", async (town) => await town.die()],
  [
    "with a kill, after which others have said more than a page, also to the first message of all",
    async (town, first) => {
      await town.rialto.kill9();
      for (const text of numbered("later", LATER)) await town.side.say(text);
      await town.side.reply(first, "to the first");
      await town.begin();
    },
  ],
  ["with a server that starts anew", async (town) => await town.side.server.restart()],
];

/** The server does what it is asked for, and Rialto never hears of it. */
export function describeAnswers(network: Network<Side>): void {
  describe(`${network.protocol}, lost answers`, () => {
    describeEach(network);
    test.each(THEN.flatMap(([how, then]) => network.modes.map((mode) => [how, mode, then] as const)))(
      "the answer of a post is lost, and the server no longer knows its key, %s (%s): it stands once",
      async (how, mode, then) => {
        const town = await Town.start(network, { mode });
        const { side } = town;
        const first = await side.say("the first of all");
        // It looks for what it may have posted before it posts again: that waits until the key is forgotten.
        const release = side.server.faults.hold(side.asks.history, 1);
        await lose(town, POST);
        side.forgetKeys();
        await then(town, first);
        release();
        await settle(town, network, [POST], `the key forgotten, ${how} (${mode})`);
      },
    );
    describeSecond(network);
  });
}

function describeEach(network: Network<Side>): void {
  test.each(network.modes)(
    "the answers of a post, an edit, a deletion, a reaction and a file are lost (%s): done once",
    async (mode) => {
      const town = await Town.start(network, { mode });
      for (const one of CASES) {
        await lose(town, one);
        await town.fence(`after the ${one.what}`);
      }
      await settle(town, network, CASES, `in one life (${mode})`);
    },
  );

  test.each(network.modes)("the same, and Rialto is killed each time (%s): done once", async (mode) => {
    const town = await Town.start(network, { mode });
    for (const one of CASES) {
      await lose(town, one);
      await town.rialto.kill9();
      await town.live();
    }
    await settle(town, network, CASES, `with a kill each time (${mode})`);
  });
}

function describeSecond(network: Network<Side>): void {
  const { settles = true } = network;
  test.each(network.modes)(
    "the answer of the second part of a long post is lost (%s), and Rialto is killed: each part stands once",
    async (mode) => {
      const town = await Town.start(network, { mode });
      const words = numbered("word", Math.ceil(network.textMax / WORD));
      await loseSecond(town, [words.join(" ")]);
      const said =
        town
          .shown()
          .join(" ")
          .match(/\bword \d+/gu) ?? [];
      const found = { ours: figures(words, said), unconfirmed: await town.unconfirmed() };
      say(`the answer of a second part is lost, with a kill (${mode})`, found);
      expect(found).toEqual({ ours: whole(words.length), unconfirmed: settles ? 0 : 1 });
    },
  );

  test.each(network.modes)(
    "of three posts that say the same the answer of the second is lost (%s), and Rialto is killed: three stand",
    async (mode) => {
      const town = await Town.start(network, { mode });
      await loseSecond(town, ["same", "same", "same"]);
      const found = { stand: town.count("same"), unconfirmed: await town.unconfirmed() };
      say(`the answer of the second of three equal posts is lost, with a kill (${mode})`, found);
      if (settles) {
        expect(found).toEqual({ stand: 3, unconfirmed: 0 });
        return;
      }
      // The second stands and is in doubt. The third may have been about to leave when the kill came.
      expect(found.stand).toBeLessThanOrEqual(3);
      expect(found.unconfirmed).toBeLessThanOrEqual(2);
      expect(found.stand + found.unconfirmed).toBeGreaterThanOrEqual(4);
    },
  );
}

/** Says a decoy and the target, loses the answer of what is done to it, and comes back once it was done. */
async function lose(town: Town<Side>, one: Case): Promise<void> {
  const { asks, server } = town.side;
  const { what, ask, act } = one;
  await town.post("decoy");
  const id = await town.post(targetOf(one));
  await town.fence(`before the ${what}`);
  expect(town.count(targetOf(one))).toBe(1);
  const before = town.asked(asks[ask]);
  server.faults.loseAnswer(asks[ask]);
  await act(town, id, targetOf(one));
  await town.until(() => town.asked(asks[ask]) > before, `the request of the ${what}`);
}

/** Each was done once, and what was done is no news. Ends Rialto. */
async function settle(
  town: Town<Side>,
  { settles = true }: Network<Side>,
  cases: readonly Case[],
  how: string,
): Promise<void> {
  await town.fence("after");
  const done = Object.fromEntries(cases.map((one) => [one.what, one.done(town, targetOf(one))]));
  const found = { done, unconfirmed: await town.unconfirmed() };
  say(`answers are lost, ${how}`, found);
  const unconfirmed = settles ? 0 : cases.filter(({ ask }) => ask === "post" || ask === "file").length;
  expect(found).toEqual({ done: Object.fromEntries(cases.map(({ what }) => [what, 1])), unconfirmed });
  expect(town.shown()).toContain("decoy");
  expect(town.told().filter(({ username }) => username !== "alice" && username !== "anna")).toEqual([]);
}

/** The first request of these posts goes through, and the answer of the second is lost; then Rialto starts again. */
async function loseSecond(town: Town<Side>, posts: readonly string[]): Promise<void> {
  const { side } = town;
  const { faults } = side.server;
  const before = town.asked(side.asks.post);
  faults.hold(side.asks.post)();
  faults.loseAnswer(side.asks.post);
  for (const text of posts) await town.post(text);
  await town.until(() => town.asked(side.asks.post) >= before + 2, "the second request");
  await town.rialto.kill9();
  side.forgetKeys();
  await town.live();
}
