import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { WebSocket } from "ws";
import { eventually, Inbox } from "../../support/wait.ts";
import { addBot, addPerson, type Folk } from "./people.ts";
import { FakeMattermost } from "./server.ts";
import { newId, type ServerChannel, type WirePost, type WirePostList } from "./wire.ts";

let server: FakeMattermost;
let channel: ServerChannel;
let bot: Folk;
let alice: Folk;
let token: string;

beforeEach(async () => {
  server = await FakeMattermost.start({ subpath: "/chat" });
  const team = server.world.addTeam("crew");
  channel = server.world.addChannel(team.id, "dock");
  bot = addBot(server, team, "rialto");
  alice = addPerson(server, team, "alice");
  alice.enter(channel);
  bot.enter(channel);
  token = bot.token();
});

afterEach(async () => await server.stop());

async function ask(method: string, path: string, body?: unknown): Promise<{ status: number; json: unknown }> {
  const response = await fetch(`${server.url}/api/v4${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, connection: "close" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, json: await response.json() };
}

interface Heard {
  readonly event?: string;
  readonly seq?: number;
  readonly data: Record<string, string>;
}

interface Ear {
  readonly next: () => Promise<Heard>;
  readonly socket: WebSocket;
  readonly closed: Promise<string>;
}

function listen(query = ""): Ear {
  const socket = new WebSocket(`${server.url.replace("http", "ws")}/api/v4/websocket${query}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const inbox = new Inbox<Heard>();
  const closed = new Promise<string>((resolve) => {
    socket.on("close", (code) => resolve(String(code)));
    socket.on("error", (error) => resolve(error.message));
  });
  socket.on("message", (data: Buffer) => inbox.push(JSON.parse(data.toString("utf8")) as Heard));
  const next = async (): Promise<Heard> => await inbox.next(() => "an event", closed);
  return { next, socket, closed };
}

/** The next event of that name. */
async function until(ear: Ear, event: string): Promise<Heard> {
  for (;;) {
    const heard = await ear.next();
    if (heard.event === event) return heard;
  }
}

/** Who hears nothing more of it has heard all that came before this. */
const names = async (ear: Ear, last: string): Promise<string[]> => {
  const heard: string[] = [];
  for (;;) {
    const { event = "" } = await ear.next();
    if (event === last) return heard;
    if (event.startsWith("post")) heard.push(event);
  }
};

const idOf = (heard: Heard): string => (JSON.parse(heard.data["post"] ?? "") as WirePost).id;

test("a repeated key is answered with the first post, for thirty seconds", async () => {
  const post = { channel_id: channel.id, message: "hi", pending_post_id: "k1" };
  const first = await ask("POST", "/posts", post);
  const again = await ask("POST", "/posts", post);
  expect([first.status, again.status]).toEqual([201, 201]);
  expect((again.json as WirePost).id).toBe((first.json as WirePost).id);
  server.world.clock.pass(30_001);
  const late = await ask("POST", "/posts", post);
  expect((late.json as WirePost).id).not.toBe((first.json as WirePost).id);
});

test("an edit leaves the old text behind as a deleted row, and a reply changes the time of its root", async () => {
  const before = server.world.now() - 1;
  const post = await alice.say(channel, "one");
  alice.edit(post.id, "two");
  const since = (await ask("GET", `/channels/${channel.id}/posts?since=${before}`)).json as WirePostList;
  const rows = Object.values(since.posts).filter(({ type }) => type === "");
  expect(rows.map(({ message, original_id }) => [message, original_id])).toEqual(
    expect.arrayContaining([
      ["two", ""],
      ["", post.id],
    ]),
  );
  server.world.clock.pass(10);
  const change = server.world.now();
  server.world.clock.pass(10);
  const answer = await alice.reply(post, "three");
  const later = (await ask("GET", `/channels/${channel.id}/posts?since=${change}`)).json as WirePostList;
  expect(later.order).toEqual([answer.id, post.id]);
  expect(await ask("POST", "/posts", { channel_id: channel.id, message: "no", root_id: answer.id })).toMatchObject({
    status: 400,
    json: { id: "api.post.create_post.root_id.app_error", status_code: 400 },
  });
});

test("a stream is resumed where it broke, and not when the server still believes in the old connection", async () => {
  const ear = listen();
  const hello = await until(ear, "hello");
  await alice.say(channel, "one");
  const one = await until(ear, "posted");
  server.wire.cut();
  await ear.closed;
  for (let count = 0; count < 130; count += 1) await alice.say(channel, `missed ${count}`);
  const old = `?connection_id=${hello.data["connection_id"]}&sequence_number=${(one.seq ?? 0) + 1}`;
  const back = listen(old);
  const missed = await until(back, "posted");
  expect(missed.seq).toBe((one.seq ?? 0) + 1);
  for (let count = 1; count < 130; count += 1) await until(back, "posted");
  server.cutUnseen();
  await back.closed;
  const another = await until(listen(old), "hello");
  expect(another.data["connection_id"]).not.toBe(hello.data["connection_id"]);
});

test("an answer is lost after the change was made", async () => {
  const ear = listen();
  await until(ear, "hello");
  server.faults.loseAnswer({ method: "POST", path: "/posts" });
  const post = { channel_id: channel.id, message: "hi", pending_post_id: "k1" };
  await expect(ask("POST", "/posts", post)).rejects.toThrow("fetch failed");
  const posted = await until(ear, "posted");
  const again = await ask("POST", "/posts", post);
  expect((again.json as WirePost).id).toBe(idOf(posted));
});

test("who repeats a key while the first post is still being made is refused, and a restart forgets keys", async () => {
  const post = { channel_id: channel.id, message: "hi", pending_post_id: "k1" };
  const { promise, resolve } = Promise.withResolvers<void>();
  server.posts.slow = promise;
  const first = ask("POST", "/posts", post);
  await eventually(
    async () => await Promise.resolve(server.requests.length),
    (count) => count === 1,
    () => "the first request",
  );
  const second = await ask("POST", "/posts", post);
  expect(second).toMatchObject({ status: 500, json: { id: "api.post.deduplicate_create_post.pending" } });
  resolve();
  const { id } = (await first).json as WirePost;
  expect(((await ask("POST", "/posts", post)).json as WirePost).id).toBe(id);
  await server.restart();
  expect(((await ask("POST", "/posts", post)).json as WirePost).id).not.toBe(id);
});

test("the limiter lets a burst pass, says when it ends, and refuses in plain text", async () => {
  server.faults.limiter(1, 2);
  const answers = [];
  for (let count = 0; count < 4; count += 1) {
    const headers = { authorization: `Bearer ${token}` };
    const { status, headers: got } = await fetch(`${server.url}/api/v4/users/me`, { headers });
    answers.push([status, got.get("x-ratelimit-remaining"), got.get("retry-after"), got.get("content-type")]);
  }
  expect(answers).toEqual([
    [200, "2", null, "application/json"],
    [200, "1", null, "application/json"],
    [200, "0", null, "application/json"],
    [429, "0", "1", "text/plain; charset=utf-8"],
  ]);
  server.world.clock.pass(1000);
  expect((await ask("GET", "/users/me")).status).toBe(200);
});

test("an edit, a pin and a reaction: what is told of each, twice where that is wanted", async () => {
  const post = await alice.say(channel, "one");
  const ear = listen();
  await until(ear, "hello");
  server.world.hub.times = 2;
  alice.edit(post.id, "two");
  alice.pin(post.id);
  alice.react(post.id, "tada");
  expect(await names(ear, "reaction_added")).toEqual(["post_edited", "post_edited", "post_edited", "post_edited"]);
  server.world.hub.refuseResume = true;
  server.wire.cut();
  await ear.closed;
  const hello = await until(listen("?connection_id=abcdefghijklmnopqrstuvwxyz&sequence_number=3"), "hello");
  expect(hello.seq).toBe(0);
});

test("refusals: too long, too large, not there, no second factor", async () => {
  const long = (length: number): object => ({ channel_id: channel.id, message: "\u{1f600}".repeat(length) });
  expect((await ask("POST", "/posts", long(16_383))).status).toBe(201);
  expect(await ask("POST", "/posts", long(16_384))).toMatchObject({
    status: 400,
    json: { id: "model.post.is_valid.message_length.app_error" },
  });
  server.world.config.maxFileSize = 3;
  const upload = await fetch(`${server.url}/api/v4/files?channel_id=${channel.id}&filename=a.txt`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
    body: "four",
  });
  expect(upload.status).toBe(413);
  expect(await ask("GET", "/posts/short")).toMatchObject({ status: 400 });
  expect(await ask("GET", "/nothing")).toMatchObject({ status: 404, json: { id: "api.context.404.app_error" } });
  const outside = await fetch(`http://127.0.0.1:${server.wire.port}/api/v4/users/me`);
  expect([outside.status, await outside.text()]).toEqual([404, "404 page not found\n"]);
  server.world.config.mfaRequired = true;
  token = alice.token();
  expect(await ask("GET", "/users/me")).toMatchObject({
    status: 401,
    json: { id: "api.context.mfa_required.app_error" },
  });
});

test("webhooks: one comes in without an id in the answer, one goes out", async () => {
  const id = newId();
  server.world.webhooks.set(id, { id, user: alice.id, channel: channel.id, locked: false });
  const heard = new Inbox<string>();
  const hears = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      heard.push(Buffer.concat(parts).toString("utf8"));
      response.end(JSON.stringify({ text: "heard" }));
    });
  }).listen(0, "127.0.0.1");
  await once(hears, "listening");
  const { port } = hears.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/`;
  server.world.outgoing.push({ token: "t", team: channel.team_id, channel: "", words: ["go"], json: false, url });
  const body = JSON.stringify({ text: "go now", username: "harbour" });
  const answer = await fetch(`${server.url}/hooks/${id}`, { method: "POST", body });
  expect([answer.status, await answer.text()]).toEqual([200, "ok"]);
  const form = new URLSearchParams(await heard.next(() => "the webhook", new Promise(() => undefined)));
  expect([form.get("text"), form.get("trigger_word"), form.get("channel_name")]).toEqual(["go now", "go", "dock"]);
  await server.outgoing.settled();
  hears.close();
  const said = [...server.world.posts.values()].filter(({ type }) => type === "");
  expect(said.map(({ message, props }) => [message, props["override_username"]])).toEqual([
    ["go now", "harbour"],
    ["heard", undefined],
  ]);
});
