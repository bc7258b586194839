import type { EventEmitter } from "node:events";
import { createRequire } from "node:module";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Inbox, within } from "../../support/wait.ts";
import { needs, pathOf } from "../installed.ts";
import { addBot, addEmoji, addPerson, type Folk, furnish, giveRole } from "./people.ts";
import { FakeDiscord } from "./server.ts";
import type { AppRow, ChannelRow, GuildRow } from "./wire.ts";

/** What of the library the tests use; the library itself is unchanged. */
interface Message {
  readonly id: string;
  readonly content: string;
  readonly editedTimestamp: Date | null;
  readonly webhookID?: string;
  readonly author: { readonly username: string };
  readonly attachments: { toArray(): { filename: string; url: string }[] };
  readonly reactions: readonly { emoji: { name: string }; count: number }[];
  readonly referencedMessage?: { id: string } | null;
}

interface Thread {
  readonly id: string;
  readonly name: string;
  readonly threadMetadata: { readonly archived: boolean };
}

interface Channels {
  get(id: string): Promise<{ name: string; topic: string | null }>;
  edit(id: string, what: object): Promise<{ topic: string | null }>;
  createMessage(id: string, what: object): Promise<Message>;
  editMessage(id: string, message: string, what: object): Promise<Message>;
  deleteMessage(id: string, message: string): Promise<void>;
  deleteMessages(id: string, messages: readonly string[]): Promise<number>;
  getMessage(id: string, message: string): Promise<Message>;
  getMessages(id: string, how: object): Promise<Message[]>;
  createReaction(id: string, message: string, emoji: string): Promise<void>;
  deleteReaction(id: string, message: string, emoji: string): Promise<void>;
  getReactions(id: string, message: string, emoji: string): Promise<{ username: string }[]>;
  sendTyping(id: string): Promise<void>;
  pinMessage(id: string, message: string): Promise<void>;
  getPins(id: string): Promise<{ message: Message }[]>;
  startThreadFromMessage(id: string, message: string, what: object): Promise<Thread>;
  startThreadWithoutMessage(id: string, what: object): Promise<Thread>;
  startThreadInThreadOnlyChannel(id: string, what: object): Promise<Thread>;
  getPublicArchivedThreads(id: string): Promise<{ threads: Thread[] }>;
}

interface Webhooks {
  create(channel: string, what: object): Promise<{ id: string; token: string | null; applicationID: string | null }>;
  getForChannel(channel: string): Promise<{ id: string }[]>;
  execute(id: string, token: string, what: object): Promise<Message>;
  editMessage(id: string, token: string, message: string, what: object): Promise<Message>;
  getMessage(id: string, token: string, message: string, thread?: string): Promise<Message>;
  deleteMessage(id: string, token: string, message: string): Promise<void>;
  delete(id: string): Promise<void>;
}

interface Guilds {
  getMembers(id: string, how: object): Promise<{ username: string }[]>;
  searchMembers(id: string, how: object): Promise<{ username: string }[]>;
  getChannels(id: string): Promise<{ name: string }[]>;
}

interface Client extends EventEmitter {
  readonly user: { readonly username: string };
  readonly guilds: { get(id: string): { readonly name: string; readonly memberCount: number } | undefined };
  readonly rest: { readonly channels: Channels; readonly webhooks: Webhooks; readonly guilds: Guilds };
  connect(): Promise<void>;
  disconnect(reconnect: boolean): void;
}

interface Library {
  readonly Client: new (options: object) => Client;
}

/** Guilds, members, webhooks, messages, reactions, typing, content. */
const INTENTS = 1 | 2 | 32 | 512 | 1024 | 2048 | 32_768;

needs(["oceanic.js"], () => {
  let server: FakeDiscord;
  let guild: GuildRow;
  let dock: ChannelRow;
  let forum: ChannelRow;
  let app: AppRow;
  let alice: Folk;
  let client: Client;

  const make = (token = app.token): Client => {
    const library = createRequire(import.meta.url)(pathOf("oceanic.js")) as Library;
    const made = new library.Client({
      auth: `Bot ${token}`,
      gateway: { intents: INTENTS, reconnectDelay: () => 50, override: { timeBetweenShardConnects: 0 } },
      rest: { baseURL: `${server.url}/v10` },
    });
    made.on("error", () => undefined);
    return made;
  };

  const heard = async <T = unknown>(event: string): Promise<T> =>
    await within(new Promise<T>((resolve) => client.once(event, resolve)), () => event);

  const connect = async (): Promise<Channels> => {
    const ready = heard("ready");
    await client.connect();
    await ready;
    return client.rest.channels;
  };

  beforeEach(async () => {
    server = await FakeDiscord.start();
    guild = server.world.addGuild("Crew", server.world.addUser("owner"));
    ({ dock, forum } = furnish(server, guild));
    app = server.world.addApp("rialto");
    addBot(server, guild, app);
    giveRole(server, guild, app.user, ["ManageWebhooks", "ManageMessages", "ManageChannels"]);
    alice = addPerson(server, guild, "alice");
    client = make();
  });

  afterEach(async () => {
    client.disconnect(false);
    await server.stop();
  });

  describe("oceanic.js takes our server for Discord: requests", () => {
    test("guild, members, messages, reactions, files, history", async () => {
      const channels = await connect();
      const crew = client.guilds.get(guild.id);
      expect([client.user.username, crew?.name, crew?.memberCount]).toEqual(["rialto", "Crew", 3]);
      expect((await client.rest.guilds.getMembers(guild.id, { limit: 10 })).length).toBe(3);
      const found = await client.rest.guilds.searchMembers(guild.id, { query: "al" });
      expect(found.map(({ username }) => username)).toEqual(["alice"]);
      expect((await client.rest.guilds.getChannels(guild.id)).map(({ name }) => name)).toContain("dock");
      expect((await channels.edit(dock.id, { topic: "tide" })).topic).toBe("tide");
      const files = [{ name: "a.txt", contents: Buffer.from("ship") }];
      const first = await channels.createMessage(dock.id, { content: "one", files });
      expect(await (await fetch(first.attachments.toArray()[0]!.url)).text()).toBe("ship");
      const edited = await channels.editMessage(dock.id, first.id, { content: "uno" });
      expect([edited.content, edited.editedTimestamp !== null]).toEqual(["uno", true]);
      const parrot = addEmoji(server, guild, "parrot");
      for (const emoji of ["👍", `parrot:${parrot.id}`]) await channels.createReaction(dock.id, first.id, emoji);
      expect((await channels.getReactions(dock.id, first.id, "👍")).map(({ username }) => username)).toEqual([
        "rialto",
      ]);
      await channels.deleteReaction(dock.id, first.id, "👍");
      const seen = (await channels.getMessage(dock.id, first.id)).reactions;
      expect(seen.map(({ emoji, count }) => [emoji.name, count])).toEqual([["parrot", 1]]);
      const reference = { messageID: first.id, failIfNotExists: true };
      const reply = await channels.createMessage(dock.id, { content: "two", messageReference: reference });
      expect(reply.referencedMessage?.id).toBe(first.id);
      const after = await channels.getMessages(dock.id, { after: first.id, limit: 5 });
      expect(after.map(({ content }) => content)).toEqual(["two"]);
      await channels.pinMessage(dock.id, reply.id);
      expect((await channels.getPins(dock.id)).map(({ message }) => message.id)).toEqual([reply.id]);
      await channels.sendTyping(dock.id);
      await channels.deleteMessage(dock.id, reply.id);
      await expect(channels.getMessage(dock.id, reply.id)).rejects.toMatchObject({ code: 10008, status: 404 });
      await expect(channels.createMessage(dock.id, { content: "x".repeat(2001) })).rejects.toMatchObject({
        code: 50035,
      });
      const other = await channels.createMessage(dock.id, { content: "three" });
      expect(await channels.deleteMessages(dock.id, [first.id, other.id])).toBe(2);
    });

    test("webhooks and threads", async () => {
      const channels = await connect();
      const { webhooks } = client.rest;
      const { id, token, applicationID } = await webhooks.create(dock.id, { name: "Rialto" });
      expect(applicationID).toBe(app.user.id);
      expect((await webhooks.getForChannel(dock.id)).map((one) => one.id)).toEqual([id]);
      const said = { content: "ahoy", username: "Harbour", wait: true };
      const sent = await webhooks.execute(id, token!, said);
      expect([sent.author.username, sent.webhookID]).toEqual(["Harbour", id]);
      expect((await webhooks.editMessage(id, token!, sent.id, { content: "ahoy!" })).content).toBe("ahoy!");
      const thread = await channels.startThreadFromMessage(dock.id, sent.id, { name: "talk", autoArchiveDuration: 60 });
      const inside = await webhooks.execute(id, token!, { content: "in", threadID: thread.id, wait: true });
      await expect(webhooks.getMessage(id, token!, inside.id)).rejects.toMatchObject({ code: 10008 });
      expect((await webhooks.getMessage(id, token!, inside.id, thread.id)).content).toBe("in");
      alice.archive(server.world.channels.get(thread.id)!);
      const archived = await channels.getPublicArchivedThreads(dock.id);
      expect(archived.threads.map(({ name, threadMetadata }) => [name, threadMetadata.archived])).toEqual([
        ["talk", true],
      ]);
      const post = { name: "How?", message: { content: "Tell me" } };
      const begun = await channels.startThreadInThreadOnlyChannel(forum.id, post);
      expect((await channels.getMessage(begun.id, begun.id)).content).toBe("Tell me");
      expect((await channels.startThreadWithoutMessage(dock.id, { name: "own", type: 11 })).name).toBe("own");
      await expect(webhooks.execute(id, `${token!.slice(1)}x`, said)).rejects.toMatchObject({
        code: 50027,
        status: 401,
      });
      await webhooks.deleteMessage(id, token!, sent.id);
      await webhooks.delete(id);
      await expect(webhooks.execute(id, token!, said)).rejects.toMatchObject({ code: 10015 });
    });

    test("it waits when told to, and everything arrives once", async () => {
      const channels = await connect();
      server.limits.set("POST /channels/:channel/messages", 3, 400);
      const post = { method: "POST", path: `/channels/${dock.id}` };
      server.faults.limit(post, 0.2);
      server.faults.limit(post, 0.2, "shared");
      server.faults.fail(post, 502);
      await Promise.all(
        [1, 2, 3, 4, 5].map(async (number) => {
          await channels.createMessage(dock.id, { content: String(number) });
        }),
      );
      const all = (await channels.getMessages(dock.id, { limit: 100 })).map(({ content }) => content);
      expect(all.toSorted()).toEqual(["1", "2", "3", "4", "5"]);
    });
  });

  describe("oceanic.js takes our server for Discord: the gateway", () => {
    test("events, also those that come twice, and after a cut those that were missed", async () => {
      server.sockets.heartbeatMs = 1000;
      await connect();
      const said = new Inbox<Message>();
      client.on("messageCreate", (message: Message) => said.push(message));
      const next = async (): Promise<string> =>
        (await said.next(() => "a message", new Promise(() => undefined))).content;
      server.world.hub.times = 2;
      const row = alice.say(dock, "twice");
      server.world.hub.times = 1;
      expect([await next(), await next()]).toEqual(["twice", "twice"]);
      const resumed = heard("shardResume");
      server.wire.shut();
      server.wire.cut();
      alice.say(dock, "missed");
      server.wire.open();
      await resumed;
      expect(await next()).toBe("missed");
      const again = heard("shardResume");
      server.sockets.askReconnect();
      await again;
      const edited = heard<Message>("messageUpdate");
      alice.edit(row, "changed");
      expect((await edited).content).toBe("changed");
      const reacted = heard("messageReactionAdd");
      alice.react(row, "🎉");
      await reacted;
      const cleared = heard("messageReactionRemoveAll");
      server.messages.clear(app.user.id, dock.id, row.id);
      await cleared;
      const bulk = heard<{ id: string }[]>("messageDeleteBulk");
      server.messages.removeMany(app.user.id, dock.id, [row.id, alice.say(dock, "gone").id]);
      expect((await bulk).length).toBe(2);
      expect(server.sockets.logins).toEqual(["IDENTIFY /gateway", "RESUME /gateway/resume", "RESUME /gateway/resume"]);
    });

    test("a dead connection, a session that may go on, one that is lost, and a restart of the server", async () => {
      server.sockets.heartbeatMs = 300;
      await connect();
      const resumed = heard("shardResume");
      server.sockets.deaf = true;
      await resumed;
      server.sockets.deaf = false;
      const again = heard("shardResume");
      server.sockets.invalidate(true);
      await again;
      const ready = heard("shardReady");
      server.sockets.invalidate(false);
      await ready;
      const back = heard("shardReady");
      await server.restart();
      await back;
      const said = heard<Message>("messageCreate");
      alice.say(dock, "still here");
      expect((await said).content).toBe("still here");
    });

    test("a wrong token, intents that are not allowed", async () => {
      client = make("wrong.token.here");
      await expect(client.connect()).rejects.toMatchObject({ cause: { status: 401 } });
      client = make();
      app.portal.messageContent = false;
      const lost = heard<Error & { code: number }>("shardDisconnect");
      await client.connect();
      expect((await lost).code).toBe(4014);
    });
  });
});
