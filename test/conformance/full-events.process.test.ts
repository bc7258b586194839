import { describe, expect, test } from "vitest";
import type { Message } from "../../src/contract/message.ts";
import type { ApiClient } from "../support/client.ts";
import { toml } from "../support/config.ts";
import { expectError, expectWhole } from "../support/shape.ts";
import { launch, useRialto } from "../support/suite.ts";

const full = { Buffer: 1000, FullEvents: true };
const config = toml({
  accounts: {
    one: full,
    two: full,
    plain: { Buffer: 1000 },
    suffixed: { ...full, EditSuffix: " (edited)" },
    strict: { ...full, EditDisable: true, ReactionDisable: true },
  },
  gateways: {
    room: { inout: ["one", "two", "plain", "suffixed", "strict"] },
    side: { inout: ["one", "suffixed"] },
    away: { inout: ["two", "plain"] },
  },
});
const rialto = useRialto({ config });
const room = "room";

/** Reads away what earlier tests left. */
async function fresh(...names: readonly string[]): Promise<ApiClient[]> {
  const clients = names.map((name) => rialto().client(name));
  for (const client of clients) await client.poll();
  return clients;
}

async function newestOf(client: ApiClient): Promise<Message> {
  const polled = await client.poll();
  expect(polled).toHaveLength(1);
  expectWhole(polled[0]);
  return polled[0]!;
}

describe("an account with FullEvents", () => {
  test("gets an id with the answer, and the same id reaches readers with FullEvents; others see none", async () => {
    const [one, two, plain] = await fresh("one", "two", "plain");
    const said = await one!.say({ gateway: room, text: "hello", username: "ann" });
    expect(said.id).toMatch(/^[1-9]\d*$/);
    expectWhole(said);
    expect(await newestOf(two!)).toEqual(said);
    expect(await newestOf(plain!)).toEqual({ ...said, id: "" });
    const next = await one!.say({ gateway: room, text: "again" });
    expect(Number(next.id)).toBeGreaterThan(Number(said.id));
  });

  test("answers a message by its id", async () => {
    const [one, two, plain] = await fresh("one", "two", "plain");
    const said = await one!.say({ gateway: room, text: "shall we?" });
    const answer = await two!.say({ gateway: room, text: "yes", parent_id: said.id });
    expect(answer.parent_id).toBe(said.id);
    expect((await one!.poll()).at(-1)).toMatchObject({ text: "yes", parent_id: said.id, id: answer.id });
    expect((await plain!.poll()).at(-1)).toMatchObject({ text: "yes", id: "" });
  });

  test.for(["999999", "no number", "-1", "1e3", ""])("says what answers %j all the same", async (parent) => {
    const [one, two, plain] = await fresh("one", "two", "plain");
    await one!.say({ gateway: room, text: "lost?", parent_id: parent });
    expect(await newestOf(two!)).toMatchObject({ text: "lost?", parent_id: "" });
    expect(await newestOf(plain!)).toMatchObject({ text: "lost?", parent_id: parent });
  });

  test("edits what it said: readers with FullEvents learn which, to others it is one more message", async () => {
    const [one, two, plain] = await fresh("one", "two", "plain");
    const said = await one!.say({ gateway: room, text: "teh", username: "ann" });
    const edit = await one!.say({
      gateway: room,
      event: "msg_edit",
      id: said.id,
      text: "the :smile:",
      username: "ann",
    });
    expect(edit).toMatchObject({ event: "msg_edit", id: said.id, text: "the 😄" });
    expect((await two!.poll()).map(({ event, id, text }) => [event, id, text])).toEqual([
      ["", said.id, "teh"],
      ["msg_edit", said.id, "the 😄"],
    ]);
    expect((await plain!.poll()).map(({ event, id, text }) => [event, id, text])).toEqual([
      ["", "", "teh"],
      ["", "", "the 😄"],
    ]);
  });

  test("may have a suffix behind its edits", async () => {
    const [suffixed, two] = await fresh("suffixed", "two");
    const said = await suffixed!.say({ gateway: room, text: "a" });
    await suffixed!.say({ gateway: room, event: "msg_edit", id: said.id, text: "b" });
    expect((await two!.poll()).map(({ text }) => text)).toEqual(["a", "b (edited)"]);
  });

  test("deletes what it said, once", async () => {
    const [one, two, plain] = await fresh("one", "two", "plain");
    const said = await one!.say({ gateway: room, text: "oops" });
    const gone = { gateway: room, event: "msg_delete", id: said.id };
    expect(await one!.say(gone)).toMatchObject({ event: "msg_delete", id: said.id, text: "" });
    expect((await one!.post(gone)).status).toBe(200);
    expectError(await one!.post({ ...gone, event: "msg_edit", text: "no" }), 404, /deleted/);
    expect((await two!.poll()).map(({ event, id }) => [event, id])).toEqual([
      ["", said.id],
      ["msg_delete", said.id],
    ]);
    expect(await plain!.texts()).toEqual(["oops"]);
  });

  test("reacts to anything, and takes it back", async () => {
    const [one, two, plain] = await fresh("one", "two", "plain");
    const said = await plain!.say({ gateway: room, text: "news" });
    const [{ id } = { id: "" }] = await two!.poll();
    await one!.poll();
    expect(said.id).toBe("");
    const reaction = { gateway: room, id, text: ":+1:", username: "bob" };
    const put = await two!.say({ ...reaction, event: "msg_reaction" });
    expect(put).toMatchObject({ event: "msg_reaction", id, text: "👍" });
    await two!.say({ ...reaction, event: "msg_reaction_removed" });
    expect((await one!.poll()).map(({ event, text, username }) => [event, text, username])).toEqual([
      ["msg_reaction", "👍", "bob"],
      ["msg_reaction_removed", "👍", "bob"],
    ]);
    expect(await plain!.poll()).toEqual([]);
    expectError(await two!.post({ ...reaction, event: "msg_reaction", text: "" }), 400, /emoji/);
    expectError(await two!.post({ ...reaction, event: "msg_reaction", text: "x".repeat(65) }), 400, /emoji/);
  });

  test.for(["msg_edit", "msg_delete"])("cannot do %s to what another account said", async (event) => {
    const [one, two] = await fresh("one", "two");
    const said = await one!.say({ gateway: room, text: "mine" });
    expectError(await two!.post({ gateway: room, event, id: said.id, text: "yours" }), 403, /this account/);
    expect(await two!.texts()).toEqual(["mine"]);
  });

  test.for(["msg_edit", "msg_delete", "msg_reaction", "msg_reaction_removed"])(
    "is told when %s names no message of the gateway",
    async (event) => {
      const [one, two] = await fresh("one", "two");
      const said = await one!.say({ gateway: "side", text: "elsewhere" });
      for (const id of ["999999", "", "x", "0", said.id]) {
        expectError(await two!.post({ gateway: room, event, id, text: "x" }), 404, /id/, event);
      }
      // Also when it is one's own.
      expectError(await one!.post({ gateway: room, event, id: said.id, text: "x" }), 404, /id/, event);
      expect(await two!.poll()).toEqual([]);
    },
  );

  test("cannot quote a message of a gateway that it is not in", async () => {
    const [one, two] = await fresh("one", "two");
    const secret = await one!.say({ gateway: "side", text: "secret" });
    await two!.say({ gateway: "away", text: "what was it?", parent_id: secret.id });
    const plain = rialto().client("plain");
    expect(JSON.stringify(await plain.poll())).not.toContain("secret");
  });

  test("with EditDisable and ReactionDisable is answered, and not relayed", async () => {
    const [strict, two] = await fresh("strict", "two");
    const said = await strict!.say({ gateway: room, text: "as it is" });
    await strict!.say({ gateway: room, event: "msg_edit", id: said.id, text: "other" });
    await strict!.say({ gateway: room, event: "msg_reaction", id: said.id, text: "👍" });
    expect(await two!.texts()).toEqual(["as it is"]);
    await two!.say({ gateway: room, event: "msg_reaction", id: said.id, text: "👍" });
    expect(await strict!.poll()).toEqual([]);
  });

  test("gets the same id when a post is repeated under its Idempotency-Key", async () => {
    const [one, two] = await fresh("one", "two");
    const key = { "Idempotency-Key": "k 1" };
    const body = { gateway: room, text: "once" };
    const first = (await one!.post(body, key)).json() as Message;
    const second = await one!.post(body, key);
    expect(second.json()).toEqual(first);
    const gone = { gateway: room, event: "msg_delete", id: first.id };
    const removed = (await one!.post(gone, { "Idempotency-Key": "k 2" })).json();
    expect((await one!.post(gone, { "Idempotency-Key": "k 2" })).json()).toEqual(removed);
    expect((await two!.poll()).map(({ event }) => event)).toEqual(["", "msg_delete"]);
  });

  test("streams and WebSockets have the same events; a socket's edit may follow at once", async () => {
    const [one, two] = await fresh("one", "two");
    const stream = await two!.stream();
    const socket = await one!.socket();
    const other = await one!.socket();
    socket.send(JSON.stringify({ gateway: room, text: "via socket" }));
    const { id } = await other.next();
    expect(id).not.toBe("");
    socket.send(JSON.stringify({ gateway: room, event: "msg_edit", id, text: "edited" }));
    socket.send(JSON.stringify({ gateway: room, text: "after it" }));
    expect(await other.next()).toMatchObject({ event: "msg_edit", id, text: "edited" });
    expect((await other.next()).text).toBe("after it");
    const lines = [await stream.next(), await stream.next(), await stream.next()];
    expect(lines.map(({ event, text }) => [event, text])).toEqual([
      ["", "via socket"],
      ["msg_edit", "edited"],
      ["", "after it"],
    ]);
    for (const each of [socket, other, stream]) await each.close();
  });
});

describe("an account without FullEvents", () => {
  test("names no messages: msg_edit is a label, msg_delete the service's own", async () => {
    const [one, plain] = await fresh("one", "plain");
    const said = await one!.say({ gateway: room, text: "hello" });
    await plain!.poll();
    expect(await plain!.say({ gateway: room, event: "msg_edit", id: said.id, text: "not an edit" })).toMatchObject({
      event: "msg_edit",
      id: "",
    });
    // A reader that takes edits by their id must not take it for one.
    const seen = await newestOf(one!);
    expect([seen.event, seen.text]).toEqual(["", "not an edit"]);
    expect(seen.id).not.toBe(said.id);
    expectError(await plain!.post({ gateway: room, event: "msg_delete", id: said.id }), 400, /service's own/);
  });
});

test("after a restart an id still names its message", async () => {
  const first = await launch({ config });
  const said = await first.client("one").say({ gateway: room, text: "before" });
  await first.client("two").poll();
  await first.stop();
  const second = await launch({ config, dataPath: first.dataPath });
  await second.client("one").say({ gateway: room, event: "msg_edit", id: said.id, text: "after" });
  expect(await second.client("two").poll()).toMatchObject([{ event: "msg_edit", id: said.id, text: "after" }]);
  await second.stop();
});
