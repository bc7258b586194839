import { describe, expect, onTestFailed, test } from "vitest";
import { figures, numbered, say, whole } from "./figures.ts";
import { Home, SharedHome, type TownOptions } from "./home.ts";
import type { Ask, Network, Side } from "./network.ts";
import type { Town } from "./town.ts";

/** More than a page or two of a channel. */
const LATER = 250;
/** A word and its number have more characters than this; so long posts have more than two parts. */
const WORD = 4;

const FILE = { Name: "a.txt", Data: Buffer.from("content").toString("base64") };

/** The server does what it is asked for, and Rialto never hears of it. */
export interface LostAnswer<S extends Side> extends TownOptions<S> {
  readonly what: string;
  /** Before anything is lost. */
  readonly prepare?: (town: Town<S>) => Promise<unknown>;
  /** Resolves once the server was asked, with what is to be done before Rialto may look for what became of it. */
  readonly lose: (town: Town<S>) => Promise<(() => Promise<void>) | void>;
  /** What became of it in the end. */
  readonly judge: (town: Town<S>, unconfirmed: number) => Judgement;
  /** In one life, with a kill after the loss, or in both ways; the latter if absent. */
  readonly lives?: "one" | "two";
}

interface Judgement {
  readonly found: object;
  readonly wanted: object;
}

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

/** What happens to the server before Rialto may look for what it has posted, and has no key for. */
const THEN: readonly (readonly [string, LostAnswer<Side>["lives"], (side: Side, first: string) => Promise<void>])[] = [
  ["the server no longer knows its key", undefined, async () => await Promise.resolve()],
  [
    "the server no longer knows its key, and others have said more than a page, also to the first message of all",
    "two",
    async (side, first) => {
      for (const text of numbered("later", LATER)) await side.say(text);
      await side.reply(first, "to the first");
    },
  ],
  ["the server starts anew, without its key", "one", async ({ server }) => await server.restart()],
];

/** `own`: what only this network is asked for. */
export function describeAnswers<S extends Side>(network: Network<S>, own: readonly LostAnswer<S>[] = []): void {
  const { protocol, modes } = network;
  const usual = modes.flatMap((mode) =>
    usualLosses(network).map((one) => Object.assign(one, { what: `${one.what} (${mode})`, mode })),
  );
  const losses: readonly LostAnswer<S>[] = [...usual, ...own];
  describe(`${protocol}, lost answers`, () => {
    const home = new SharedHome(network);
    for (const one of losses.filter(({ lives }) => lives !== "two")) {
      home.test(
        `the answer is lost, ${one.what}: done once`,
        async (town) => {
          await one.prepare?.(town);
          const meanwhile = await one.lose(town);
          await meanwhile?.();
          await town.fence("after");
          const { found, wanted } = one.judge(town, await town.unconfirmed());
          say(`the answer is lost, ${one.what}`, found);
          expect(found).toEqual(wanted);
        },
        one,
      );
    }

    const killed = losses.filter(({ lives }) => lives !== "one");
    test("all answers are lost, and Rialto is killed: each is done once", async () => {
      const home = await Home.found(network, killed);
      onTestFailed(() => console.error(`the program printed:\n${home.rialto.output().slice(-6_000)}`));
      await home.live();
      await home.each(async (town, at) => await killed[at]?.prepare?.(town));
      // Before the kill, nothing may be found out.
      const releases = home.towns.map(({ side: { asks, server } }) => server.faults.hold(asks.history, Infinity));
      const meanwhile = await home.each(async (town, at) => await killed[at]?.lose(town));
      await home.rialto.kill9();
      for (const release of releases) release();
      await Promise.all(meanwhile.map(async (act) => await act?.()));
      await home.begin();
      await home.each(async (town) => await town.fence("after"));
      const unconfirmed = await home.unconfirmed();
      const judged = home.towns.map((town, at) => killed[at]?.judge(town, unconfirmed[at] ?? NaN));
      const all = (of: keyof Judgement) => Object.fromEntries(killed.map(({ what }, at) => [what, judged[at]?.[of]]));
      say("the answer is lost, and Rialto is killed", all("found"));
      expect(all("found")).toEqual(all("wanted"));
    });
  });
}

const usualLosses = ({ settles = true, textMax }: Network<Side>): readonly LostAnswer<Side>[] => [
  ...CASES.map((one) => lossOf(one, settles)),
  ...THEN.map((then) => forgottenKey(then, settles)),
  secondPart(textMax, settles),
  secondOfThree(settles),
];

/** Of one request: a decoy and the target are said, and something is done to the target. */
function lossOf(one: Case, settles: boolean): LostAnswer<Side> {
  const { what, ask, act, done } = one;
  const target = targetOf(one);
  const ids = new Map<Town<Side>, string>();
  const unconfirmed = settles || (ask !== "post" && ask !== "file") ? 0 : 1;
  return {
    what: `of a ${what}`,
    prepare: async (town) => {
      await town.post("decoy");
      ids.set(town, await town.post(target));
      await town.fence(`before the ${what}`);
      expect(town.count(target)).toBe(1);
    },
    lose: async (town) => {
      const { asks, server } = town.side;
      const before = town.asked(asks[ask]);
      server.faults.loseAnswer(asks[ask]);
      await act(town, ids.get(town) ?? "", target);
      await town.until(() => town.asked(asks[ask]) > before, `the request of the ${what}`);
    },
    // What was done is no news.
    judge: (town, count) => ({
      found: {
        done: done(town, target),
        unconfirmed: count,
        decoys: town.count("decoy"),
        news: town.told().filter(({ username }) => username !== "alice" && username !== "anna"),
      },
      wanted: { done: 1, unconfirmed, decoys: 1, news: [] },
    }),
  };
}

function forgottenKey([what, lives, then]: (typeof THEN)[number], settles: boolean): LostAnswer<Side> {
  const loss = lossOf(POST, settles);
  return {
    ...loss,
    what: `of a post, and ${what}`,
    ...(lives !== undefined && { lives }),
    lose: async (town) => {
      const { side } = town;
      const first = await side.say("the first of all");
      // It looks for what it may have posted before it posts again: that waits until the key is forgotten.
      const release = side.server.faults.hold(side.asks.history, 1);
      await loss.lose(town);
      return async () => {
        side.forgetKeys();
        await then(side, first);
        release();
      };
    },
  };
}

const secondPart = (textMax: number, settles: boolean): LostAnswer<Side> => {
  const words = numbered("word", Math.ceil(textMax / WORD));
  return {
    what: "of the second part of a long post",
    lives: "two",
    lose: async (town) => await loseSecond(town, [words.join(" ")]),
    judge: (town, unconfirmed) => {
      const said =
        town
          .shown()
          .join(" ")
          .match(/\bword \d+/gu) ?? [];
      return {
        found: { ours: figures(words, said), unconfirmed },
        wanted: { ours: whole(words.length), unconfirmed: settles ? 0 : 1 },
      };
    },
  };
};

const secondOfThree = (settles: boolean): LostAnswer<Side> => ({
  what: "of the second of three posts that say the same",
  lives: "two",
  lose: async (town) => await loseSecond(town, ["same", "same", "same"]),
  judge: (town, unconfirmed) => {
    const stand = town.count("same");
    if (settles) return { found: { stand, unconfirmed }, wanted: { stand: 3, unconfirmed: 0 } };
    // The second stands and is in doubt. The third may have been about to leave when the kill came.
    const fits = stand <= 3 && unconfirmed <= 2 && stand + unconfirmed >= 4;
    return { found: { stand, unconfirmed, fits }, wanted: { stand, unconfirmed, fits: true } };
  },
});

/** The first request of these posts goes through, and the answer of the second is lost. */
async function loseSecond(town: Town<Side>, posts: readonly string[]): Promise<() => Promise<void>> {
  const { side } = town;
  const { faults } = side.server;
  const before = town.asked(side.asks.post);
  faults.hold(side.asks.post)();
  faults.loseAnswer(side.asks.post);
  for (const text of posts) await town.post(text);
  await town.until(() => town.asked(side.asks.post) >= before + 2, "the second request");
  return async () => await Promise.resolve(side.forgetKeys());
}
