import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RecordingHost } from "../../../test/contract/recording-host.ts";
import { needs } from "../../../test/servers/installed.ts";
import { onStage } from "../../../test/servers/stage.ts";
import { startEjabberd } from "../../../test/servers/xmpp/ejabberd.ts";
import { startProsody } from "../../../test/servers/xmpp/prosody.ts";
import type { XmppServer } from "../../../test/servers/xmpp/server.ts";
import { lackOf, roomForm } from "./new-room.ts";
import { NS } from "./ns.ts";
import { open } from "./session.ts";
import type { XmppSettings } from "./settings.ts";
import { xmppSettings } from "./settings.suite.ts";
import { el } from "./xml.ts";

const PASSWORD = "open-sesame";
const MADE = "there was no such room, so Rialto created it; check the name if you meant another";
const never = new AbortController().signal;

const offer = (...names: readonly string[]) =>
  el(
    "iq",
    { type: "result" },
    el(
      "query",
      { xmlns: NS.mucOwner },
      el("x", { xmlns: NS.form, type: "form" }, ...names.map((name) => el("field", { var: name }))),
    ),
  );

test.each([
  [
    "Prosody's",
    ["FORM_TYPE", "muc#roomconfig_roomname", "muc#roomconfig_persistentroom", "muc#roomconfig_enablearchiving"],
  ],
  ["ejabberd's", ["muc#roomconfig_persistentroom", "mam", "muc#roomconfig_publicroom"]],
  ["one with nothing that we want", ["muc#roomconfig_roomname"]],
])("of the form of a new room only what makes it last is filled in: %s", (_, names) => {
  const wanted = names.filter((name) => /persistentroom|archiving|mam/u.test(name));
  const fields =
    roomForm(offer(...names))
      .getChild("x", NS.form)
      ?.getChildren("field") ?? [];
  const filled = new Map(fields.map((field) => [String(field.attrs["var"]), field.getChildText("value")]));
  filled.delete("FORM_TYPE");
  expect([...filled]).toEqual(wanted.map((name) => [name, "1"]));
});

test.each([
  [["muc_persistent", NS.mam], null],
  [["muc_temporary", NS.mam], /^disappears when nobody is in it \(.*\)$/u],
  [["muc_persistent"], /^has no archive \(.*muc_mam.*\)$/u],
  [[], /^disappears .*, and has no archive/u],
])("of %j a room lacks %s", (features, lack) => {
  const found = lackOf(new Set(features));
  if (lack === null) expect(found).toBeNull();
  else expect(found).toMatch(lack);
});

async function tryOpen(server: XmppServer, given: Partial<XmppSettings>) {
  const host = new RecordingHost();
  const settings = xmppSettings({ Server: `127.0.0.1:${server.port}`, Password: PASSWORD, ...given });
  return { host, opened: await open({ settings, host, since: null, signal: never }) };
}

async function session(server: XmppServer, given: Partial<XmppSettings>) {
  const { host, opened } = await tryOpen(server, given);
  if (!opened.ok) throw new Error(opened.ended.why.message);
  const close = async (): Promise<void> => await opened.session.close(AbortSignal.timeout(5_000));
  return { host, session: opened.session, close, said: () => host.records.map(({ message }) => message) };
}

needs(["prosody", "ejabberdctl", "openssl"], () => {
  describe.each([
    ["Prosody", startProsody],
    ["ejabberd", startEjabberd],
  ] as const)("on %s", (name, start) => {
    test("NoTLS logs in by PLAIN without TLS, loudly where that is not this machine; NoStartTLS alone does not", async (context) => {
      const server = await onStage(start({ plainOnly: true }), context);
      await server.register("rialto", PASSWORD);
      const here = await session(server, { NoTLS: true });
      expect(here.said().join()).not.toContain("WITHOUT TLS");
      await here.close();
      const there = await session(server, { NoTLS: true, Server: `0.0.0.0:${server.port}` });
      expect(there.host.records.filter(({ level }) => level === "warn")).toMatchObject([
        { message: expect.stringContaining("WITHOUT TLS") as string },
      ]);
      await there.close();
      const { opened } = await tryOpen(server, { NoStartTLS: true });
      expect(opened).toMatchObject({
        ok: false,
        ended: { why: { message: expect.stringMatching(/does not use PLAIN/u) as string } },
      });
    });

    // Each start of ejabberd takes as long as all the tests on it.
    describe("with rooms that disappear by default", () => {
      let server: XmppServer;

      beforeAll(async () => {
        server = await start({ rooms: "passing" });
      });

      afterAll(async () => {
        await server.stop();
      });

      // By SASLprep: an accent of its own, a space that does not break, a letter of full width.
      test("passwords outside ASCII log in by SCRAM, however they are written", async () => {
        await server.register("zoe", "пароль zoé a");
        const Mechanism = "SCRAM-SHA-1";
        const zoe = { NoTLS: true, Mechanism, Jid: "zoe@localhost", Password: "пароль\u00a0zoe\u0301 \uff41" };
        await (await session(server, zoe)).close();
        const { opened } = await tryOpen(server, { ...zoe, Password: "пароль zoe a" });
        expect(opened).toMatchObject({ ok: false, ended: { cause: "auth" } });
        // What is newer than SASLprep's tables is no password for ejabberd, and one for Prosody.
        if (name === "ejabberd") return;
        await server.register("key", "pass🔑");
        await (await session(server, { ...zoe, Jid: "key@localhost", Password: "pass🔑" })).close();
      });

      test("a room that we make is kept, with an archive", async () => {
        await server.register("rialto", PASSWORD);
        const first = await session(server, { NoTLS: true });
        expect(await first.session.join({ name: "town", options: {} }, never)).toMatchObject({ ok: true, without: [] });
        expect(first.said()).toContain(MADE);
        expect(first.host.doubts).toEqual([]);
        await first.close();
        const second = await session(server, { NoTLS: true });
        expect(await second.session.join({ name: "town", options: {} }, never)).toMatchObject({
          ok: true,
          without: [],
        });
        expect(second.said()).not.toContain(MADE);
        await second.close();
      });
    });

    test("where the server does not let us, the remedy is said", async (context) => {
      const server = await onStage(start({ rooms: "fixed" }), context);
      await server.register("rialto", PASSWORD);
      const { host, session: live, close } = await session(server, { NoTLS: true });
      expect(await live.join({ name: "town", options: {} }, never)).toMatchObject({ ok: true });
      const said = host.doubts.map((why) => why?.message ?? "").join();
      expect(said).toMatch(
        /^the room town@conference\.localhost, which Rialto created, disappears when nobody is in it \(let the account/u,
      );
      if (name === "ejabberd") expect(said).toContain("has no archive (turn it on");
      await close();
    });
  });
});
