import { expect, test } from "vitest";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { eventually } from "../../../test/support/wait.ts";
import type { Account } from "../../config/config.ts";
import type { Capabilities } from "../../contract/capabilities.ts";
import { END } from "../../contract/ids.ts";
import { capabilities } from "../../gateway/plan.suite.ts";
import type { Log, Receipt } from "../../log/log.ts";
import { openAt, scratchFolder } from "../../log/sqlite/scratch.suite.ts";
import type { Logger } from "../../logger.ts";
import { Lane } from "./lane.ts";
import { NO_METER } from "../meter.ts";
import { delivered, LANE, NONE, MemoryFiles, outletOf, sendWhole, SUBJECT, NO_LOOPS } from "../stage.suite.ts";
import { PLAN } from "../plan.suite.ts";

const SILENT = { debug: () => undefined, warn: () => undefined, info: () => undefined } as unknown as Logger;

async function open(log: Log): Promise<Lane> {
  const lane = await Lane.open({
    name: LANE,
    gateway: "g",
    account: { name: "net.B", key: "net.b" } as Account,
    channel: "#to",
    subjects: [SUBJECT],
    plan: PLAN,
    capabilities: { idempotency: NONE, ops: capabilities().ops, limits: { inflightMax: 8 } } as Capabilities,
    log,
    files: new MemoryFiles(),
    logger: SILENT,
    clock: new FakeClock(Date.now()),
    random: () => 0.5,
    maxAgeMs: 3_600_000,
    outageNoticeMs: 3_600_000,
    catchUp: null,
    meter: NO_METER,
    loops: NO_LOOPS,
    onStalled: () => undefined,
  });
  log.tail(() => lane.wake());
  return lane;
}

test("over the log on disk: a backlog, a program that dies in the middle, and what it leaves", async () => {
  const dataPath = scratchFolder();
  const first = await openAt(dataPath, { tailBytes: 0 });
  const lane = await open(first);
  const heard: string[] = [];
  // The fortieth message is written, and nothing is heard of it or anything later.
  lane.connect(
    outletOf(async ({ body }, attempt) => {
      const number = Number(body.source.text);
      await attempt.sending(END);
      if (number <= 40) heard.push(body.source.text);
      if (number >= 40) return await new Promise(() => undefined);
      attempt.sent(END, []);
      return delivered;
    }),
  );
  const entries = Array.from({ length: 500 }, (_, at) => ({
    subject: SUBJECT,
    key: null,
    label: at % 7 === 6 ? "unwanted" : "",
    payload: `${at}`,
  }));
  await first.append({ account: "net.a", entries });
  const wanted = entries.filter(({ label }) => label === "").map(({ payload }) => payload);
  await eventually(
    () => Promise.resolve(heard.length),
    (count) => count === wanted.indexOf("40") + 1,
    () => "the fortieth message",
  );
  // Seven wait behind it, of which nothing was written: 40 has the 41st seq, and so on.
  const last = wanted[wanted.indexOf("40") + 7] ?? "";
  await eventually(
    async () => (await first.marks(`intent/${LANE}`)).get(`intent/${LANE}`) ?? "",
    (intent) => intent.includes(`:${Number(last) + 1},`),
    () => "the intents of a whole window",
  );
  await first.close();

  const again = await openAt(dataPath);
  const next = await open(again);
  next.connect(
    outletOf(async ({ body }, attempt) => {
      await sendWhole(attempt);
      heard.push(body.source.text);
      return delivered;
    }),
  );
  await eventually(
    () => Promise.resolve(next.cursor),
    (cursor) => cursor === again.head,
    () => "the end of the backlog",
  );
  await next.stop(new AbortController().signal);
  const receipts: readonly Receipt[] = await again.receipts({ lane: LANE, after: 0, limit: 100 });
  expect(receipts.every(({ state }) => state === "unconfirmed")).toBe(true);
  const inDoubt = receipts.map(({ seq }) => `${seq - 1}`);
  expect(inDoubt).toEqual(wanted.slice(wanted.indexOf("40"), wanted.indexOf("40") + 8));
  expect(heard).toEqual(wanted.filter((text) => text === "40" || !inDoubt.includes(text)));
});
