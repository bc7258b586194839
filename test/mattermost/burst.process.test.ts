import { expect, test } from "vitest";
import { figures, numbered, say, Town, whole } from "./town.ts";

const COUNT = 300;

test("300 messages each way at once: all of them, once, in order", async () => {
  const town = await Town.start(2);
  const [east, west] = town.sides;
  if (east === undefined || west === undefined) throw new Error("there are two servers");
  const [ours, theirs, others] = [numbered("ours", COUNT), numbered("theirs", COUNT), numbered("others", COUNT)];
  await Promise.all([
    (async () => {
      for (const text of ours) await town.post(text);
    })(),
    ...[[east, theirs] as const, [west, others] as const].map(async ([side, texts]) => {
      for (const text of texts) {
        await town.hear(text, side);
        await new Promise((resolve) => setImmediate(resolve));
      }
    }),
  ]);
  await town.fence("end");
  const told = town.told().map(({ text }) => text);
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
