import { afterAll, beforeAll, expect, test } from "vitest";
import { RecordingAttempt } from "../../../test/contract/recording-attempt.ts";
import { plainBody } from "../../../test/contract/texts.ts";
import { needs } from "../../../test/servers/installed.ts";
import { SERVER_NAME } from "../../../test/servers/matrix/synapse.ts";
import type { NioPerson } from "../../../test/servers/people/nio.ts";
import type { FileId, MessageRef, OpId } from "../../contract/ids.ts";
import type { EditOp, ReactOp } from "../../contract/ops.ts";
import { registrationCommand } from "./registration.ts";
import { matrixSettings } from "./settings.suite.ts";
import { ALICE, joined, post, said, send, START_MS, Town, until } from "./town.suite.ts";

const OWN = { ASToken: "as-secret", HSToken: "hs-secret", MxID: `@rialto:${SERVER_NAME}` };
const GHOST = `@rialto_irc_irc-alice:${SERVER_NAME}`;

let town: Town;

/** What any program with the token may do. */
async function asService(method: string, what: string, as: string | null, body: object): Promise<void> {
  const url = new URL(`/_matrix/client/v3/${what}`, town.synapse.url);
  if (as !== null) url.searchParams.set("user_id", as);
  const headers = { Authorization: `Bearer ${OWN.ASToken}`, "Content-Type": "application/json" };
  const answer = await fetch(url, { method, headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${method} ${what}: ${answer.status} ${await answer.text()}`);
}

function seen(person: NioPerson, type: string, sender: string) {
  return until(
    () => person.seen.find(({ event }) => event["type"] === type && event["sender"] === sender),
    `${type} by ${sender}`,
  );
}

needs(["synapse", "python3-matrix-nio"], () => {
  beforeAll(async () => {
    const settings = matrixSettings({ Server: "http://127.0.0.1", ...OWN });
    const account = { name: "matrix.test", random: () => "" };
    town = await Town.start({ forgetful: true, registration: registrationCommand.run(settings, account).output });
  }, START_MS);
  afterAll(async () => {
    await town.stop();
  });

  test("a sender has a user with name and picture, who edits, reacts and takes back; none of it comes back", async () => {
    const bob = await town.person();
    const room = String(await bob.ask("create", { alias: "puppets" }));
    const { live, host } = await town.session(town.settings(OWN));
    const ref = await joined(live, room);
    const id = "face" as FileId;
    host.files.set(id, new Uint8Array([1, 2, 3]));
    const avatar = { name: "face.png", comment: "", mime: "image/png", bytes: 3, url: null, id, missing: null };
    const sent = await live.handlers.post(
      post(ref, "p1", "hello", { author: { ...ALICE, avatar } }),
      new RecordingAttempt(),
    );
    if (sent.is !== "delivered") throw new Error(sent.why.message);
    expect(sent.receipt.losses).toEqual([]);
    const message = await seen(bob, "m.room.message", GHOST);
    expect([message.by, message.event["content"]]).toEqual([
      "alice",
      { msgtype: "m.text", body: "hello", "m.mentions": {} },
    ]);
    const target = sent.receipt.messages as readonly [MessageRef];
    const edit: EditOp = { ...post(ref, "p2", "hello!"), kind: "edit", target };
    expect(await live.handlers.edit?.(edit, new RecordingAttempt())).toMatchObject({ is: "delivered" });
    const react: ReactOp = {
      kind: "react",
      id: "p3" as OpId,
      channel: ref,
      attempt: 1,
      target: target[0],
      author: ALICE,
      emoji: "👍",
      on: true,
      standing: [],
    };
    expect(await live.handlers.react?.(react, new RecordingAttempt())).toMatchObject({ is: "delivered" });
    await seen(bob, "m.reaction", GHOST);
    expect(
      await live.handlers.react?.({ ...react, id: "p4" as OpId, on: false }, new RecordingAttempt()),
    ).toMatchObject({ is: "delivered" });
    await seen(bob, "m.room.redaction", GHOST);
    await send(bob, room, "theirs");
    await until(() => said(host).includes("theirs"), "what somebody else says");
    expect(host.events.filter(({ echoOf }) => echoOf === null)).toHaveLength(1);
  });

  test("a user of ours with the name of somebody here takes nothing from that name", async () => {
    const bob = await town.person();
    const name = bob.id.replace(/^@|:.*$/gu, "");
    const room = String(await bob.ask("create", { alias: "namesakes" }));
    const { live, host } = await town.session(town.settings(OWN));
    const ref = await joined(live, room);
    await live.handlers.post(
      post(ref, "n1", "hello", { author: { ...ALICE, id: "other", name } }),
      new RecordingAttempt(),
    );
    await send(bob, room, "it is me");
    await until(() => host.posted.length > 0, "what the person says");
    expect(host.posted[0]?.author.name).toBe(name);
  });

  test("a user whose id two senders may have stays with the one it is named after, over restarts", async () => {
    const old = `@rialto_api.team_ops_alice:${SERVER_NAME}`;
    // As an older build has left it.
    await asService("POST", "register", null, {
      type: "m.login.application_service",
      username: "rialto_api.team_ops_alice",
    });
    await asService("PUT", `profile/${old}/displayname`, old, { displayname: "alice" });
    const bob = await town.person();
    const room = String(await bob.ask("create", { alias: "disputed" }));
    const senders = [
      { ...ALICE, account: "api.team", id: "ops_alice", name: "ops_alice" },
      { ...ALICE, account: "api.team_ops", id: "alice", name: "alice" },
    ] as const;
    const hashed = expect.stringMatching(/^@rialto_api\.team_ops_alice-[\da-f]{10}:/u) as string;
    for (const life of ["before", "after"]) {
      const { live } = await town.session(town.settings(OWN));
      const ref = await joined(live, room);
      for (const author of senders) {
        const said = `${author.name} ${life}`;
        expect(await live.handlers.post(post(ref, said, said, { author }), new RecordingAttempt())).toMatchObject({
          is: "delivered",
          receipt: { losses: [] },
        });
      }
      await live.close(AbortSignal.timeout(1_000));
    }
    const lines = await until(() => {
      const found = bob.seen.filter(({ event }) => event["type"] === "m.room.message");
      const shown = found.map(({ event }) => [event["sender"], (event["content"] as { readonly body: string }).body]);
      return shown.length === 4 && shown;
    }, "all four messages");
    expect(lines).toEqual([
      [hashed, "ops_alice before"],
      [old, "alice before"],
      [lines[0]?.[0], "ops_alice after"],
      [old, "alice after"],
    ]);
  });

  test("users of ours are invited where that is needed, and thrown out they come back", async () => {
    const bob = await town.person();
    const room = String(await bob.ask("create", { alias: "closed", private: true }));
    const { live } = await town.session(town.settings(OWN));
    await bob.ask("invite", { room, user: OWN.MxID });
    const ref = await joined(live, room);
    await bob.ask("state", {
      room,
      type: "m.room.power_levels",
      content: { users: { [bob.id]: 100, [OWN.MxID]: 50 }, invite: 50 },
    });
    expect(await live.handlers.post(post(ref, "c1", "one"), new RecordingAttempt())).toMatchObject({ is: "delivered" });
    await seen(bob, "m.room.message", GHOST);
    await bob.ask("kick", { room, user: GHOST, reason: "out" });
    const again = await live.handlers.post(post(ref, "c2", "two"), new RecordingAttempt());
    const last =
      again.is === "deferred"
        ? await live.handlers.post(post(ref, "c2", "two", { attempt: 2 }), new RecordingAttempt())
        : again;
    expect(last).toMatchObject({ is: "delivered", receipt: { losses: [] } });
  });

  test("a sender whose user cannot come in is shown by the bot, and keeps that over an edit", async () => {
    const bob = await town.person();
    const room = String(await bob.ask("create", { alias: "strict", private: true }));
    const { live } = await town.session(town.settings(OWN));
    await bob.ask("invite", { room, user: OWN.MxID });
    const ref = await joined(live, room);
    await bob.ask("state", { room, type: "m.room.power_levels", content: { users: { [bob.id]: 100 }, invite: 100 } });
    const sent = await live.handlers.post(post(ref, "s1", "hello"), new RecordingAttempt());
    expect(sent).toMatchObject({ is: "delivered", receipt: { losses: [{ what: "identity" }] } });
    if (sent.is !== "delivered") return;
    const edit: EditOp = {
      ...post(ref, "s2", "hello!"),
      body: plainBody("hello!"),
      kind: "edit",
      target: sent.receipt.messages,
    };
    expect(await live.handlers.edit?.(edit, new RecordingAttempt())).toMatchObject({ is: "delivered" });
    const bodies = await until(() => {
      const own = bob.seen.filter(
        ({ room: at, event }) => at === room && event["sender"] === OWN.MxID && event["type"] === "m.room.message",
      );
      return own.length === 2 && own.map(({ event }) => (event["content"] as { readonly body: string }).body);
    }, "both messages of the bot");
    expect(bodies).toEqual(["<alice> hello", "* <alice> hello!"]);
  });
});
