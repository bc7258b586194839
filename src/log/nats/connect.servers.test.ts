import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nkeys } from "@nats-io/transport-node";
import { expect, onTestFinished, test } from "vitest";
import { makeCertificate } from "../../../test/servers/certificate.ts";
import { needs } from "../../../test/servers/installed.ts";
import { eventually } from "../../../test/support/wait.ts";
import type { LogError } from "../errors.ts";
import { connectNats, type NatsServers } from "./connect.ts";
import { entriesOf, node, ownServers, said, servers } from "./nodes.suite.ts";

type Way = Pick<NatsServers, "auth" | "tls">;

/** Resolves with true when the servers took it; rejects as `connectNats` does. */
async function connects(named: readonly string[], way: Way): Promise<boolean> {
  const nc = await connectNats({ servers: named, node: "n1", ...way });
  await nc.close();
  return true;
}

needs(["nats-server", "openssl"], () => {
  test.each([
    [
      "a user and a password",
      `authorization { user: rialto, password: "right" }`,
      { user: "rialto", password: "right" },
      { user: "rialto", password: "wrong secret" },
    ],
    ["a token", `authorization { token: "right" }`, { token: "right" }, { token: "wrong secret" }],
  ])("%s let a node in; others are refused at once, and nobody reads them", async (_what, config, right, wrong) => {
    const cluster = await ownServers(1, config);
    expect(await connects(cluster.servers, { auth: right, tls: null })).toBe(true);
    for (const auth of [wrong, null]) {
      const error: unknown = await connects(cluster.servers, { auth, tls: null }).catch((reason: unknown) => reason);
      expect(error).toMatchObject({
        code: "unreachable",
        message: expect.stringMatching(/authorization/iu) as unknown,
      });
      expect(String(error)).not.toContain("wrong secret");
    }
  });

  test("who is no longer let in says so, goes on trying, and goes on when it is let in again", async () => {
    const password = (text: string): string => `authorization { user: rialto, password: "${text}" }`;
    const cluster = await ownServers(1, password("right secret"));
    const warned: LogError[] = [];
    const auth = { user: "rialto", password: "right secret" };
    const log = await node(cluster, "n1", { auth, warn: (error) => warned.push(error) });
    await log.append({ account: "a", entries: [said("before")] });
    cluster.nodes[0]?.signal("SIGTERM");
    await cluster.nodes[0]?.start(password("other"));
    await eventually(
      () => Promise.resolve(warned.length),
      (count) => count >= 3,
      () => "three refusals",
    );
    expect(new Set(warned.map(({ message }) => message)).size).toBe(1);
    expect(warned[0]?.message).toContain(`${cluster.servers[0]} of the log does not let this node in`);
    expect(warned[0]?.message).not.toContain("secret");
    cluster.nodes[0]?.signal("SIGTERM");
    await cluster.nodes[0]?.start();
    await log.append({ account: "a", entries: [said("after")] });
    expect((await entriesOf(log)).map(({ payload }) => payload)).toEqual(["before", "after"]);
  });

  test("a connection that is given up ends the log, and one that the log closes does not", async () => {
    const cluster = await servers(1);
    const [lost, left] = [await node(cluster, "n1"), await node(cluster, "n2")];
    await left.close();
    await lost.connection.close();
    expect(await lost.failed).toMatchObject({ code: "unreachable" });
    expect(await Promise.race([left.failed, left.connection.closed()])).toBeUndefined();
  });

  test("credentials that cannot be read are named", async () => {
    await expect(connects([], { auth: { credentials: "/none.creds" }, tls: null })).rejects.toMatchObject({
      code: "unreachable",
      message: expect.stringContaining("/none.creds") as unknown,
    });
  });

  test("the seed of an NKey in a file lets a node in, and that of another does not", async () => {
    const folder = mkdtempSync(join(tmpdir(), "rialto-nats-nkey-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const [right, wrong] = [nkeys.createUser(), nkeys.createUser()];
    const files = [right, wrong].map((key, index) => {
      const file = join(folder, `${index}.nk`);
      writeFileSync(file, `${Buffer.from(key.getSeed()).toString("utf8")}\n`);
      return file;
    });
    const cluster = await ownServers(1, `authorization { users: [{ nkey: ${right.getPublicKey()} }] }`);
    const [one = "", other = ""] = files;
    expect(await connects(cluster.servers, { auth: { credentials: one }, tls: null })).toBe(true);
    await expect(connects(cluster.servers, { auth: { credentials: other }, tls: null })).rejects.toMatchObject({
      code: "unreachable",
      message: expect.stringMatching(/authorization/iu) as unknown,
    });
  });

  test("over TLS a node connects to servers with a certificate that it trusts, and to no others", async () => {
    const folder = mkdtempSync(join(tmpdir(), "rialto-nats-tls-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const [own, other] = [await makeCertificate(folder, "own"), await makeCertificate(folder, "other")];
    const cluster = await ownServers(1, `tls { cert_file: "${own.certificate}", key_file: "${own.key}" }`);
    expect(await connects(cluster.servers, { auth: null, tls: { caFile: own.certificate } })).toBe(true);
    for (const tls of [{ caFile: other.certificate }, null]) {
      await expect(connects(cluster.servers, { auth: null, tls })).rejects.toMatchObject({
        code: "unreachable",
        message: expect.stringMatching(/certificate/u) as unknown,
      });
    }
  });
});
