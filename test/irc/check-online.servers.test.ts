import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { needs } from "../servers/installed.ts";
import { startNgircd } from "../servers/irc/ngircd.ts";
import { pythonPerson } from "../servers/people/python.ts";
import { onStage } from "../servers/stage.ts";
import { freePorts } from "../support/ports.ts";
import { startProgram } from "../support/program.ts";
import { startRialto } from "../support/rialto.ts";
import { arrival } from "./world.ts";

const CHANNEL = "#square";

needs(["ngircd", "python3-irc"], () => {
  test("check --online logs in, joins and leaves without a word, and tells a wrong password and key", async () => {
    const server = await onStage(startNgircd({ password: "sesame" }));
    const eve = await onStage(
      pythonPerson({ port: server.port, nick: "eve", channels: [CHANNEL], password: "sesame" }),
    );
    await eve.raw(`MODE ${CHANNEL} +k open`);
    await eve.ears.until("", (heard) => heard.some(({ text }) => / MODE #square \+k/u.test(text)), "the key");
    const [port = 0] = await freePorts(1);
    const folder = mkdtempSync(path.join(tmpdir(), "rialto-online-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));

    const account = (name: string, password: string): string =>
      `[irc.${name}]\nServer = "127.0.0.1:${server.port}"\nNick = "${name}"\nPassword = "${password}"\n`;
    const bridge = (name: string, key: string): string =>
      `[[gateway]]\nname = "${name}"\nenable = true\ninout = [{ account = "api.desk" }, { account = "irc.${name}", channel = "${CHANNEL}", options = { key = "${key}" } }]\n`;
    const good = `${account("good", "sesame")}[api.desk]\nBindAddress = "127.0.0.1:${port}"\n${bridge("good", "open")}`;
    const more = `${account("barred", "wrong")}${bridge("barred", "open")}${account("shut", "sesame")}${bridge("shut", "no")}`;
    const refused = async (dataPath: string): Promise<string> => {
      writeFileSync(path.join(folder, "rialto.toml"), good + more);
      const run = startProgram(folder, ["check", "--online", "rialto.toml"], { RIALTO_GENERAL_DATAPATH: dataPath });
      expect(await run.exited()).toBe(1);
      expect(run.output()).toMatch(/^irc\.barred: failed: .*password.*; check Password/imu);
      expect(run.output()).toContain("irc.shut: ok: signed in as shut\n");
      expect(run.output()).toMatch(/^irc\.shut: failed: cannot join #square: the key is wrong/mu);
      expect(run.output()).not.toContain("sesame");
      return run.output();
    };
    const alone = await refused(path.join(folder, "data"));
    expect(alone).toContain("irc.good: ok: signed in as good\nirc.good: ok: joined #square\n");
    expect(alone).toContain(`api.desk: ok: 127.0.0.1:${port} is free`);
    await eve.ears.until(CHANNEL, (heard) => heard.some(({ kind }) => kind === "leave"), "good to leave");

    // One that runs stays where it is; those that it does not have are tried all the same.
    const rialto = await onStage(startRialto({ config: good.replace(/^BindAddress.*\n/mu, "") }));
    await arrival(eve, CHANNEL, { times: 2, by: "good" });
    const beside = await refused(rialto.dataPath);
    expect(beside).toContain("irc.good: ok: Rialto runs with it, so it is not disturbed: it is online\n");
    const heard = eve.ears.in(CHANNEL).filter(({ nick }) => nick !== "eve");
    expect(heard.map(({ kind, nick }) => `${nick} ${kind}`)).toEqual(["good join", "good leave", "good join"]);
  });
});
