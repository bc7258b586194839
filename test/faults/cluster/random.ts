import { Random } from "../../fuzz/random.ts";
import type { Case } from "./cases.ts";
import { cutOff, diskFilled, killed, restarted, serversKilled, shutOut, stopped } from "./cases.ts";
import type { Cluster } from "./cluster.ts";
import type { Machine } from "./machine.ts";

const LEAST_MS = 300;
const MOST_MS = 12_000;
/** Of two things that go wrong, the second begins so much later at most. */
const LATER_MS = 4_000;

interface Trouble {
  readonly name: string;
  readonly make: (cluster: Cluster, at: number, forMs: number) => Promise<void>;
}

const onMachine =
  (fault: (machine: Machine, forMs: number) => Promise<void>): Trouble["make"] =>
  async ({ machines }, at, forMs) => {
    const machine = machines[at];
    if (machine !== undefined) await fault(machine, forMs);
  };

const OF_MACHINES: readonly Trouble[] = [
  { name: "kill -9", make: onMachine(killed) },
  { name: "SIGSTOP", make: onMachine(stopped) },
  { name: "cut off", make: onMachine(cutOff) },
  { name: "shut out", make: onMachine(shutOut) },
  { name: "full disk", make: onMachine(diskFilled) },
  { name: "restart", make: onMachine(restarted) },
];

const OF_SERVERS: readonly Trouble[] = [
  { name: "kill -9 of a server", make: async (cluster, at, forMs) => await serversKilled(cluster, [at], forMs) },
  {
    name: "kill -9 of two servers",
    make: async (cluster, at, forMs) => await serversKilled(cluster, [at, (at + 1) % 3], forMs),
  },
];

/** What goes wrong in this turn, which is the same for the same seed. */
export function randomCase(seed: number, turn: number): Case {
  const random = new Random(seed, turn);
  const ofMachine = { trouble: random.pick(OF_MACHINES), at: random.int(3), forMs: lengthOf(random) };
  const ofServer = { trouble: random.pick(OF_SERVERS), at: random.int(3), forMs: lengthOf(random) };
  const chance = random.next();
  const all = chance < 0.5 ? [ofMachine] : chance < 0.7 ? [ofServer] : [ofMachine, ofServer];
  const laterMs = random.int(LATER_MS);
  const said = all.map(({ trouble, at, forMs }) => `${trouble.name} ${at + 1} for ${forMs} ms`);
  return {
    name: `turn ${turn}: ${said.join(`, ${laterMs} ms later `)}`,
    goal: "as above",
    strike: async (cluster, took) => {
      if (all.includes(ofMachine)) {
        const machine = cluster.machines[ofMachine.at];
        if (machine !== undefined) took(await cluster.heldBy(machine));
      }
      await Promise.all(
        all.map(async ({ trouble, at, forMs }, index) => {
          await new Promise((resolve) => setTimeout(resolve, index * laterMs));
          await trouble.make(cluster, at, forMs);
        }),
      );
    },
  };
}

const lengthOf = (random: Random): number => LEAST_MS + random.int(MOST_MS - LEAST_MS);
