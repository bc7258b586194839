import { ChannelType, GuildPremiumTier } from "discord-api-types/v10";
import { afterEach, beforeEach, expect, test } from "vitest";
import { WebSocket } from "ws";
import { Inbox } from "../../support/wait.ts";
import { CHANNEL_WEBHOOKS } from "./limits.ts";
import { addBot, addPerson, type Folk, furnish, giveRole, populate } from "./people.ts";
import { FakeDiscord } from "./server.ts";
import type { AppRow, ChannelRow, GuildRow } from "./wire.ts";

/** What neither of the two libraries does. */

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

async function ask(method: string, path: string, body?: object): Promise<Reply> {
  const response = await fetch(`${server.url}/v10${path}`, {
    method,
    headers: { authorization: `Bot ${app.token}`, "content-type": "application/json", connection: "close" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const json = text.startsWith("{") ? (JSON.parse(text) as Record<string, unknown>) : {};
  return { status: response.status, json, headers: response.headers };
}

interface Payload {
  readonly t: string | null;
  readonly d: Record<string, unknown>;
}

/** A session that has begun; the next event of a name. */
async function enter(intents: number): Promise<(event: string) => Promise<Record<string, unknown>>> {
  const socket = new WebSocket(`${server.world.site.replace("http", "ws")}/gateway?v=10&encoding=json`);
  const inbox = new Inbox<Payload>();
  const closed = new Promise<string>((resolve) => socket.on("close", (code) => resolve(String(code))));
  socket.on("error", () => undefined);
  socket.on("message", (data: Buffer) => inbox.push(JSON.parse(data.toString("utf8")) as Payload));
  socket.on("open", () => socket.send(JSON.stringify({ op: 2, d: { token: app.token, intents, properties: {} } })));
  return async (event) => {
    for (;;) {
      const payload = await inbox.next(() => event, closed);
      if (payload.t === event) return payload.d;
    }
  };
}

test("slow mode holds for people, and for bots when a test wants that", async () => {
  alice.setSlow(dock, 10);
  const path = `/channels/${dock.id}/messages`;
  alice.say(dock, "one");
  expect(() => alice.say(dock, "two")).toThrow("slowmode");
  await ask("POST", path, { content: "a" });
  expect((await ask("POST", path, { content: "b" })).status).toBe(200);
  server.world.slowsBots = true;
  const refused = await ask("POST", path, { content: "c" });
  expect([refused.status, refused.json["code"], refused.headers.get("retry-after")]).toEqual([429, 20016, "10"]);
  expect(refused.json["retry_after"]).toBeGreaterThan(5);
  server.world.clock.pass(10_000);
  alice.say(dock, "two");
  expect((await ask("POST", path, { content: "c" })).status).toBe(200);
});

test("threads are told to whoever comes to see their channel; those that are active can be asked for", async () => {
  const next = await enter(513);
  await next("GUILD_CREATE");
  const talk = alice.startThread(alice.say(dock, "topic"), "talk");
  server.world.overwrite(dock, app.user.id, [], ["ViewChannel"]);
  const active = `/guilds/${guild.id}/threads/active`;
  expect((await ask("GET", active)).json["threads"]).toEqual([]);
  server.world.overwrite(dock, app.user.id, ["ViewChannel"], []);
  expect(await next("THREAD_LIST_SYNC")).toMatchObject({ channel_ids: [dock.id], threads: [{ id: talk.id }] });
  expect((await ask("GET", active)).json["threads"]).toMatchObject([{ id: talk.id, parent_id: dock.id }]);
});

test("a poll that is over, a member who may only read, somebody who has blocked us, how large files may be", async () => {
  const next = await enter(513 | 32_768);
  await next("GUILD_CREATE");
  const poll = alice.sendPoll(dock, "Sail?", ["yes", "no"]);
  alice.endPoll(poll, [1, 2]);
  expect((await next("MESSAGE_CREATE"))["type"]).toBe(0);
  expect(await next("MESSAGE_CREATE")).toMatchObject({
    type: 46,
    message_reference: { message_id: poll.id },
    embeds: [
      { type: "poll_result", fields: [{ value: "Sail?" }, { value: "2" }, { value: "3" }, {}, { value: "no" }] },
    ],
  });
  const path = `/channels/${dock.id}/messages`;
  alice.timeOut(app.user, 60_000);
  expect((await ask("POST", path, { content: "a" })).json["code"]).toBe(50013);
  expect((await ask("GET", `${path}/${poll.id}`)).status).toBe(200);
  server.world.clock.pass(61_000);
  alice.block(app.user.id);
  expect((await ask("PUT", `${path}/${poll.id}/reactions/%F0%9F%91%8D/@me`)).json["code"]).toBe(90_001);
  const large = { name: "a.bin", content: new Uint8Array(11 * 1024 * 1024) };
  expect(() => alice.sendFile(dock, large)).toThrow("too large");
  server.world.boost(guild, GuildPremiumTier.Tier2);
  expect((await next("GUILD_UPDATE"))["premium_tier"]).toBe(2);
  expect(alice.sendFile(dock, large).wire.attachments).toHaveLength(1);
});

test("all webhooks of a channel have a limit in common; of webhooks a channel has 15; refusals lead to a ban", async () => {
  giveRole(server, guild, app.user, ["ManageWebhooks"]);
  server.limits.set(CHANNEL_WEBHOOKS, 2, 60_000);
  const hooks = await Promise.all(
    ["a", "b"].map(async (name) => (await ask("POST", `/channels/${dock.id}/webhooks`, { name })).json),
  );
  const run = async (at: number): Promise<Reply> =>
    await ask("POST", `/webhooks/${String(hooks[at]?.["id"])}/${String(hooks[at]?.["token"])}`, { content: "x" });
  expect([(await run(0)).status, (await run(1)).status]).toEqual([204, 204]);
  const refused = await run(0);
  expect([refused.status, refused.headers.get("x-ratelimit-scope")]).toEqual([429, "shared"]);
  expect(server.limits.invalid).toBe(0);
  server.limits.off = true;
  for (let number = 2; number < 15; number += 1) await ask("POST", `/channels/${dock.id}/webhooks`, { name: "n" });
  expect((await ask("POST", `/channels/${dock.id}/webhooks`, { name: "n" })).json["code"]).toBe(30_007);
  server.limits.off = false;
  server.limits.invalidMost = 3;
  server.world.overwrite(dock, app.user.id, [], ["SendMessages"]);
  const path = `/channels/${dock.id}/messages`;
  for (let number = 0; number < 3; number += 1) expect((await ask("POST", path, { content: "n" })).status).toBe(403);
  expect((await ask("GET", "/users/@me")).status).toBe(429);
});

test("a guild of many tells of few members; outages, connections that are dead or talk nonsense", async () => {
  populate(server, guild, 20_000, 500);
  server.world.addChannel(guild, "last", ChannelType.GuildAnnouncement);
  const next = await enter(513);
  const crew = await next("GUILD_CREATE");
  expect([crew["large"], crew["member_count"], (crew["members"] as []).length]).toEqual([true, 20_003, 1]);
  expect((crew["channels"] as []).length).toBe(505);
  server.world.hub.tellOutage(guild);
  expect(await next("GUILD_DELETE")).toEqual({ id: guild.id, unavailable: true });
  server.sockets.babble(JSON.stringify({ op: 0, t: "NONSENSE", s: null, d: { a: 1 } }));
  expect(await next("NONSENSE")).toEqual({ a: 1 });
  server.sockets.mute();
  alice.say(dock, "into the void");
  server.cutUnseen();
  expect(server.sockets.count).toBe(1);
  server.faults.fail({}, 503, Infinity);
  expect((await ask("GET", "/users/@me")).status).toBe(503);
  const refused = new WebSocket(`${server.world.site.replace("http", "ws")}/gateway?v=10`);
  const why = await new Promise((resolve) => refused.on("error", ({ message }) => resolve(message)));
  expect(why).toBe("Unexpected server response: 503");
  server.faults.clear();
  server.sockets.see();
  expect((await ask("GET", "/users/@me")).status).toBe(200);
});
