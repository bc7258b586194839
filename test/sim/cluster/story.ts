import { Chance } from "../chance.ts";
import { Net, STEP_MS, type Weather } from "./net.ts";
import { type ClusterBugs, SimNode } from "./node.ts";
import { ClusterOracle, type ClusterViolation } from "./oracle.ts";

/** After this, what fails has failed, and everything is whole. */
const FAULTS_MS = 60_000;
/** Until all of it must be run again: a silence, the patience of late words, a claim that is made again. */
const SETTLE_MS = 20_000;
const WELL_MS = 15_000;
/** Now and then: such a story takes as long as 300 others. */
const MANY = 100;

export interface ClusterEnded {
  readonly seed: number;
  readonly what: string;
  readonly faults: readonly string[];
  readonly violations: readonly ClusterViolation[];
  readonly counts: ReadonlyMap<string, number>;
}

/** One story, by its seed: nodes, accounts, what fails and when. */
export function runClusterSeed(seed: number, bugs: ClusterBugs = {}): ClusterEnded {
  const chance = new Chance(seed);
  // Every fifth is about the leader alone.
  const isCalm = seed % 5 === 0;
  const weather: Weather = {
    delayMs: chance.pick([50, 100, 200]),
    late: isCalm ? 0 : chance.pick([0, 0.01, 0.05]),
    unsure: chance.pick([0, 0.05, 0.2]),
    twice: chance.pick([0, 0.1]),
  };
  const count = seed % 1000 === 250 ? MANY : chance.pick([1, 2, 3, 3, 5, 8]);
  const accounts = Array.from({ length: chance.between(1, count === MANY ? 150 : 20) }, (_, at) => `net.a${at}`);
  const net = new Net(chance.fork(), weather);
  const oracle = new ClusterOracle();
  const nodes: SimNode[] = Array.from({ length: count }, (_, at) => {
    const name = `n${at}`;
    const tell = (beat: Parameters<SimNode["hear"]>[0]): void => {
      for (const other of nodes) {
        if (other.name === name || !net.hears(name, other.name)) continue;
        net.after(net.soon(), () => net.hears(name, other.name) && other.hear(beat));
      }
    };
    return new SimNode(name, accounts, { net, chance: chance.fork(), oracle, bugs, tell });
  });
  const faults = isCalm ? leaderFaults(chance, net) : anyFaults(chance, net, nodes);
  // Whatever has to be moved at the start was.
  if (isCalm) oracle.calmFromMs = 10_000;
  for (const node of nodes) net.after(isCalm ? 100 : chance.below(5000), () => node.start());
  const wholeMs = FAULTS_MS + SETTLE_MS;
  while (net.nowMs < wholeMs + WELL_MS) {
    net.step();
    if (net.nowMs === FAULTS_MS) mend(net, nodes);
    for (const node of nodes) node.step();
    for (const account of accounts) {
      const runners = nodes.filter((node) => node.isAwake && node.sessions.has(account));
      oracle.sessions(
        account,
        runners.map(({ name }) => name),
        net.nowMs,
        net.nowMs > wholeMs,
      );
    }
  }
  oracle.judge(net.stream);
  const what = `${count} nodes, ${accounts.length} accounts, ${isCalm ? "only the leader fails" : "anything fails"}`;
  return { seed, what, faults, violations: oracle.violations, counts: oracle.counts };
}

function mend(net: Net, nodes: readonly SimNode[]): void {
  net.cut.clear();
  net.minority.clear();
  net.leaderlessMs = 0;
  net.deafMs = 0;
  for (const node of nodes) {
    node.wake();
    node.free();
    net.after(STEP_MS, () => node.start());
  }
}

function leaderFaults(chance: Chance, net: Net): readonly string[] {
  return Array.from({ length: chance.between(1, 4) }, () => {
    const [at, ms] = [chance.between(12_000, FAULTS_MS - 1000), chance.pick([500, 2000, 5000, 9000, 20_000])];
    const isDeaf = chance.hits(0.5);
    net.after(at, () => {
      net.leaderlessMs = Math.max(net.leaderlessMs, net.nowMs + ms);
      if (isDeaf) net.deafMs = net.leaderlessMs;
    });
    return `${at} no leader for ${ms}${isDeaf ? ", and nobody hears anything" : ""}`;
  });
}

function anyFaults(chance: Chance, net: Net, nodes: readonly SimNode[]): readonly string[] {
  const told: string[] = [];
  const some = Math.max(2, Math.round(nodes.length / 3));
  for (let times = chance.between(1, 8 + some); times > 0; times -= 1) {
    const at = chance.between(1000, FAULTS_MS - 1000);
    const ms = chance.pick([300, 1000, 2400, 2800, 5000, 11_900, 13_000, 20_000]);
    const node = chance.pick(nodes);
    const others = chance.some(nodes, 0.4);
    const what = chance.pick(["leader", "cut", "minority", "stop", "full", "kill", "leave"] as const);
    told.push(`${at} ${what} ${what === "leader" ? "" : node.name} for ${ms}`);
    net.after(at, () => {
      if (what === "leader") net.leaderlessMs = net.nowMs + ms;
      if (what === "cut")
        begin(
          net,
          ms,
          () => net.cut.add(node.name),
          () => net.cut.delete(node.name),
        );
      if (what === "minority" && others.length * 2 < nodes.length) {
        begin(
          net,
          ms,
          () => {
            for (const { name } of others) net.minority.add(name);
          },
          () => {
            for (const { name } of others) net.minority.delete(name);
          },
        );
      }
      if (what === "stop")
        begin(
          net,
          ms,
          () => node.stop(),
          () => node.wake(),
        );
      if (what === "full")
        begin(
          net,
          ms,
          () => node.fill(),
          () => node.free(),
        );
      if (what === "kill")
        begin(
          net,
          ms,
          () => node.kill(),
          () => node.start(),
        );
      if (what === "leave")
        begin(
          net,
          ms + 10_000,
          () => node.leave(),
          () => node.start(),
        );
    });
  }
  return told.sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10));
}

function begin(net: Net, ms: number, from: () => void, to: () => void): void {
  from();
  net.after(ms, to);
}
