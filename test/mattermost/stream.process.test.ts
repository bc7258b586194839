import { expect, test } from "vitest";
import { EventLabel } from "../../src/contract/message.ts";
import { figures, numbered, say, Town, whole } from "./town.ts";

const COUNT = 30;

/** What becomes of the stream of events while people talk. */
const BREAKS: readonly (readonly [string, (town: Town) => void | Promise<void>])[] = [
  ["the stream is taken up again", ({ side }) => side.server.sockets.terminate()],
  [
    "the stream cannot be taken up again",
    ({ side }) => {
      side.server.world.hub.refuseResume = true;
      side.server.sockets.terminate();
    },
  ],
  [
    "the server starts anew, and has forgotten streams and keys",
    async ({ side }) => {
      await side.server.restart();
    },
  ],
  [
    "the server does not see that it is cut, and begins another stream",
    ({ side }) => {
      side.server.cutUnseen();
    },
  ],
];

test.each(BREAKS)("%s: what was said meanwhile is told once, in order", async (what, broken) => {
  const town = await Town.start();
  const { server } = town.side;
  const [ours, theirs] = [numbered("ours", 2 * COUNT), numbered("theirs", 2 * COUNT)];
  for (let at = 0; at < 2 * COUNT; at += 1) {
    await Promise.all([town.hear(theirs[at] ?? ""), town.post(ours[at] ?? "")]);
    // A post that was made, and of which nobody hears, is in it.
    if (at === COUNT - 1) {
      server.faults.loseAnswer({ method: "POST", path: /^\/posts$/ });
      await broken(town);
    }
  }
  await town.fence("after");
  server.sockets.see();
  const told = town.told().map(({ text }) => text);
  const found = {
    ours: figures(ours, town.shown()),
    theirs: figures(theirs, told),
    unconfirmed: await town.unconfirmed(),
  };
  say(what, found);
  expect(found).toEqual({ ours: whole(2 * COUNT), theirs: whole(2 * COUNT), unconfirmed: 0 });
});

test("more than a thousand posts are missed, answers to the first of them too: all are told, once", async () => {
  const town = await Town.start();
  const { alice, server } = town.side;
  const missed = 1_300;
  await town.rialto.stop();
  server.world.hub.forget();
  const theirs = numbered("theirs", missed);
  const first = await town.hear(theirs[0] ?? "");
  for (const text of theirs.slice(1, -1)) await town.hear(text);
  server.world.clock.pass(1);
  await alice.reply(first, theirs.at(-1) ?? "");
  await town.live();
  const found = figures(
    theirs,
    town.told().map(({ text }) => text),
  );
  say("more posts than a server tells at once", found);
  expect(found).toEqual(whole(missed));
});

test("more is said while Rialto is cut off than the server keeps for it, and reactions: all are told, once", async () => {
  const town = await Town.start();
  const { alice, server } = town.side;
  const missed = 400;
  const liked = await town.hear("a post of before");
  await town.fence("before");
  server.wire.shut();
  server.sockets.terminate();
  const theirs = numbered("theirs", missed);
  for (const text of theirs.slice(0, -1)) await town.hear(text);
  alice.react(liked.id, "heart");
  await town.hear(theirs.at(-1) ?? "");
  server.wire.open();
  await town.fence("after");
  const told = town.told();
  const reactions = told.filter(({ event }) => event === EventLabel.reaction);
  const found = {
    theirs: figures(
      theirs,
      told.map(({ text }) => text),
    ),
    reactions: reactions.length,
  };
  say("more than the server keeps for a stream", found);
  expect(found).toEqual({ theirs: whole(missed), reactions: 1 });
  expect(reactions.map(({ id }) => id)).toEqual(town.heard("a post of before").map(({ id }) => id));
});
