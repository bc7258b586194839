/**
 * What a consumer of `/v1` takes off the real log per second: 100 at a time with a durable ack, and each acknowledged
 * alone, 1000 in flight; against reading the same entries and putting a mark for each 100. `node bench/consumers.ts`
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Access } from "../src/access/access.ts";
import type { Consumers } from "../src/consumers/consumers.ts";
import { CONSUMERS_STEM } from "../src/consumers/marks.ts";
import { openFeed } from "../src/consumers/open-feed.ts";
import { openConsumers } from "../src/consumers/open.ts";
import { specOf } from "../src/consumers/spec.ts";
import { systemClock } from "../src/delivery/clock.ts";
import { encode } from "../src/gateway/codec.ts";
import { compileRoutes } from "../src/gateway/routes.ts";
import { aConfig, aGateway, aMessage, anAccount } from "../src/gateway/samples.suite.ts";
import { beginningMarks } from "../src/http/api/reader-marks.ts";
import { openSqliteLog } from "../src/log/sqlite/open.ts";
import type { Figure, Result, RunOptions } from "./lib/result.ts";

const POLICY = { durability: "power", retentionDays: 7, retentionBytes: 64 * 1024 ** 3, messageIdDays: 30 } as const;
const OWN = "api.bench";
const SUBJECT = "net.a/#x";
const QUOTA = { of: "consumers", setting: "", count: 10 } as const;
const BATCH = 100;
const IN_FLIGHT = 1000;
const BATCH_GOAL = 0.35;
const SINGLE_GOAL = 0.15;
const access: Access = {
  account: OWN,
  scopes: new Set(["read"]),
  gateways: null,
  by: "open",
  token: null,
  name: "",
  ended: new AbortController().signal,
};

export async function run({ smoke }: RunOptions): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), "rialto-consumers-"));
  const log = await openSqliteLog({ dataPath: folder, ...POLICY });
  try {
    const count = smoke ? 2_000 : 200_000;
    const payload = encode(aMessage({ text: "x".repeat(100) }));
    for (let done = 0; done < count; done += 1000) {
      const entries = Array.from({ length: 1000 }, () => ({ subject: SUBJECT, key: null, label: "", payload }));
      await log.append({ account: "net.a", entries });
    }
    const gateway = aGateway("lobby", ["inout net.a #x", `inout ${OWN} api`]);
    const routes = compileRoutes(aConfig([gateway], [anAccount(OWN)]));
    await log.mark(beginningMarks(OWN, routes.reads(OWN), 0));
    const files = { linkFor: () => null, linksUntil: () => null };
    const logger = { error: () => undefined } as never;
    const feed = openFeed({ account: OWN, log, routes, files, logger });
    const consumers = await openConsumers({
      accountKey: OWN,
      stem: CONSUMERS_STEM,
      quota: QUOTA,
      feed,
      log,
      clock: systemClock,
    });
    const rate = async (name: string, single: boolean) => await rateOf(consumers, { name, single, count });
    const began = performance.now();
    for (let after = 0; after < log.head;) {
      const read = await log.read({ subjects: [SUBJECT], after, limit: BATCH });
      after = read.at(-1)?.seq ?? log.head;
      await log.mark([{ name: "bench", value: String(after) }]);
    }
    const raw = count / ((performance.now() - began) / 1000);
    const batches = await rate("batches", false);
    const singles = await rate("singles", true);
    await consumers.close();
    feed.close();
    return {
      name: "consumers",
      figures: [
        { what: `pull ${BATCH} and ack`, value: Math.round(batches), unit: "events/s" },
        { what: "each acknowledged alone", value: Math.round(singles), unit: "events/s" },
        { what: `read ${BATCH} and mark`, value: Math.round(raw), unit: "entries/s" },
        against("pull and ack against read and mark", batches / raw, BATCH_GOAL),
        against("each acknowledged alone against read and mark", singles / raw, SINGLE_GOAL),
      ],
      ok: true,
    };
  } finally {
    await log.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const against = (what: string, ratio: number, goal: number): Figure => ({
  what,
  value: Number(ratio.toFixed(2)),
  unit: "x",
  goal: { op: ">=", value: goal },
});

/** Events per second until all have come. */
async function rateOf(
  consumers: Consumers,
  { name, single, count }: { readonly name: string; readonly single: boolean; readonly count: number },
): Promise<number> {
  const read = specOf({ start: "all", max_in_flight: IN_FLIGHT });
  if ("flaws" in read) throw new Error("the body is wrong");
  const { consumer } = await consumers.put(name, read.spec, { access, ifMatch: null });
  const query = { max: BATCH, waitMs: 0, bytes: 1024 * 1024, signal: access.ended };
  const [began, acks] = [performance.now(), new Set<Promise<unknown>>()];
  let taken = 0;
  for (;;) {
    if (acks.size >= IN_FLIGHT - BATCH) await Promise.all(acks);
    const { events } = await consumer.pull(query);
    if (events.length === 0 && acks.size === 0) break;
    if (events.length === 0) await Promise.all(acks);
    taken += events.length;
    const last = events.at(-1)?.item.seq ?? 0;
    if (!single && events.length > 0) await consumer.ack({ upto: last });
    for (const { item } of single ? events : []) {
      const ack = consumer.ack({ ack: [item.seq] }).finally(() => acks.delete(ack));
      acks.add(ack);
    }
  }
  if (taken !== count) throw new Error(`${taken} of ${count} came`);
  return taken / ((performance.now() - began) / 1000);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log(JSON.stringify(await run({ smoke: process.argv.includes("--smoke") }), null, 2));
}
