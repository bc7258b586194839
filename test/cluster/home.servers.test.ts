import { expect, test } from "vitest";
import type { ClusterView } from "../../src/admin/views.ts";
import { needs } from "../servers/installed.ts";
import { startNats } from "../servers/nats/server.ts";
import { onStage } from "../servers/stage.ts";
import { freePorts } from "../support/ports.ts";
import { startProgram } from "../support/program.ts";
import { eventually } from "../support/wait.ts";
import { clusterOf, type Machine, startMachine } from "./machines.suite.ts";

/** A machine with a web chat and an account of the API. */
async function machine(node: string, servers: readonly string[]): Promise<Machine> {
  const [web = 0, api = 0] = await freePorts(2);
  const started = startMachine(
    node,
    `
    [general]
    Log = "nats://${servers.join(",")}"
    [web.chat]
    BindAddress = "127.0.0.1:${web}"
    [api.one]
    BindAddress = "127.0.0.1:${api}"
    [[gateway]]
    name = "square"
    enable = true
    inout = [{ account = "web.chat", channel = "lobby" }, { account = "api.one", channel = "api" }]
    `,
  );
  await started.program.prints(/Rialto runs/);
  return started;
}

const nodeOf = (view: ClusterView | null): string | null =>
  view?.accounts.find(({ account }) => account === "web.chat")?.node ?? null;

/** Resolves once a machine says that the web chat runs at this node. */
async function runsAt(machine: Machine, wanted: string): Promise<void> {
  const ask = async (): Promise<string | null> => nodeOf(await clusterOf(machine));
  await eventually(
    ask,
    (node) => node === wanted,
    () => `the web chat to run at ${wanted}`,
    60_000,
  );
}

needs(["nats-server"], () => {
  test("the web chat goes back to the machine that has its data, when that is there again", async () => {
    const nats = await onStage(startNats(1));
    const first = await machine("n1", nats.servers);
    await runsAt(first, "n1");
    const second = await machine("n2", nats.servers);
    first.program.child.kill("SIGSTOP");
    await runsAt(second, "n2");
    first.program.child.kill("SIGCONT");
    await runsAt(second, "n1");
    expect(first.program.child.exitCode).toBe(null);
    const { folder, dataPath } = second;
    const asked = startProgram(folder, ["cluster", "status", "--json", "--data", dataPath]);
    await asked.exited();
    expect(nodeOf(JSON.parse(asked.output()) as ClusterView)).toBe("n1");
  });
});
