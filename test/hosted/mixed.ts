import { describe, expect, test } from "vitest";
import { Random } from "../fuzz/random.ts";
import { expectOurs, figures, numbered, say, whole } from "./figures.ts";
import { type HomeTown, startTown } from "./home.ts";
import type { Network, Side } from "./network.ts";

const COUNT = 120;
const PER_SECOND = 30;
/** Something goes wrong about as often as this. */
const RATE = 0.2;
const SEEDS = [1, 8];

/** What may go wrong, also while the last one is not over. */
type Trouble<S extends Side> = readonly [string, (there: HomeTown<S>) => void | Promise<void>];

const ON_THE_WAY: readonly Trouble<Side>[] = [
  ["an answer is lost", ({ town: { side } }) => side.server.faults.loseAnswer({ method: "POST" })],
  ["a request breaks", ({ town: { side } }) => side.server.faults.break({ method: "POST" })],
  ["three answers are a proxy's", ({ town: { side } }) => side.server.faults.fail({}, 503, 3)],
  ["a request too many", ({ town: { side } }) => side.refuse({ method: "POST" }, 0.3, 1)],
  ["the road breaks", ({ town: { side } }) => side.server.wire.cut()],
  ["the connection of events breaks", ({ town: { side } }) => side.server.sockets.terminate()],
];
const AT_THE_ENDS: readonly Trouble<Side>[] = [
  ["the server starts anew", async ({ town: { side } }) => await side.server.restart()],
  ["Rialto is killed", async ({ home }) => await home.die()],
];

/** Many things go wrong one after the other; `own`: what only this network does. */
export function describeMixed<S extends Side>(network: Network<S>, own: readonly Trouble<S>[]): void {
  const troubles: readonly Trouble<S>[] = [...ON_THE_WAY, ...own, ...AT_THE_ENDS];
  describe(`${network.protocol}, troubles`, () => {
    test.each(SEEDS)("one after the other (%d): everything arrives once, in order", async (seed) => {
      const random = new Random(seed);
      const there = await startTown(network);
      const { home, town } = there;
      const { side } = town;
      side.allow(PER_SECOND);
      const [ours, theirs] = [numbered("ours", COUNT), numbered("theirs", COUNT)];
      const happened: string[] = [];
      for (let at = 0; at < COUNT; at += 1) {
        await Promise.all([town.post(ours[at] ?? ""), side.say(theirs[at] ?? "")]);
        if (!random.chance(RATE)) continue;
        const [what, trouble] = random.pick(troubles);
        happened.push(what);
        await trouble(there);
      }
      side.server.faults.clear();
      await town.fence("after");
      const [unconfirmed = NaN] = await home.unconfirmed();
      const found = {
        ours: figures(ours, town.shown()),
        theirs: figures(theirs, town.textsOnce()),
        unconfirmed,
      };
      say(`${happened.length} troubles (${seed})`, { ...found, happened });
      expect(found.theirs).toEqual(whole(COUNT));
      expectOurs(network, found, happened.length);
    });
  });
}
