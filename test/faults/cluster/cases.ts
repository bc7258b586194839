import type { Cluster } from "./cluster.ts";
import type { Machine } from "./machine.ts";

/** One way to make trouble; all is as before when it resolves. */
export interface Case {
  readonly name: string;
  /** Of the longest pause. */
  readonly goal: string;
  /** Tells of accounts that it takes from a machine; those are marked in the figures. */
  readonly strike: (cluster: Cluster, took: (accounts: readonly string[]) => void) => Promise<void>;
}

const STOPPED_MS = 8_000;
const AWAY_MS = 5_000;
const CUT_MS = 15_000;
const FULL_MS = 15_000;
const HOLDER = "an account of it ≤ 3 s";
const LEADER = "≤ 7 s";

const wait = async (ms: number): Promise<void> => await new Promise((resolve) => setTimeout(resolve, ms));

/** Kills a machine, and starts it again when the others have had the time to take over. */
export async function killed(machine: Machine, awayMs: number): Promise<void> {
  await machine.kill();
  await wait(awayMs);
  await machine.start();
}

/** A machine stands still, and wakes. */
export async function stopped(machine: Machine, forMs: number): Promise<void> {
  machine.signal("SIGSTOP");
  await wait(forMs);
  machine.signal("SIGCONT");
}

/** A machine reaches none of the servers of the log, but the networks. What was on its way arrives in the end. */
export async function cutOff(machine: Machine, forMs: number): Promise<void> {
  for (const wire of machine.wires) wire.stall();
  await wait(forMs);
  for (const wire of machine.wires) wire.flow();
}

/** The same, but connections break, and nobody is let in. */
export async function shutOut(machine: Machine, forMs: number): Promise<void> {
  for (const wire of machine.wires) {
    wire.shut();
    wire.cut();
  }
  await wait(forMs);
  for (const wire of machine.wires) wire.open();
}

/** Not a byte more can be written on the disk of a machine. */
export async function diskFilled({ disk }: Machine, forMs: number): Promise<void> {
  await disk.fillTo(0);
  await wait(forMs);
  await disk.free();
}

export async function serversKilled({ nats }: Cluster, which: readonly number[], awayMs: number): Promise<void> {
  for (const index of which) nats.nodes[index]?.signal("SIGKILL");
  await wait(awayMs);
  await Promise.all(which.map(async (index) => await nats.nodes[index]?.start()));
}

/** Stops a machine in order, and starts it again. */
export async function restarted(machine: Machine): Promise<void> {
  const code = await machine.stop();
  if (code !== 0) throw new Error(`${machine.name} ended with ${code}:\n${machine.output.slice(-4_000)}`);
  await machine.start();
}

/** One machine after the other is stopped in order, and started again. */
async function machinesRolled(cluster: Cluster, took: (accounts: readonly string[]) => void): Promise<void> {
  for (const machine of cluster.machines) {
    took(await cluster.heldBy(machine));
    await restarted(machine);
    await cluster.settled();
  }
}

async function serversRolled({ nats }: Cluster): Promise<void> {
  for (const node of nats.nodes) {
    node.signal("SIGTERM");
    await node.start();
    await wait(AWAY_MS);
  }
}

export const CASES: readonly Case[] = [
  {
    name: "kill -9 of the machine that runs most",
    goal: HOLDER,
    strike: async (cluster, took) => {
      const machine = await cluster.busiest();
      took(await cluster.heldBy(machine));
      await killed(machine, AWAY_MS);
    },
  },
  {
    name: "SIGSTOP of it for 8 s",
    goal: HOLDER,
    strike: async (cluster, took) => {
      const machine = await cluster.busiest();
      took(await cluster.heldBy(machine));
      await stopped(machine, STOPPED_MS);
    },
  },
  {
    name: "kill -9 of another machine",
    goal: HOLDER,
    strike: async (cluster, took) => {
      const busiest = await cluster.busiest();
      const machine = cluster.machines.find((one) => one !== busiest) ?? busiest;
      took(await cluster.heldBy(machine));
      await killed(machine, AWAY_MS);
    },
  },
  {
    name: "kill -9 of the NATS server that leads",
    goal: LEADER,
    strike: async (cluster) => await serversKilled(cluster, [await cluster.leader()], AWAY_MS),
  },
  {
    name: "kill -9 of a NATS server that follows",
    goal: "≤ 1 s",
    strike: async (cluster) => await serversKilled(cluster, [((await cluster.leader()) + 1) % 3], AWAY_MS),
  },
  {
    name: "kill -9 of two NATS servers for 5 s",
    goal: `the 5 s and ${LEADER}`,
    strike: async (cluster) => await serversKilled(cluster, await twoOf(cluster), AWAY_MS),
  },
  {
    name: "cut off from NATS for 15 s",
    goal: HOLDER,
    strike: async (cluster, took) => {
      const machine = await cluster.busiest();
      took(await cluster.heldBy(machine));
      await cutOff(machine, CUT_MS);
    },
  },
  {
    name: "the disk of the machine that runs most is full for 15 s",
    goal: "an account of it ≤ 3 s after the disk is full, and what is needed to notice",
    strike: async (cluster, took) => {
      const machine = await cluster.busiest();
      took(await cluster.heldBy(machine));
      await diskFilled(machine, FULL_MS);
    },
  },
  {
    name: "each machine is stopped and started",
    goal: "IRC ≤ 4 s, XMPP and Matrix ≤ 1 s",
    strike: machinesRolled,
  },
  { name: "each NATS server is stopped and started", goal: LEADER, strike: serversRolled },
];

async function twoOf(cluster: Cluster): Promise<readonly number[]> {
  const leader = await cluster.leader();
  return [leader, (leader + 1) % 3];
}
