import { marksOf } from "../../src/delivery/lane/checkpoint.ts";
import { EventLabel } from "../../src/contract/message.ts";
import { subjectOf } from "../../src/gateway/subject.ts";
import type { Log, Receipt } from "../../src/log/log.ts";
import type { Server } from "./server.ts";
import { readerName } from "./reach.ts";
import { textFor } from "./tokens.ts";
import { describe, type KnownEntry, type KnownLane } from "./witness.ts";
import type { World } from "./world.ts";

/**
 * How long a network that is well again may take until all that waited for it has come to its end, in simulated ms: a wrong password is tried
 * again after an hour at the latest, a handler that hangs alone is given up after two, and a join may have to wait half an hour.
 */
const HEAL_MS = 5 * 3_600_000;
const LOOK_MS = 20_000;
/** From when on CatchUp may leave something out. */
const LATE_MS = 30_000;

/** The end of a story: all is mended, one network after the other, and everything has to come to its end. */
export async function judge(world: World): Promise<void> {
  const { witness } = world;
  world.disk.become("well");
  if (world.isUp) world.life.killAfter(Infinity);
  const servers = world.chance.fork();
  for (let tries = 0; tries < 5 && !(await world.start()); tries += 1) await world.pass(1_000);
  witness.check("starts", world.isUp, () => `the program does not start: ${world.failure}`);
  if (!world.isUp) return;
  await agree(world);
  const order = [...world.networks.values()].sort(() => servers.next() - 0.5);
  for (const { server } of order) {
    heal(server);
    await drain(world, server.traits.name);
    if (witness.violations.length > 0) return;
  }
  await tellAgain(world);
  await comeBack(world);
  if (witness.violations.length === 0) await probe(world);
  await readAll(world);
  await world.stop();
  if (witness.violations.length > 0) return;
  await world.look(async (log) => await judgeLog(world, log));
}

/** What the log refused is tried once more. */
async function agree(world: World): Promise<void> {
  for (let tries = 0; tries < 10 && world.config !== world.file; tries += 1) {
    world.changeToFile();
    await world.pass(60_000, () => world.config === world.file);
  }
  const { file, config, witness } = world;
  witness.check("a change comes through", config === file, () => "the program does not go by the file");
}

/** Connections that only seem to stand are made anew, so that all that was missed is told, and has to go everywhere. */
async function tellAgain(world: World): Promise<void> {
  const { witness, loop } = world;
  const endMs = loop.monotonicMs + HEAL_MS;
  for (const network of world.networks.values()) network.cut();
  await world.pass(LOOK_MS);
  while (owedStill(world).length > 0 && loop.monotonicMs < endMs) await world.pass(LOOK_MS);
  for (const net of world.networks.keys()) if (witness.violations.length === 0) await drain(world, net);
}

/** Everything is joined again in the end. */
async function comeBack(world: World): Promise<void> {
  const endMs = world.loop.monotonicMs + HEAL_MS;
  const isJoined = async (): Promise<boolean> => (await ask(world, async () => await world.isJoined())) === true;
  let isBack = await isJoined();
  while (!isBack && world.loop.monotonicMs < endMs) {
    await world.pass(LOOK_MS);
    isBack = await isJoined();
  }
  world.witness.check("comes back", isBack, () => "not all channels are joined again");
}

/** How long a message may take between networks on which nothing is wrong, in simulated ms. */
const CALM_MS = 60_000;

/** With all at rest, one network goes silent with messages for it under way: nothing may come later anywhere else for that. */
async function probe(world: World): Promise<void> {
  const { witness } = world;
  const chance = world.chance.fork();
  const silent = chance.pick([...world.networks.values()]);
  const sources = [...world.networks.values()].filter((network) => network !== silent);
  silent.server.faults.push("silence");
  for (const { server } of sources) {
    for (const room of world.setting.rooms) {
      const subject = subjectOf(`${server.traits.name}.x`, room);
      const lanes = witness.inForce.filter(
        ({ place, subjects }) => subjects.has(subject) && !place.startsWith(`${silent.server.traits.name}.x/`),
      );
      if (lanes.length === 0) continue;
      const numbers = [world.number(), world.number()];
      for (const message of numbers) server.say(room, "anna", textFor({ message, edit: 0, parts: 1 }), null);
      const isThere = (lane: KnownLane): boolean =>
        numbers.every((message) => witness.arrived.has(`${lane.name} ${witness.accepted.get(message)} 0`));
      await world.pass(CALM_MS, () => lanes.every(isThere));
      const late = lanes.filter((lane) => !isThere(lane)).map(({ name }) => name);
      const who = silent.server.traits.name;
      witness.check(
        "a stuck lane moves nobody else",
        late.length === 0,
        () => `with ${who} silent, ${late.join(", ")} got nothing`,
      );
    }
  }
  heal(silent.server);
  silent.cut();
  await drain(world, silent.server.traits.name);
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
async function drain(world: World, net: string): Promise<void> {
  const { witness, loop } = world;
  const endMs = loop.monotonicMs + HEAL_MS;
  let waiting = await waitingFor(world, net);
  while (waiting.length > 0 && loop.monotonicMs < endMs) {
    await world.pass(LOOK_MS);
    waiting = await waitingFor(world, net);
  }
  witness.check(
    "a stuck lane moves nobody else",
    waiting.length === 0,
    () => `after ${HEAL_MS / 3_600_000} h: ${waiting.join(", ")}`,
  );
}

/** Lanes of the network with something to do. */
async function waitingFor(world: World, net: string): Promise<readonly string[]> {
  const marks = await ask(world, async () => await world.log.marks("lane/"));
  const found: string[] = [];
  for (const lane of world.witness.inForce) {
    if (!lane.place.startsWith(`${net}.x/`)) continue;
    const position = marks?.get(marksOf(lane.name).checkpoint);
    const after = position === undefined ? 0 : (JSON.parse(position) as { after: number }).after;
    const next = entriesOf(world, lane).find(({ seq }) => seq > after);
    if (next !== undefined) found.push(`${lane.name} waits with ${describe(next)}`);
  }
  return found;
}

async function ask<T>(world: World, question: () => Promise<T>): Promise<T | null> {
  let answer: T | null = null;
  let isOver = false;
  const over = (): void => void (isOver = true);
  question().then((value) => {
    answer = value;
    isOver = true;
  }, over);
  await world.pass(60_000, () => isOver);
  return answer;
}

/** Clients of the API take what is left. */
async function readAll(world: World): Promise<void> {
  for (const name of world.api.names) {
    for (let time = 0; time < 2; time += 1) {
      world.api.poll(name, false);
      await world.pass(5_000);
    }
  }
}

const ACTS: ReadonlySet<string> = new Set([
  EventLabel.edit,
  EventLabel.delete,
  EventLabel.reaction,
  EventLabel.outageOver,
]);

/** What has to come to an end in this lane. */
function entriesOf({ witness }: World, { name }: KnownLane): readonly KnownEntry[] {
  return [...witness.entries.values()].filter(({ subject, seq }) => witness.reach.must(name, subject, seq));
}

async function judgeLog(world: World, log: Log): Promise<void> {
  judgeOwed(world);
  judgeApi(world);
  for (const lane of world.witness.inForce) {
    const receipts = new Map<number, Receipt>();
    for (let after = 0; ;) {
      const found = await log.receipts({ lane: lane.name, after, limit: 500 });
      for (const receipt of found) receipts.set(receipt.seq, receipt);
      const last = found.at(-1);
      if (last === undefined) break;
      after = last.seq;
    }
    for (const entry of entriesOf(world, lane)) judgeEnd(world, lane, entry, receipts.get(entry.seq));
  }
}

/** What people said on networks that tell it again later. */
function judgeOwed(world: World): void {
  const { witness } = world;
  witness.counts.check("nothing said is lost", witness.owed.size);
  for (const { message, net, room } of owedStill(world))
    witness.fail("nothing said is lost", `m${message}, said in ${net}.x/${room}, is not in the log`);
}

function owedStill({
  witness,
}: World): readonly { readonly message: number; readonly net: string; readonly room: string }[] {
  return [...witness.owed.values()].filter(
    ({ message, net, room, nth }) =>
      witness.owes(net, room, nth) && witness.isHeard(subjectOf(`${net}.x`, room)) && !witness.accepted.has(message),
  );
}

function judgeApi(world: World): void {
  const { witness, config } = world;
  for (const { name, bridges } of config.gateways) {
    for (const { account, direction } of bridges) {
      if (!account.startsWith("api.") || direction === "in") continue;
      for (const entry of witness.entries.values()) {
        const isFor = witness.reach.must(readerName(account, name), entry.subject, entry.seq);
        if (!isFor || entry.about !== null || entry.token === null || ACTS.has(entry.label)) continue;
        const { message } = entry.token;
        witness.check(
          "readers get all",
          world.api.hasRead(account, name, message),
          () => `${account} never read m${message} of ${name}`,
        );
      }
    }
  }
}

/** What has become of one message at one place. */
function judgeEnd(world: World, lane: KnownLane, entry: KnownEntry, receipt: Receipt | undefined): void {
  const { witness, counts } = world;
  const state = receipt?.state ?? "sent";
  counts.end(state);
  const has = (part: number): boolean => witness.arrived.has(`${lane.name} ${entry.seq} ${part}`);
  const tell = (why: string) => () =>
    `${describe(entry)} for ${lane.place} is ${state}, ${why}; ${receipt?.detail ?? "no receipt"}`;
  const { why } = JSON.parse(receipt?.detail ?? "{}") as { readonly why?: { readonly message?: string } };
  const needsReason = state === "failed" || state === "unconfirmed" || state === "expired";
  witness.check("every end has a reason", !needsReason || (why?.message ?? "") !== "", tell("without a reason"));
  if (ACTS.has(entry.label)) return;
  if (state === "sent") witness.check("nothing accepted is lost", has(0), tell("and never came"));
  else if (entry.label !== EventLabel.outage)
    witness.check("ends are true", isTrue(world, lane, entry, state), tell("which cannot be"));
}

/** Whether a message can have ended so. */
function isTrue(
  { witness, networks, latestMs, disturbedMs }: World,
  { name, place, maxAgeMs, leavesOut }: KnownLane,
  entry: KnownEntry,
  state: Receipt["state"],
): boolean {
  const id = `${name}/${entry.seq}/${entry.at}`;
  const faults = witness.faulted.get(id);
  const idempotency = networks.get(place.slice(0, place.indexOf(".")))?.server.traits.idempotency;
  switch (state) {
    case "failed":
      return faults !== undefined && (faults.has("reject") || faults.has("throw before") || faults.has("throw after"));
    case "unconfirmed":
      // Where a repeated message is known, nothing needs to stay in doubt, unless its key may have been forgotten.
      if (!witness.asked.has(id)) return false;
      // In doubt until it was too old.
      if (latestMs - entry.at > maxAgeMs) return true;
      return (
        idempotency?.by === "none" ||
        (idempotency?.by === "key" && (idempotency.windowMs < 6 * 3_600_000 || disturbedMs > 0))
      );
    case "expired":
      return latestMs - entry.at > (leavesOut ? LATE_MS : maxAgeMs);
    case "cancelled":
      return [...witness.entries.values()].some(
        ({ label, about }) => label === EventLabel.delete && about === entry.token?.message,
      );
    case "sent":
    case "folded":
    case "omitted":
    case "withheld":
      return false;
  }
}
