import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { needs } from "../servers/installed.ts";
import { judge, readArchive, type Round, table } from "./claims.ts";
import { type Fault, FAULTS } from "./faults.ts";
import { PAIRS, Traffic } from "./traffic.ts";
import { buildHarness, type FaultHarness } from "./harness.ts";

/** How long a fault lasts at least. */
const HOLD_MS = Number(process.env["FAULTS_S"] ?? 1) * 1000;
const LIVES = Number(process.env["FAULTS_LIVES"] ?? 3);
/** Far more than it takes: whatever waits inside has a deadline of its own, and says what it waited for. */
const TEST_MS = 900_000 + 4 * HOLD_MS + LIVES * 30_000;

/** A line of the program's log. */
const LEFT_IRC = /"account":"irc\.net".*"msg":"the account is offline"/u;

/** Most mistakes that are shown. */
const SHOWN = 20;

let harness: FaultHarness;
const rounds: Round[] = [];

/** People speak, the fault strikes and ends, people fall silent, and everybody hears everybody again. */
async function play(fault: Fault): Promise<void> {
  const round = rounds.length + 1;
  const untouched = PAIRS.filter((pair) => !pair.some((network) => fault.touches.includes(network)));
  const traffic = new Traffic(harness, round, untouched);
  const { rialto } = harness;
  const before = rialto.output().length;
  let backMs = 0;
  try {
    await traffic.flows();
    if (fault.silences !== undefined) await traffic.hush(fault.silences);
    await fault.strike(harness, async () => {
      await Promise.all([new Promise((resolve) => setTimeout(resolve, HOLD_MS)), traffic.goOn()]);
    });
    const ended = performance.now();
    if (fault.silences !== undefined) traffic.unhush(fault.silences);
    await traffic.stop();
    await traffic.fence();
    backMs = performance.now() - ended;
  } finally {
    rounds.push({
      round,
      fault,
      traffic,
      wentOn: untouched.length,
      backMs,
      leftIrc: LEFT_IRC.test(rialto.output().slice(before)),
    });
    await traffic.stop();
  }
  expect(harness.crashes).toEqual([]);
}

needs(["inspircd", "prosody", "synapse", "python3-irc", "python3-slixmpp", "python3-matrix-nio"], () => {
  beforeAll(async () => {
    harness = await buildHarness();
    await harness.start();
    // Until Rialto is in all rooms for the first time nobody hears anybody.
    const welcome = new Traffic(harness, 0, []);
    await welcome.stop();
    await welcome.fence();
  }, 300_000);
  afterEach(({ task }) => {
    if (task.result?.state === "fail") console.error(`Rialto printed:\n${harness?.rialto.output().slice(-6_000)}`);
  });
  afterAll(async () => await harness?.end(), 120_000);

  for (const fault of FAULTS) test(fault.name, { timeout: TEST_MS }, async () => await play(fault));

  test("nothing is lost, doubled or out of order", { timeout: 120_000 }, async () => {
    await harness.halt();
    const archive = await readArchive(harness.dataPath);
    const findings = rounds.map((round) => judge(round, archive));
    console.log(`figures: real faults, ${PAIRS.length} pairs\n${table(rounds, findings)}`);
    const wrong = findings.flatMap(({ lost, doubled, disordered }, at) =>
      [
        ...lost.map((one) => `lost: ${one}`),
        ...doubled.map((one) => `doubled: ${one}`),
        ...disordered.map((one) => `late: ${one}`),
      ].map((one) => `${rounds[at]?.fault.name}: ${one}`),
    );
    expect(wrong.slice(0, SHOWN)).toEqual([]);
    expect(archive.refused).toEqual([]);
    expect(rounds).toHaveLength(FAULTS.length);
  });
});
