import { expect, test } from "vitest";
import type { View } from "../../gateway/view.ts";
import type { EntryHead, Log } from "../../log/log.ts";
import { loadBacklog } from "./backlog.ts";

const view: View = {
  admits: (label) => label !== "join_leave",
  show: (message) => message,
  verbatim: () => true,
  wants: () => null,
  line: ({ payload }) => payload,
};

/** A log with these heads; seqs count from 1. */
function logOf(heads: readonly (readonly [subject: string, label: string])[]): Log {
  const entries: EntryHead[] = heads.map(([subject, label], at) => ({ seq: at + 1, subject, at: 1, label }));
  const newest: Log["newest"] = ({ subjects, after, limit }) => {
    const matching = entries.filter(({ seq, subject }) => seq > after && subjects.includes(subject));
    return Promise.resolve({ entries: matching.slice(-limit), skipped: Math.max(0, matching.length - limit) });
  };
  return { newest } as unknown as Log;
}

const say = (count: number, subject = "api.a/g", label = ""): [string, string][] =>
  Array.from({ length: count }, () => [subject, label]);
const reads = new Map([
  ["api.a/g", ["g"]],
  ["api.a/h", ["h", "i"]],
]);
const load = async (
  heads: [string, string][],
  options: { after?: number; limit: number; since?: [gateway: string, subject: string, seq: number][] },
) => {
  const since = new Map((options.since ?? []).map(([gateway, subject, seq]) => [gateway, new Map([[subject, seq]])]));
  const { items, skipped } = await loadBacklog({
    log: logOf(heads),
    view,
    reads,
    since,
    after: options.after ?? 0,
    limit: options.limit,
  });
  return { items: items.map(({ entry, gateway }) => `${entry.seq}${gateway}`), skipped };
};

test("the newest items after the position, and how many are older", async () => {
  expect(await load(say(5), { limit: 3 })).toEqual({ items: ["3g", "4g", "5g"], skipped: 2 });
  expect(await load(say(5), { limit: 10, after: 3 })).toEqual({ items: ["4g", "5g"], skipped: 0 });
});

test("events that the account does not see push nothing out", async () => {
  const heads = [...say(3), ...say(200, "api.a/g", "join_leave")];
  expect(await load(heads, { limit: 3 })).toEqual({ items: ["1g", "2g", "3g"], skipped: 0 });
});

test("what was said before the account was in a gateway pushes nothing out", async () => {
  const heads = [...say(2), ...say(50, "api.a/h")];
  expect(
    await load(heads, {
      limit: 2,
      since: [
        ["h", "api.a/h", 52],
        ["i", "api.a/h", 52],
      ],
    }),
  ).toEqual({ items: ["1g", "2g"], skipped: 0 });
});

test("an entry is one item for each gateway that sees it", async () => {
  expect(await load(say(2, "api.a/h"), { limit: 3 })).toEqual({ items: ["1i", "2h", "2i"], skipped: 1 });
});
