import { once } from "node:events";
import { connect } from "node:net";
import { Duplex } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { freePorts } from "../../test/support/ports.ts";
import { eventually } from "../../test/support/wait.ts";
import type { Config } from "../config/config.ts";
import { MemoryLogger } from "../delivery/scripted.suite.ts";
import { aConfig, aGateway, anAccount } from "../gateway/samples.suite.ts";
import { ampleDescriptors } from "../lib/descriptors.suite.ts";
import { type EpochClaim, type Holder, NOBODY } from "../log/fence.ts";
import { PassedOn } from "./passing.ts";

const configOf = (ports: Readonly<Record<string, number>>): Config => {
  const accounts = Object.entries(ports).map(([key, port]) => {
    return Object.assign(anAccount(key), { settings: { BindAddress: `127.0.0.1:${port}`, Token: "" } });
  });
  return aConfig([aGateway("g", [])], accounts);
};

/** A machine that runs nothing itself, and the ways to others that it opens. */
function start(config: Config) {
  const held = new Map<string, Holder>();
  const listeners = new Set<(claim: EpochClaim) => void>();
  const opened: { readonly run: string; readonly way: Duplex }[] = [];
  const { logger, lines } = new MemoryLogger();
  const open = ({ run }: { readonly run: string }): Duplex => {
    const way = new Duplex({ read: () => undefined });
    opened.push({ run, way });
    return way;
  };
  const passing = new PassedOn(config, {
    take: () => false,
    tunnels: { open } as never,
    fence: {
      own: { node: "n1", run: "r1" },
      held,
      current: (account) => held.get(account) ?? NOBODY,
      raise: () => Promise.resolve([]),
      changed: (told) => {
        listeners.add(told);
        return () => listeners.delete(told);
      },
    },
    descriptors: ampleDescriptors(),
    logger,
  });
  onTestFinished(() => passing.close());
  const hold = (account: string, run: string): void => {
    const claim = { account, epoch: (held.get(account)?.epoch ?? 0) + 1, node: run, run };
    held.set(account, claim);
    for (const told of listeners) told(claim);
  };
  return { passing, opened, hold, lines, listeners };
}

async function canConnect(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  return await once(socket, "connect").then(
    () => true,
    () => false,
  );
}

const listening = (port: number): Promise<boolean> =>
  eventually(
    () => canConnect(port),
    (is) => is,
    () => `somebody to listen at ${port}`,
  );

test("who waits for a machine that does not answer goes to the one that has the account now", async () => {
  const [port = 0] = await freePorts(1);
  const { passing, opened, hold, listeners } = start(configOf({ "api.a": port }));
  hold("api.a", "r2");
  await listening(port);
  await eventually(
    () => Promise.resolve(opened.length),
    (count) => count === 1,
    () => "a way to the machine that runs the account",
  );
  hold("api.b", "r3");
  expect(opened).toHaveLength(1);
  hold("api.a", "r3");
  expect(opened.map(({ run, way }) => [run, way.destroyed])).toEqual([
    ["r2", true],
    ["r3", false],
  ]);
  await passing.close();
  expect(listeners.size).toBe(0);
});

test("accounts that swap their addresses have them at once", async () => {
  const [one = 0, two = 0] = await freePorts(2);
  const { passing, lines } = start(configOf({ "api.a": one, "api.b": two }));
  await Promise.all([one, two].map(listening));
  passing.follow(configOf({ "api.a": two, "api.b": one }));
  await Promise.all([one, two].map(listening));
  await passing.close();
  expect(lines).toEqual([]);
  expect(await Promise.all([one, two].map(canConnect))).toEqual([false, false]);
});
