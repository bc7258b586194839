import { describe, expect, test } from "vitest";
import { toldBy, until } from "../../../test/contract/life.ts";
import { doOp, postOf } from "../../../test/contract/ops.ts";
import type { RecordingHost } from "../../../test/contract/recording-host.ts";
import { within } from "../../../test/support/wait.ts";
import { mattermostTown, tryOpen } from "./town.suite.ts";

const signal = new AbortController().signal;

describe("logging in", () => {
  test.each([
    ["a wrong token", { Token: "wrong" }, "auth", /create a new one/u],
    ["a wrong team", { Team: "elsewhere" }, "config", /no team "elsewhere"/u],
    ["a wrong password", { Token: "", Login: "alice", Password: "no" }, "auth", /check Login and Password/u],
    ["another path", { Server: "HERE/elsewhere" }, "config", /no Mattermost at Server/u],
    ["TLS where there is none", { NoTLS: false }, "config", /speak TLS.*set NoTLS = true$/u],
  ] as const)("%s is said, with what to do", async (_, settings, cause, words) => {
    const town = await mattermostTown();
    const given = {
      ...settings,
      ...("Server" in settings && { Server: settings.Server.replace("HERE", town.server.address) }),
    };
    const { opened } = await tryOpen(town, { settings: given });
    expect(opened).toMatchObject({
      ok: false,
      ended: { cause, why: { message: expect.stringMatching(words) as string } },
    });
  });

  test("a login by password leaves no session behind, however it ends", async () => {
    const town = await mattermostTown();
    const { alice, server, channel } = town;
    alice.account.password = "secret";
    const settings = { Token: "", Login: "alice", Password: "secret" };
    const ofAlice = (): number => [...server.world.tokens.values()].filter((id) => id === alice.id).length;
    const refused = await tryOpen(town, { settings: { ...settings, Team: "elsewhere" } });
    expect([refused.opened.ok, ofAlice()]).toEqual([false, 0]);
    server.faults.fail({ method: "GET", path: "/users/me" }, 502);
    expect([(await tryOpen(town, { settings })).opened.ok, ofAlice()]).toEqual([false, 0]);
    server.faults.fail({ method: "GET", path: "/websocket" }, 502);
    expect([(await tryOpen(town, { settings })).opened.ok, ofAlice()]).toEqual([false, 0]);
    const { opened } = await tryOpen(town, { settings });
    if (!opened.ok) throw new Error(opened.ended.why.message);
    expect([await opened.session.join({ name: channel.name, options: {} }, signal), ofAlice()]).toMatchObject([
      { ok: true },
      1,
    ]);
    server.wire.cut();
    expect(await within(opened.session.ended, () => "the end of the session")).toMatchObject({ cause: "lost" });
    expect(ofAlice()).toBe(0);
  });

  test.each(["a rate limit", "a stop in a hurry", "a server that does not answer"])(
    "%s keeps no login by password from being ended",
    async (what) => {
      const town = await mattermostTown();
      const { alice, server, channel } = town;
      alice.account.password = "secret";
      const { host, opened } = await tryOpen(town, { settings: { Token: "", Login: "alice", Password: "secret" } });
      if (!opened.ok) throw new Error(opened.ended.why.message);
      const { session } = opened;
      const joined = await session.join({ name: channel.name, options: {} }, signal);
      if (!joined.ok) throw new Error(joined.why.message);
      const isOver = (): boolean => ![...server.world.tokens.values()].includes(alice.id);
      if (what === "a rate limit") {
        server.faults.limit({ method: "POST", path: "/posts" }, 600);
        const { outcome } = await doOp(session, postOf(joined.ref, "hi"));
        expect(outcome).toMatchObject({ is: "deferred", why: { code: "rate_limited" } });
        await session.close(signal);
        expect(isOver()).toBe(true);
        return;
      }
      const logout = { method: "POST", path: "/users/logout" };
      const go = what === "a stop in a hurry" ? null : server.faults.hold(logout);
      const stop = new AbortController();
      const closed = session.close(stop.signal);
      stop.abort();
      await within(closed, () => "the end of the stop");
      go?.();
      await until(host, isOver);
      expect(await within(session.ended, () => "the end of the session")).toMatchObject({ cause: "asked" });
    },
  );

  test.each([
    ["password", { Token: "", Login: "alice", Password: "secret" }],
    ["token", null],
  ])("what was said between a login by %s that has ended and one by another token is told", async (_, password) => {
    const town = await mattermostTown();
    const { alice, bot, server, channel } = town;
    alice.account.password = "secret";
    const old = alice.token();
    const settings = password ?? { Token: old };
    const live = async (given: object, before: RecordingHost | null): Promise<RecordingHost> => {
      const since = before?.cursors.at(-1) ?? null;
      const { host, opened } = await tryOpen(town, {
        since,
        settings: given,
        ...(before !== null && { host: before }),
      });
      if (!opened.ok) throw new Error(opened.ended.why.message);
      await opened.session.join({ name: channel.name, options: {} }, signal);
      await bot.say(channel, before === null ? "before" : "after");
      await until(host, `rialto: ${before === null ? "before" : "after"}`);
      await opened.session.quiesce();
      await opened.session.close(signal);
      return host;
    };
    const host = await live(settings, null);
    server.world.tokens.delete(old);
    server.world.hub.silence(old);
    await bot.say(channel, "meanwhile");
    await live({ Token: alice.token() }, host);
    expect(toldBy(host)).toEqual(["rialto: before", "rialto: meanwhile", "rialto: after"]);
  });

  test("a password, and a second factor that is wanted", async () => {
    const town = await mattermostTown({ subpath: "/chat" });
    town.alice.account.password = "secret";
    const settings = { Token: "", Login: "alice", Password: "secret" };
    const { opened } = await tryOpen(town, { settings });
    expect(opened).toMatchObject({ ok: true, session: { as: "alice" } });
    town.alice.account.mfaSecret = "000000";
    const second = await tryOpen(town, { settings });
    expect(second.opened).toMatchObject({
      ok: false,
      ended: { cause: "auth", why: { message: expect.stringMatching(/second factor/u) as string } },
    });
  });
});
