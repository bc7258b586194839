import { rmSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { StatusView } from "../../src/admin/views.ts";
import { needs } from "../servers/installed.ts";
import { startNats } from "../servers/nats/server.ts";
import { onStage } from "../servers/stage.ts";
import { freePorts } from "../support/ports.ts";
import { startProgram } from "../support/program.ts";
import { eventually } from "../support/wait.ts";
import { type Machine, startMachine } from "./machines.suite.ts";

/** What the machine reports about its configuration. */
async function troublesOf({ folder, dataPath }: Machine): Promise<readonly string[]> {
  const asked = startProgram(folder, ["status", "--json", "--data", dataPath]);
  await asked.exited();
  const { troubles } = JSON.parse(asked.output()) as StatusView;
  return troubles.filter(({ of }) => of === "the configuration").map(({ what }) => what);
}

needs(["nats-server"], () => {
  test("a configuration file that is gone is a trouble of its own machine alone, until it is back", async () => {
    const nats = await onStage(startNats(1));
    const [left = 0, right = 0] = await freePorts(2);
    const configuration = `
    [general]
    Log = "nats://${nats.servers.join(",")}"
    [api.left]
    BindAddress = "127.0.0.1:${left}"
    [api.right]
    BindAddress = "127.0.0.1:${right}"
    [[gateway]]
    name = "g"
    enable = true
    inout = [{ account = "api.left" }, { account = "api.right" }]
    `;
    const [first, second] = [startMachine("n1", configuration), startMachine("n2", configuration)];
    for (const { program } of [first, second]) await program.prints(/Rialto runs/);
    const until = async (expected: readonly unknown[]): Promise<void> => {
      const count = (troubles: readonly string[]): boolean => troubles.length === expected.length;
      expect(
        await eventually(
          () => troublesOf(first),
          count,
          () => `${expected.length} troubles`,
        ),
      ).toEqual(expected);
    };
    rmSync(first.file);
    await until([expect.stringContaining("a restart would fail")]);
    expect(await troublesOf(second)).toEqual([]);
    writeFileSync(first.file, configuration);
    await until([]);
  });
});
