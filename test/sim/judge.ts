import { marksOf } from "../../src/delivery/lane/checkpoint.ts";
import { EventLabel } from "../../src/contract/message.ts";
import { subjectOf } from "../../src/gateway/subject.ts";
import type { Log, Receipt } from "../../src/log/log.ts";
import type { Server } from "./server.ts";
import { readerName } from "./reach.ts";
import { describe, textFor } from "./tokens.ts";
import type { KnownEntry, KnownLane } from "./oracle.ts";
import type { SimHarness } from "./harness.ts";

/**
 * How long a network that is well again may take until all that waited for it has come to its end, in simulated ms: a
 * wrong password is tried again after an hour at the latest, a handler that hangs alone is given up after two, and a
 * join may have to wait half an hour.
 */
const HEAL_MS = 5 * 3_600_000;
const LOOK_MS = 20_000;
/** From when on CatchUp may leave something out. */
const LATE_MS = 30_000;

/** The end of a story: all is mended, one network after the other, and everything has to come to its end. */
export async function judge(harness: SimHarness): Promise<void> {
  const { oracle } = harness;
  harness.disk.become("well");
  if (harness.isUp) harness.life.killAfter(Infinity);
  const servers = harness.chance.fork();
  for (let tries = 0; tries < 5 && !(await harness.start()); tries += 1) await harness.pass(1_000);
  oracle.check("starts", harness.isUp, () => `the program does not start: ${harness.failure}`);
  if (!harness.isUp) return;
  await agree(harness);
  const order = [...harness.networks.values()].sort(() => servers.next() - 0.5);
  for (const { server } of order) {
    heal(server);
    await drain(harness, server.traits.name);
    if (oracle.violations.length > 0) return;
  }
  await tellAgain(harness);
  await comeBack(harness);
  if (oracle.violations.length === 0) await probe(harness);
  await readAll(harness);
  await harness.stop();
  if (oracle.violations.length > 0) return;
  await harness.look(async (log) => await judgeLog(harness, log));
}

/** What the log refused is tried once more. */
async function agree(harness: SimHarness): Promise<void> {
  for (let tries = 0; tries < 10 && harness.config !== harness.file; tries += 1) {
    harness.changeToFile();
    await harness.pass(60_000, () => harness.config === harness.file);
  }
  const { file, config, oracle } = harness;
  oracle.check("a change comes through", config === file, () => "the program does not go by the file");
}

/** Connections that only seem to stand are made anew, so that all that was missed is told, and has to go everywhere. */
async function tellAgain(harness: SimHarness): Promise<void> {
  const { oracle, loop } = harness;
  const endMs = loop.monotonicMs + HEAL_MS;
  for (const network of harness.networks.values()) network.cut();
  await harness.pass(LOOK_MS);
  while (owedStill(harness).length > 0 && loop.monotonicMs < endMs) await harness.pass(LOOK_MS);
  for (const net of harness.networks.keys()) if (oracle.violations.length === 0) await drain(harness, net);
}

/** Everything is joined again in the end. */
async function comeBack(harness: SimHarness): Promise<void> {
  const endMs = harness.loop.monotonicMs + HEAL_MS;
  const isJoined = async (): Promise<boolean> => (await ask(harness, async () => await harness.isJoined())) === true;
  let isBack = await isJoined();
  while (!isBack && harness.loop.monotonicMs < endMs) {
    await harness.pass(LOOK_MS);
    isBack = await isJoined();
  }
  harness.oracle.check("comes back", isBack, () => "not all channels are joined again");
}

/** How long a message may take between networks on which nothing is wrong, in simulated ms. */
const CALM_MS = 60_000;

/**
 * With all at rest, one network goes silent with messages for it under way: nothing may come later anywhere else for
 * that.
 */
async function probe(harness: SimHarness): Promise<void> {
  const { oracle } = harness;
  const chance = harness.chance.fork();
  const silent = chance.pick([...harness.networks.values()]);
  const sources = [...harness.networks.values()].filter((network) => network !== silent);
  silent.server.faults.push("silence");
  for (const { server } of sources) {
    for (const room of harness.setting.rooms) {
      const subject = subjectOf(`${server.traits.name}.x`, room);
      const lanes = oracle.inForce.filter(
        ({ place, subjects }) => subjects.has(subject) && !place.startsWith(`${silent.server.traits.name}.x/`),
      );
      if (lanes.length === 0) continue;
      const numbers = [harness.number(), harness.number()];
      for (const message of numbers) server.say(room, "anna", textFor({ message, edit: 0, parts: 1 }), null);
      const isThere = (lane: KnownLane): boolean =>
        numbers.every((message) => oracle.arrived.has(`${lane.name} ${oracle.accepted.get(message)} 0`));
      await harness.pass(CALM_MS, () => lanes.every(isThere));
      const late = lanes.filter((lane) => !isThere(lane)).map(({ name }) => name);
      const who = silent.server.traits.name;
      oracle.check(
        "a stuck lane moves nobody else",
        late.length === 0,
        () => `with ${who} silent, ${late.join(", ")} got nothing`,
      );
    }
  }
  heal(silent.server);
  silent.cut();
  await drain(harness, silent.server.traits.name);
}

function heal(server: Server): void {
  server.isDown = false;
  server.isLocked = false;
  server.stutters = false;
  server.faults.length = 0;
  server.openFaults.length = 0;
  server.joinFaults.length = 0;
  for (const name of server.roomNames) server.room(name).banned = false;
}

/** Waits until all that is for this network has ended, whatever becomes of the others. */
async function drain(harness: SimHarness, net: string): Promise<void> {
  const { oracle, loop } = harness;
  const endMs = loop.monotonicMs + HEAL_MS;
  let waiting = await waitingFor(harness, net);
  while (waiting.length > 0 && loop.monotonicMs < endMs) {
    await harness.pass(LOOK_MS);
    waiting = await waitingFor(harness, net);
  }
  oracle.check(
    "a stuck lane moves nobody else",
    waiting.length === 0,
    () => `after ${HEAL_MS / 3_600_000} h: ${waiting.join(", ")}`,
  );
}

/** Lanes of the network with something to do. */
async function waitingFor(harness: SimHarness, net: string): Promise<readonly string[]> {
  const marks = await ask(harness, async () => await harness.log.marks("lane/"));
  const found: string[] = [];
  for (const lane of harness.oracle.inForce) {
    if (!lane.place.startsWith(`${net}.x/`)) continue;
    const position = marks?.get(marksOf(lane.name).checkpoint);
    const after = position === undefined ? 0 : (JSON.parse(position) as { after: number }).after;
    const next = entriesOf(harness, lane).find(({ seq }) => seq > after);
    if (next !== undefined) found.push(`${lane.name} waits with ${describe(next)}`);
  }
  return found;
}

async function ask<T>(harness: SimHarness, question: () => Promise<T>): Promise<T | null> {
  let answer: T | null = null;
  let isOver = false;
  const over = (): void => void (isOver = true);
  question().then((value) => {
    answer = value;
    isOver = true;
  }, over);
  await harness.pass(60_000, () => isOver);
  return answer;
}

/** Clients of the API take what is left. */
async function readAll(harness: SimHarness): Promise<void> {
  for (const name of harness.api.names) {
    for (let time = 0; time < 2; time += 1) {
      harness.api.poll(name, false);
      await harness.pass(5_000);
    }
  }
}

const ACTS: ReadonlySet<string> = new Set([
  EventLabel.edit,
  EventLabel.delete,
  EventLabel.withdrawal,
  EventLabel.reaction,
  EventLabel.outageOver,
]);

/** What has to come to an end in this lane. */
function entriesOf({ oracle }: SimHarness, { name }: KnownLane): readonly KnownEntry[] {
  return [...oracle.entries.values()].filter(({ subject, seq }) => oracle.reach.must(name, subject, seq));
}

async function judgeLog(harness: SimHarness, log: Log): Promise<void> {
  judgeOwed(harness);
  judgeApi(harness);
  for (const lane of harness.oracle.inForce) {
    const receipts = new Map<number, Receipt>();
    for (let after = 0; ;) {
      const found = await log.receipts({ lane: lane.name, after, limit: 500 });
      for (const receipt of found) receipts.set(receipt.seq, receipt);
      const last = found.at(-1);
      if (last === undefined) break;
      after = last.seq;
    }
    for (const entry of entriesOf(harness, lane)) judgeEnd(harness, lane, entry, receipts.get(entry.seq));
  }
}

/** What people said on networks that tell it again later. */
function judgeOwed(harness: SimHarness): void {
  const { oracle } = harness;
  oracle.counts.check("nothing said is lost", oracle.owed.size);
  for (const { message, net, room } of owedStill(harness))
    oracle.fail("nothing said is lost", `m${message}, said in ${net}.x/${room}, is not in the log`);
}

function owedStill({
  oracle,
}: SimHarness): readonly { readonly message: number; readonly net: string; readonly room: string }[] {
  return [...oracle.owed.values()].filter(
    ({ message, net, room, nth }) =>
      oracle.owes(net, room, nth) && oracle.isHeard(subjectOf(`${net}.x`, room)) && !oracle.accepted.has(message),
  );
}

function judgeApi(harness: SimHarness): void {
  const { oracle, config } = harness;
  for (const { name, bridges } of config.gateways) {
    for (const { account, direction } of bridges) {
      if (!account.startsWith("api.") || direction === "in") continue;
      for (const entry of oracle.entries.values()) {
        const isFor = oracle.reach.must(readerName(account, name), entry.subject, entry.seq);
        if (!isFor || entry.about !== null || entry.token === null || ACTS.has(entry.label)) continue;
        const { message } = entry.token;
        oracle.check(
          "readers get all",
          harness.api.hasRead(account, name, message),
          () => `${account} never read m${message} of ${name}`,
        );
      }
    }
  }
}

/** What has become of one message at one place. */
function judgeEnd(harness: SimHarness, lane: KnownLane, entry: KnownEntry, receipt: Receipt | undefined): void {
  const { oracle, counts } = harness;
  const state = receipt?.state ?? "sent";
  counts.end(state);
  const has = (part: number): boolean => oracle.arrived.has(`${lane.name} ${entry.seq} ${part}`);
  const tell = (why: string) => () =>
    `${describe(entry)} for ${lane.place} is ${state}, ${why}; ${receipt?.detail ?? "no receipt"}`;
  const { why } = JSON.parse(receipt?.detail ?? "{}") as { readonly why?: { readonly message?: string } };
  const needsReason = state === "failed" || state === "unconfirmed" || state === "expired";
  oracle.check("every end has a reason", !needsReason || (why?.message ?? "") !== "", tell("without a reason"));
  if (ACTS.has(entry.label)) return;
  const isSet = oracle.arrived.has(`${lane.name} ${entry.seq} topic`);
  if (state === "sent") oracle.check("nothing accepted is lost", has(0) || isSet, tell("and never came"));
  else if (entry.label !== EventLabel.outage)
    oracle.check("ends are true", isTrue(harness, lane, entry, state), tell("which cannot be"));
}

/** Faults after which the disk may lack what a lane knew in the end. */
const UNTOLD = /^(kill|disk)/u;

/** Whether a message can have ended so. */
function isTrue(
  { oracle, networks, latestMs, jumpedMs, counts }: SimHarness,
  { name, place, maxAgeMs, leavesOut, subjects }: KnownLane,
  entry: KnownEntry,
  state: Receipt["state"],
): boolean {
  const id = `${name}/${entry.seq}/${entry.at}`;
  const faults = oracle.faulted.get(id);
  const idempotency = networks.get(place.slice(0, place.indexOf(".")))?.server.traits.idempotency;
  const by = idempotency?.by;
  const windowMs = idempotency?.by === "key" ? idempotency.windowMs : Infinity;
  const isLate = latestMs - entry.at > Math.min(windowMs, maxAgeMs) || (by === "key" && jumpedMs > 0);
  // Then what was about to be sent looks like what was sent.
  const isUntold = [...counts.faults.keys()].some((fault) => UNTOLD.test(fault));
  switch (state) {
    case "failed":
      return faults !== undefined && (faults.has("reject") || faults.has("throw before") || faults.has("throw after"));
    case "unconfirmed":
      // Where a repeated message is known, nothing needs to stay in doubt, unless its key may have been forgotten.
      if (oracle.asked.has(id)) return isLate || by === "none";
      return isUntold && (by === "none" ? oracle.rode.has(id) : isLate && by === "key");
    case "expired":
      return latestMs - entry.at > (leavesOut ? LATE_MS : maxAgeMs);
    case "cancelled":
      return [...oracle.entries.values()].some(
        ({ label, about }) => label === EventLabel.delete && about === entry.token?.message,
      );
    case "omitted":
      // A newer topic took its place.
      return (
        entry.label === EventLabel.topic &&
        [...oracle.entries.values()].some(
          ({ label, seq, subject }) => label === EventLabel.topic && seq > entry.seq && subjects.has(subject),
        )
      );
    case "sent":
    case "folded":
    case "withheld":
      return false;
  }
}
