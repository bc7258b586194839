import { createInflate, constants } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "vitest";
import { WebSocket } from "ws";
import { Inbox, within } from "../../support/wait.ts";
import { addBot, addPerson, type Folk, furnish, giveRole } from "./people.ts";
import { EVERYBODY } from "./permissions.ts";
import { FakeDiscord } from "./server.ts";
import type { AppRow, ChannelRow, GuildRow } from "./wire.ts";

let server: FakeDiscord;
let guild: GuildRow;
let dock: ChannelRow;
let app: AppRow;
let alice: Folk;

beforeEach(async () => {
  server = await FakeDiscord.start();
  guild = server.world.addGuild("Crew", server.world.addUser("owner"));
  ({ dock } = furnish(server, guild));
  app = server.world.addApp("rialto");
  addBot(server, guild, app);
  alice = addPerson(server, guild, "alice");
});

afterEach(async () => await server.stop());

interface Reply {
  readonly status: number;
  readonly json: Record<string, unknown>;
  readonly headers: Headers;
}

async function ask(method: string, path: string, body?: unknown, token = app.token): Promise<Reply> {
  const response = await fetch(`${server.url}/v10${path}`, {
    method,
    headers: { authorization: `Bot ${token}`, "content-type": "application/json", connection: "close" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const json = text.startsWith("{") ? (JSON.parse(text) as Record<string, unknown>) : {};
  return { status: response.status, json, headers: response.headers };
}

interface Payload {
  readonly op: number;
  readonly t: string | null;
  readonly s: number | null;
  readonly d: Record<string, unknown>;
}

interface Ear {
  readonly socket: WebSocket;
  readonly closed: Promise<string>;
  /** The next payload with this op, or this event. */
  readonly until: (what: number | string) => Promise<Payload>;
}

function listen(query = "v=10&encoding=json", path = "/gateway"): Ear {
  const socket = new WebSocket(`${server.world.site.replace("http", "ws")}${path}?${query}`);
  const inbox = new Inbox<Payload>();
  const closed = new Promise<string>((resolve) => {
    socket.on("close", (code) => resolve(String(code)));
    socket.on("error", (error) => resolve(error.message));
  });
  const inflate = createInflate({ finishFlush: constants.Z_SYNC_FLUSH });
  let text = "";
  inflate.on("data", (part: Buffer) => {
    text += part.toString("utf8");
    const whole = text;
    try {
      inbox.push(JSON.parse(whole) as Payload);
      text = "";
    } catch {
      // The rest is still to come.
    }
  });
  socket.on("message", (data: Buffer, binary) => {
    if (binary) inflate.write(data);
    else inbox.push(JSON.parse(data.toString("utf8")) as Payload);
  });
  const until = async (what: number | string): Promise<Payload> => {
    for (;;) {
      const payload = await inbox.next(() => String(what), closed);
      if (payload.op === what || payload.t === what) return payload;
    }
  };
  return { socket, closed, until };
}

const say = (ear: Ear, op: number, d: unknown): void => ear.socket.send(JSON.stringify({ op, d }));

async function enter(intents: number, query?: string): Promise<{ ear: Ear; session: string; ready: Payload }> {
  const ear = listen(query);
  await ear.until(10);
  say(ear, 2, { token: app.token, intents, properties: {} });
  const ready = await ear.until("READY");
  return { ear, session: String(ready.d["session_id"]), ready };
}

test("connections are closed with the network's codes", async () => {
  const code = async (op: number | string, d?: unknown): Promise<string> => {
    const ear = listen();
    await ear.until(10);
    if (typeof op === "string") ear.socket.send(op);
    else say(ear, op, d);
    return await within(ear.closed, () => "the end");
  };
  const properties = {};
  const token = app.token;
  expect(await code("no json")).toBe("4002");
  expect(await code(8, {})).toBe("4003");
  expect(await code(2, { token: "wrong", intents: 1, properties })).toBe("4004");
  expect(await code(2, { token, intents: 2 ** 30, properties })).toBe("4013");
  expect(await code(2, { token, intents: 1, properties, shard: [3, 2] })).toBe("4010");
  app.portal.presence = false;
  expect(await code(2, { token, intents: 256, properties })).toBe("4014");
  expect(await within(listen("v=3").closed, () => "the end")).toBe("4012");
  const { ear } = await enter(1);
  say(ear, 2, { token, intents: 1, properties });
  expect(await ear.closed).toBe("4005");
  const other = await enter(1);
  say(other.ear, 99, {});
  expect(await other.ear.closed).toBe("4001");
});

test("a session goes on in another process, where it was; compressed too", async () => {
  const { ear, session, ready } = await enter(513, "v=10&compress=zlib-stream");
  expect(ready.d["resume_gateway_url"]).toMatch(/\/gateway\/resume$/);
  const { s: seq } = await ear.until("GUILD_CREATE");
  alice.say(dock, "seen");
  await ear.until("MESSAGE_CREATE");
  ear.socket.terminate();
  await ear.closed;
  alice.say(dock, "missed");
  const back = listen("v=10&compress=zlib-stream", "/gateway/resume");
  await back.until(10);
  say(back, 6, { token: app.token, session_id: session, seq });
  const first = await back.until("MESSAGE_CREATE");
  expect((await back.until("MESSAGE_CREATE")).s).toBe((first.s ?? 0) + 1);
  await back.until("RESUMED");
  server.sockets.askHeartbeat();
  await back.until(1);
  back.socket.close(1000);
  await back.closed;
  const late = listen();
  await late.until(10);
  say(late, 6, { token: app.token, session_id: session, seq });
  expect((await late.until(9)).d).toBe(false);
  const ahead = await enter(1);
  ahead.ear.socket.terminate();
  const wrong = listen();
  await wrong.until(10);
  say(wrong, 6, { token: app.token, session_id: ahead.session, seq: 999 });
  expect(await wrong.closed).toBe("4007");
});

test("an answer that is lost: what was asked for is done, and a repeated nonce does not do it again", async () => {
  const post = { content: "once", nonce: "n1", enforce_nonce: true };
  server.faults.loseAnswer({ method: "POST" });
  await expect(ask("POST", `/channels/${dock.id}/messages`, post)).rejects.toThrow("fetch failed");
  const again = await ask("POST", `/channels/${dock.id}/messages`, post);
  expect([again.status, again.json["nonce"], server.world.history.get(dock.id)?.length]).toEqual([200, "n1", 1]);
  server.world.clock.pass(120_000);
  expect((await ask("POST", `/channels/${dock.id}/messages`, post)).json["id"]).not.toBe(again.json["id"]);
  server.faults.break({ method: "POST" });
  await expect(ask("POST", `/channels/${dock.id}/messages`, post)).rejects.toThrow("fetch failed");
  const release = server.faults.hold({ method: "GET" });
  const held = ask("GET", `/channels/${dock.id}`);
  release();
  expect((await held).status).toBe(200);
  expect(server.world.history.get(dock.id)?.length).toBe(2);
});

test("limits: headers, refusals, those of everything, a ban, and none at all", async () => {
  const path = `/channels/${dock.id}/messages`;
  const first = await ask("POST", path, { content: "1" });
  expect([first.headers.get("x-ratelimit-limit"), first.headers.get("x-ratelimit-remaining")]).toEqual(["5", "4"]);
  for (let number = 2; number <= 5; number += 1) await ask("POST", path, { content: String(number) });
  const refused = await ask("POST", path, { content: "6" });
  expect([refused.status, refused.json["global"], refused.headers.get("x-ratelimit-scope")]).toEqual([
    429,
    false,
    "user",
  ]);
  expect(refused.json["retry_after"]).toBeGreaterThan(0);
  server.world.clock.pass(5000);
  expect((await ask("POST", path, { content: "6" })).status).toBe(200);
  server.limits.invalid = 10_000;
  expect((await ask("GET", "/users/@me")).status).toBe(429);
  server.unbridle();
  expect((await ask("GET", "/users/@me")).status).toBe(200);
  expect((await ask("GET", "/users/@me")).headers.has("x-ratelimit-limit")).toBe(false);
});

test("refusals of bodies say which field, and of addresses that there is none", async () => {
  const path = `/channels/${dock.id}/messages`;
  expect((await ask("POST", path, { content: "x".repeat(2001) })).json).toEqual({
    code: 50035,
    message: "Invalid Form Body",
    errors: { content: { _errors: [{ code: "BASE_TYPE_MAX_LENGTH", message: "Must be 2000 or fewer in length." }] } },
  });
  const bodies: [object, number][] = [
    [{ content: "" }, 50006],
    [{ embeds: [{ title: "t".repeat(257) }] }, 50035],
    [{ content: "n", nonce: "n".repeat(26) }, 50035],
    [{ content: "a", allowed_mentions: { parse: ["users"], users: ["1"] } }, 50035],
    [{ content: "r", message_reference: { message_id: "123456789012345678" } }, 50035],
    [{ content: "f", attachments: [{ id: 0 }] }, 50035],
  ];
  server.limits.off = true;
  for (const [body, code] of bodies) expect((await ask("POST", path, body)).json["code"]).toBe(code);
  expect(await ask("GET", "/users/@me", undefined, "wrong")).toMatchObject({ status: 401, json: { code: 0 } });
  expect((await ask("GET", "/nothing")).status).toBe(404);
  expect((await ask("PUT", path)).status).toBe(405);
  expect((await ask("GET", "/channels/abc")).json["code"]).toBe(50035);
  app.portal.members = false;
  expect((await ask("GET", `/guilds/${guild.id}/members`)).json["code"]).toBe(50001);
});

test("a session whose connection is half open is taken over; what moderators do is told", async () => {
  const { ear, session } = await enter(1537 | 32_768);
  server.wire.stall();
  const row = alice.say(dock, "into the void");
  server.wire.flow();
  const back = listen("v=10", "/gateway/resume");
  await back.until(10);
  say(back, 6, { token: app.token, session_id: session, seq: 1 });
  expect((await back.until("MESSAGE_CREATE")).d["content"]).toBe("into the void");
  expect(await ear.closed).toBe("4000");
  giveRole(server, guild, alice.user, ["ManageMessages"]);
  alice.pin(row);
  await back.until("CHANNEL_PINS_UPDATE");
  expect((await back.until("MESSAGE_CREATE")).d["type"]).toBe(6);
  alice.react(row, "🎉");
  alice.clearReactions(row);
  await back.until("MESSAGE_REACTION_REMOVE_ALL");
  alice.eraseMany(dock, [row, alice.say(dock, "and this")]);
  expect((await back.until("MESSAGE_DELETE_BULK")).d["ids"]).toHaveLength(2);
  guild.systemChannel = dock.id;
  addPerson(server, guild, "bob");
  expect((await back.until("MESSAGE_CREATE")).d["type"]).toBe(7);
});

test("rights of a role, a file that was forwarded, a token that is good no more", async () => {
  const { ear } = await enter(513);
  const everybody = guild.roles.get(guild.id)!;
  server.world.changeRole(guild, everybody, ["ViewChannel", "SendMessages"]);
  await ear.until("GUILD_ROLE_UPDATE");
  const file = { name: "a.txt", mime: "text/plain", content: Buffer.from("ship") };
  server.world.changeRole(guild, everybody, EVERYBODY);
  const sent = alice.sendFile(dock, file);
  const other = server.world.addChannel(guild, "sail");
  const copy = alice.forward(sent, other);
  const { json } = await ask("GET", `/channels/${other.id}/messages/${copy.id}`);
  const [snapshot] = json["message_snapshots"] as { message: { attachments: { url: string }[] } }[];
  const there = await fetch(snapshot?.message.attachments[0]?.url ?? "");
  expect([await there.text(), there.headers.get("content-type")]).toEqual(["ship", "text/plain"]);
  server.world.changeRole(guild, everybody, ["ViewChannel"]);
  expect((await ask("POST", `/channels/${dock.id}/messages`, { content: "no" })).json["code"]).toBe(50013);
  expect((await ask("GET", `/channels/${other.id}/messages`)).status).toBe(200);
  server.world.hub.revoke(app);
  expect(await ear.closed).toBe("4004");
  expect((await ask("GET", "/users/@me")).status).toBe(401);
});

test("whom a message pings is what is allowed", async () => {
  const content = `<@${alice.id}> @everyone`;
  const post = async (allowed?: object): Promise<unknown[]> => {
    const body = { content, ...(allowed !== undefined && { allowed_mentions: allowed }) };
    const { json } = await ask("POST", `/channels/${dock.id}/messages`, body);
    return [(json["mentions"] as object[]).length, json["mention_everyone"]];
  };
  expect(await post()).toEqual([1, true]);
  expect(await post({ parse: [] })).toEqual([0, false]);
  expect(await post({ parse: [], users: [alice.id] })).toEqual([1, false]);
});

test("threads: private ones are seen by members, archived ones open by writing unless locked", async () => {
  const hidden = alice.startPrivateThread(dock, "hidden");
  expect((await ask("GET", `/channels/${hidden.id}`)).json["code"]).toBe(50001);
  server.threads.enter(hidden, app.user.id);
  expect((await ask("GET", `/channels/${hidden.id}`)).status).toBe(200);
  const talk = alice.startThread(alice.say(dock, "topic"), "talk");
  alice.archive(talk);
  expect((await ask("POST", `/channels/${talk.id}/messages`, { content: "open" })).status).toBe(200);
  expect(talk.thread?.meta.archived).toBe(false);
  alice.archive(talk, true);
  expect((await ask("POST", `/channels/${talk.id}/messages`, { content: "no" })).json["code"]).toBe(50083);
});
