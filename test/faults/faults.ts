import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import path from "node:path";
import { REAL_NETWORKS, type RealNetwork } from "../crossing/place.ts";
import type { Proxy } from "../servers/proxy.ts";
import { mountSmallDisk } from "./small-disk.ts";
import { type Remote, REMOTE, type FaultHarness } from "./harness.ts";

/**
 * Times Rialto is killed in a row; with FAULTS_S, how long each fault lasts, every wire fault is tried on every
 * network.
 */
const LIVES = Number(process.env["FAULTS_LIVES"] ?? 3);
const LONG = process.env["FAULTS_S"] !== undefined;
/** Latest moment of a life at which it is killed. */
const LIFE_MS = 1_500;
/** Below the reserve that the log keeps free. */
const BELOW_FLOOR_MIB = 8;
const HOUR_MS = 3_600_000;
const PATIENCE_MS = 180_000;

/** One way to make trouble. */
export interface Fault {
  readonly name: string;
  /** Networks that it may hold up; pairs without one of them go on meanwhile. */
  readonly touches: readonly RealNetwork[];
  /** Whose person cannot speak meanwhile. */
  readonly silences?: RealNetwork;
  /** Rialto is away from IRC for a while, and hears nothing of what is said there. */
  readonly leavesIrc: boolean;
  /** Makes the trouble, waits until `hold` resolves, and ends it. */
  readonly strike: (harness: FaultHarness, hold: () => Promise<void>) => Promise<void>;
}

const kills: Fault = {
  name: `kill -9 of Rialto × ${LIVES}`,
  touches: REAL_NETWORKS,
  leavesIrc: true,
  strike: async (harness) => {
    for (let life = 0; life < LIVES; life += 1) {
      await new Promise((resolve) => setTimeout(resolve, Math.random() * LIFE_MS));
      await harness.kill();
      await harness.start();
    }
  },
};

const stopped: Fault = {
  name: "SIGSTOP of Rialto",
  touches: REAL_NETWORKS,
  leavesIrc: false,
  strike: async (harness, hold) => {
    harness.rialto.signal("SIGSTOP");
    await hold().finally(() => harness.rialto.signal("SIGCONT"));
  },
};

const SERVERS: Readonly<Record<Remote, string>> = { irc: "InspIRCd", xmpp: "Prosody", matrix: "Synapse" };

function serverStopped(network: Remote): Fault {
  return {
    name: `SIGSTOP of ${SERVERS[network]}`,
    touches: [network],
    silences: network,
    leavesIrc: false,
    strike: async (harness, hold) => {
      harness.servers[network].pause();
      await hold().finally(() => harness.servers[network].resume());
    },
  };
}

interface WireFault {
  readonly name: string;
  readonly breaks: boolean;
  readonly begin: (proxy: Proxy) => void;
  readonly end: (proxy: Proxy) => void;
}

const BAD_GATEWAY = "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

const WIRE: Readonly<Record<string, WireFault>> = {
  stall: { name: "no byte passes", breaks: false, begin: (proxy) => proxy.stall(), end: (proxy) => proxy.flow() },
  trickle: {
    name: "one byte at a time",
    breaks: false,
    begin: (proxy) => proxy.pace("trickle"),
    end: (proxy) => proxy.pace("swift"),
  },
  late: {
    name: "300 ms late",
    breaks: false,
    begin: (proxy) => proxy.pace("late"),
    end: (proxy) => proxy.pace("swift"),
  },
  reset: { name: "reset", breaks: true, begin: (proxy) => proxy.reset(), end: (proxy) => proxy.reset() },
  half: { name: "half closed", breaks: true, begin: (proxy) => proxy.halfClose(), end: () => {} },
  away: {
    name: "cut, and nobody is let in",
    breaks: true,
    begin: (proxy) => {
      proxy.shut();
      proxy.cut();
    },
    end: (proxy) => proxy.open(),
  },
  gateway: {
    name: "cut, then HTTP 502",
    breaks: true,
    begin: (proxy) => {
      proxy.answer(BAD_GATEWAY);
      proxy.cut();
    },
    end: (proxy) => proxy.answer(null),
  },
};

function wire(network: Remote, kind: string): Fault {
  const fault = WIRE[kind];
  if (fault === undefined) throw new Error(`no fault of the wire is called ${kind}`);
  return {
    name: `wire to ${SERVERS[network]}: ${fault.name}`,
    touches: [network],
    leavesIrc: network === "irc" && fault.breaks,
    strike: async (harness, hold) => {
      fault.begin(harness.proxies[network]);
      await hold().finally(() => fault.end(harness.proxies[network]));
    },
  };
}

/** Each kind once, each network twice. */
const SOME = [
  ["irc", "trickle"],
  ["xmpp", "stall"],
  ["matrix", "late"],
  ["irc", "reset"],
  ["xmpp", "half"],
  ["matrix", "gateway"],
  ["xmpp", "away"],
] as const;

const ALL = REMOTE.flatMap((network) =>
  Object.keys(WIRE).flatMap((kind) => (kind === "gateway" && network !== "matrix" ? [] : [[network, kind] as const])),
);

const disk: Fault = {
  name: "disk below its floor, then full",
  touches: REAL_NETWORKS,
  leavesIrc: true, // while the data is brought to the small disk and back
  strike: async (harness, hold) => {
    const home = harness.dataPath;
    const small = await mountSmallDisk();
    try {
      await harness.move(path.join(small.folder, "data"));
      const before = harness.api.refused;
      await small.fillTo(BELOW_FLOOR_MIB);
      await refusals(harness, before + 1);
      await small.fillTo(0);
      await refusals(harness, harness.api.refused + 2);
      await hold();
      await small.free();
      await harness.move(home);
    } finally {
      await small.stop();
    }
  },
};

/** Until posts have been refused so often: the log takes nothing. */
async function refusals(harness: FaultHarness, count: number): Promise<void> {
  for (const begun = Date.now(); harness.api.refused < count;) {
    if (Date.now() - begun > PATIENCE_MS) throw new Error("no post is refused although the disk is full");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const descriptors: Fault = {
  name: "out of file descriptors, all wires cut",
  touches: REAL_NETWORKS,
  leavesIrc: true,
  strike: async (harness, hold) => {
    const limit = (soft: string): void => {
      execFileSync("prlimit", ["--pid", String(harness.rialto.pid), `--nofile=${soft}:`]);
    };
    const usual = execFileSync("prlimit", ["--pid", String(harness.rialto.pid), "--nofile", "--noheadings", "-oSOFT"]);
    const open = readdirSync(`/proc/${harness.rialto.pid}/fd`).map(Number);
    // Below the first that is free: what is open goes on, but nothing can be opened, not even in place of what closes.
    limit(String(Math.min(...open.filter((fd) => fd > 2)) + 1));
    for (const network of REMOTE) harness.proxies[network].cut();
    await hold().finally(() => limit(usual.toString().trim()));
  },
};

const clock: Fault = {
  name: "clock set 2 h ahead, then 3 h back, then right",
  touches: [],
  leavesIrc: false,
  strike: async (harness, hold) => {
    for (const shift of [2 * HOUR_MS, -3 * HOUR_MS, 0]) {
      await harness.setClock(shift);
      await hold();
    }
  },
};

export const FAULTS: readonly Fault[] = [
  kills,
  stopped,
  ...REMOTE.map(serverStopped),
  ...(LONG ? ALL : SOME).map(([network, kind]) => wire(network, kind)),
  disk,
  descriptors,
  clock,
];
