import { describe, expect, test } from "vitest";
import { expectOurs, figures, numbered, say, whole } from "./figures.ts";
import { startTown } from "./home.ts";
import type { Network, Side } from "./network.ts";

const COUNT = 300;
/** Fewer than come at once. */
const PER_SECOND = 100;
/** So few that messages wait at each kill. */
const PER_SECOND_AND_KILL = 30;
const KILLS = 4;

/** Many messages at once, and kills among them. */
export function describeBurst(network: Network<Side>): void {
  describe(`${network.protocol}, burst`, () => {
    test("300 messages each way at once: all of them, once, in order", async () => {
      const { town } = await startTown(network, { count: 2 });
      const [east, west] = town.pair;
      for (const side of town.sides) side.allow(PER_SECOND);
      const [ours, theirs, others] = [numbered("ours", COUNT), numbered("theirs", COUNT), numbered("others", COUNT)];
      await Promise.all([
        (async () => {
          for (const text of ours) await town.post(text);
        })(),
        ...[[east, theirs] as const, [west, others] as const].map(async ([side, texts]) => {
          for (const text of texts) {
            await side.say(text);
            await new Promise((resolve) => setImmediate(resolve));
          }
        }),
      ]);
      await town.fence("end");
      const told = town.texts();
      const found = {
        ours: figures(ours, town.shown(east)),
        "ours, west": figures(ours, town.shown(west)),
        theirs: figures(theirs, told),
        others: figures(others, told),
        "east to west": figures(theirs, town.shown(west)),
        "west to east": figures(others, town.shown(east)),
      };
      say(`${COUNT} each way at once`, found);
      for (const each of Object.values(found)) expect(each).toEqual(whole(COUNT));
    });

    test("kill -9 four times while messages go both ways: all, once, in order", async () => {
      const { home, town } = await startTown(network);
      town.side.allow(PER_SECOND_AND_KILL);
      const [ours, theirs] = [numbered("ours", COUNT), numbered("theirs", COUNT)];
      for (const text of ours) await town.post(text);
      for (const [at, text] of theirs.entries()) {
        await town.side.say(text);
        if (at % 75 !== 50) continue;
        await town.until(() => town.shown().some((one) => one.startsWith("ours")), "the first ones");
        await home.die();
      }
      await town.fence("end");
      const [unconfirmed = NaN] = await home.unconfirmed();
      const found = {
        ours: figures(ours, town.shown()),
        theirs: figures(theirs, town.textsOnce()),
        unconfirmed,
      };
      say(`kill -9 while ${COUNT} go each way`, found);
      expect(found.theirs).toEqual(whole(COUNT));
      expectOurs(network, found, KILLS);
    });
  });
}
