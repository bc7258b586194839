import { createRequire } from "node:module";
import { PermissionFlagsBits } from "discord-api-types/v10";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { eventually, Inbox, within } from "../../support/wait.ts";
import { needs, pathOf } from "../installed.ts";
import type { Channel, Client, Guild, Library, Message } from "./discordjs.ts";
import { addBot, addEmoji, addPerson, type Folk, furnish, giveRole } from "./people.ts";
import { FakeDiscord } from "./server.ts";
import type { AppRow, ChannelRow, GuildRow } from "./wire.ts";

/** Guilds, members, webhooks, messages, reactions, typing, content. */
const INTENTS = 1 | 2 | 32 | 512 | 1024 | 2048 | 32_768;
const PARTIALS = [0, 1, 2, 3, 4];

needs(["discord.js"], () => {
  let server: FakeDiscord;
  let guild: GuildRow;
  let dock: ChannelRow;
  let forum: ChannelRow;
  let app: AppRow;
  let alice: Folk;
  let client: Client;

  const make = (intents = INTENTS): Client => {
    const library = createRequire(import.meta.url)(pathOf("discord.js")) as Library;
    return new library.Client({
      intents,
      partials: PARTIALS,
      rest: { api: server.url, version: "10", retries: 0 },
      // It would wait five seconds between two sessions.
      ws: { buildIdentifyThrottler: () => ({ waitForIdentify: async () => await Promise.resolve() }) },
    });
  };

  /** Logs in, and waits until the guild is there. */
  const login = async (): Promise<Guild> => {
    const ready = heard("clientReady");
    await client.login(app.token);
    await ready;
    return client.guilds.cache.first()!;
  };

  const heard = async <T = unknown>(event: string): Promise<T> =>
    await within(new Promise<T>((resolve) => client.once(event, resolve)), () => event);

  const there = (all: Guild, row: ChannelRow): Channel => all.channels.cache.get(row.id)!;

  beforeEach(async () => {
    server = await FakeDiscord.start({ base: "/any/api" });
    guild = server.world.addGuild("Crew", server.world.addUser("owner"));
    ({ dock, forum } = furnish(server, guild));
    app = server.world.addApp("rialto");
    addBot(server, guild, app);
    giveRole(server, guild, app.user, ["ManageWebhooks", "ManageMessages", "ManageChannels"]);
    alice = addPerson(server, guild, "alice", { global_name: "Alice A." });
    client = make();
  });

  afterEach(async () => {
    await client.destroy();
    await server.stop();
  });

  describe("discord.js takes our server for Discord: requests", () => {
    test("login, guild, channels, members, application", async () => {
      const crew = await login();
      expect([client.user?.username, crew.name, crew.memberCount]).toEqual(["rialto", "Crew", 3]);
      expect(crew.members.cache.map(({ id }) => id)).toEqual([app.user.id]);
      expect(there(crew, dock).parent?.name).toBe("Harbour");
      expect(there(crew, dock).permissionsFor(client.user)?.has(PermissionFlagsBits.ManageWebhooks)).toBe(true);
      expect((await crew.members.fetch({ query: "ali", limit: 5 })).map((one) => one.displayName)).toEqual([
        "Alice A.",
      ]);
      expect((await crew.members.fetch()).size).toBe(3);
      expect((await crew.members.list({ limit: 2 })).size).toBe(2);
      expect((await crew.members.search({ query: "alice" })).size).toBe(1);
      expect((await client.guilds.fetch()).map(({ name }) => name)).toEqual(["Crew"]);
      const told = await client.application!.fetch();
      expect([told.name, told.flags.has(1 << 19)]).toEqual(["rialto", true]);
      expect((await there(crew, dock).setTopic("tide")).topic).toBe("tide");
    });

    test("send, reply, edit, react, pin, delete, history", async () => {
      const at = there(await login(), dock);
      const first = await at.send({ content: "one", nonce: "op-1", enforceNonce: true });
      expect((await at.send({ content: "one", nonce: "op-1", enforceNonce: true })).id).toBe(first.id);
      expect((await first.edit("uno")).editedTimestamp).not.toBeNull();
      const asked = alice.say(dock, "two?");
      const reply = await (await at.messages.fetch(asked.id)).reply("two!");
      expect(reply.reference?.messageId).toBe(asked.id);
      const parrot = addEmoji(server, guild, "parrot");
      await first.react("👍");
      await first.react(`parrot:${parrot.id}`);
      const seen = (await first.fetch()).reactions.cache.map(({ emoji, count }) => [emoji.name, count]);
      expect(seen).toEqual([
        ["👍", 1],
        ["parrot", 1],
      ]);
      await expect(first.react("unknown:123456789012345678")).rejects.toMatchObject({ code: 10014 });
      await first.pin();
      expect((await at.messages.fetchPins()).items.map(({ message }) => message.id)).toEqual([first.id]);
      expect((await at.messages.fetch({ after: first.id, limit: 10 })).map(({ type }) => type)).toEqual([6, 19, 0]);
      expect((await at.messages.fetch({ around: asked.id, limit: 3 })).map(({ content }) => content)).toEqual([
        "two!",
        "two?",
        "uno",
      ]);
      await reply.delete();
      await expect(at.messages.fetch(reply.id)).rejects.toMatchObject({ code: 10008, status: 404 });
      await at.bulkDelete([first.id, asked.id]);
      expect((await at.messages.fetch({ before: reply.id })).size).toBe(0);
      await at.sendTyping();
    });

    test("files go and come", async () => {
      const at = there(await login(), dock);
      const files = [{ attachment: Buffer.from("ship"), name: "a ship.txt", description: "A ship" }];
      const sent = await at.send({ content: "look", files });
      const file = sent.attachments.first()!;
      expect([file.name, file.size, file.description]).toEqual(["a_ship.txt", 4, "A ship"]);
      expect(await (await fetch(file.url)).text()).toBe("ship");
      server.world.clock.pass(25 * 3_600_000);
      expect((await fetch(file.url)).status).toBe(404);
      server.world.maxFile = 3;
      await expect(at.send({ files })).rejects.toMatchObject({ code: 40005, status: 413 });
      expect((await sent.edit({ attachments: [] })).attachments.size).toBe(0);
    });

    test("webhooks, threads, forums", async () => {
      const crew = await login();
      const at = there(crew, dock);
      await expect(at.createWebhook({ name: "my Discord" })).rejects.toMatchObject({ code: 50035 });
      const hook = await at.createWebhook({ name: "Rialto" });
      expect((await at.fetchWebhooks()).map(({ id, token }) => [id, token])).toEqual([[hook.id, hook.token]]);
      expect(hook.applicationId).toBe(app.user.id);
      const sent = await hook.send({ content: "ahoy", username: "Harbour", avatarURL: "https://example.org/a.png" });
      expect([sent.author.username, sent.webhookId]).toEqual(["Harbour", hook.id]);
      expect((await hook.editMessage(sent.id, { content: "ahoy!" })).content).toBe("ahoy!");
      expect((await hook.fetchMessage(sent.id)).content).toBe("ahoy!");
      const thread = await sent.startThread({ name: "talk" });
      expect(thread.id).toBe(sent.id);
      const inside = await hook.send({ content: "inside", threadId: thread.id });
      expect((await thread.messages.fetch(inside.id)).content).toBe("inside");
      expect((await thread.setArchived(true)).archived).toBe(true);
      expect((await at.threads.fetchArchived()).threads.map(({ name }) => name)).toEqual(["talk"]);
      await expect(inside.react("👍")).rejects.toMatchObject({ code: 50083 });
      await hook.deleteMessage(sent.id);
      await expect(hook.fetchMessage(sent.id)).rejects.toMatchObject({ code: 10008 });
      const post = await there(crew, forum).threads.create({ name: "How?", message: { content: "Tell me" } });
      expect((await post.messages.fetch(post.id)).content).toBe("Tell me");
      const forumHook = await there(crew, forum).createWebhook({ name: "Rialto" });
      await expect(forumHook.send({ content: "no" })).rejects.toMatchObject({ code: 220_001 });
      const begun = await forumHook.send({ content: "yes", threadName: "So" });
      expect(server.world.channels.get(begun.id)?.name).toBe("So");
      await hook.delete();
      await expect(hook.send({ content: "late" })).rejects.toMatchObject({ code: 10015 });
    });

    test("refusals", async () => {
      const at = there(await login(), dock);
      await expect(at.send("x".repeat(2001))).rejects.toMatchObject({ code: 50035, status: 400 });
      await expect(at.send(" ")).rejects.toMatchObject({ code: 50006 });
      const message = await at.messages.fetch(alice.say(dock, "mine").id);
      await expect(message.edit("yours")).rejects.toMatchObject({ code: 50005 });
      server.world.overwrite(dock, app.user.id, [], ["SendMessages"]);
      await expect(at.send("no")).rejects.toMatchObject({ code: 50013, status: 403 });
      server.world.overwrite(dock, app.user.id, [], ["ViewChannel"]);
      await expect(at.send("no")).rejects.toMatchObject({ code: 50001, status: 403 });
      alice.deleteChannel(dock);
      await expect(at.send("no")).rejects.toMatchObject({ code: 10003, status: 404 });
    });

    test("it waits when told to, and everything arrives once", async () => {
      const at = there(await login(), dock);
      server.limits.set("POST /channels/:channel/messages", 3, 500);
      const waits = new Inbox<unknown>();
      client.rest.on("rateLimited", (wait) => waits.push(wait));
      await Promise.all([1, 2, 3, 4, 5, 6, 7].map(async (number) => await at.send(String(number))));
      server.faults.limit({ method: "POST", path: `/channels/${dock.id}` }, 0.2);
      server.faults.limit({ method: "POST", path: `/channels/${dock.id}` }, 0.2, "global");
      server.faults.limit({ method: "POST", path: `/channels/${dock.id}` }, 0.2, "shared");
      await at.send("8");
      expect(waits.waiting.length).toBeGreaterThanOrEqual(3);
      const all = (await at.messages.fetch({ limit: 100 })).map(({ content }) => content);
      expect(all).toEqual(["8", "7", "6", "5", "4", "3", "2", "1"]);
      // Of the three that were forced, the one that concerned everybody does not count against us.
      expect(server.limits.invalid).toBe(2);
    });
  });

  describe("discord.js takes our server for Discord: the gateway", () => {
    test("what people say, change, take back, answer, forward, send", async () => {
      await login();
      const said = new Inbox<Message>();
      client.on("messageCreate", (message: Message) => said.push(message));
      const next = async (): Promise<Message> => await said.next(() => "a message", new Promise(() => undefined));
      const row = alice.say(dock, `ahoy <@${app.user.id}> @everyone`);
      const ahoy = await next();
      expect([ahoy.author.username, ahoy.member?.displayName]).toEqual(["alice", "Alice A."]);
      expect([ahoy.mentions.users.first()?.id, ahoy.mentions.everyone]).toEqual([app.user.id, true]);
      alice.reply(row, "again");
      expect((await next()).reference?.messageId).toBe(row.id);
      alice.forward(row, dock);
      expect((await next()).messageSnapshots.map(({ content }) => content)).toEqual([row.wire.content]);
      alice.sendSticker(dock, "wave");
      expect((await next()).stickers.first()?.name).toBe("wave");
      alice.sendPoll(dock, "Sail?", ["yes", "no"]);
      expect((await next()).poll?.question.text).toBe("Sail?");
      alice.sendVoice(dock, 2.5);
      expect((await next()).attachments.first()?.name).toBe("voice-message.ogg");
      alice.sendFile(dock, { name: "a.txt", content: Buffer.from("a") }, "see");
      expect((await next()).content).toBe("see");
      const edited = heard<Message>("messageUpdate");
      alice.unfurl(row, { type: "link" as never, title: "A page" });
      expect((await edited).id).toBe(row.id);
      expect(
        (await client.guilds.cache.first()!.channels.cache.get(dock.id)!.messages.fetch(row.id)).editedTimestamp,
      ).toBe(null);
      const reacted = heard<{ emoji: { name: string } }>("messageReactionAdd");
      alice.react(row, "🎉");
      expect((await reacted).emoji.name).toBe("🎉");
      const unreacted = heard("messageReactionRemove");
      alice.unreact(row, "🎉");
      await unreacted;
      const changed = new Promise<Message>((resolve) => {
        client.once("messageUpdate", (_old: Message, now: Message) => resolve(now));
      });
      alice.edit(row, "ahoy!");
      expect((await changed).content).toBe("ahoy!");
      const gone = heard<Message>("messageDelete");
      alice.erase(row);
      expect((await gone).id).toBe(row.id);
    });

    test("threads, members, typing, webhooks, channels, kicked", async () => {
      const crew = await login();
      const thread = heard<Channel>("threadCreate");
      const row = alice.say(dock, "topic");
      const talk = alice.startThread(row, "talk");
      expect((await thread).name).toBe("talk");
      const archived = heard("threadUpdate");
      alice.archive(talk);
      await archived;
      const came = heard<{ displayName: string }>("guildMemberAdd");
      const bob = addPerson(server, guild, "bob");
      expect((await came).displayName).toBe("bob");
      const renamed = heard("guildMemberUpdate");
      bob.setNick("Bobby");
      await renamed;
      const typing = heard("typingStart");
      bob.typing(dock);
      await typing;
      const hooks = heard("webhooksUpdate");
      await there(crew, dock).createWebhook({ name: "Rialto" });
      await hooks;
      const updated = heard("channelUpdate");
      bob.setTopic(dock, "tide");
      await updated;
      expect(there(crew, dock).topic).toBe("tide");
      const left = heard("guildMemberRemove");
      alice.kick(bob.user);
      await left;
      const deleted = heard<Channel>("channelDelete");
      alice.deleteChannel(forum);
      expect((await deleted).id).toBe(forum.id);
      const kicked = heard<Guild>("guildDelete");
      alice.kick(app.user);
      expect((await kicked).id).toBe(guild.id);
    });

    test("content is blank without the intent, but for oneself and for whom it mentions", async () => {
      client = make(INTENTS & ~32_768);
      const at = there(await login(), dock);
      const said = new Inbox<Message>();
      client.on("messageCreate", (message: Message) => said.push(message));
      alice.say(dock, "secret");
      alice.say(dock, `for <@${app.user.id}>`);
      await at.send("mine");
      const all = [];
      for (let number = 0; number < 3; number += 1) {
        all.push((await said.next(() => "a message", new Promise(() => undefined))).content);
      }
      expect(all).toEqual(["", `for <@${app.user.id}>`, "mine"]);
    });

    test("after a cut it resumes where it was, and hears what it missed; it also does when asked to", async () => {
      server.sockets.heartbeatMs = 1000;
      await login();
      const said: string[] = [];
      client.on("messageCreate", ({ content }: Message) => said.push(content));
      alice.say(dock, "before");
      const resumed = heard("shardResume");
      server.wire.shut();
      server.wire.cut();
      alice.say(dock, "missed");
      server.wire.open();
      await resumed;
      server.world.hub.times = 2;
      alice.say(dock, "after");
      server.world.hub.times = 1;
      const again = heard("shardResume");
      server.sockets.askReconnect();
      await again;
      alice.say(dock, "end");
      await eventually(
        async () => await Promise.resolve(said.length),
        (count) => count >= 4,
        () => "four messages",
      );
      // The library passes over a message that it has.
      expect(said).toEqual(["before", "missed", "after", "end"]);
      expect(server.sockets.logins.slice(0, 2)).toEqual(["IDENTIFY /gateway", "RESUME /gateway/resume"]);
    });

    test("a connection that is dead is noticed, and a session that is lost begun anew", async () => {
      server.sockets.heartbeatMs = 300;
      await login();
      const resumed = heard("shardResume");
      server.sockets.deaf = true;
      await resumed;
      server.sockets.deaf = false;
      server.world.hub.refuseResume = true;
      const ready = heard("shardReady");
      server.sockets.close(4000);
      await ready;
      expect(server.sockets.logins.filter((login) => login.startsWith("IDENTIFY"))).toHaveLength(2);
      server.world.hub.refuseResume = false;
      const back = heard("shardReady");
      server.sockets.invalidate(false);
      await back;
    });

    test("a wrong token and a switch that is off", async () => {
      await expect(client.login("wrong.token.here")).rejects.toMatchObject({ code: "TokenInvalid" });
      client = make();
      app.portal.members = false;
      await expect(client.login(app.token)).rejects.toThrow(/disallowed intents/i);
    });
  });
});
