import { expect, test } from "vitest";
import type { ClusterView } from "../../src/admin/views.ts";
import { needs } from "../servers/installed.ts";
import { startNats } from "../servers/nats/server.ts";
import { onStage } from "../servers/stage.ts";
import { freePorts } from "../support/ports.ts";
import { startProgram } from "../support/program.ts";
import { eventually } from "../support/wait.ts";
import { type Machine, startMachine } from "./machines.suite.ts";

const configuration = (servers: readonly string[], [one = 0, two = 0]: readonly number[]): string => `
  [general]
  Log = "nats://${servers.join(",")}"
  [api.one]
  BindAddress = "127.0.0.1:${one}"
  [api.two]
  BindAddress = "127.0.0.1:${two}"
  [[gateway]]
  name = "square"
  enable = true
  inout = [{ account = "api.one", channel = "api" }, { account = "api.two", channel = "api" }]
`;

/** Resolves once each machine runs one account. */
async function shared({ folder, dataPath }: Machine): Promise<void> {
  await eventually(
    async () => {
      const asked = startProgram(folder, ["cluster", "status", "--json", "--data", dataPath]);
      await asked.exited();
      return (JSON.parse(asked.output()) as ClusterView).accounts.map(({ node }) => node);
    },
    (nodes) => nodes.includes("n1") && nodes.includes("n2"),
    () => "each machine to run one account",
    60_000,
  );
}

needs(["nats-server"], () => {
  test("typing at an account of one machine reaches streams of an account that another machine runs", async () => {
    const nats = await onStage(startNats(1));
    const ports = [await freePorts(2), await freePorts(2)] as const;
    const machines = ["n1", "n2"].map((node, at) => startMachine(node, configuration(nats.servers, ports[at] ?? [])));
    for (const { program } of machines) await program.prints(/Rialto runs/);
    await shared(machines[0]!);
    const end = new AbortController();
    const stream = await fetch(`http://127.0.0.1:${ports[1][1]}/v1/events?types=typing`, { signal: end.signal });
    let heard = "";
    const reading = (async () => {
      for await (const part of stream.body ?? []) heard += Buffer.from(part).toString();
    })().catch(() => undefined);
    await eventually(
      async () => {
        const headers = { "Content-Type": "application/json" };
        const body = JSON.stringify({ author: { id: "a1", name: "ann" } });
        const url = `http://127.0.0.1:${ports[0][0]}/v1/gateways/square/typing`;
        return (await fetch(url, { method: "POST", headers, body })).status;
      },
      (status) => status === 204 && heard.includes('"ann"'),
      () => "the event of typing",
    );
    expect(heard).toContain('"account":"api.one"');
    end.abort();
    await reading;
  });
});
