import { expect, test } from "vitest";
import { Random } from "../fuzz/random.ts";
import { figures, type Mode, numbered, say, Town, whole } from "./town.ts";

const COUNT = 120;
/** Something goes wrong about as often as this. */
const RATE = 0.2;

/** What may go wrong, also while the last one is not over. */
const TROUBLES: readonly (readonly [string, (town: Town) => void | Promise<void>])[] = [
  ["an answer is lost", ({ side }) => side.server.faults.loseAnswer({ method: "POST" })],
  ["a request breaks", ({ side }) => side.server.faults.break({ method: "POST" })],
  ["three answers are a proxy's", ({ side }) => side.server.faults.fail({}, 503, 3)],
  ["a request too many", ({ side }) => side.server.faults.limit({ method: "POST" }, 0.3, "shared")],
  ["the road breaks", ({ side }) => side.server.wire.cut()],
  ["the gateway breaks", ({ side }) => side.server.sockets.terminate()],
  ["the session is lost", ({ side }) => side.server.sockets.invalidate(false)],
  ["the server starts anew", async ({ side }) => await side.server.restart()],
  [
    "Rialto is killed",
    async (town) => {
      await town.rialto.kill9();
      await town.begin();
    },
  ],
];

test.each(
  [1, 8].flatMap((seed) => (["webhooks", "bot"] as const).map((mode): readonly [number, Mode] => [seed, mode])),
)("one trouble after the other (%d, %s): everything arrives once, in order", async (seed, mode) => {
  const random = new Random(seed);
  const town = await Town.start(mode);
  const { server } = town.side;
  server.limits.set("POST /webhooks/:webhook/:token", 30, 1_000);
  server.limits.set("POST /channels/:channel/messages", 30, 1_000);
  const [ours, theirs] = [numbered("ours", COUNT), numbered("theirs", COUNT)];
  const happened: string[] = [];
  for (let at = 0; at < COUNT; at += 1) {
    await Promise.all([town.post(ours[at] ?? ""), town.hear(theirs[at] ?? "")]);
    if (!random.chance(RATE)) continue;
    const [what, trouble] = random.pick(TROUBLES);
    happened.push(what);
    await trouble(town);
  }
  server.faults.clear();
  await town.fence("after");
  const found = {
    ours: figures(ours, town.shown()),
    theirs: figures(theirs, town.texts()),
    unconfirmed: await town.unconfirmed(),
  };
  say(`${happened.length} troubles (${seed}, ${mode})`, { ...found, happened });
  expect(found).toEqual({ ours: whole(COUNT), theirs: whole(COUNT), unconfirmed: 0 });
});
