import { expect, test } from "vitest";
import { figures, numbered, say, type Side, Town, whole } from "./town.ts";

const COUNT = 300;

/** More than the network lets through at once, and less than it takes for a minute. */
function limit({ server }: Side): void {
  server.limits.set("POST /webhooks/:webhook/:token", 30, 1_000);
  server.limits.set("POST /channels/:channel/messages", 30, 1_000);
}

test("300 messages each way at once: all of them, once, in order", async () => {
  const town = await Town.start("webhooks", 2);
  const [east, west] = town.sides;
  if (east === undefined || west === undefined) throw new Error("there are two servers");
  for (const side of town.sides) limit(side);
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

test.each(["webhooks", "bot"] as const)(
  "kill -9 four times while messages go both ways (%s): all, once, in order",
  async (mode) => {
    const town = await Town.start(mode);
    for (const side of town.sides) limit(side);
    const [ours, theirs] = [numbered("ours", COUNT), numbered("theirs", COUNT)];
    for (const text of ours) await town.post(text);
    for (const [at, text] of theirs.entries()) {
      await town.hear(text);
      if (at % 75 !== 50) continue;
      await town.until(() => town.shown().some((one) => one.startsWith("ours")), "the first ones");
      await town.rialto.kill9();
      await town.begin();
    }
    await town.fence("end");
    const found = {
      ours: figures(ours, town.shown()),
      theirs: figures(theirs, town.texts()),
      unconfirmed: await town.unconfirmed(),
    };
    say(`kill -9 while ${COUNT} go each way (${mode})`, found);
    expect(found).toEqual({ ours: whole(COUNT), theirs: whole(COUNT), unconfirmed: 0 });
  },
);
