import { expect, test } from "vitest";
import { EventLabel } from "../../src/contract/message.ts";
import { figures, numbered, say, Town, whole } from "./town.ts";

const COUNT = 30;

/** What becomes of the gateway while people talk. */
const BREAKS: readonly (readonly [string, (town: Town) => void | Promise<void>])[] = [
  ["the session is taken up again", ({ side }) => side.server.sockets.terminate()],
  [
    "the session cannot be taken up again",
    ({ side }) => {
      side.server.world.hub.refuseResume = true;
      side.server.sockets.terminate();
    },
  ],
  [
    "the server starts anew, and has forgotten sessions",
    async ({ side }) => {
      await side.server.restart();
    },
  ],
  ["the server does not see that it is cut", ({ side }) => side.server.cutUnseen()],
  ["the server asks for another connection", ({ side }) => side.server.sockets.askReconnect()],
  ["the session has become invalid, and may be taken up", ({ side }) => side.server.sockets.invalidate(true)],
  ["the session has become invalid", ({ side }) => side.server.sockets.invalidate(false)],
  [
    "the server closes with an error of its own",
    ({ side }) => {
      side.server.sockets.close(4000, "Unknown error.");
    },
  ],
  [
    "each event comes twice",
    ({ side }) => {
      side.server.world.hub.times = 2;
    },
  ],
];

test.each(BREAKS)("%s: what was said meanwhile is told once, in order", async (what, broken) => {
  const town = await Town.start();
  const { server } = town.side;
  server.limits.set("POST /webhooks/:webhook/:token", 30, 1_000);
  const [ours, theirs] = [numbered("ours", 2 * COUNT), numbered("theirs", 2 * COUNT)];
  for (let at = 0; at < 2 * COUNT; at += 1) {
    await Promise.all([town.hear(theirs[at] ?? ""), town.post(ours[at] ?? "")]);
    // A post that was made, and of which nobody hears, is in it.
    if (at === COUNT - 1) {
      server.faults.loseAnswer({ method: "POST", path: "/webhooks/" });
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

/** A gateway that goes on breathing, and says nothing, is not noticed by anybody; one that does not answer is. */
test("the connection is dead, and nobody says so: what was said meanwhile is told once, in order", async () => {
  const town = await Town.start();
  const { server } = town.side;
  server.sockets.heartbeatMs = 500;
  server.sockets.askReconnect();
  await town.fence("with short heartbeats");
  server.sockets.mute();
  const theirs = numbered("theirs", COUNT);
  for (const text of theirs) await town.hear(text);
  const logins = server.sockets.logins.length;
  await town.until(() => server.sockets.logins.length > logins, "another connection");
  await town.fence("after");
  const found = figures(
    theirs,
    town.told().map(({ text }) => text),
  );
  say("a dead connection", found);
  expect(found).toEqual(whole(COUNT));
});

test("more than a thousand messages are missed, answers to the first of them too: all are told, once", async () => {
  const town = await Town.start();
  const { alice, server } = town.side;
  const missed = 1_300;
  await town.rialto.stop();
  server.world.hub.forget();
  const theirs = numbered("theirs", missed);
  const first = await town.hear(theirs[0] ?? "");
  for (const text of theirs.slice(1, -1)) await town.hear(text);
  alice.reply(first, theirs.at(-1) ?? "");
  await town.live();
  const found = figures(
    theirs,
    town.told().map(({ text }) => text),
  );
  say("1300 missed over a restart", found);
  expect(found).toEqual(whole(missed));
});

test("400 messages and a reaction are missed while Rialto is cut off: all are told, once", async () => {
  const town = await Town.start();
  const { alice, server } = town.side;
  const missed = 400;
  const liked = await town.hear("a message of before");
  await town.fence("before");
  server.wire.shut();
  server.sockets.terminate();
  const theirs = numbered("theirs", missed);
  for (const text of theirs.slice(0, -1)) await town.hear(text);
  alice.react(liked, "❤️");
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
  say("400 while cut off", found);
  expect(found).toEqual({ theirs: whole(missed), reactions: 1 });
  expect(reactions.map(({ id }) => id)).toEqual(town.heard("a message of before").map(({ id }) => id));
});
