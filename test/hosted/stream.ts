import { describe, expect, test } from "vitest";
import { EventLabel } from "../../src/contract/message.ts";
import { expectOurs, figures, numbered, say, whole } from "./figures.ts";
import { SharedHome, startTown } from "./home.ts";
import type { Network, Side } from "./network.ts";
import type { Town } from "./town.ts";

const COUNT = 30;
const PER_SECOND = 30;
/** The post whose answer is lost, and one that was on its way when the connection broke. */
const DOUBTS = 2;
/** More than a server keeps for a connection that may be taken up again, and more than a page of a channel. */
const MISSED = 400;
/** More than a server tells at once of what was before. */
const MANY = 1_300;

/** What becomes of the connection on which events come while people talk. */
type Break<S> = readonly [what: string, broken: (side: S) => void | Promise<void>];

/** What every network's may suffer. */
const BREAKS: readonly Break<Side>[] = [
  ["the connection breaks, and may be taken up again", (side) => side.server.sockets.terminate()],
  ["the server starts anew, and has forgotten sessions and keys", async (side) => await side.server.restart()],
  ["the server does not see that it is cut, and there is another connection", (side) => side.server.cutUnseen()],
];

/** Signs of life on the connection for events. */
interface Death<S> {
  /** They are asked for soon, from the next connection on, which is made now. */
  readonly hasten: (side: S) => void;
  /** Nothing comes any more, and no sign of life is answered; the wire stands. */
  readonly mute: (side: S) => void;
  /** How many connections there have been. */
  readonly connections: (side: S) => number;
}

/** Events do not come for a while; `breaks`, `death`: what only this network's connection may suffer. */
export function describeStream<S extends Side>(
  network: Network<S>,
  breaks: readonly Break<S>[],
  death?: Death<S>,
): void {
  describe(`${network.protocol}, stream`, () => {
    const home = new SharedHome(network);
    for (const [what, broken] of [...BREAKS, ...breaks]) {
      home.test(`${what}: what was said meanwhile is told once, in order`, async (town) => {
        await breakOff(town, broken);
        await town.fence("after");
        town.side.server.sockets.see();
        await judge(town, network, what);
      });
    }
    home.test("400 messages and a reaction are missed while Rialto is cut off: all are told, once", missMany);
    // One that goes on breathing, and says nothing, is not noticed by anybody; one that does not answer is.
    if (death !== undefined)
      home.test("the connection is dead, and nobody says so: what was said meanwhile is told once", async (town) => {
        await dieUnseen(town, death);
      });
    describeRestarted(network);
  });
}

const [ours, theirs] = [numbered("ours", 2 * COUNT), numbered("theirs", 2 * COUNT)];

async function breakOff<S extends Side>(town: Town<S>, broken: Break<S>[1]): Promise<void> {
  const { side } = town;
  side.allow(PER_SECOND);
  for (let at = 0; at < 2 * COUNT; at += 1) {
    await Promise.all([side.say(theirs[at] ?? ""), town.post(ours[at] ?? "")]);
    // A post that was made, and of which nobody hears, is in it.
    if (at === COUNT - 1) {
      side.server.faults.loseAnswer(side.asks.post);
      await broken(side);
    }
  }
}

async function judge(town: Town<Side>, network: Network<Side>, what: string): Promise<void> {
  const found = {
    ours: figures(ours, town.shown()),
    theirs: figures(theirs, town.texts()),
    unconfirmed: await town.unconfirmed(),
  };
  say(what, found);
  expect(found.theirs).toEqual(whole(2 * COUNT));
  expectOurs(network, found, DOUBTS);
}

async function missMany(town: Town<Side>): Promise<void> {
  const { side } = town;
  const liked = await side.say("a message of before");
  await town.fence("before");
  side.server.wire.shut();
  side.server.sockets.terminate();
  const theirs = numbered("theirs", MISSED);
  for (const text of theirs.slice(0, -1)) await side.say(text);
  side.react(liked, "❤️");
  await side.say(theirs.at(-1) ?? "");
  side.server.wire.open();
  await town.fence("after");
  // What was done to posts is told behind the posts of a history, of which the first fence may be one.
  await town.fence("behind the history");
  const reactions = town.told().filter(({ event }) => event === EventLabel.reaction);
  const found = { theirs: figures(theirs, town.texts()), reactions: reactions.length };
  say(`${MISSED} while cut off`, found);
  expect(found).toEqual({ theirs: whole(MISSED), reactions: 1 });
  expect(reactions.map(({ id }) => id)).toEqual(town.heard("a message of before").map(({ id }) => id));
}

async function dieUnseen<S extends Side>(town: Town<S>, { hasten, mute, connections }: Death<S>): Promise<void> {
  const { side } = town;
  hasten(side);
  await town.fence("with short heartbeats");
  mute(side);
  const theirs = numbered("theirs", COUNT);
  for (const text of theirs) await side.say(text);
  const before = connections(side);
  await town.until(() => connections(side) > before, "another connection");
  await town.fence("after");
  const found = figures(theirs, town.texts());
  say("a dead connection", found);
  expect(found).toEqual(whole(COUNT));
}

function describeRestarted(network: Network<Side>): void {
  test("more than a thousand messages are missed, answers to the first of them too: all are told, once", async () => {
    const { home, town } = await startTown(network);
    const { side } = town;
    await home.rialto.stop();
    side.forget();
    const theirs = numbered("theirs", MANY);
    const first = await side.say(theirs[0] ?? "");
    for (const text of theirs.slice(1, -1)) await side.say(text);
    await side.reply(first, theirs.at(-1) ?? "");
    await home.live();
    const found = figures(theirs, town.texts());
    say(`${MANY} missed over a restart`, found);
    expect(found).toEqual(whole(MANY));
  });
}
