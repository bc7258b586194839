import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { addBot } from "../../test/servers/mattermost/people.ts";
import { FakeMattermost } from "../../test/servers/mattermost/server.ts";
import { freePorts } from "../../test/support/ports.ts";
import { startRialto } from "../../test/support/rialto.ts";
import { checked } from "./check-online.suite.ts";

test("the rooms that an account could bridge are told", async () => {
  const [port = 0] = await freePorts(1);
  const server = await FakeMattermost.start();
  onTestFinished(async () => await server.stop());
  const team = server.world.addTeam("crew");
  const folder = mkdtempSync(path.join(tmpdir(), "rialto-online-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of ["town", "attic"]) server.world.addChannel(team.id, name);
  server.world.addChannel(team.id, "secret", { type: "P" });
  const token = addBot(server, team, "rialto").token();
  const file = path.join(folder, "rialto.toml");
  const text = `[mattermost.crew]
Server = "${server.address}"
NoTLS = true
Team = "crew"
Token = "${token}"
[api.local]
BindAddress = "127.0.0.1:${port}"
[[gateway]]
name = "g"
enable = true
inout = [{ account = "mattermost.crew", channel = "town" }, { account = "api.local", channel = "api" }]
`;
  writeFileSync(file, text);
  const { lines } = await checked(file, path.join(folder, "data"));
  expect(lines).toContain("mattermost.crew: ok: joined town\nmattermost.crew: its rooms: attic, ");
  expect(lines).toContain("town");
  expect(lines).not.toContain("secret");
});

test("each account is tried, and one that runs is left alone", async () => {
  const [closed = 0, free = 0] = await freePorts(2);
  const folder = mkdtempSync(path.join(tmpdir(), "rialto-online-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, "rialto.toml");
  const text = `[irc.away]
Server = "127.0.0.1:${closed}"
Nick = "bot"
[api.local]
BindAddress = "127.0.0.1:${free}"
[[gateway]]
name = "g"
enable = true
inout = [{ account = "irc.away", channel = "#g" }, { account = "api.local", channel = "api" }]
`;
  writeFileSync(file, text);
  const alone = await checked(file, path.join(folder, "data"));
  expect(alone).toMatchObject({
    code: 1,
    lines: expect.stringMatching(/irc\.away: failed: [^;]*\(ECONNREFUSED\)\. Check that /u) as unknown,
  });
  expect(alone.lines).toContain(`api.local: ok: 127.0.0.1:${free} is free`);

  const rialto = await startRialto({ config: text.replace(/^BindAddress.*\n/mu, "") });
  onTestFinished(async () => await rialto.dispose());
  const beside = await checked(rialto.file, rialto.dataPath);
  expect(beside.lines).toContain("irc.away: failed: Rialto runs with it, so it is not disturbed: it is");
  expect(beside.lines).toContain("api.local: ok: Rialto runs, and nothing is wrong with it");
});
