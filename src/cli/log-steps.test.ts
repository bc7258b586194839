import { expect, test } from "vitest";
import type { LogSeen, ServerSeen, StreamSeen } from "../log/nats/inspect.ts";
import { logSteps } from "./log-steps.ts";

type Seen = Extract<ServerSeen, { is: "seen" }>;
type There = Extract<StreamSeen, { is: "there" }>;

const GIBIBYTE = 1024 ** 3;
const MONITOR = { syncMs: 0, freeBytes: 10 * GIBIBYTE, aheadMs: 3 };

function server(name: string, more: Partial<Seen> = {}): Seen {
  const who = {
    server: `${name}:4222`,
    is: "seen",
    version: "2.15.1",
    id: `id of ${name}`,
    name,
    cluster: "C",
  } as const;
  return { ...who, named: 3, isOpen: false, monitor: MONITOR, ...more };
}

const there = (more: Partial<There> = {}): There => ({
  is: "there",
  replicas: 3,
  isLed: true,
  behind: [],
  aheadMs: -2,
  ...more,
});

const THREE = [server("a"), server("b"), server("c")];

function linesOf(seen: Partial<LogSeen>, isPowerSafe = true): readonly string[] {
  const all = { servers: THREE, stream: there(), name: "RIALTO_0", freeBytes: null, ...seen };
  return logSteps(all, isPowerSafe).map(
    ({ ok, warning, why, remedy }) =>
      `${ok ? (warning === true ? "warning" : "ok") : "failed"}: ${why}${remedy === "" ? "" : ` | ${remedy}`}`,
  );
}

test("of three servers that are as they should be, nothing is to be done", () => {
  const lines = linesOf({});
  expect(lines.filter((line) => !line.startsWith("ok: "))).toEqual([]);
  expect(lines).toContain("ok: a:4222 is a of the cluster C, nats-server 2.15.1");
  expect(lines).toContain("ok: JetStream is enabled; the log (stream RIALTO_0) is kept on 3 servers");
  expect(lines).toContain("ok: c:4222 writes each commit to the disk before it acknowledges it");
  expect(lines).toContain("ok: b:4222 has room for 10240 MiB");
  expect(lines).toContain("ok: the clocks of the servers are like that of this machine");
});

test.each<readonly [what: string, seen: Partial<LogSeen>, line: RegExp]>([
  ["too old", { servers: [server("a", { version: "2.8.4" })] }, /^failed: a:4222 is .*2\.8\.4, which is too old \| /u],
  [
    "without a password",
    { servers: [server("a", { isOpen: true }), server("b"), server("c", { isOpen: true })] },
    /^warning: a:4222, c:4222 accept connections from anyone, without a password.+ \| Add authorization/u,
  ],
  ["old", { servers: [server("a", { version: "2.9.10" })] }, /^warning: a:4222 is .*2\.9\.10: it is slow/u],
  ["new", { servers: [server("a", { version: "3.0.0-RC.1" })] }, /^ok: a:4222 is .*3\.0\.0-RC\.1$/u],
  ["the first good one", { servers: [server("a", { version: "2.10.0" })] }, /^ok: a:4222 is .*2\.10\.0$/u],
  [
    "away",
    { servers: [{ server: "a:4222", is: "unreached", reason: "connection refused" }], stream: null },
    /^failed: a:4222 cannot be reached: connection refused \| Start nats-server/u,
  ],
  [
    "refusing",
    { servers: [{ server: "a:4222", is: "credentials", reason: "authorization violation" }], stream: null },
    /^failed: a:4222 does not let Rialto in: .* \| Make LogUser and LogPassword, /u,
  ],
  [
    "of an unknown certificate",
    { servers: [{ server: "a:4222", is: "certificate", reason: "self-signed" }], stream: null },
    /^failed: the certificate of a:4222 is not trusted: self-signed \| .*NODE_EXTRA_CA_CERTS/u,
  ],
  ["without JetStream", { stream: { is: "disabled", reason: "no" } }, /^failed: JetStream is not enabled/u],
  [
    "that say nothing",
    { stream: { is: "unknown", reason: "timeout" } },
    /^failed: the servers do not say .*: timeout/u,
  ],
  ["without a log yet", { stream: { is: "missing" } }, /^ok: JetStream is enabled; there is no log .* yet/u],
  ["too few", { stream: there({ isLed: false }) }, /^failed: .* too few can be reached: nothing is accepted \| /u],
  ["of which one is behind", { stream: there({ behind: ["b"] }) }, /^warning: .* of which b lacks a part of it/u],
  [
    "alone",
    { servers: [server("a", { cluster: null })], stream: there({ replicas: 1 }) },
    /^warning: there is one server: what was accepted is lost with it \| Use three servers/u,
  ],
  [
    "with one copy in a cluster",
    { stream: there({ replicas: 1 }) },
    /^warning: fewer than 3 servers keep it.* \| .*nats stream edit RIALTO_0 --replicas 3/u,
  ],
  [
    "of which one is known",
    { servers: [server("a", { named: 0 })] },
    /^warning: of the cluster C, 1 are known here \| Name 3 in Log\.$/u,
  ],
  [
    "of two clusters",
    { servers: [server("a", { cluster: null }), server("b", { cluster: null })] },
    /^failed: a:4222 and b:4222 are not servers of one cluster/u,
  ],
  [
    "nearly full",
    { servers: [server("a", { monitor: { ...MONITOR, freeBytes: 511 * 1024 ** 2 } })] },
    /^warning: a:4222 has room for 511 MiB \| Raise max_file/u,
  ],
  ["full for this user", { freeBytes: 0 }, /^failed: the user's account has room for 0 MiB \| /u],
  [
    "that write seldom",
    { servers: [server("a", { monitor: { ...MONITOR, syncMs: 120_000 } })] },
    /^warning: a:4222 writes to the disk every 120 s: a power cut .* \| Set sync_interval: always/u,
  ],
  [
    "that do not say how often they write",
    {
      servers: [server("a"), server("b", { monitor: { ...MONITOR, syncMs: null } }), server("c", { monitor: null })],
    },
    /^ok: whether b:4222, c:4222 writes .* cannot be seen.* \| Set sync_interval: always .* http: 8222/u,
  ],
  [
    "with a clock that is ahead",
    { servers: [server("a", { monitor: { ...MONITOR, aheadMs: 3210 } })] },
    /^warning: the clock of a:4222 is 3\.2 s ahead of that of this machine/u,
  ],
  [
    "with a leader whose clock is behind",
    { stream: there({ aheadMs: -1500 }) },
    /^warning: the clock of the leader of the log is 1\.5 s behind that of this machine/u,
  ],
])("servers %s", (_what, seen, line) => {
  expect(linesOf(seen)).toContainEqual(expect.stringMatching(line));
});

test("who does not want the log to survive a power cut is not warned of it", () => {
  const servers = [server("a", { monitor: { ...MONITOR, syncMs: 120_000 } })];
  expect(linesOf({ servers }, false).filter((line) => line.includes("power cut"))).toEqual([
    expect.stringMatching(/^ok: /u),
  ]);
});
