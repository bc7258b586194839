import { afterEach, beforeEach, expect, test } from "vitest";
import { WebSocket } from "ws";
import { eventually, Inbox } from "../../support/wait.ts";
import { addPerson, type Folk, install } from "./people.ts";
import { FakeSlack } from "./server.ts";
import type { AppRow, ChannelRow, TeamRow } from "./wire.ts";

let server: FakeSlack;
let team: TeamRow;
let dock: ChannelRow;
let app: AppRow;
let alice: Folk;

beforeEach(async () => {
  server = await FakeSlack.start();
  team = server.world.addTeam("Crew");
  alice = addPerson(server, team, "alice");
  dock = server.world.addChannel(team.id, "dock", alice.id);
  app = install(server, team, "rialto", [dock]);
});

afterEach(async () => await server.stop());

type Json = Record<string, unknown>;

async function ask(method: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
  return await fetch(`${server.url}${method}`, {
    method: "POST",
    headers: { authorization: `Bearer ${app.token}`, "content-type": "application/json; charset=utf-8", ...headers },
    body: JSON.stringify(body),
  });
}

const json = async (method: string, body: object, headers: Record<string, string> = {}): Promise<Json> =>
  (await (await ask(method, body, headers)).json()) as Json;

async function form(method: string, fields: Record<string, string>): Promise<Json> {
  const headers = { authorization: `Bearer ${app.token}` };
  const response = await fetch(`${server.url}${method}`, {
    method: "POST",
    headers,
    body: new URLSearchParams(fields),
  });
  return (await response.json()) as Json;
}

interface Ear {
  readonly socket: WebSocket;
  readonly next: () => Promise<Json>;
  readonly closed: Promise<string>;
}

async function open(): Promise<string> {
  const { url } = await json("apps.connections.open", {}, { authorization: `Bearer ${app.appToken}` });
  return String(url);
}

function listen(url: string): Ear {
  const socket = new WebSocket(url);
  const inbox = new Inbox<Json>();
  const closed = new Promise<string>((resolve) => {
    socket.on("close", (code) => resolve(String(code)));
    socket.on("error", (error) => resolve(error.message));
  });
  socket.on("message", (data: Buffer) => inbox.push(JSON.parse(data.toString("utf8")) as Json));
  return { socket, closed, next: async () => await inbox.next(() => "a message", closed) };
}

const eventIn = (heard: Json): Json => (heard["payload"] as { event: Json }).event;

test("methods that write take JSON, those that read do not", async () => {
  expect(await json("chat.postMessage", { channel: dock.id, text: "one" })).toMatchObject({
    ok: true,
    channel: dock.id,
  });
  expect(await json("conversations.history", { channel: dock.id })).toMatchObject({
    ok: false,
    error: "channel_not_found",
  });
  expect(await form("conversations.history", { channel: dock.id })).toMatchObject({ ok: true, has_more: false });
  const plain = await json(
    "chat.postMessage",
    { channel: dock.id, text: "two" },
    { "content-type": "application/json" },
  );
  expect(plain).toMatchObject({
    ok: true,
    warning: "missing_charset",
    response_metadata: { warnings: ["missing_charset"] },
  });
  expect(
    await json("chat.postMessage", { token: app.token, channel: dock.id, text: "x" }, { authorization: "" }),
  ).toEqual({
    ok: false,
    error: "not_authed",
  });
  expect(await form("chat.postMessage", { channel: dock.id, blocks: "{" })).toMatchObject({
    error: "invalid_blocks_format",
  });
  expect(await json("chat.nothing", {})).toMatchObject({ error: "unknown_method", req_method: "chat.nothing" });
  const { headers } = await ask("auth.test", {});
  expect([headers.get("x-oauth-scopes"), headers.get("x-accepted-oauth-scopes")]).toEqual([
    [...app.scopes].join(","),
    "",
  ]);
});

test("one message a second in each channel, after a burst; whoever does not wait is seen", async () => {
  const attic = server.world.addChannel(team.id, "attic", alice.id);
  attic.members.add(app.user.id);
  server.limits.set("chat.postMessage", 2, 60_000);
  const post = async (channel: ChannelRow): Promise<Response> =>
    await ask("chat.postMessage", { channel: channel.id, text: "x" });
  expect([(await post(dock)).status, (await post(dock)).status]).toEqual([200, 200]);
  const refused = await post(dock);
  expect([refused.status, await refused.json()]).toEqual([429, { ok: false, error: "ratelimited" }]);
  const wait = Number(refused.headers.get("retry-after"));
  expect(wait).toBeGreaterThan(50);
  expect((await post(attic)).status).toBe(200);
  expect(server.limits.impatient).toBe(0);
  expect((await post(dock)).status).toBe(429);
  expect(server.limits.impatient).toBe(1);
  server.world.clock.pass(wait * 1000);
  expect((await post(dock)).status).toBe(200);
  expect(dock.messages.size).toBe(3);
  server.unbridle();
  expect((await post(dock)).status).toBe(200);
});

test("a ticket is good once, and for a while", async () => {
  const url = await open();
  const ear = listen(url);
  expect(await ear.next()).toMatchObject({ type: "hello", num_connections: 1, connection_info: { app_id: app.id } });
  expect(await listen(url).closed).toMatch(/404/);
  const late = await open();
  server.world.clock.pass(60_000);
  expect(await listen(late).closed).toMatch(/404/);
  app.socketMode = false;
  expect(await json("apps.connections.open", {}, { authorization: `Bearer ${app.appToken}` })).toMatchObject({
    ok: false,
  });
});

test("ten connections at most, and how they come to an end", async () => {
  const ears: Ear[] = [];
  for (let count = 0; count < 10; count += 1) {
    const ear = listen(await open());
    await ear.next();
    ears.push(ear);
  }
  const one = listen(await open());
  expect(await one.next()).toMatchObject({ type: "disconnect", reason: "too_many_websockets" });
  expect(await one.closed).toBe("1000");
  server.sockets.graceMs = 1;
  server.sockets.disconnect("warning");
  for (const ear of ears) {
    expect(await ear.next()).toMatchObject({ type: "disconnect", reason: "warning" });
    await ear.closed;
  }
  await eventually(
    async () => await Promise.resolve(server.sockets.count(app)),
    (count) => count === 0,
    () => "the end of all connections",
  );
});

test("what was not acknowledged on a connection that ended comes on the next; without one it is lost", async () => {
  server.hub.retryMs = [300_000, 300_000];
  server.hub.ackMs = 60_000;
  alice.say(dock, "nobody is there");
  expect(server.hub.givenUp).toHaveLength(1);
  const first = listen(await open());
  await first.next();
  alice.say(dock, "one");
  const sent = await first.next();
  expect(sent).toMatchObject({
    type: "events_api",
    retry_attempt: 0,
    retry_reason: "",
    accepts_response_payload: false,
  });
  server.hub.retryMs = [0];
  const second = listen(await open());
  await second.next();
  first.socket.terminate();
  const again = await second.next();
  expect(again).toMatchObject({ envelope_id: sent["envelope_id"], payload: sent["payload"], retry_attempt: 1 });
  second.socket.send(JSON.stringify({ envelope_id: again["envelope_id"] }));
  await eventually(
    async () => await Promise.resolve(server.hub.waiting),
    (left) => left === 0,
    () => "the acknowledgement",
  );
  second.socket.send("nonsense");
  await eventually(
    async () => await Promise.resolve(server.sockets.strange),
    (all) => all.length === 1,
    () => "the nonsense",
  );
});

test("an app hears of what it may: its channels, its scopes, its subscriptions", async () => {
  const attic = server.world.addChannel(team.id, "attic", alice.id);
  const cabin = server.world.addChannel(team.id, "cabin", alice.id, true);
  cabin.members.add(app.user.id);
  const ear = listen(await open());
  await ear.next();
  alice.say(attic, "not in it");
  app.scopes.delete("reactions:read");
  alice.react(alice.say(cabin, "in it"), "tada");
  expect(eventIn(await ear.next())).toMatchObject({ text: "in it", channel_type: "group" });
  app.events.delete("message.channels");
  alice.say(dock, "not subscribed");
  alice.say(cabin, "again");
  expect(eventIn(await ear.next())).toMatchObject({ text: "again" });
  await json("chat.postMessage", { channel: cabin.id, text: "own" });
  expect(eventIn(await ear.next())).toMatchObject({
    text: "own",
    bot_id: app.botId,
    app_id: app.id,
    user: app.user.id,
  });
  server.hub.dropped.add("message");
  alice.say(cabin, "dropped");
  server.hub.dropped.clear();
  alice.say(cabin, "end");
  expect(eventIn(await ear.next())).toMatchObject({ text: "end" });
});

test("incoming webhooks answer with a word", async () => {
  const hook = server.world.addHook(app, dock);
  const post = async (body: string, type = "application/json", path = hook.path): Promise<[number, string]> => {
    const headers = { "content-type": type };
    const response = await fetch(`${server.world.site}${path}`, { method: "POST", headers, body });
    return [response.status, await response.text()];
  };
  expect(await post(JSON.stringify({ text: "ahoy", username: "Harbour" }))).toEqual([200, "ok"]);
  const payload = new URLSearchParams({ payload: JSON.stringify({ text: "again" }) });
  expect(await post(String(payload), "application/x-www-form-urlencoded")).toEqual([200, "ok"]);
  const said = [...dock.messages.values()].map(({ wire }) => [wire.subtype, wire.text, wire.username]);
  expect(said).toEqual([
    ["bot_message", "ahoy", undefined],
    ["bot_message", "again", undefined],
  ]);
  expect(await post("{")).toEqual([400, "invalid_payload"]);
  expect(await post("{}")).toEqual([400, "no_text"]);
  expect(await post("{}", "application/json", "/services/T1/B1/wrong")).toEqual([404, "no_service"]);
  alice.archive(dock);
  expect(await post(JSON.stringify({ text: "x" }))).toEqual([410, "channel_is_archived"]);
});

test("a file is taken as it is or in a form, and only as long as it was said to be", async () => {
  const slot = async (length: number): Promise<{ id: string; url: string }> => {
    const { file_id: id, upload_url: url } = await form("files.getUploadURLExternal", {
      filename: "a.txt",
      length: String(length),
    });
    return { id: String(id), url: String(url) };
  };
  const complete = async (id: string, more: object = {}): Promise<Json> =>
    await json("files.completeUploadExternal", { files: [{ id, title: "A" }], channel_id: dock.id, ...more });
  const raw = await slot(4);
  expect((await fetch(raw.url, { method: "POST", body: "three" })).status).toBe(400);
  expect(await complete(raw.id)).toMatchObject({ error: "file_not_found" });
  expect(await (await fetch(raw.url, { method: "POST", body: "ship" })).text()).toBe("OK - 4");
  expect(await complete(raw.id, { thread_ts: "1.000001" })).toMatchObject({ error: "invalid_thread_ts" });
  expect(await complete(raw.id)).toMatchObject({ ok: true, files: [{ id: raw.id, title: "A" }] });
  const inForm = await slot(4);
  const body = new FormData();
  body.append("filename", new Blob(["boat"]), "a.txt");
  expect((await fetch(inForm.url, { method: "POST", body })).status).toBe(200);
  await complete(inForm.id);
  expect(Buffer.from(server.world.files.get(inForm.id)!.content).toString()).toBe("boat");
  const address = server.world.files.get(inForm.id)!.wire.url_private ?? "";
  const get = async (token: string): Promise<Response> =>
    await fetch(address, { headers: { authorization: `Bearer ${token}` }, redirect: "manual" });
  expect([(await get("wrong")).status, (await get(app.token)).status]).toEqual([302, 200]);
  app.scopes.delete("files:read");
  expect((await get(app.token)).status).toBe(302);
});

test("it goes and comes back: what is stored stays, connections are lost", async () => {
  const ear = listen(await open());
  await ear.next();
  alice.say(dock, "before");
  await server.restart(async () => {
    await expect(ask("auth.test", {})).rejects.toThrow("fetch failed");
  });
  await ear.closed;
  expect((await form("conversations.history", { channel: dock.id }))["messages"]).toMatchObject([{ text: "before" }]);
  const go = server.faults.hold({ path: "/auth.test" });
  const answer = json("auth.test", {});
  await eventually(
    async () => await Promise.resolve(server.requests.at(-1)),
    (one) => one === "POST /auth.test",
    () => "the request",
  );
  go();
  expect(await answer).toMatchObject({ ok: true });
  server.limit({ path: "/auth.test" }, 7);
  expect((await ask("auth.test", {})).headers.get("retry-after")).toBe("7");
});
