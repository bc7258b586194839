import { maySee } from "../../../access/access.ts";
import type { ApiReceipt } from "../../../contract/api-v1.ts";
import { accountOf } from "../../../gateway/subject.ts";
import { parseSpan } from "../../../lib/duration.ts";
import type { Seq } from "../../../log/log.ts";
import { seqOf } from "../../api/acting.ts";
import type { V1Deps } from "../deps.ts";
import { ProblemError } from "../problems.ts";
import { type Call, ok, type Reply, type Route } from "../route.ts";

/** Less than proxies and the server's own rule on silent connections allow. */
const WAIT_MAX_MS = 55_000;
/** How soon it is looked at again; longer from time to time. */
const FIRST_MS = 50;
const LONGEST_MS = 1000;
/** Who waits at the same time, in one account. */
const WAITING_MAX = 200;
const ALSO_MAX = 64;

/** Rialto will do something more about these. What is unread waits for its reader, and for nothing of ours. */
const UNSETTLED: ReadonlySet<string> = new Set(["waiting", "sending"]);

const waiting = new WeakMap<V1Deps["ingest"], number>();

async function receipts(call: Call, deps: V1Deps): Promise<Reply> {
  const seqs = idsOf(call);
  const waitMs = waitOf(call.query.get("wait"));
  for (const seq of seqs) await checkOwn(seq, call, deps);
  const ask = async (): Promise<readonly ApiReceipt[]> =>
    (await Promise.all(seqs.map(async (seq) => await deps.receipts(seq)))).flat();
  const now = await ask();
  if (waitMs === 0 || isSettled(now)) return ok({ receipts: now });
  const others = waiting.get(deps.ingest) ?? 0;
  if (others >= WAITING_MAX) {
    const detail = `${WAITING_MAX} requests of this account wait for receipts already`;
    throw new ProblemError("rate_limited", detail, { headers: { "Retry-After": "5" } });
  }
  waiting.set(deps.ingest, others + 1);
  try {
    return ok({ receipts: await settled(ask, waitMs, call.signal, deps) });
  } finally {
    waiting.set(deps.ingest, (waiting.get(deps.ingest) ?? 1) - 1);
  }
}

/**
 * What is written of receipts is no entry of the log, and nobody is told of it. It is asked for: a few times a second
 * at first, once a second later, and sooner when something else is committed.
 */
async function settled(
  ask: () => Promise<readonly ApiReceipt[]>,
  waitMs: number,
  signal: AbortSignal,
  { clock, feed }: Pick<V1Deps, "clock" | "feed">,
): Promise<readonly ApiReceipt[]> {
  const endMs = clock.monoMs() + waitMs;
  let pauseMs = FIRST_MS;
  for (;;) {
    const leftMs = endMs - clock.monoMs();
    await paused(Math.max(0, Math.min(pauseMs, leftMs)), Math.min(FIRST_MS * 4, leftMs), signal, { clock, feed });
    const rows = await ask();
    if (isSettled(rows) || signal.aborted || clock.monoMs() >= endMs) return rows;
    pauseMs = Math.min(LONGEST_MS, pauseMs * 1.5);
  }
}

/** Until `ms` are over, or after `leastMs` something was committed. */
async function paused(
  ms: number,
  leastMs: number,
  signal: AbortSignal,
  { clock, feed }: Pick<V1Deps, "clock" | "feed">,
): Promise<void> {
  const fromMs = clock.monoMs();
  const { promise, resolve } = Promise.withResolvers<void>();
  const end = (): void => resolve();
  const cancel = clock.after(ms, end);
  const unlisten = feed.onCommit(() => {
    if (clock.monoMs() - fromMs >= leastMs) end();
  });
  signal.addEventListener("abort", end, { once: true });
  await promise;
  cancel();
  unlisten();
  signal.removeEventListener("abort", end);
}

const isSettled = (rows: readonly ApiReceipt[]): boolean => !rows.some(({ state }) => UNSETTLED.has(state));

function idsOf({ params, query }: Call): readonly Seq[] {
  const also = (query.get("also") ?? "").split(",").filter((id) => id !== "");
  if (also.length > ALSO_MAX) {
    const errors = [{ pointer: "/also", detail: `must not have more than ${ALSO_MAX} ids` }];
    throw new ProblemError("bad_request", `also must not have more than ${ALSO_MAX} ids`, { errors });
  }
  return [params["id"] ?? "", ...also].map((id) => seqOf(id) ?? 0);
}

function waitOf(given: string | null): number {
  if (given === null || given === "") return 0;
  const ms = given === "0" ? 0 : parseSpan(given);
  if (typeof ms === "number" && ms >= 0) return Math.min(ms, WAIT_MAX_MS);
  throw new ProblemError("bad_request", "wait is a duration such as 30s", {
    errors: [{ pointer: "/wait", detail: "is a duration such as 30s" }],
  });
}

/** What the account has said, where the caller sees it; the entry or what is known of it. */
async function checkOwn(seq: Seq, { access }: Call, { account, log }: V1Deps): Promise<void> {
  const known = seq === 0 ? null : ((await log.ids.get(seq)) ?? (await log.archive.entry(seq)));
  const subject = known?.subject ?? "";
  const gateway = subject.slice(subject.indexOf("/") + 1);
  if (known !== null && accountOf(subject) === account().key && maySee(access, gateway)) return;
  throw new ProblemError("not_found", "this account has said nothing with this id, or it is too old to be known");
}

const text = { type: "string" } as const;
const textOrNull = { type: ["string", "null"] } as const;

const RECEIPT = {
  type: "object",
  properties: {
    gateway: text,
    account: text,
    channel: text,
    state: {
      type: "string",
      description:
        "`sent`, `unconfirmed`, `failed`, `expired`, `folded`, `cancelled`, `omitted`, `withheld`, `settled`, `sending`, `waiting`, `read` or `unread` (of readers of the API), `before`, `unknown`; more may come.",
    },
    why: textOrNull,
    remedy: textOrNull,
    retry_at: textOrNull,
    tries: { type: ["integer", "null"] },
    refs: { type: "array", items: text, description: "Ids of its copies there." },
    losses: {
      type: "array",
      items: { type: "object", properties: { what: text, note: text }, required: ["what", "note"] },
    },
  },
  required: ["gateway", "account", "channel", "state", "why", "remedy", "retry_at", "tries", "refs", "losses"],
} as const;

export const receiptsRoutes: readonly Route[] = [
  {
    method: "GET",
    path: "/v1/messages/{id}/receipts",
    needs: "read",
    id: "receipts",
    summary: "What became of a message, an edit, a deletion or a reaction of this account, at each destination.",
    about:
      "With `wait` the answer comes when all are settled: nothing is `waiting` or `sending` any more. What a reader of the API has not fetched yet counts as settled.",
    query: {
      wait: { ...text, description: "How long to wait at most, such as `30s`; 55 s and more are 55 s." },
      also: {
        ...text,
        description: "More ids with a comma between them, as in the `receipts` of a deletion in several gateways.",
      },
    },
    answers: {
      200: {
        about: "A row for each destination.",
        schema: { type: "object", properties: { receipts: { type: "array", items: RECEIPT } }, required: ["receipts"] },
      },
    },
    handle: receipts,
  },
];
