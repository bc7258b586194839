import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RecordingAttempt } from "../../../test/contract/recording-attempt.ts";
import type { RecordingHost } from "../../../test/contract/recording-host.ts";
import { plainBody } from "../../../test/contract/texts.ts";
import { needs } from "../../../test/servers/installed.ts";
import { SERVER_NAME } from "../../../test/servers/matrix/synapse.ts";
import type { ChannelRef, FileId } from "../../contract/ids.ts";
import type { PostOp } from "../../contract/ops.ts";
import type { Json } from "../kit/json.ts";
import { ALICE, join, joined, post, said, send, START_MS, Town, until } from "./town.suite.ts";

let town: Town;

needs(["synapse", "python3-matrix-nio"], () => {
  beforeAll(async () => {
    town = await Town.start({ uploadMax: "1M" });
  }, START_MS);
  afterAll(async () => {
    await town.stop();
  });

  describe("rooms", () => {
    test("an encrypted room is refused, loudly", async () => {
      const alice = await town.person();
      await alice.ask("create", { alias: "sealed", encrypted: true });
      const { live } = await town.session((await town.bot()).settings);
      const refused = await join(live, `#sealed:${SERVER_NAME}`);
      expect(refused).toMatchObject({
        ok: false,
        why: { code: "unsupported", message: expect.stringContaining("encrypted") as string },
      });
    });

    test("a room that turns encrypted is lost, loudly", async () => {
      const alice = await town.person();
      const room = String(await alice.ask("create", { alias: "sealing" }));
      const { live, host } = await town.session((await town.bot()).settings);
      const ref = await joined(live, `#sealing:${SERVER_NAME}`);
      await alice.ask("state", { room, type: "m.room.encryption", content: { algorithm: "m.megolm.v1.aes-sha2" } });
      const loss = await until(() => host.losses[0], "the loss");
      expect(loss).toMatchObject({ channel: ref, why: { code: "unsupported" } });
    });

    test("a room that was replaced is followed, at once and by a later join", async () => {
      const alice = await town.person();
      const room = String(await alice.ask("create", { alias: "old", version: "10" }));
      const { live, host } = await town.session((await town.bot()).settings);
      const before = await joined(live, room);
      const next = String(await alice.ask("upgrade", { room, version: "11" }));
      await until(() => host.losses.find(({ channel }) => channel === before), "the loss of the old room");
      expect(await join(live, room)).toMatchObject({ ok: true, ref: next });
      await send(alice, next, "in the new room");
      await until(() => said(host).includes("in the new room"), "what is said in the new room");
    });

    test("a room that needs an invitation: the core is told when one comes", async () => {
      const alice = await town.person();
      const room = String(await alice.ask("create", { alias: "private", private: true }));
      const { name, settings } = await town.bot();
      const { live, host } = await town.session(settings);
      expect(await join(live, `#private:${SERVER_NAME}`)).toMatchObject({
        ok: false,
        why: { code: "forbidden", message: expect.stringContaining(`invite ${name}`) as string },
      });
      await alice.ask("invite", { room, user: name });
      await until(() => host.losses.find(({ channel }) => channel === room), "word of the invitation");
      expect(await join(live, `#private:${SERVER_NAME}`)).toMatchObject({ ok: true, ref: room });
    });

    test("a room takes files as large as the homeserver does", async () => {
      const room = String(await (await town.person()).ask("create", { alias: "large" }));
      const { live } = await town.session((await town.bot()).settings);
      expect(await join(live, room)).toEqual({
        ok: true,
        ref: room,
        without: ["topic"],
        limits: { fileBytesMax: 1024 ** 2 },
      });
    });

    test("in a room of version 12 that we made, we have every right without a power level", async () => {
      const maker = await town.person();
      const settings = town.settings({ Login: maker.id, Password: "correct horse" });
      const room = String(await maker.ask("create", { alias: "made", version: "12" }));
      expect(room).not.toContain(":");
      await maker.ask("state", { room, type: "m.room.power_levels", content: { users: {}, events_default: 50 } });
      const { live } = await town.session(settings);
      expect(await join(live, room)).toMatchObject({ ok: true, ref: room, without: [] });
      const outcome = await live.handlers.post(post(room as ChannelRef, "made-1", "x"), new RecordingAttempt());
      expect(outcome.is).toBe("delivered");
    });

    test("where we may not write, a post waits until we may", async () => {
      const alice = await town.person();
      const room = String(await alice.ask("create", { alias: "quiet" }));
      await alice.ask("state", {
        room,
        type: "m.room.power_levels",
        content: { users: { [alice.id]: 100 }, events_default: 50 },
      });
      const { live, host } = await town.session((await town.bot()).settings);
      const entered = await join(live, room);
      expect(entered).toMatchObject({ ok: true, without: ["delete", "react", "topic"] });
      expect(host.records.some(({ level }) => level === "warn")).toBe(true);
      const outcome = await live.handlers.post(post(room as ChannelRef, "quiet-1", "x"), new RecordingAttempt());
      expect(outcome).toMatchObject({ is: "deferred", why: { code: "forbidden" }, scope: "channel" });
    });
  });

  describe("who speaks, and with what", () => {
    async function heard(
      alias: string,
      given: object,
      change: (wanted: PostOp, host: RecordingHost) => PostOp = (wanted) => wanted,
    ) {
      const alice = await town.person();
      const room = String(await alice.ask("create", { alias }));
      const { live, host } = await town.session((await town.bot(given)).settings);
      const ref = await joined(live, room);
      const outcome = await live.handlers.post(change(post(ref, alias, "hello"), host), new RecordingAttempt());
      const own = (seen: (typeof alice.seen)[number]) =>
        seen.event["sender"] !== alice.id && seen.event["type"] === "m.room.message";
      const found = await until(() => alice.seen.find(own), "the message");
      return { outcome, by: found.by, content: found.event["content"] };
    }

    test("UseMSC4144: the message has a profile of its own", async () => {
      const { content } = await heard("profile", { UseMSC4144: true });
      expect(content).toMatchObject({
        body: "alice: hello",
        formatted_body: "<strong data-mx-profile-fallback>alice: </strong>hello",
        "com.beeper.per_message_profile": { id: "irc:irc-alice", displayname: "alice", has_fallback: true },
      });
    });

    test("UseMSC4144: an edit keeps the profile", async () => {
      const alice = await town.person();
      const room = String(await alice.ask("create", { alias: "kept" }));
      const { live } = await town.session((await town.bot({ UseMSC4144: true })).settings);
      const ref = await joined(live, room);
      const sent = await live.handlers.post(post(ref, "kept-1", "hello"), new RecordingAttempt());
      if (sent.is !== "delivered") throw new Error(sent.why.message);
      const edit = { ...post(ref, "kept-2", "hello!"), kind: "edit", target: sent.receipt.messages } as const;
      await live.handlers.edit?.(edit, new RecordingAttempt());
      const content = await until(
        () => alice.seen.map(({ event }) => event["content"] as Json).find((seen) => "m.new_content" in seen),
        "the edit",
      );
      const next = { body: "alice: hello!", "com.beeper.per_message_profile": { displayname: "alice" } };
      expect(content).toMatchObject({ "m.new_content": next });
    });

    test("half a character does not stop a message", async () => {
      const { outcome, content } = await heard("halves", { UseMSC4144: true }, (wanted) => ({
        ...wanted,
        author: { ...ALICE, name: "al\ud83d" },
      }));
      const profile = { displayname: "al\ufffd" };
      expect([outcome.is, content]).toMatchObject(["delivered", { "com.beeper.per_message_profile": profile }]);
    });

    test("SpoofUsername: we have the sender's name", async () => {
      const { by, content } = await heard("spoof", { SpoofUsername: true });
      expect([by, content]).toEqual(["<alice>", { msgtype: "m.text", body: "hello", "m.mentions": {} }]);
    });

    test("a file that the server does not take is named, with its link, and is a loss", async () => {
      const id = "big" as FileId;
      const { outcome, content } = await heard("big", {}, (wanted, host) => {
        host.files.set(id, new Uint8Array(2 << 20));
        const file = {
          name: "big.bin",
          comment: "",
          mime: null,
          bytes: 2 << 20,
          url: "https://x.example/big.bin",
          id,
          missing: null,
        };
        return { ...wanted, body: { ...plainBody(""), files: [file] } };
      });
      expect(content).toMatchObject({ msgtype: "m.text", body: "<alice> big.bin: https://x.example/big.bin" });
      expect(outcome).toMatchObject({
        is: "delivered",
        receipt: { losses: [{ what: "file", note: expect.stringContaining("1024 KiB") as string }] },
      });
    });
  });

  test("what was said while we were away comes in order, once, also when it is more than one answer holds", async () => {
    const alice = await town.person();
    const room = String(await alice.ask("create", { alias: "away" }));
    const { settings } = await town.bot();
    const first = await town.session(settings);
    await joined(first.live, room);
    await send(alice, room, "before");
    await until(() => said(first.host).includes("before"), "the first message");
    await first.live.close(AbortSignal.timeout(1_000));
    const since = first.host.cursors.at(-1) ?? null;
    const lines = Array.from({ length: 130 }, (_, at) => `away ${at}`);
    for (const line of lines) await send(alice, room, line);
    const second = await town.session(settings, since);
    await joined(second.live, room);
    await until(() => said(second.host).length >= lines.length, "what was missed");
    expect(said(second.host)).toEqual(lines);
    expect(second.host.posted[0]?.author.name).toBe(alice.id.replace(/^@|:.*$/gu, ""));
  });

  test("the same op after the server was killed and started again is there once", async () => {
    const alice = await town.person();
    const room = String(await alice.ask("create", { alias: "twice" }));
    const { settings } = await town.bot();
    const first = await town.session(settings);
    const ref = await joined(first.live, room);
    const sent = await first.live.handlers.post(post(ref, "twice-1", "once"), new RecordingAttempt());
    await town.synapse.restart();
    expect((await first.live.ended).cause).toBe("lost");
    const second = await town.session(settings, first.host.cursors.at(-1) ?? null);
    await joined(second.live, room);
    expect(await second.live.handlers.post(post(ref, "twice-1", "once"), new RecordingAttempt())).toEqual(sent);
  });
});
