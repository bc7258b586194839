import { createRequire } from "node:module";
import type { Channel } from "@mattermost/types/channels";
import type { ClientConfig } from "@mattermost/types/config";
import type { CustomEmoji } from "@mattermost/types/emojis";
import type { FileInfo, FileUploadResponse } from "@mattermost/types/files";
import type { Post, PostList } from "@mattermost/types/posts";
import type { Reaction } from "@mattermost/types/reactions";
import type { Team } from "@mattermost/types/teams";
import type { UserProfile } from "@mattermost/types/users";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { WebSocket } from "ws";
import { eventually, Inbox } from "../../support/wait.ts";
import { needs, pathOf } from "../installed.ts";
import { addBot, addPerson, type Folk } from "./people.ts";
import { FakeMattermost } from "./server.ts";
import { newId } from "./wire.ts";

/** What of the network's own library the tests use; the library itself is unchanged. */
interface Client {
  logToConsole: boolean;
  setUrl(url: string): void;
  setToken(token: string): void;
  getToken(): string;
  getServerVersion(): string;
  getWebSocketUrl(): string;
  getFileUrl(id: string, timestamp: number): string;
  getProfilePictureUrl(id: string, update: number): string;
  ping(status: boolean): Promise<{ status: string }>;
  login(id: string, password: string, mfa?: string): Promise<UserProfile>;
  logout(): Promise<unknown>;
  getMe(): Promise<UserProfile>;
  getProfilesByIds(ids: string[]): Promise<UserProfile[]>;
  getProfilesByUsernames(names: string[]): Promise<UserProfile[]>;
  getUserByUsername(name: string): Promise<UserProfile>;
  searchUsers(term: string, options: object): Promise<UserProfile[]>;
  autocompleteUsers(name: string, team: string, channel: string): Promise<{ users: UserProfile[] }>;
  getClientConfig(): Promise<ClientConfig>;
  getMyTeams(): Promise<Team[]>;
  getTeamByName(name: string): Promise<Team>;
  getTeamMember(team: string, user: string): Promise<{ user_id: string }>;
  getChannelByName(team: string, name: string, deleted?: boolean): Promise<Channel>;
  getMyChannels(team: string): Promise<Channel[]>;
  getChannel(id: string): Promise<Channel>;
  getChannelMember(id: string, user: string): Promise<{ user_id: string }>;
  patchChannel(id: string, patch: Partial<Channel>): Promise<Channel>;
  addToChannel(user: string, channel: string): Promise<{ user_id: string }>;
  removeFromChannel(user: string, channel: string): Promise<unknown>;
  createPost(post: Partial<Post>): Promise<Post>;
  getPost(id: string): Promise<Post>;
  updatePost(post: Post): Promise<Post>;
  patchPost(patch: Partial<Post> & { id: string }): Promise<Post>;
  deletePost(id: string): Promise<unknown>;
  pinPost(id: string): Promise<unknown>;
  getPaginatedPostThread(id: string, options: object): Promise<PostList>;
  getPosts(channel: string, page: number, perPage: number): Promise<PostList>;
  getPostsSince(channel: string, since: number): Promise<PostList>;
  getPostsBefore(channel: string, post: string, page: number, perPage: number): Promise<PostList>;
  getPostsAfter(channel: string, post: string, page: number, perPage: number): Promise<PostList>;
  addReaction(user: string, post: string, emoji: string): Promise<Reaction>;
  removeReaction(user: string, post: string, emoji: string): Promise<unknown>;
  getReactionsForPost(post: string): Promise<Reaction[]>;
  getCustomEmojiByName(name: string): Promise<CustomEmoji>;
  uploadFile(form: FormData): Promise<FileUploadResponse>;
  getFileInfosForPost(post: string): Promise<FileInfo[]>;
  executeCommand(command: string, args: object): Promise<unknown>;
}

interface Event {
  readonly event: string;
  readonly data: Readonly<Record<string, string>>;
  readonly broadcast: { readonly channel_id: string };
  readonly seq: number;
}

interface EventClient {
  initialize(url: string, token?: string): void;
  addMessageListener(listener: (event: Event) => void): void;
  addMissedMessageListener(listener: () => void): void;
  addReconnectListener(listener: () => void): void;
  userTyping(channel: string, parent: string, done: () => void): void;
  close(): void;
}

interface Library {
  readonly Client4: new () => Client;
  readonly WebSocketClient: new (config: object) => EventClient;
}

needs(["@mattermost/client"], () => {
  let library: Library;
  let server: FakeMattermost;
  let client: Client;
  let team: Team;
  let channel: Channel;
  let alice: Folk;
  let bot: Folk;

  beforeEach(async () => {
    library = createRequire(import.meta.url)(pathOf("@mattermost/client")) as Library;
    server = await FakeMattermost.start({ subpath: "/chat" });
    team = server.world.addTeam("crew");
    channel = server.world.addChannel(team.id, "dock");
    alice = addPerson(server, team, "alice", { nickname: "Al" });
    alice.account.password = "open-sesame";
    bot = addBot(server, team, "rialto");
    client = new library.Client4();
    client.logToConsole = false;
    client.setUrl(server.url);
  });

  afterEach(async () => await server.stop());

  describe("Mattermost's own library takes our server for one: requests", () => {
    test("login, people, teams, channels, members", async () => {
      expect(await client.ping(true)).toMatchObject({ status: "OK" });
      await expect(client.login("alice", "wrong")).rejects.toMatchObject({
        server_error_id: "api.user.login.invalid_credentials_email_username",
        status_code: 401,
      });
      const me = await client.login("alice", "open-sesame");
      expect(me).toMatchObject({ id: alice.id, username: "alice", nickname: "Al" });
      expect(client.getToken()).toMatch(/^[a-z0-9]{26}$/);
      expect(client.getServerVersion()).toMatch(/^11\.9\.0/);
      expect((await client.getMe()).id).toBe(alice.id);
      expect((await client.getProfilesByIds([bot.id, newId()])).map(({ is_bot }) => is_bot)).toEqual([true]);
      expect((await client.getProfilesByUsernames(["rialto"])).map(({ id }) => id)).toEqual([bot.id]);
      expect((await client.getUserByUsername("rialto")).id).toBe(bot.id);
      await expect(client.getUserByUsername("nobody")).rejects.toMatchObject({ status_code: 404 });
      expect((await client.searchUsers("al", {})).map(({ username }) => username)).toEqual(["alice"]);
      expect((await client.autocompleteUsers("ri", team.id, "")).users.map(({ id }) => id)).toEqual([bot.id]);
      const config = await client.getClientConfig();
      expect([config.MaxPostSize, config.EnablePostUsernameOverride]).toEqual(["16383", "true"]);
      expect((await client.getMyTeams()).map(({ name }) => name)).toEqual(["crew"]);
      expect((await client.getTeamByName("crew")).id).toBe(team.id);
      expect((await client.getTeamMember(team.id, alice.id)).user_id).toBe(alice.id);
      expect((await client.getChannelByName(team.id, "dock")).id).toBe(channel.id);
      await expect(client.getChannelByName(team.id, "none")).rejects.toMatchObject({ status_code: 404 });
      await expect(client.getChannelMember(channel.id, alice.id)).rejects.toMatchObject({ status_code: 404 });
      await expect(client.createPost({ channel_id: channel.id, message: "hi" })).rejects.toMatchObject({
        server_error_id: "api.context.permissions.app_error",
        status_code: 403,
      });
      expect((await client.addToChannel(alice.id, channel.id)).user_id).toBe(alice.id);
      expect((await client.addToChannel(bot.id, channel.id)).user_id).toBe(bot.id);
      expect((await client.getMyChannels(team.id)).map(({ name }) => name)).toEqual(["dock"]);
      expect((await client.patchChannel(channel.id, { header: "tide" })).header).toBe("tide");
      await client.removeFromChannel(bot.id, channel.id);
      const said = await client.getPosts(channel.id, 0, 60);
      expect(said.order.map((id) => said.posts[id]?.type)).toEqual([
        "system_remove_from_channel",
        "system_header_change",
        "system_add_to_channel",
        "system_join_channel",
      ]);
      alice.archive(server.world.channel(channel.id));
      await expect(client.createPost({ channel_id: channel.id, message: "hi" })).rejects.toMatchObject({
        server_error_id: "api.post.create_post.can_not_post_to_deleted.error",
        status_code: 400,
      });
      await expect(client.getChannelByName(team.id, "dock")).rejects.toMatchObject({ status_code: 404 });
      expect((await client.getChannelByName(team.id, "dock", true)).delete_at).toBeGreaterThan(0);
      await client.logout();
      await expect(client.getMe()).rejects.toMatchObject({ status_code: 401 });
    });

    test("posts, edits, deletions, threads, reactions, files, history", async () => {
      client.setToken(bot.token());
      alice.enter(server.world.channel(channel.id));
      await client.addToChannel(bot.id, channel.id);
      const begin = server.world.now() - 1;
      const key = `${bot.id}:${begin}`;
      const first = await client.createPost({ channel_id: channel.id, message: "one", pending_post_id: key });
      expect(first).toMatchObject({ message: "one", pending_post_id: key, props: { from_bot: "true" } });
      expect((await client.createPost({ channel_id: channel.id, message: "one", pending_post_id: key })).id).toBe(
        first.id,
      );
      server.world.clock.pass(5);
      const reply = await client.createPost({ channel_id: channel.id, message: "two", root_id: first.id });
      await expect(
        client.createPost({ channel_id: channel.id, message: "no", root_id: reply.id }),
      ).rejects.toMatchObject({ status_code: 400 });
      expect((await client.patchPost({ id: first.id, message: "uno" })).message).toBe("uno");
      expect((await client.updatePost({ ...reply, message: "due" })).edit_at).toBeGreaterThan(0);
      await client.pinPost(first.id);
      expect(await client.getPost(first.id)).toMatchObject({ message: "uno", is_pinned: true, reply_count: 1 });
      const thread = await client.getPaginatedPostThread(first.id, {});
      expect(thread.order.toSorted()).toEqual([first.id, reply.id].toSorted());

      expect((await client.addReaction(bot.id, first.id, "tada")).emoji_name).toBe("tada");
      await expect(client.addReaction(bot.id, first.id, "no_such")).rejects.toMatchObject({ status_code: 404 });
      server.world.emoji.set("parrot", newId());
      expect((await client.getCustomEmojiByName("parrot")).name).toBe("parrot");
      await client.addReaction(bot.id, first.id, "parrot");
      expect((await client.getReactionsForPost(first.id)).map(({ emoji_name }) => emoji_name)).toEqual([
        "tada",
        "parrot",
      ]);
      await client.removeReaction(bot.id, first.id, "tada");
      expect((await client.getReactionsForPost(first.id)).map(({ emoji_name }) => emoji_name)).toEqual(["parrot"]);

      const form = new FormData();
      form.append("channel_id", channel.id);
      form.append("client_ids", "c1");
      form.append("files", new Blob(["content\r\n--of it"]), 'a "note".txt');
      const { file_infos: infos, client_ids: ids } = await client.uploadFile(form);
      expect([infos[0]?.name, infos[0]?.size, ids]).toEqual(['a "note".txt', 16, ["c1"]]);
      const filed = await client.createPost({
        channel_id: channel.id,
        message: "",
        file_ids: infos.map(({ id }) => id),
      });
      expect(filed.metadata.files.map(({ extension }) => extension)).toEqual(["txt"]);
      expect((await client.getFileInfosForPost(filed.id)).map(({ name }) => name)).toEqual(['a "note".txt']);
      const headers = { authorization: `Bearer ${client.getToken()}` };
      const content = await fetch(client.getFileUrl(infos[0]?.id ?? "", 0), { headers });
      expect(await content.text()).toBe("content\r\n--of it");
      const picture = await fetch(client.getProfilePictureUrl(alice.id, 0), { headers });
      expect(picture.headers.get("content-type")).toBe("image/png");

      await client.deletePost(filed.id);
      await expect(client.getPost(filed.id)).rejects.toMatchObject({ status_code: 404 });
      await client.executeCommand("/me waves", { channel_id: channel.id });
      const since = await client.getPostsSince(channel.id, begin);
      const rows = since.order.map((id) => since.posts[id]).filter((row) => !row?.type.startsWith("system_"));
      const row = (post: Post | undefined): string =>
        post?.original_id !== "" ? "before an edit" : post.delete_at > 0 ? "deleted" : post.message;
      expect(rows.map(row).toSorted()).toEqual(
        ["*waves*", "before an edit", "before an edit", "before an edit", "deleted", "due", "uno"].toSorted(),
      );
      const before = await client.getPostsBefore(channel.id, reply.id, 0, 1);
      expect(before.order).toEqual([first.id]);
      const after = await client.getPostsAfter(channel.id, first.id, 0, 1);
      expect(after.order).toEqual([reply.id]);
    });
  });

  describe("Mattermost's own library takes our server for one: events", () => {
    const config = { minWebSocketRetryTime: 20, reconnectJitterRange: 1 };
    let events: Inbox<Event>;
    let missed: number;
    let back: number;
    let socket: EventClient;

    const begin = (more: object = {}): void => {
      events = new Inbox();
      missed = 0;
      back = 0;
      socket = new library.WebSocketClient({ ...config, ...more });
      socket.addMessageListener((event) => events.push(event));
      socket.addMissedMessageListener(() => (missed += 1));
      socket.addReconnectListener(() => (back += 1));
    };
    const never = new Promise<string>(() => undefined);
    const next = async (name: string): Promise<Event> => {
      for (;;) {
        const event = await events.next(() => `the event ${name}`, never);
        if (event.event === name) return event;
      }
    };
    const message = (event: Event): string => (JSON.parse(event.data["post"] ?? "{}") as Post).message;
    const dock = (): ReturnType<FakeMattermost["world"]["channel"]> => server.world.channel(channel.id);

    beforeEach(() => {
      // The library says there what its connection does.
      vi.spyOn(console, "log").mockImplementation(() => undefined);
      client.setToken(bot.token());
      alice.enter(dock());
      bot.enter(dock());
    });

    afterEach(() => void vi.restoreAllMocks());

    test("after a challenge it hears of everything, and a new stream says that something was missed", async () => {
      begin();
      try {
        socket.initialize(client.getWebSocketUrl(), client.getToken());
        const hello = await next("hello");
        const post = await alice.say(dock(), "one @rialto");
        const posted = await next("posted");
        expect([message(posted), posted.data["sender_name"], posted.broadcast.channel_id]).toEqual([
          "one @rialto",
          "@alice",
          channel.id,
        ]);
        expect(JSON.parse(posted.data["mentions"] ?? "")).toEqual([bot.id]);
        alice.edit(post.id, "uno");
        expect(message(await next("post_edited"))).toBe("uno");
        alice.react(post.id, "tada");
        expect(JSON.parse((await next("reaction_added")).data["reaction"] ?? "")).toMatchObject({ emoji_name: "tada" });
        alice.unreact(post.id, "tada");
        await next("reaction_removed");
        alice.erase(post.id);
        await next("post_deleted");
        alice.setHeader(dock(), "tide");
        await next("channel_updated");
        alice.typing(dock());
        expect((await next("typing")).data["user_id"]).toBe(alice.id);
        alice.change({ nickname: "Allie" });
        await next("user_updated");
        alice.archive(dock());
        await next("channel_deleted");
        alice.restore(dock());
        await next("channel_restored");
        const typed = Promise.withResolvers<void>();
        socket.userTyping(channel.id, "", () => typed.resolve());
        await typed.promise;
        server.wire.cut();
        const another = await next("hello");
        expect(another.data["connection_id"]).not.toBe(hello.data["connection_id"]);
        expect([missed, back]).toEqual([1, 1]);
        await alice.say(dock(), "three");
        expect(message(await next("posted"))).toBe("three");
        alice.kick(dock(), bot.id);
        expect((await next("user_removed")).data["channel_id"]).toBe(channel.id);
      } finally {
        socket.close();
      }
    });

    test("with the session in the handshake a stream goes on where it broke", async () => {
      const headers = { authorization: `Bearer ${client.getToken()}` };
      begin({ newWebSocketFn: (url: string) => new WebSocket(url, { headers }) });
      try {
        socket.initialize(client.getWebSocketUrl());
        await next("hello");
        await alice.say(dock(), "one");
        expect(message(await next("posted"))).toBe("one");
        server.wire.shut();
        server.wire.cut();
        await eventually(
          async () => await Promise.resolve(server.sockets.count),
          (count) => count === 0,
          () => "the end of the connection at the server",
        );
        for (let count = 0; count < 130; count += 1) await alice.say(dock(), `missed ${count}`);
        server.wire.open();
        for (let count = 0; count < 130; count += 1) expect(message(await next("posted"))).toBe(`missed ${count}`);
        expect([missed, back]).toEqual([0, 1]);
        await server.restart();
        await next("hello");
        expect(missed).toBe(1);
        await alice.say(dock(), "after it");
        expect(message(await next("posted"))).toBe("after it");
      } finally {
        socket.close();
      }
    });
  });
});
