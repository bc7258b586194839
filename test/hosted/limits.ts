import { describe, expect } from "vitest";
import { figures, numbered, say, whole } from "./figures.ts";
import { SharedHome } from "./home.ts";
import type { Network, Side } from "./network.ts";
import type { Town } from "./town.ts";

const COUNT = 20;
const WORDS = numbered("ours", COUNT);
const LAST = `ours ${COUNT}`;
/** No hindrance. */
const PER_SECOND = 100;

/** How a server refuses posts. */
interface Refusal<S> {
  readonly what: string;
  readonly mode: string;
  /** All posts, with a second to wait, until faults are cleared. */
  readonly refuse: (side: S) => void;
}

/** What a server lets through. */
interface Pace<S> {
  readonly what: string;
  readonly mode: string;
  readonly pace: (side: S) => void;
  /** How many refusals that is worth at most: one for each pause. */
  readonly pauses: number;
}

interface Cases<S extends Side> {
  readonly refusals: readonly Refusal<S>[];
  readonly paces: readonly Pace<S>[];
  /** What only this network limits. */
  readonly own?: Readonly<Record<string, (town: Town<S>) => Promise<void>>>;
}

/** Servers take less than there is to say. */
export function describeLimits<S extends Side>(network: Network<S>, { refusals, paces, own = {} }: Cases<S>): void {
  describe(`${network.protocol}, limits`, () => {
    const home = new SharedHome(network);
    for (const one of refusals) {
      home.test(
        `posts are refused as too many (${one.what}, ${one.mode}): others go on, and nothing is lost`,
        async (town) => await refusePosts(town, one),
        { mode: one.mode, count: 2 },
      );
    }
    home.test("everything is refused as too many, also a new login: nothing is lost either way", refuseAll);
    for (const one of paces) {
      home.test(
        `${one.what} (${one.mode}): nothing is lost, and nothing is asked while it is forbidden`,
        async (town) => await keepPace(town, one),
        { mode: one.mode },
      );
    }
    for (const [name, act] of Object.entries(own)) home.test(name, act);
  });
}

async function refusePosts<S extends Side>(town: Town<S>, { what, mode, refuse }: Refusal<S>): Promise<void> {
  const [tight, free] = town.pair;
  for (const side of town.sides) side.allow(PER_SECOND);
  refuse(tight);
  for (const text of WORDS) await town.post(text);
  // While nothing goes there, all else does.
  await tight.say("from the tight one");
  await town.until(() => town.heard("from the tight one").length === 1, "what is said there");
  await town.until(() => town.shown(free).includes(LAST), "what goes elsewhere");
  await town.until(() => town.shown(free).includes("from the tight one"), "what goes from there to elsewhere");
  const before = figures(WORDS, town.shown(tight));
  tight.server.faults.clear();
  await town.fence("after");
  const found = { before, tight: figures(WORDS, town.shown(tight)), free: figures(WORDS, town.shown(free)) };
  say(`posts are refused as too many (${what}, ${mode})`, found);
  expect(found).toEqual({ before: { ...whole(COUNT), lost: COUNT }, tight: whole(COUNT), free: whole(COUNT) });
}

async function refuseAll(town: Town<Side>): Promise<void> {
  const { side } = town;
  const theirs = numbered("theirs", COUNT);
  side.refuse({}, 1, Infinity);
  side.server.sockets.terminate();
  const before = side.server.requests.length;
  for (const [at, text] of WORDS.entries()) {
    await town.post(text);
    await side.say(theirs[at] ?? "");
  }
  await town.until(() => side.server.requests.length >= before + 3, "three refused requests");
  side.server.faults.clear();
  await town.fence("after");
  const found = { ours: figures(WORDS, town.shown()), theirs: figures(theirs, town.texts()) };
  say("everything is refused as too many", found);
  expect(found).toEqual({ ours: whole(COUNT), theirs: whole(COUNT) });
}

async function keepPace<S extends Side>(town: Town<S>, { what, mode, pace, pauses }: Pace<S>): Promise<void> {
  const { side } = town;
  side.allow(PER_SECOND);
  pace(side);
  const before = side.refused();
  for (const text of WORDS) await town.post(text);
  await town.until(() => town.shown().includes(LAST), "the last one");
  const refused = side.refused() - before;
  side.free();
  await town.fence("after");
  const found = { ...figures(WORDS, town.shown()), unconfirmed: await town.unconfirmed() };
  say(`${what} (${mode})`, { ...found, refused, pauses });
  expect(found).toEqual({ ...whole(COUNT), unconfirmed: 0 });
  expect(refused).toBeLessThanOrEqual(pauses);
}
