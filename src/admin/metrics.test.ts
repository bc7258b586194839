import { expect, test } from "vitest";
import type { ClusterView, ConfigFileView } from "./views.ts";
import { Metrics } from "./metrics.ts";
import { aLane, aReader, aRoom, aStatus, NOW } from "./samples.suite.ts";

const LANE = { gateway: "g", account: "net.home", channel: "#room" };

async function linesOf(metrics: Metrics): Promise<readonly string[]> {
  const { type, body } = await metrics.scrape();
  expect(type).toMatch(/^text\/plain; version=0\.0\.4/);
  return body.split("\n").filter((line) => line.startsWith("rialto_"));
}

test("what happened is counted, by gateway and account", async () => {
  const metrics = new Metrics("1.2.3");
  metrics.accepted([
    { seq: 1, subject: "net.home/#a", at: 0, label: "", payload: null },
    { seq: 2, subject: "net.home/#b", at: 0, label: "", payload: null },
  ]);
  const ends = ["sent", "sent", "failed", "expired", "unconfirmed", "folded", "cancelled", "omitted"] as const;
  for (const state of ends) metrics.ended(LANE, state, 1500);
  metrics.answered(LANE, "delivered", 20);
  metrics.appended(3, 2);
  metrics.refused({ code: "disk_full" });
  const lines = await linesOf(metrics);
  expect(lines).toEqual(
    expect.arrayContaining([
      'rialto_info{version="1.2.3"} 1',
      'rialto_accepted_total{account="net.home"} 2',
      'rialto_delivered_total{gateway="g",account="net.home"} 2',
      'rialto_failed_total{gateway="g",account="net.home"} 1',
      'rialto_expired_total{gateway="g",account="net.home"} 1',
      'rialto_unconfirmed_total{gateway="g",account="net.home"} 1',
      'rialto_log_refused_total{code="disk_full"} 1',
      // There before the first, which is seen as an increase then.
      'rialto_log_refused_total{code="overloaded"} 0',
      'rialto_log_refused_total{code="io"} 0',
      'rialto_append_seconds_bucket{le="0.0025"} 1',
      'rialto_append_seconds_bucket{le="0.001"} 0',
      'rialto_send_seconds_count{gateway="g",account="net.home",outcome="delivered"} 1',
      'rialto_delivery_seconds_sum{gateway="g",account="net.home"} 3',
    ]),
  );
});

test("what is now is asked at every scrape, and what has gone is not shown", async () => {
  const metrics = new Metrics("1.2.3");
  const lanes = [aLane({ waiting: 4, oldestMs: NOW - 2500 })];
  metrics.reconnected("net.other");
  const dropped = { ignored_nick: 2 };
  const nodes = ["n1", "n2"].map((name, at) => ({ name, accounts: at + 3, isAlike: true }));
  const cluster: ClusterView = { node: "n2", hasVoice: true, nodes, accounts: [], skipped: 3, gaps: 1 };
  const trouble = { of: "the configuration", what: "has 1 error", remedy: null, sinceMs: NOW };
  let file: ConfigFileView = { readMs: NOW - 1500, trouble };
  let accounts = [aStatus({ state: "degraded", dropped, channels: [aRoom({ lanes })] })];
  metrics.watch({
    accounts: () => Promise.resolve(accounts),
    readers: () => [aReader({ dropped: { empty: 3 } })],
    loop: () => ({ p50: 1, p99: 20, max: 300 }),
    cluster: () => cluster,
    file: () => file,
    nowMs: () => NOW,
  });
  expect(await linesOf(metrics)).toEqual(
    expect.arrayContaining([
      "rialto_log_skipped_total 3",
      "rialto_log_gaps_total 1",
      'rialto_waiting{gateway="g",account="net.home",channel="#room"} 4',
      'rialto_waiting_age_seconds{gateway="g",account="net.home",channel="#room"} 2.5',
      'rialto_account_state{account="net.home",state="degraded"} 1',
      'rialto_account_state{account="net.home",state="online"} 0',
      'rialto_reconnects_total{account="net.home"} 0',
      'rialto_dropped_total{account="net.home",reason="ignored_nick"} 2',
      'rialto_dropped_total{account="net.home",reason="foreign"} 0',
      'rialto_dropped_total{account="api.web",reason="empty"} 3',
      'rialto_failed_total{gateway="g",account="net.home"} 0',
      'rialto_expired_total{gateway="g",account="net.home"} 0',
      'rialto_reconnects_total{account="net.other"} 1',
      'rialto_event_loop_delay_seconds{quantile="0.99"} 0.02',
      "rialto_config_reload_failed 1",
      `rialto_config_last_reload_timestamp_seconds ${(NOW - 1500) / 1000}`,
      "rialto_machines 2",
      "rialto_machine_accounts 4",
      "rialto_machine_connected 1",
    ]),
  );
  accounts = [];
  file = { readMs: NOW, trouble: null };
  const fixed = ["rialto_config_reload_failed 0", `rialto_config_last_reload_timestamp_seconds ${NOW / 1000}`];
  expect(await linesOf(metrics)).toEqual(expect.arrayContaining(fixed));
  // What was counted stays, as Prometheus expects it.
  const left = (await linesOf(metrics)).filter((line) => line.includes("net.home") && !line.includes("_total{"));
  expect(left).toEqual([]);
});

test("what the process takes is told, under the names that all know", async () => {
  const { body } = await new Metrics("1").scrape();
  const value = (name: string): number => Number(new RegExp(`^${name} (\\S+)$`, "m").exec(body)?.[1]);
  for (const name of [
    "process_cpu_seconds_total",
    "process_start_time_seconds",
    "process_resident_memory_bytes",
    "nodejs_heap_size_used_bytes",
  ]) {
    expect([name, value(name) > 0]).toEqual([name, true]);
  }
  if (process.platform === "linux") expect(value("process_open_fds")).toBeGreaterThan(2);
  expect(body).toContain(`nodejs_version_info{version="${process.version}"`);
  expect(body).toMatch(/^nodejs_heap_space_size_used_bytes\{space="old"\} \d+$/m);
});

test("two scrapes are two answers with the same metrics; counting goes on between them", async () => {
  const metrics = new Metrics("1");
  metrics.answered(LANE, "delivered", 20);
  const first = await linesOf(metrics);
  metrics.answered(LANE, "delivered", 7000);
  const second = await linesOf(metrics);
  const series = (lines: readonly string[]): readonly string[] =>
    lines.map((line) => line.slice(0, line.lastIndexOf(" ")));
  expect(series(second)).toEqual(series(first));
  const labels = 'gateway="g",account="net.home",outcome="delivered"';
  expect(second).toEqual(
    expect.arrayContaining([
      `rialto_send_seconds_bucket{le="5",${labels}} 1`,
      `rialto_send_seconds_bucket{le="10",${labels}} 2`,
      `rialto_send_seconds_bucket{le="+Inf",${labels}} 2`,
      `rialto_send_seconds_sum{${labels}} 7.02`,
    ]),
  );
});

test("names from the configuration cannot break the format", async () => {
  const metrics = new Metrics("1");
  metrics.ended({ gateway: 'a"\n\\b', account: "net.x", channel: "#x" }, "sent", 0);
  const lines = await linesOf(metrics);
  expect(lines).toContain('rialto_delivered_total{gateway="a\\"\\n\\\\b",account="net.x"} 1');
});
