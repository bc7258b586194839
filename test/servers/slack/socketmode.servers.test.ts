import { createRequire } from "node:module";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { eventually, Inbox, within } from "../../support/wait.ts";
import { needs, pathOf } from "../installed.ts";
import { addEmoji, addPerson, addStranger, type Folk, install, unfurl } from "./people.ts";
import { QUIET } from "./quiet.ts";
import { FakeSlack } from "./server.ts";
import type { AppRow, ChannelRow, TeamRow } from "./wire.ts";

/** What of the library the tests use; the library itself is unchanged. */
interface Client {
  on(event: string, listener: (heard: Heard) => void): void;
  once(event: string, listener: (heard: unknown) => void): void;
  start(): Promise<unknown>;
  disconnect(): Promise<void>;
}

interface Heard {
  readonly ack: () => Promise<void>;
  readonly body: { readonly event_id: string; readonly event: Fields };
  readonly retry_num: number;
  readonly retry_reason: string;
}

type Fields = Readonly<Record<string, unknown>> & { readonly type: string };

interface Library {
  readonly SocketModeClient: new (options: object) => Client;
}

needs(["@slack/socket-mode"], () => {
  let server: FakeSlack;
  let team: TeamRow;
  let dock: ChannelRow;
  let app: AppRow;
  let alice: Folk;
  let clients: Client[];
  let heard: Inbox<Fields>;

  /** Acknowledges what it hears, unless told not to. It goes on after `patience`, and takes what is silent for dead. */
  const make = ({ acks = true, appToken = app.appToken, patience = 20_000 } = {}): Client => {
    const library = createRequire(import.meta.url)(pathOf("@slack/socket-mode")) as Library;
    const client = new library.SocketModeClient({
      appToken,
      clientPingTimeout: patience,
      serverPingTimeout: 20_000,
      logger: QUIET,
      clientOptions: { slackApiUrl: server.url, retryConfig: { retries: 0 } },
    });
    client.on("slack_event", ({ ack, body }) => {
      heard.push(body.event);
      if (acks) void ack();
    });
    clients.push(client);
    return client;
  };

  const next = async (): Promise<Fields> => await heard.next(() => "an event", new Promise(() => undefined));

  const connected = async (client: Client): Promise<unknown> =>
    await within(new Promise((resolve) => client.once("connected", resolve)), () => "the connection");

  const settled = async (ask: () => number, count: number, what: string): Promise<void> =>
    void (await eventually(
      async () => await Promise.resolve(ask()),
      (now) => now === count,
      () => what,
    ));

  beforeEach(async () => {
    server = await FakeSlack.start({ base: "/any/api/" });
    server.sockets.pingMs = 500;
    server.sockets.graceMs = 1000;
    server.hub.ackMs = 60_000;
    team = server.world.addTeam("Crew");
    alice = addPerson(server, team, "alice");
    dock = server.world.addChannel(team.id, "dock", alice.id);
    app = install(server, team, "rialto", [dock]);
    clients = [];
    heard = new Inbox();
  });

  afterEach(async () => {
    await Promise.all(clients.map(async (client) => await client.disconnect()));
    await server.stop();
  });

  describe("@slack/socket-mode takes our server for Slack", () => {
    test("what people say, change, take back, answer, send, react", async () => {
      await make().start();
      const root = alice.say(dock, `ahoy <@${app.user.id}>`);
      expect(await next()).toMatchObject({
        type: "message",
        user: alice.id,
        channel: dock.id,
        channel_type: "channel",
        ts: root.wire.ts,
      });
      alice.say(dock, "again", { thread: root });
      expect(await next()).toMatchObject({ thread_ts: root.wire.ts, parent_user_id: alice.id });
      alice.say(dock, "all", { thread: root, broadcast: true });
      expect(await next()).toMatchObject({
        subtype: "thread_broadcast",
        root: { text: root.wire.text, reply_count: 2 },
      });
      alice.act(dock, "waves");
      expect(await next()).toMatchObject({ subtype: "me_message", text: "waves" });
      const sent = alice.sendFile(dock, { name: "a.txt", content: Buffer.from("a") }, "see");
      expect(await next()).toMatchObject({ type: "file_shared", file_id: sent.files[0] });
      expect(await next()).toMatchObject({
        subtype: "file_share",
        text: "see",
        files: [{ name: "a.txt", mimetype: "text/plain" }],
      });
      unfurl(server, sent, "A page", "https://example.org/");
      const shown = await next();
      expect(shown).toMatchObject({
        subtype: "message_changed",
        hidden: true,
        message: { attachments: [{ title: "A page" }] },
      });
      expect(shown["message"]).not.toHaveProperty("edited");
      alice.edit(sent, "seen");
      expect(await next()).toMatchObject({
        message: { text: "seen", edited: { user: alice.id } },
        previous_message: { text: "see" },
      });
      alice.react(sent, "tada");
      expect(await next()).toMatchObject({
        type: "reaction_added",
        reaction: "tada",
        item: { ts: sent.wire.ts },
        item_user: alice.id,
      });
      alice.unreact(sent, "tada");
      expect(await next()).toMatchObject({ type: "reaction_removed" });
      alice.erase(sent);
      expect(await next()).toMatchObject({ subtype: "message_deleted", deleted_ts: sent.wire.ts });
      alice.erase(root);
      expect(await next()).toMatchObject({ message: { subtype: "tombstone", reply_count: 2 } });
      const replies = [await next(), await next()].map(({ message }) => (message as { text: string }).text);
      expect(replies).toEqual(["again", "all"]);
      await settled(() => server.hub.waiting, 0, "all acknowledgements");
      expect(server.sockets.strange).toEqual([]);
    });

    test("channels, people, emoji, strangers", async () => {
      await make().start();
      const bob = addPerson(server, team, "bob");
      bob.enter(dock);
      expect([await next(), await next()]).toMatchObject([
        { type: "member_joined_channel", user: bob.id },
        { subtype: "channel_join" },
      ]);
      alice.setTopic(dock, "tide");
      expect(await next()).toMatchObject({ subtype: "channel_topic", topic: "tide", user: alice.id });
      alice.setPurpose(dock, "ships");
      expect(await next()).toMatchObject({ subtype: "channel_purpose", purpose: "ships" });
      alice.rename(dock, "pier");
      expect([await next(), await next()]).toMatchObject([
        { type: "channel_rename", channel: { id: dock.id, name: "pier" } },
        { subtype: "channel_name", old_name: "dock", name: "pier" },
      ]);
      bob.change({ profile: { display_name: "Bobby" } });
      expect(await next()).toMatchObject({ type: "user_change", user: { profile: { display_name: "Bobby" } } });
      addEmoji(server, team, "parrot", "https://example.org/p.gif");
      expect(await next()).toMatchObject({ type: "emoji_changed", name: "parrot" });
      alice.kick(dock, bob.user);
      expect([await next(), await next()]).toMatchObject([
        { type: "member_left_channel" },
        { subtype: "channel_leave" },
      ]);
      addStranger(server, dock, "zoe");
      expect(await next()).toMatchObject({ type: "channel_shared" });
      await next();
      await next();
      alice.archive(dock);
      expect([await next(), await next()]).toMatchObject([{ subtype: "channel_archive" }, { type: "channel_archive" }]);
      alice.unarchive(dock);
      expect(await next()).toMatchObject({ type: "channel_unarchive" });
      await next();
      alice.kick(dock, app.user);
      expect([await next(), await next()]).toMatchObject([{ type: "member_left_channel" }, { type: "channel_left" }]);
      alice.say(dock, "alone");
      expect(heard.waiting).toEqual([]);
    });

    test("what is not acknowledged comes again, and at last not any more", async () => {
      server.hub.ackMs = 100;
      server.hub.retryMs = [0, 0, 0];
      const client = make({ acks: false });
      const tries: [number, string][] = [];
      client.on("slack_event", ({ retry_num: number, retry_reason: reason }) => tries.push([number, reason]));
      await client.start();
      alice.say(dock, "one");
      await settled(() => server.hub.givenUp.length, 1, "that it gives up");
      expect(tries).toEqual([
        [0, ""],
        [1, "timeout"],
        [2, "timeout"],
        [3, "timeout"],
      ]);
    });

    test("acknowledgements that are ignored, events twice and events lost", async () => {
      server.hub.ackMs = 100;
      server.hub.retryMs = [0];
      server.hub.ignoreAcks = true;
      await make().start();
      alice.say(dock, "one");
      expect([(await next())["text"], (await next())["text"]]).toEqual(["one", "one"]);
      server.hub.ignoreAcks = false;
      server.hub.ackMs = 60_000;
      server.hub.times = 2;
      alice.say(dock, "two");
      expect([(await next())["text"], (await next())["text"]]).toEqual(["two", "two"]);
      server.hub.times = 1;
      server.hub.lose = 1;
      alice.say(dock, "lost");
      alice.say(dock, "three");
      expect((await next())["text"]).toBe("three");
    });

    test("events are spread over several connections", async () => {
      const counts = [0, 0];
      for (const at of [0, 1]) {
        const client = make();
        client.on("slack_event", () => void (counts[at] = (counts[at] ?? 0) + 1));
        await client.start();
      }
      expect(server.sockets.count(app)).toBe(2);
      for (const text of ["1", "2", "3", "4"]) alice.say(dock, text);
      for (let time = 0; time < 4; time += 1) await next();
      expect(counts).toEqual([2, 2]);
    });

    test("it connects anew when asked to, when cut, and when nothing comes any more", async () => {
      const client = make({ patience: 1500 });
      await client.start();
      let again = connected(client);
      server.sockets.disconnect("refresh_requested");
      await again;
      again = connected(client);
      server.wire.cut();
      await again;
      again = connected(client);
      server.sockets.deaf = true;
      await settled(() => server.sockets.count(app), 0, "the end of the dead connection");
      server.sockets.deaf = false;
      await again;
      again = connected(client);
      await server.restart();
      await again;
      alice.say(dock, "end");
      expect((await next())["text"]).toBe("end");
      expect(server.sockets.greeted).toBeGreaterThanOrEqual(5);
    });

    test("a wrong token, a refusal for a while, a ticket that has expired, and the switch that is off", async () => {
      await expect(make({ appToken: "xapp-wrong" }).start()).rejects.toMatchObject({ data: { error: "invalid_auth" } });
      server.refuse("apps.connections.open", "internal_error");
      const go = server.faults.hold({ path: "/link/" });
      const client = make({ patience: 1500 });
      const ready = connected(client);
      void client.start();
      await settled(() => server.requests.filter((one) => one === "GET /link/").length, 1, "the handshake");
      server.sockets.expireTickets();
      go();
      await ready;
      expect(server.requests.filter((one) => one === "POST /apps.connections.open").length).toBeGreaterThanOrEqual(4);
      server.sockets.disable(app);
      await settled(() => server.sockets.count(app), 0, "the end of the connection");
    });
  });
});
