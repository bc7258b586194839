/**
 * Real servers of three networks with Rialto between them: how fast messages cross, and how soon, against what the
 * servers do by themselves.
 */
import { setTimeout as delay } from "node:timers/promises";
import { startInspircd } from "../test/servers/irc/inspircd.ts";
import type { IrcServer } from "../test/servers/irc/server.ts";
import { SERVER_NAME, startSynapse, type Synapse } from "../test/servers/matrix/synapse.ts";
import { startProsody } from "../test/servers/xmpp/prosody.ts";
import type { XmppServer } from "../test/servers/xmpp/server.ts";
import { withScratch } from "./lib/disk.ts";
import { ircTalker } from "./lib/irc-talker.ts";
import { matrixTalker, registerOn } from "./lib/matrix-talker.ts";
import { runAlone } from "./lib/print.ts";
import { gatewayOf, withRialto } from "./lib/proc.ts";
import type { Figure, Result, RunOptions } from "./lib/result.ts";
import { Durations, median, type Percentiles } from "./lib/stats.ts";
import { soon, type Talker } from "./lib/talker.ts";
import { xmppTalker } from "./lib/xmpp-talker.ts";

type Network = "IRC" | "Matrix" | "XMPP";
const PAIRS = [
  ["IRC", "Matrix"],
  ["IRC", "XMPP"],
  ["Matrix", "XMPP"],
] as const satisfies readonly (readonly [Network, Network])[];
/** A room of its own for each pair, and one that Rialto is not in. */
const ROOMS: readonly string[] = ["bare", ...PAIRS.map(([one, other]) => roomOf(one, other))];
const PASSWORD = "open-sesame";
/** Most messages that have not arrived yet, so that no server throws anybody out. */
const WINDOW = 50;
const PACE_MS = 100;
const LIMIT_MS = 180_000;

function roomOf(one: Network, other: Network): string {
  return `${one}-${other}`.toLowerCase();
}

interface Servers {
  readonly irc: IrcServer;
  readonly synapse: Synapse;
  readonly prosody: XmppServer;
}

/** Somebody who speaks, and somebody else who writes down when what was said arrives. */
interface Side {
  readonly talker: Talker;
  readonly listener: Talker;
  /** Texts that arrived, by room, without what Rialto puts before them. */
  readonly arrived: Map<string, Map<string, number>>;
  doubled: number;
}

/** What a way from one person to another does. */
interface Way {
  readonly rate: number;
  readonly delay: Percentiles;
}

/** Not in the smoke run: three servers at once are too much for it. */
export const smokeless = true;

export async function run({ smoke }: RunOptions): Promise<Result> {
  const servers = { irc: await startInspircd(), synapse: await startSynapse(), prosody: await startProsody() };
  try {
    return await withScratch((folder) => measure(folder, servers, smoke));
  } finally {
    await Promise.all([servers.irc.stop(), servers.synapse.stop(), servers.prosody.stop()]);
  }
}

async function measure(folder: string, servers: Servers, smoke: boolean): Promise<Result> {
  await servers.prosody.register("rialto", PASSWORD);
  await registerOn(servers.synapse.url, "rialto");
  const sides = await enter(servers);
  try {
    return await withRialto({ folder, rest: configuration(servers) }, async ({ output }) => {
      await soon("Rialto to join all rooms", () => output().split('"joined').length - 1 >= PAIRS.length * 2, LIMIT_MS);
      return await compare(sides, smoke);
    });
  } finally {
    for (const { talker, listener } of Object.values(sides)) await Promise.all([talker.stop(), listener.stop()]);
  }
}

async function compare(sides: Readonly<Record<Network, Side>>, smoke: boolean): Promise<Result> {
  const plan = smoke ? { burst: 50, paced: 20, rounds: 1 } : { burst: 300, paced: 200, rounds: 3 };
  const bare = new Map<Network, Way>();
  for (const network of ["IRC", "Matrix", "XMPP"] as const)
    bare.set(network, await travel({ from: sides[network], to: sides[network], room: "bare", ...plan }));
  const figures: Figure[] = Array.from(
    bare,
    ([
      network,
      {
        rate,
        delay: { p50, p99 },
      },
    ]) => [
      { what: `${network} by itself: messages from one person to another`, value: rate, unit: "/s" },
      { what: `${network} by itself: delay p50`, value: p50, unit: "ms" },
      { what: `${network} by itself: delay p99`, value: p99, unit: "ms" },
    ],
  ).flat();
  for (const [from, to] of PAIRS.flatMap(([one, other]) => [[one, other] as const, [other, one] as const])) {
    const room = PAIRS.some(([one, other]) => one === from && other === to) ? roomOf(from, to) : roomOf(to, from);
    const way = await travel({ from: sides[from], to: sides[to], room, ...plan });
    const [near, far] = [bare.get(from), bare.get(to)];
    if (near === undefined || far === undefined) throw new Error("a yardstick is missing");
    const name = `${from} → ${to}`;
    figures.push(
      { what: `${name}: messages`, value: way.rate, unit: "/s" },
      {
        what: `${name}: against the slower of the two by itself`,
        value: way.rate / Math.min(near.rate, far.rate),
        unit: "x",
      },
      { what: `${name}: delay p50`, value: way.delay.p50, unit: "ms" },
      { what: `${name}: delay p99`, value: way.delay.p99, unit: "ms" },
      {
        what: `${name}: p50 against both by themselves, one after the other`,
        value: way.delay.p50 / (near.delay.p50 + far.delay.p50),
        unit: "x",
      },
    );
  }
  const doubled = Object.values(sides).reduce((sum, side) => sum + side.doubled, 0);
  figures.push({
    what: "messages lost or doubled in all of it",
    value: doubled,
    unit: "",
    goal: { op: "<=", value: 0 },
  });
  return { name: "relays on real servers (InspIRCd, Synapse, Prosody)", figures, ok: doubled === 0 };
}

interface Trip {
  readonly from: Side;
  readonly to: Side;
  readonly room: string;
  readonly burst: number;
  readonly paced: number;
  readonly rounds: number;
}

let count = 0;

/** Rejects when something does not arrive. */
async function travel({ from, to, room, burst, paced, rounds }: Trip): Promise<Way> {
  const arrived = to.arrived.get(room) ?? new Map<string, number>();
  to.arrived.set(room, arrived);
  const say = async (): Promise<readonly [string, number]> => {
    const text = `number${(count += 1)}`;
    const begin = performance.now();
    await from.talker.say(room, text);
    return [text, begin];
  };
  const rates: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const before = arrived.size;
    const begin = performance.now();
    for (let sent = 0; sent < burst; sent += 1) {
      await soon(`${room} to keep up`, () => before + sent - arrived.size < WINDOW, LIMIT_MS);
      await say();
    }
    await soon(`all of a burst in ${room}`, () => arrived.size >= before + burst, LIMIT_MS);
    rates.push(burst / ((performance.now() - begin) / 1000));
  }
  const said: (readonly [string, number])[] = [];
  for (let sent = 0; sent < paced; sent += 1) {
    said.push(await say());
    await delay(PACE_MS);
  }
  await soon(`all that was said in ${room}`, () => said.every(([text]) => arrived.has(text)), LIMIT_MS);
  const durations = new Durations();
  for (const [text, begin] of said) durations.record((arrived.get(text) ?? Number.NaN) - begin);
  return { rate: median(rates), delay: durations.percentiles() };
}

async function enter({ irc, synapse, prosody }: Servers): Promise<Readonly<Record<Network, Side>>> {
  const side = async (
    start: (nick: string, heard: (room: string, text: string) => void) => Promise<Talker>,
  ): Promise<Side> => {
    const arrived = new Map<string, Map<string, number>>();
    const talker = await start("anna", () => {});
    const made = { talker, arrived, doubled: 0 };
    const listener = await start("bert", (room, text) => {
      const word = text.split(" ").at(-1) ?? "";
      if (!word.startsWith("number")) return;
      const had = arrived.get(room) ?? new Map<string, number>();
      arrived.set(room, had);
      if (had.has(word)) made.doubled += 1;
      else had.set(word, performance.now());
    });
    return Object.assign(made, { listener });
  };
  const of = (nick: string, heard: (room: string, text: string) => void) => ({
    rooms: ROOMS,
    nick,
    heard: (what: { readonly room: string; readonly text: string }) => heard(what.room, what.text),
  });
  return {
    IRC: await side((nick, heard) => ircTalker(irc.port, of(nick, heard))),
    Matrix: await side((nick, heard) => matrixTalker(synapse.url, of(nick, heard))),
    XMPP: await side((nick, heard) => xmppTalker(prosody, of(nick, heard))),
  };
}

function configuration({ irc, synapse, prosody }: Servers): string {
  const bridge = (network: Network, room: string): readonly [string, string] =>
    network === "IRC"
      ? ["irc.net", `#${room}`]
      : network === "XMPP"
        ? ["xmpp.net", room]
        : ["matrix.net", `#${room}:${SERVER_NAME}`];
  const gateways = PAIRS.map(([one, other]) => {
    const room = roomOf(one, other);
    return gatewayOf(room, bridge(one, room), bridge(other, room));
  });
  return `[irc.net]
Server = "127.0.0.1:${irc.port}"
Nick = "rialto"
MessageDelay = 0
[xmpp.net]
Server = "127.0.0.1:${prosody.port}"
Jid = "rialto@localhost"
Password = "${PASSWORD}"
Muc = "conference.localhost"
Nick = "rialto"
NoStartTLS = true
[matrix.net]
Server = "${synapse.url}"
Login = "rialto"
Password = "${PASSWORD}"
${gateways.join("")}${gatewayOf("plain", ["api.poster", "api"], ["api.reader", "api"])}`;
}

if (import.meta.main) await runAlone(run);
