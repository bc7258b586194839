import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../delivery/clock.ts";
import { DEVICE_CODE, LoginServer, PASSWORD } from "./login-server.suite.ts";
import { readLogin } from "./saved-login.ts";
import { matrixSettings } from "./settings.suite.ts";
import type { MatrixSettings } from "./settings.ts";
import { act } from "./sign-in.ts";

const servers: LoginServer[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.stop();
});

async function serverOf(options: ConstructorParameters<typeof LoginServer>[0] = {}): Promise<LoginServer> {
  const server = await new LoginServer(options).start();
  servers.push(server);
  return server;
}

function folderOf(): string {
  const root = mkdtempSync(join(tmpdir(), "rialto-sign-in-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  return join(root, "matrix-home");
}

/** Runs the command; time passes at once. */
async function run(
  server: LoginServer,
  given: Partial<MatrixSettings> = {},
  folder = folderOf(),
  cancelAfter = Infinity,
) {
  const said: string[] = [];
  const waits: number[] = [];
  const stop = new AbortController();
  const done = await act({
    settings: matrixSettings({ Server: `${server.url}/`, ...given }),
    name: "matrix.home",
    folder,
    clock: systemClock,
    pause: (ms) => {
      waits.push(ms / 1000);
      if (waits.length >= cancelAfter) stop.abort();
      return Promise.resolve();
    },
    random: () => "0123456789abcdef".repeat(4),
    say: (line) => void said.push(line),
    signal: stop.signal,
  });
  expect(server.faults).toEqual([]);
  const all = `${said.join("\n")}\n${done.ok ? "" : done.why}`;
  for (const hidden of ["secret", "\u001b"]) expect(all).not.toContain(hidden);
  return { why: done.ok ? null : done.why, said: said.join("\n"), waits, folder };
}

test("a login with a browser is saved whole, for Rialto's user alone, and says what the configuration needs", async () => {
  const server = await serverOf({ polls: ["authorization_pending", "slow_down", "502", "authorization_pending"] });
  const { why, said, waits, folder } = await run(server);
  expect(why).toBeNull();
  expect(said).toContain(`${server.url}/link?code=ABCD-EFGH`);
  expect(said).toContain(String.raw`ABCD-\u{1b}[31mEFGH`);
  expect(said).toContain("Logged in as @rialto:a.example.");
  expect(said).toContain("Set SavedLogin = true for matrix.home.");
  expect(waits).toEqual([7, 7, 12, 24, 24]);
  expect(server.scopes).toEqual(["urn:matrix:client:api:* urn:matrix:client:device:RIALTO-0123456789"]);
  expect(readLogin(folder)).toMatchObject({
    server: server.url,
    user: "@rialto:a.example",
    device: "RIALTO-0123456789",
    accessToken: server.accessToken,
    refreshToken: server.refreshToken,
    livesMs: 300_000,
    oauth: { clientId: "client-1", tokenEndpoint: `${server.url}/oauth/token` },
  });
  expect(readdirSync(folder)).toEqual(["login.json"]);
  expect(statSync(join(folder, "login.json")).mode & 0o777).toBe(0o600);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
});

test("a second login has the device and the client of the first, and a new client where that is gone", async () => {
  const server = await serverOf();
  const { folder } = await run(server);
  await run(server, { SavedLogin: true, DeviceID: "AnotherDevice" }, folder);
  expect([...server.clients]).toEqual(["client-1"]);
  server.clients.clear();
  server.clients.add("of somebody else");
  const { why, said } = await run(server, { SavedLogin: true }, folder);
  expect([why, readLogin(folder)?.oauth?.clientId]).toEqual([null, "client-2"]);
  expect(said).not.toContain("Set ");
  expect(new Set(server.scopes).size).toBe(1);
});

test.each([
  ["a server that knows the older names of scopes", true],
  ["a server with the older address of the metadata", false],
])("%s", async (_, isStable) => {
  const server = await serverOf({ oauth: isStable ? "stable" : "unstable" });
  server.knowsStable = false;
  const { why } = await run(server, { DeviceID: "My.own_device" });
  const older = "urn:matrix:org.matrix.msc2967.client:api:* urn:matrix:org.matrix.msc2967.client:device:My-own-device";
  const stable = "urn:matrix:client:api:* urn:matrix:client:device:My-own-device";
  expect([why, server.scopes]).toEqual([null, isStable ? [stable, older] : [older]]);
});

test("Server may be the name in ids, whose .well-known names the homeserver", async () => {
  const [server, site] = [await serverOf(), await serverOf()];
  site.isHomeserver = false;
  site.wellKnown = `${server.url}/`;
  const { why, said, folder } = await run(server, { Server: site.url });
  expect([why, readLogin(folder)?.server]).toEqual([null, server.url]);
  expect(said).toContain(`Set Server of matrix.home to ${server.url}`);
});

const pending = (count: number): string[] => Array.from({ length: count }, () => "authorization_pending");

test.each<[string, ConstructorParameters<typeof LoginServer>[0], Partial<MatrixSettings>, string]>([
  ["refused in the browser", { polls: ["authorization_pending", "access_denied"] }, {}, "refused in the browser"],
  ["too late, by the server", { polls: ["expired_token"] }, {}, "ended before the login was allowed; run the command"],
  ["too late, by the clock", { polls: pending(100) }, {}, "ended before the login was allowed"],
  ["a code that is gone", { polls: ["invalid_grant"] }, {}, "no longer knows the code"],
  ["another refusal", { polls: ["strange_thing"] }, {}, "answers strange_thing (HTTP 400)"],
  [
    "another user",
    { user: "@eve:a.example" },
    { MxID: "@rialto:a.example" },
    "logged in as @eve:a.example, but MxID is",
  ],
  ["no login with a code", { more: { grant_types_supported: ["authorization_code"] } }, {}, "no login with a code"],
  ["no such endpoint", { more: { device_authorization_endpoint: undefined } }, {}, "no login with a code"],
  ["an unsafe endpoint", { more: { token_endpoint: "ftp://a.example/" } }, {}, "no login with a code"],
  ["no registration", { more: { registration_endpoint: undefined } }, {}, "does not let programs register"],
  ["no OAuth and no password", { oauth: "none", flows: ["m.login.sso"] }, {}, "(it has m.login.sso); use Token"],
  [
    "no OAuth, and no password given",
    { oauth: "none", flows: ["m.login.password"] },
    {},
    "run this with RIALTO_MATRIX_HOME_PASSWORD in the environment",
  ],
  [
    "no OAuth, and a wrong password",
    { oauth: "none", flows: ["m.login.password"] },
    { Login: "rialto", Password: "wrong" },
    "refuses Login and Password",
  ],
])("%s: nothing is saved", async (_, options, given, words) => {
  const { why, folder } = await run(await serverOf(options), given);
  expect(why).toContain(words);
  expect(existsSync(folder)).toBe(false);
});

test("a cancelled login asks no more, and leaves the earlier one", async () => {
  const server = await serverOf();
  const { folder } = await run(server);
  const before = readFileSync(join(folder, "login.json"), "utf8");
  const asked = server.count("/oauth/token");
  const { why } = await run(server, {}, folder, 1);
  expect([why, server.count("/oauth/token")]).toEqual(["the login was cancelled", asked]);
  expect(readFileSync(join(folder, "login.json"), "utf8")).toBe(before);
});

test("no homeserver at all", async () => {
  const server = await serverOf();
  server.isHomeserver = false;
  expect((await run(server)).why).toContain("no homeserver at Server, and no .well-known that names one");
});

test("a server without OAuth: the password gives a login with a refresh token, and is not saved", async () => {
  const server = await serverOf({ oauth: "none", flows: ["m.login.sso", "m.login.password"] });
  const folder = folderOf();
  const { why, said } = await run(server, { Login: "rialto", Password: PASSWORD }, folder);
  expect(why).toBeNull();
  expect(said).toContain("has no OAuth, but a login with a password");
  expect(said).toContain("Remove Password of matrix.home.");
  expect(readLogin(folder)).toMatchObject({ refreshToken: server.refreshToken, livesMs: 300_000, oauth: null });
  expect(readFileSync(join(folder, "login.json"), "utf8")).not.toContain(PASSWORD);
});

test("a file that is no login counts as none", async () => {
  const server = await serverOf();
  const { folder } = await run(server);
  for (const text of ["", "[]", "{}", '{"server":1}', DEVICE_CODE]) {
    writeFileSync(join(folder, "login.json"), text);
    expect(readLogin(folder)).toBeNull();
  }
  expect((await run(server, {}, folder)).why).toBeNull();
});
