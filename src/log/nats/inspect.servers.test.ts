import { randomUUID } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import { needs } from "../../../test/servers/installed.ts";
import { startNats } from "../../../test/servers/nats/server.ts";
import { inspectServers } from "./inspect.ts";
import { node, ownServers, servers } from "./nodes.suite.ts";

const ANYBODY = { auth: null, tls: null };
const USER = '{ user: rialto, password: "right" }';
const number = expect.any(Number) as unknown;

needs(["nats-server", "nats-server of stable"], () => {
  test("three servers say which they are, and what they have of the log", async () => {
    const cluster = await servers(3);
    const shard = randomUUID();
    const look = () => inspectServers({ ...ANYBODY, servers: cluster.servers }, { shard });
    const before = await look();
    expect(before.stream).toEqual({ is: "missing" });
    await node(cluster, "n1", { shard });
    const { servers: seen, stream, freeBytes, name } = await look();
    expect(name).toBe(`RIALTO_${shard}`);
    expect(seen).toHaveLength(3);
    for (const [index, server] of seen.entries()) {
      const what = { is: "seen", server: cluster.servers[index], name: `n${index}`, cluster: "C", monitor: null };
      expect(server).toMatchObject(what);
    }
    expect(stream).toMatchObject({ is: "there", replicas: 3, isLed: true, aheadMs: number });
    // As much as the servers have.
    expect(freeBytes).toBeNull();
  });

  test.each([
    ["nats-server", null, 120_000],
    ["nats-server", "always", 0],
    ["nats-server of stable", null, null],
  ] as const)(
    "%s with sync_interval: %s, where it is watched, says how often it writes, its room and its clock",
    async (program, sync, syncMs) => {
      const cluster = await startNats(1, "", { program, ...(sync !== null && { sync }) });
      onTestFinished(() => cluster.stop());
      const monitorPort = cluster.nodes[0]?.monitorPort ?? 0;
      const {
        servers: [seen],
      } = await inspectServers({ ...ANYBODY, servers: cluster.servers }, { monitorPort });
      expect(seen).toMatchObject({ monitor: { freeBytes: 2 * 1024 ** 3, aheadMs: number, syncMs } });
    },
  );

  test("what is watched at that port is another server: it is not believed", async () => {
    const [cluster, other] = [await servers(1), await ownServers(1)];
    const monitorPort = other.nodes[0]?.monitorPort ?? 0;
    const {
      servers: [seen],
    } = await inspectServers({ ...ANYBODY, servers: cluster.servers }, { monitorPort });
    expect(seen).toMatchObject({ is: "seen", monitor: null });
  });

  test("a server that is away and one that refuses are told apart, and nobody reads the password", async () => {
    const cluster = await ownServers(1, `authorization { user: rialto, password: "right" }`);
    const gone = await startNats(1);
    await gone.stop();
    const auth = { user: "rialto", password: "wrong secret" };
    const seen = await inspectServers({ auth, tls: null, servers: [...cluster.servers, ...gone.servers] });
    expect(seen).toMatchObject({ servers: [{ is: "credentials" }, { is: "unreached" }], stream: null });
    expect(JSON.stringify(seen)).not.toContain("wrong secret");
  });

  test.each([
    ["no users", "", true],
    ["a user for connections without credentials", `authorization { users: [${USER}] }\nno_auth_user: rialto`, true],
    ["a password", `authorization { ${USER.slice(1, -1)} }`, false],
    ["a token", `authorization { token: "right" }`, false],
  ])("a server with %s says whether it accepts connections from anyone", async (_what, more, isOpen) => {
    const cluster = await (more === "" ? servers(1) : ownServers(1, more));
    const auth = more.includes("token") ? { token: "right" } : { user: "rialto", password: "right" };
    const { servers: seen } = await inspectServers({ auth, tls: null, servers: cluster.servers });
    expect(seen).toMatchObject([{ is: "seen", isOpen }]);
    if (isOpen) {
      const { servers: anonymous } = await inspectServers({ ...ANYBODY, servers: cluster.servers });
      expect(anonymous).toMatchObject([{ is: "seen", isOpen: true }]);
    }
  });

  test("credentials that cannot be read are named", async () => {
    const cluster = await servers(1);
    const seen = await inspectServers({ auth: { credentials: "/none.creds" }, tls: null, servers: cluster.servers });
    expect(seen.servers).toEqual([
      { server: cluster.servers[0], is: "credentials", reason: expect.stringContaining("/none.creds") as unknown },
    ]);
  });

  test("a user without JetStream is told so", async () => {
    const cluster = await ownServers(1, `accounts { A: { users: [{ user: a, password: b }] } }`);
    const auth = { user: "a", password: "b" };
    const { stream } = await inspectServers({ auth, tls: null, servers: cluster.servers });
    expect(stream).toMatchObject({ is: "disabled" });
  });
});
