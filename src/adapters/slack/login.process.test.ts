import { describe, expect, test } from "vitest";
import { RecordingHost } from "../../../test/contract/recording-host.ts";
import { apiOn, slackGate, type SlackGate } from "./gate.suite.ts";
import { logIn, type SlackLogin } from "./login.ts";

const signal = new AbortController().signal;
const words = (text: RegExp): string => expect.stringMatching(text) as string;

async function enter(
  gate: SlackGate,
  more: {
    readonly host?: RecordingHost;
    readonly token?: string;
    readonly base?: string;
    readonly isFirst?: boolean;
  } = {},
): Promise<SlackLogin> {
  const { host = new RecordingHost(), isFirst = true } = more;
  return await logIn({ api: apiOn(gate, { ...more, host }), host, isFirst, signal });
}

test("who we are is known, and what we may do", async () => {
  const gate = await slackGate();
  const { app, team } = gate;
  const host = new RecordingHost();
  const login = await enter(gate, { host });
  expect(login).toMatchObject({
    ok: true,
    me: {
      userId: app.user.id,
      botId: app.botId,
      appId: app.id,
      teamId: team.id,
      name: "rialto",
      teamUrl: "https://crew.slack.com/",
    },
  });
  expect(login.ok && [login.me.scopes.has("chat:write.customize"), login.me.scopes.has("admin")]).toEqual([
    true,
    false,
  ]);
  expect(host.doubts).toEqual([null]);
});

describe("a login that is refused says what to do", () => {
  test.each([
    ["account_inactive", /the app was removed/u],
    ["token_revoked", /it was revoked; install/u],
    ["token_expired", /token rotation/u],
  ] as const)("%s", async (revoked, message) => {
    const gate = await slackGate();
    gate.app.revoked = revoked;
    expect(await enter(gate)).toMatchObject({ ok: false, ended: { cause: "auth", why: { message: words(message) } } });
  });

  test.each([
    ["a wrong token", "xoxb-wrong", "auth", /does not accept Token \(invalid_auth/u],
    ["the token of the app itself", "app", "config", /does not take Token for this/u],
  ] as const)("%s", async (_, token, cause, message) => {
    const gate = await slackGate();
    const given = token === "app" ? gate.app.appToken : token;
    const login = await enter(gate, { token: given });
    expect(login).toMatchObject({ ok: false, ended: { cause, why: { message: words(message) } } });
    expect(JSON.stringify(login)).not.toContain(given);
  });

  test.each([
    [["channels:history"], /^the app lacks chat:write \(nothing can be sent\): add it/u],
    [["chat:write"], /^the app lacks channels:history or groups:history \(no channel is heard\): add it/u],
    [["users:read"], /^the app lacks chat:write .* and channels:history or groups:history/u],
    [["identify", "bot"], /^Token is of a classic app/u],
  ])("an app that has only %j", async (scopes, message) => {
    const gate = await slackGate();
    gate.app.scopes.clear();
    for (const scope of scopes) gate.app.scopes.add(scope);
    expect(await enter(gate)).toMatchObject({
      ok: false,
      ended: { cause: "config", why: { message: words(message) } },
    });
  });

  test.each([
    [true, "config", /no API like Slack's at ApiURL/u],
    [false, "lost", /something else than Slack/u],
  ] as const)("another server, first: %j", async (isFirst, cause, message) => {
    const gate = await slackGate();
    const base = gate.server.url.replace("/api/", "/elsewhere/");
    const login = await enter(gate, { base, isFirst });
    expect(login).toMatchObject({ ok: false, ended: { cause, why: { message: words(message) } } });
  });

  test("an app of a whole organisation", async () => {
    const gate = await slackGate();
    const json = { ok: true, user_id: "U1", team_id: "E1", is_enterprise_install: true };
    gate.server.faults.answer({ path: "/auth.test" }, { json });
    const message = words(/install it in one workspace/u);
    expect(await enter(gate)).toMatchObject({ ok: false, ended: { cause: "config", why: { message } } });
  });

  test.each([
    ["no server", { ok: false, ended: { cause: "lost", why: { code: "network" } } }],
    ["servers in trouble", { ok: false, ended: { cause: "lost", why: { code: "remote_error" } } }],
    ["Slack in trouble", { ok: false, ended: { cause: "lost", why: { code: "remote_error" } } }],
  ])("%s", async (what, expected) => {
    const gate = await slackGate();
    if (what === "no server") gate.server.faults.break({ path: "/auth.test" }, 2);
    if (what === "servers in trouble") gate.server.faults.fail({ path: "/auth.test" }, 503);
    if (what === "Slack in trouble") gate.server.refuse("auth.test", "fatal_error");
    expect(await enter(gate)).toMatchObject(expected);
  });
});

test("all that is missing is named in one line, with what does not work without it", async () => {
  const gate = await slackGate();
  for (const scope of ["files:read", "files:write", "groups:history", "users:read"]) gate.app.scopes.delete(scope);
  const host = new RecordingHost();
  const login = await enter(gate, { host });
  // The app of the bot cannot be asked for without users:read.
  expect(login).toMatchObject({ ok: true, me: { appId: "" } });
  expect(host.doubts).toEqual([
    {
      code: "config",
      message: words(
        /^the app lacks files:read \(files are not fetched\), files:write \(.*\), groups:history \(.*\), users:read \(people have no names\): add what is wanted/u,
      ),
    },
  ]);
});
