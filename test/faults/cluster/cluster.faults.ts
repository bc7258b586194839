import os from "node:os";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { needs } from "../../servers/installed.ts";
import { eventually } from "../../support/wait.ts";
import { type Case, CASES } from "./cases.ts";
import { type Cluster, openCluster } from "./cluster.ts";
import { type Contents, contentsNow, differences, recordOf } from "./contents.ts";
import { Crowd, Reader } from "./crowd.ts";
import { judge, lineOf } from "./judge.ts";
import { randomCase } from "./random.ts";

const MINUTES = Number(process.env["FAULTS_MINUTES"] ?? 0);
const SEED = Number(process.env["FAULTS_SEED"] ?? 1);
/** Far more than it takes: whatever waits inside has a deadline of its own, and says what it waited for. */
const TEST_MS = 900_000;
const MINUTE_MS = 60_000;
/** Until the last of what was said is stored by all. */
const QUIET_MS = 500;
/** Most mistakes that are shown. */
const SHOWN = 20;

let cluster: Cluster;
let reader: Reader;
let round = 0;
const lines: string[] = [];

/** All speak, the fault strikes and ends, all fall silent, and all hear all again; then all logs are the same. */
async function play({ name, goal, strike }: Case): Promise<void> {
  await cluster.settled();
  const before = cluster.crashes.length;
  const addresses = cluster.machines.map(({ writer }) => writer);
  const crowd = new Crowd({ people: cluster.town.people, reader, addresses, round: ++round });
  const epochs = await cluster.epochs();
  const moved: string[] = [];
  try {
    await crowd.flows();
    await strike(cluster, (accounts) => moved.push(...accounts));
    await crowd.flows();
    await crowd.fence();
  } finally {
    crowd.end();
  }
  const all = await sameContents();
  const [first] = all;
  if (first === undefined) throw new Error("there are no logs");
  const findings = judge(crowd, recordOf(first, round));
  const hands = [...(await cluster.epochs())].flatMap(([account, epoch]) => {
    const times = epoch - (epochs.get(account) ?? 0);
    return times === 0 ? [] : [`${account} ${times}`];
  });
  const [load = 0] = os.loadavg();
  const line = `${lineOf(name, goal, moved, findings)} | changed hands: ${hands.join(", ") || "none"} | load ${load.toFixed(1)}`;
  lines.push(line);
  console.log(`figures: ${line}`);
  const { lost, doubled, disordered, wrong } = findings;
  const mistakes = Object.entries({ lost, doubled, disordered, wrong }).flatMap(([kind, found]) =>
    found.map((one) => `${kind}: ${one}`),
  );
  expect(mistakes.slice(0, SHOWN)).toEqual([]);
  for (const other of all.slice(1)) expect(differences(first, other)).toEqual([]);
  expect(cluster.crashes.slice(before)).toEqual([]);
}

/** Of all machines, at the same place of the stream. */
async function sameContents(): Promise<readonly Contents[]> {
  let contents: readonly Contents[] = [];
  await eventually(
    async () => {
      await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
      contents = contentsNow(cluster.machines);
      return new Set(contents.map(({ applied }) => applied)).size === 1;
    },
    Boolean,
    () => `all logs to be at the same place; they are at ${contents.map(({ applied }) => applied).join(", ")}`,
    MINUTE_MS,
  );
  return contents;
}

const PROGRAMS = ["nats-server", "inspircd", "prosody", "synapse", "python3-irc"] as const;

needs([...PROGRAMS, "python3-slixmpp", "python3-matrix-nio"], () => {
  beforeAll(async () => {
    cluster = await openCluster();
    reader = new Reader(cluster.machines.map(({ reader: client }) => client));
  }, 600_000);
  afterEach(async ({ task }) => {
    if (task.result?.state !== "fail") return;
    for (const { message } of task.result.errors ?? []) console.error(`"${task.name}" failed: ${message}`);
    for (const machine of cluster?.machines ?? []) {
      console.error(`${machine.name} printed:\n${machine.output.slice(-8_000)}`);
      console.error(`${machine.name} says: ${(await machine.status()) ?? "nothing"}`);
    }
  });
  afterAll(async () => {
    console.log(`figures: several machines\n${lines.join("\n")}`);
    await cluster?.end();
  }, 120_000);

  for (const one of CASES) test(one.name, { timeout: TEST_MS }, async () => await play(one));

  test.runIf(MINUTES > 0)(
    `random faults for ${MINUTES} minutes (seed ${SEED})`,
    { timeout: MINUTES * MINUTE_MS + TEST_MS },
    async () => {
      const deadlineMs = performance.now() + MINUTES * MINUTE_MS;
      for (let turn = 0; performance.now() < deadlineMs; turn += 1) await play(randomCase(SEED, turn));
    },
  );
});
