import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { needs } from "../../test/servers/installed.ts";
import { startNats } from "../../test/servers/nats/server.ts";
import { freePorts } from "../../test/support/ports.ts";
import { checked } from "./check-online.suite.ts";

needs(["nats-server"], () => {
  test.each([
    ["right", 0, "the log: warning: there is one server: what was accepted is lost with it. Use three servers"],
    ["wrong", 1, "does not let Rialto in: "],
  ])("the servers of a log are looked at, with a password that is %s", async (LogPassword, code, line) => {
    const cluster = await startNats(1, `authorization { user: rialto, password: "right" }`);
    onTestFinished(() => cluster.stop());
    const [one = 0, other = 0] = await freePorts(2);
    const folder = mkdtempSync(path.join(tmpdir(), "rialto-online-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = path.join(folder, "rialto.toml");
    const text = `[general]
Log = "nats://${cluster.servers.join(",")}"
LogUser = "rialto"
LogPassword = "${LogPassword}"
[api.one]
BindAddress = "127.0.0.1:${one}"
[api.other]
BindAddress = "127.0.0.1:${other}"
[[gateway]]
name = "g"
enable = true
inout = [{ account = "api.one", channel = "api" }, { account = "api.other", channel = "api" }]
`;
    writeFileSync(file, text);
    const result = await checked(file, path.join(folder, "data"));
    expect(result).toEqual({ code, lines: expect.stringContaining(line) as unknown });
    expect(result.lines).toContain(`api.one: ok: 127.0.0.1:${one} is free`);
  });
});
