import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { Metrics } from "./metrics.ts";

test("docs/metrics.md lists every metric, with its kind and what it says, and no other", async () => {
  const metrics = new Metrics("x");
  const none = { p50: 0, p99: 0, max: 0 };
  const file = () => ({ readMs: 0, trouble: null });
  const sources = {
    accounts: () => Promise.resolve([]),
    readers: () => [],
    loop: () => none,
    cluster: () => null,
    file,
  };
  metrics.watch({ ...sources, nowMs: () => 0 });
  const { body } = await metrics.scrape();
  const found = [...body.matchAll(/^# HELP (rialto_\S+) (.*)\n# TYPE \S+ (\S+)$/gm)].map(([, name, help, kind]) => {
    return [name, kind, help];
  });
  const page = readFileSync(new URL("../../docs/metrics.md", import.meta.url), "utf8");
  const rows = [...page.matchAll(/^\| `(rialto_\w+)` \| (\w+) \| [^|]*\| (.*) \|$/gm)].map(([, ...row]) => row);
  expect(rows).toEqual(found);
  expect(found.length).toBeGreaterThan(10);
});
