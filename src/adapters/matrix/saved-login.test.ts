import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, onTestFinished, test } from "vitest";
import { RecordingHost } from "../../../test/contract/recording-host.ts";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { eventually } from "../../../test/support/wait.ts";
import type { Cursor } from "../../contract/ids.ts";
import { Http } from "../kit/http.ts";
import { Client } from "./client.ts";
import { LoginServer } from "./login-server.suite.ts";
import { LoginTokens, readLogin, type SavedLogin, writeLogin } from "./saved-login.ts";
import { open } from "./session.ts";
import { matrixSettings } from "./settings.suite.ts";
import type { MatrixSettings } from "./settings.ts";

const LIVES_MS = 300_000;
const USER = "@rialto:a.example";

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A server with a login that is saved, whose access token ends in `leftMs`. */
async function saved(leftMs: number, isOAuth = true) {
  const server = await new LoginServer().start();
  const folder = mkdtempSync(join(tmpdir(), "rialto-saved-login-"));
  closing.push(() => server.stop());
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  server.clients.add("client-1");
  server.accessToken = "access-secret-0";
  server.refreshToken = "refresh-secret-0";
  const clock = new FakeClock(Date.now());
  const login: SavedLogin = {
    server: server.url,
    user: USER,
    device: "RIALTO-0123456789",
    accessToken: server.accessToken,
    refreshToken: server.refreshToken,
    livesMs: LIVES_MS,
    endsMs: clock.nowMs() + leftMs,
    oauth: isOAuth ? { clientId: "client-1", tokenEndpoint: `${server.url}/oauth/token` } : null,
  };
  writeLogin(folder, login);
  return { server, folder, clock, login };
}

/** A client that goes on with it. */
async function client(leftMs: number, isOAuth = true) {
  const { server, folder, clock, login } = await saved(leftMs, isOAuth);
  const host = new RecordingHost(clock);
  const http = new Http(clock);
  closing.push(() => http.close());
  const tokens = new LoginTokens({ clock, log: host.log, http, folder, login });
  const one = new Client({ http, server: server.url, token: null, tokens });
  const ask = async () => await one.whoami(new AbortController().signal);
  const refreshes = () => server.count(isOAuth ? "/oauth/token" : "/_matrix/client/v3/refresh");
  onTestFinished(() => expect(JSON.stringify(host.records)).not.toMatch(/-secret-/u));
  return { server, folder, clock, login, host, ask, refreshes };
}

test.each([
  ["by OAuth", true],
  ["by the homeserver", false],
])("an access token is refreshed %s shortly before its end, once for all who ask, and saved", async (_, isOAuth) => {
  const { server, folder, clock, ask, refreshes } = await client(LIVES_MS, isOAuth);
  await clock.advance(LIVES_MS - 61_000);
  expect([(await ask()).ok, refreshes()]).toEqual([true, 0]);
  await clock.advance(1_000);
  const answers = await Promise.all(Array.from({ length: 5 }, ask));
  expect([answers.every(({ ok }) => ok), refreshes()]).toEqual([true, 1]);
  expect(server.accessToken).toBe("access-secret-1");
  expect(readLogin(folder)).toMatchObject({
    accessToken: "access-secret-1",
    refreshToken: "refresh-secret-1",
    endsMs: clock.nowMs() + LIVES_MS,
  });
});

test("only time that passes ends it, not a calendar that is set", async () => {
  const { clock, ask, refreshes } = await client(LIVES_MS);
  clock.jump(10 * LIVES_MS);
  expect([(await ask()).ok, refreshes()]).toEqual([true, 0]);
  clock.jump(-20 * LIVES_MS);
  await clock.advance(LIVES_MS);
  expect([(await ask()).ok, refreshes()]).toEqual([true, 1]);
});

test("an access token that the server refuses is refreshed once for all who ask, and each asks again", async () => {
  const { server, ask, refreshes } = await client(LIVES_MS);
  server.revoke(true);
  const answers = await Promise.all(Array.from({ length: 5 }, ask));
  expect([answers.map(({ ok }) => ok), refreshes()]).toEqual([[true, true, true, true, true], 1]);
  server.revoke(true);
  expect([(await ask()).ok, refreshes()]).toEqual([true, 2]);
});

test("a refresh that fails for now: the access token is used while it is good, and the login is not over", async () => {
  const { server, clock, ask, refreshes } = await client(10_000);
  server.refreshStatus = 502;
  expect([(await ask()).ok, (await ask()).ok, refreshes()]).toEqual([true, true, 1]);
  await clock.advance(10_000);
  expect([(await ask()).ok, refreshes()]).toEqual([true, 2]);
  server.revoke(true);
  const failed = await ask();
  expect(failed).toMatchObject({ ok: false, failure: { errcode: "", why: { code: "remote_error" } } });
  server.refreshStatus = null;
  expect((await ask()).ok).toBe(true);
});

test("a refresh token that is refused is the end of the login, and not asked for more than once by a request", async () => {
  const { server, ask, refreshes } = await client(LIVES_MS);
  server.revoke(false);
  expect(await ask()).toMatchObject({ ok: false, failure: { errcode: "M_UNKNOWN_TOKEN", why: { code: "auth" } } });
  expect(refreshes()).toBe(1);
});

test("a refresh token that is refused before the access token has ended is the end as well", async () => {
  const { server, ask, refreshes } = await client(30_000);
  server.refreshToken = "of somebody else";
  expect(await ask()).toMatchObject({ ok: false, failure: { errcode: "M_UNKNOWN_TOKEN" } });
  expect([refreshes(), server.count("/_matrix/client/v3/account/whoami")]).toEqual([1, 0]);
});

test("a server that takes no token at all is asked twice, and what it repeats of the token is not in the reason", async () => {
  const { server, ask, refreshes } = await client(LIVES_MS);
  server.refusesAll = true;
  const answer = await ask();
  expect([answer.ok, refreshes(), server.count("/_matrix/client/v3/account/whoami")]).toEqual([false, 1, 2]);
  expect(answer).toMatchObject({ failure: { errcode: "M_UNKNOWN_TOKEN" } });
  expect(JSON.stringify(answer)).toContain("unknown: Bearer …");
});

test("a login that was saved meanwhile is used in place of a refresh", async () => {
  const { server, folder, login, ask, refreshes } = await client(LIVES_MS);
  server.revoke(false);
  server.accessToken = "access-secret-new";
  writeLogin(folder, { ...login, accessToken: server.accessToken, refreshToken: "refresh-secret-new" });
  expect([(await ask()).ok, refreshes()]).toEqual([true, 0]);
});

test("a login that cannot be saved is used all the same, and the log says so", async () => {
  const { folder, server, host, ask, refreshes } = await client(0);
  mkdirSync(join(folder, "login.json.new"));
  expect([(await ask()).ok, refreshes()]).toEqual([true, 1]);
  expect(host.records.filter(({ level }) => level === "warn").map(({ message }) => message)).toEqual([
    "the refreshed login cannot be saved: a restart may need a new login",
  ]);
  // What is on the disk is older, and does not come back.
  server.revoke(true);
  expect([(await ask()).ok, refreshes()]).toEqual([true, 2]);
});

async function opened(server: LoginServer, folder: string | undefined, given: Partial<MatrixSettings> = {}) {
  const settings = matrixSettings({ Server: `${server.url}/`, SavedLogin: true, ...given });
  const host = new RecordingHost();
  const { signal } = new AbortController();
  return await open({ settings, host, since: "s0" as Cursor, signal, ...(folder !== undefined && { folder }) });
}

const held = async (server: LoginServer, what: string): Promise<number> =>
  await eventually(
    () => Promise.resolve(server.held),
    (count) => count === 1,
    () => what,
  );

test("a session goes on over a refused access token, and ends with a remedy when the login is over", async () => {
  const { server, folder } = await saved(LIVES_MS);
  const begun = await opened(server, folder);
  if (!begun.ok) throw new Error(begun.ended.why.message);
  const { session } = begun;
  expect(session.as).toBe(USER);
  await held(server, "the session asks for events");
  server.revoke(true);
  await held(server, "the session asks for events with another token");
  expect(server.accessToken).toBe("access-secret-1");
  server.revoke(false);
  const ended = await session.ended;
  expect(ended).toMatchObject({
    cause: "auth",
    why: { message: expect.stringContaining("rialto matrix login") as string },
  });
});

test.each<
  [string, (it: Awaited<ReturnType<typeof saved>>) => Partial<MatrixSettings> | "none" | "no folder", string, string]
>([
  ["there is none", () => "none", "auth", "there is no saved login: run `rialto matrix login <account>`"],
  ["there is no folder", () => "no folder", "config", "SavedLogin needs the data folder"],
  ["it is for another server", () => ({ Server: "https://b.example" }), "auth", "and not for Server"],
  ["it is of another user", () => ({ MxID: "@eve:a.example" }), "config", "but MxID is @eve:a.example"],
  ["it is over", ({ server }) => (server.revoke(false), {}), "auth", "run `rialto matrix login <account>` again"],
])("no session with a saved login: %s", async (_, change, cause, words) => {
  const it = await saved(LIVES_MS);
  const changed = change(it);
  if (changed === "none") rmSync(join(it.folder, "login.json"));
  const folder = changed === "no folder" ? undefined : it.folder;
  const begun = await opened(it.server, folder, typeof changed === "string" ? {} : changed);
  expect(begun).toMatchObject({
    ok: false,
    ended: { cause, why: { message: expect.stringContaining(words) as string } },
  });
});
