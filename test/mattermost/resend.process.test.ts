import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { ExplainView, Story } from "../../src/admin/views.ts";
import { startProgram } from "../support/program.ts";
import { startRialto } from "../support/rialto.ts";
import { eventually } from "../support/wait.ts";
import { mattermost } from "./town.ts";

test("what the network refused is sent again from the command line, by the rules of the dashboard", async () => {
  const side = await mattermost.found("bot");
  const config = `[mattermost.side]
${side.settings}
[api.writer]
FullEvents = true
[[gateway]]
name = "square"
enable = true
inout = [{ account = "mattermost.side", channel = "town" }, { account = "api.writer" }]
`;
  const rialto = await startRialto({ config });
  onTestFinished(async () => await rialto.dispose());
  const folder = mkdtempSync(join(tmpdir(), "rialto-resend-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const command = async (...words: readonly string[]) => {
    const program = startProgram(folder, [...words, "--data", rialto.dataPath]);
    return { code: await program.exited(), output: program.output() };
  };
  const story = async (): Promise<Story | undefined> =>
    (JSON.parse((await command("explain", "lantern", "--json")).output) as ExplainView).stories[0];
  const until = async (state: string): Promise<Story | undefined> =>
    await eventually(
      story,
      (found) => found?.destinations.some((one) => one.account === "mattermost.side" && one.state === state) === true,
      () => `${state}; Rialto printed:\n${rialto.output().slice(-3_000)}`,
    );
  side.server.faults.fail(side.asks.post, 400, 1);
  await rialto.client("writer").say({ gateway: "square", username: "anna", text: "a lantern" });
  const seq = String((await until("failed"))?.seq);
  expect(await command("resend", seq, "mattermost.side/attic")).toMatchObject({
    code: 1,
    output: expect.stringMatching(/does not go to .*, but to .*mattermost\.side\/town \(square\)/u) as unknown,
  });
  expect(await command("resend", seq, "api.writer")).toMatchObject({ code: 1 });
  expect(await command("resend", "999999", "mattermost.side")).toEqual({
    code: 1,
    output: "rialto: the log knows no message of this number\n",
  });
  const taken = await command("resend", seq, "mattermost.side");
  expect(taken).toEqual({
    code: 0,
    output: `no. ${seq} is on its way to mattermost.side town (square); "rialto explain ${seq}" shows how it goes\n`,
  });
  await until("sent");
  expect(side.standing().map(({ text }) => text)).toEqual(["a lantern"]);
  const twice = await command("resend", seq, "mattermost.side/town", "square", "--json");
  expect(twice).toMatchObject({ code: 1, output: expect.stringContaining("but sent") as unknown });
});
