import { once } from "node:events";
import net from "node:net";
import { describe, expect } from "vitest";
import { EventLabel } from "../../src/contract/message.ts";
import { expectOurs, figures, numbered, say, whole } from "./figures.ts";
import { SharedHome } from "./home.ts";
import type { Network, Side } from "./network.ts";
import type { Town } from "./town.ts";

const COUNT = 10;
/** So many connections are refused before it is over. */
const RECONNECTS = 3;

interface Outage {
  readonly what: string;
  /** `meanwhile` is to be done while nobody reaches the server. */
  readonly during: (town: Town<Side>, meanwhile: () => Promise<void>) => Promise<void>;
}

const OUTAGES: readonly Outage[] = [
  {
    what: "the server is down",
    during: async (town, meanwhile) => {
      const { port, server } = town.side;
      await server.restart(async () => {
        const refusing = await refuser(port);
        await meanwhile();
        await town.until(() => refusing.count() >= RECONNECTS, "several reconnects");
        await refusing.stop();
      });
    },
  },
  {
    what: "a proxy answers for the server",
    during: async (town, meanwhile) => {
      const { server } = town.side;
      server.faults.fail({}, 503, Infinity);
      server.sockets.terminate();
      const before = server.requests.length;
      await meanwhile();
      await town.until(() => server.requests.length >= before + RECONNECTS, "several reconnects");
      server.faults.clear();
    },
  },
  {
    what: "the wire is cut, which the server does not see",
    during: async (town, meanwhile) => {
      const { side } = town;
      side.server.wire.shut();
      side.server.cutUnseen();
      await meanwhile();
      side.server.wire.open();
      await town.until(() => side.isBack(), "a new connection");
      side.server.sockets.see();
    },
  },
  {
    what: "the wire stalls",
    during: async (town, meanwhile) => {
      const { wire } = town.side.server;
      wire.stall();
      await meanwhile();
      wire.flow();
    },
  },
];

/** Nobody reaches the server for a while. */
export function describeOutage(network: Network<Side>): void {
  describe(`${network.protocol}, outage`, () => {
    const home = new SharedHome(network);
    for (const { what, during } of OUTAGES) {
      home.test(`${what}: what is said, edited and deleted meanwhile arrives once, in order`, async (town) => {
        await disturb(town, during);
        await town.fence("after");
        await town.fence("at last");
        await judge(town, network, what);
      });
    }
  });
}

async function disturb(town: Town<Side>, during: Outage["during"]): Promise<void> {
  const { side } = town;
  const [old, gone] = [await town.post("ours of before"), await town.post("ours to delete")];
  await side.say("theirs of before");
  const [older, goner] = [await side.say("theirs of before"), await side.say("theirs to delete")];
  await town.fence("before");
  await during(town, async () => {
    const posted: string[] = [];
    for (const text of numbered("ours", COUNT)) posted.push(await town.post(text));
    const said: string[] = [];
    for (const text of numbered("theirs", COUNT)) said.push(await side.say(text));
    await town.edit(old, "ours of before, edited");
    await town.erase(gone);
    await town.edit(posted[0] ?? "", "ours 1, edited");
    await town.erase(posted[1] ?? "");
    side.edit(older, "theirs of before, edited");
    side.erase(goner);
    side.edit(said[0] ?? "", "theirs 1, edited");
    side.erase(said[1] ?? "");
    await side.reply(older, "theirs, an answer");
  });
}

async function judge(town: Town<Side>, network: Network<Side>, what: string): Promise<void> {
  const { protocol, tellsDeletions = true } = network;
  const ours = ["ours of before, edited", "ours 1, edited", ...numbered("ours", COUNT).slice(2)];
  const numbers = numbered("theirs", COUNT).slice(2);
  const theirs = ["theirs of before, edited", "theirs 1, edited", ...numbers, "theirs, an answer"];
  // What is missing in a history may only be late: some networks are asked again before it counts as deleted.
  const isErased = (text: string): boolean => /to delete$|theirs 2$/u.test(text);
  if (tellsDeletions) await town.until(() => !replay(town, protocol).standing.some(isErased), "the deletions");
  const read = replay(town, protocol);
  const [decoy, right] = read.ids("theirs of before");
  const answers = town.heard("theirs, an answer").map(({ parent_id: parent }) => parent);
  const found = {
    ours: figures(ours, town.shown()),
    theirs: figures(theirs, read.standing),
    "told twice": read.twice,
    unconfirmed: await town.unconfirmed(),
  };
  say(what, found);
  expect([found.theirs, found["told twice"]]).toEqual([whole(theirs.length), 0]);
  expectOurs(network, found, 1);
  const unwanted = /to delete$|^ours of before$|(?:ours|theirs) [12]$/u;
  const left = tellsDeletions ? [] : ["theirs to delete", "theirs 2"];
  expect([...town.shown(), ...read.standing].filter((text) => unwanted.test(text))).toEqual(left);
  expect([decoy, right].map((id) => read.texts.get(id ?? ""))).toEqual([
    "theirs of before",
    "theirs of before, edited",
  ]);
  expect(answers).toEqual([right]);
}

/** What the API's reader has on its screen when it does what it is told. */
function replay(
  town: Town<Side>,
  protocol: string,
): {
  readonly texts: ReadonlyMap<string, string>;
  readonly standing: readonly string[];
  readonly twice: number;
  readonly ids: (text: string) => readonly string[];
} {
  const texts = new Map<string, string>();
  const first = new Map<string, string>();
  let twice = 0;
  for (const { account, event, id, text } of town.told()) {
    if (!account.startsWith(`${protocol}.`)) continue;
    if (event === EventLabel.delete) texts.delete(id);
    else if (event === EventLabel.edit && texts.has(id)) texts.set(id, text);
    else if (event === "") {
      if (first.has(id)) twice += 1;
      first.set(id, text);
      texts.set(id, text);
    }
  }
  const ids = (text: string) => [...first].flatMap(([id, said]) => (said === text ? [id] : []));
  return { texts, standing: [...texts.values()], twice, ids };
}

/** Somebody else at the port of a server, who refuses everybody. */
async function refuser(port: number): Promise<{ readonly count: () => number; readonly stop: () => Promise<void> }> {
  let count = 0;
  const server = net.createServer((socket) => {
    count += 1;
    socket.on("error", () => undefined);
    socket.destroy();
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    count: () => count,
    stop: async () => {
      server.close();
      await once(server, "close");
    },
  };
}
