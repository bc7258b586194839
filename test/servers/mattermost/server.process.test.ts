import { afterEach, beforeEach, expect, test } from "vitest";
import { WebSocket } from "ws";
import { Inbox } from "../../support/wait.ts";
import { addBot, addPerson, type Folk } from "./people.ts";
import { FakeMattermost } from "./server.ts";
import type { ServerChannel, WirePost, WirePostList } from "./wire.ts";

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
    headers: { authorization: `Bearer ${token}` },
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
