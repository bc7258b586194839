import { createRequire } from "node:module";
import type { Block } from "@slack/types";
import type * as WebApi from "@slack/web-api";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { needs, pathOf } from "../installed.ts";
import { addEmoji, addPerson, addStranger, eraseFile, type Folk, hideBefore, hideFile, install } from "./people.ts";
import { QUIET } from "./quiet.ts";
import { FakeSlack } from "./server.ts";
import type { AppRow, ChannelRow, TeamRow } from "./wire.ts";

needs(["@slack/web-api"], () => {
  let server: FakeSlack;
  let team: TeamRow;
  let dock: ChannelRow;
  let app: AppRow;
  let alice: Folk;
  let client: WebApi.WebClient;

  const make = (token = app.token, retries = 0): WebApi.WebClient => {
    const { WebClient } = createRequire(import.meta.url)(pathOf("@slack/web-api")) as typeof WebApi;
    const retryConfig = { retries, minTimeout: 1, maxTimeout: 1 };
    return new WebClient(token, { slackApiUrl: server.url, retryConfig, logger: QUIET as unknown as WebApi.Logger });
  };

  const say = async (text: string, more: object = {}): Promise<string> =>
    (await client.chat.postMessage({ channel: dock.id, text, ...more })).ts ?? "";

  const texts = async (more: object = {}): Promise<unknown[]> =>
    ((await client.conversations.history({ channel: dock.id, ...more })).messages ?? []).map(({ text }) => text);

  const refusal = (error: string): object => ({ data: { ok: false, error } });

  beforeEach(async () => {
    server = await FakeSlack.start({ base: "/any/api/" });
    team = server.world.addTeam("Crew");
    alice = addPerson(server, team, "alice", { real_name: "Alice A.", profile: { display_name: "ali" } });
    dock = server.world.addChannel(team.id, "dock", alice.id);
    app = install(server, team, "rialto", [dock]);
    client = make();
  });

  afterEach(async () => await server.stop());

  describe("@slack/web-api takes our server for Slack: who and where", () => {
    test("login, team, scopes, users, bots", async () => {
      const me = await client.auth.test();
      expect([me.user_id, me.bot_id, me.team, me.url]).toEqual([
        app.user.id,
        app.botId,
        "Crew",
        "https://crew.slack.com/",
      ]);
      expect(me.response_metadata?.scopes).toContain("chat:write.customize");
      expect((await client.team.info()).team?.domain).toBe("crew");
      expect((await client.users.info({ user: alice.id })).user?.profile?.display_name).toBe("ali");
      expect((await client.bots.info({ bot: app.botId })).bot?.name).toBe("rialto");
      expect((await client.users.list({ limit: 1 })).response_metadata?.next_cursor).not.toBe("");
      const all = [];
      for await (const page of client.paginate("users.list", { limit: 1 })) {
        all.push(...((page as WebApi.UsersListResponse).members ?? []));
      }
      expect(all.map(({ name }) => name)).toEqual(["slackbot", "alice", "rialto"]);
    });

    test("tokens and scopes", async () => {
      await expect(make("xoxb-wrong").auth.test()).rejects.toMatchObject(refusal("invalid_auth"));
      await expect(make("").auth.test()).rejects.toMatchObject(refusal("not_authed"));
      await expect(make(app.appToken).auth.test()).rejects.toMatchObject(refusal("not_allowed_token_type"));
      await expect(client.apps.connections.open({})).rejects.toMatchObject(refusal("not_allowed_token_type"));
      expect((await make(app.appToken).apps.connections.open({})).url).toMatch(
        /^ws:\/\/127.0.0.1:\d+\/link\/\?ticket=/,
      );
      app.scopes.delete("reactions:write");
      const ts = await say("one");
      await expect(client.reactions.add({ channel: dock.id, timestamp: ts, name: "tada" })).rejects.toMatchObject({
        data: { error: "missing_scope", needed: "reactions:write", provided: [...app.scopes].join(",") },
      });
      app.revoked = "account_inactive";
      await expect(client.auth.test()).rejects.toMatchObject(refusal("account_inactive"));
    });

    test("channels", async () => {
      const attic = server.world.addChannel(team.id, "attic", alice.id);
      const cabin = server.world.addChannel(team.id, "cabin", alice.id, true);
      const names = async (more: object): Promise<unknown[]> =>
        ((await client.conversations.list(more)).channels ?? []).map(({ name }) => name);
      expect(await names({})).toEqual(["dock", "attic"]);
      expect(await names({ types: "public_channel,private_channel" })).toEqual(["dock", "attic"]);
      await expect(client.conversations.info({ channel: cabin.id })).rejects.toMatchObject(
        refusal("channel_not_found"),
      );
      await expect(client.chat.postMessage({ channel: attic.id, text: "x" })).rejects.toMatchObject(
        refusal("not_in_channel"),
      );
      await expect(client.conversations.history({ channel: attic.id })).rejects.toMatchObject(
        refusal("not_in_channel"),
      );
      expect((await client.conversations.join({ channel: attic.id })).channel?.is_member).toBe(true);
      expect((await client.conversations.join({ channel: attic.id })).warning).toBe("already_in_channel");
      const topic = await client.conversations.setTopic({ channel: dock.id, topic: "tide" });
      expect([topic.channel?.topic?.value, dock.topic.value]).toEqual(["tide", "tide"]);
      alice.archive(attic);
      await expect(client.chat.postMessage({ channel: attic.id, text: "x" })).rejects.toMatchObject(
        refusal("is_archived"),
      );
      expect(await names({ exclude_archived: true })).toEqual(["dock"]);
      const stranger = addStranger(server, dock, "zoe");
      expect((await client.conversations.members({ channel: dock.id })).members).toEqual([
        alice.id,
        app.user.id,
        stranger.id,
      ]);
      expect((await client.users.info({ user: stranger.id })).user?.is_stranger).toBe(true);
      expect((await client.conversations.info({ channel: dock.id })).channel?.is_ext_shared).toBe(true);
      expect((await client.users.conversations({})).channels?.map(({ name }) => name)).toEqual(["dock", "attic"]);
    });
  });

  describe("@slack/web-api takes our server for Slack: messages", () => {
    test("post, edit, delete, link, history", async () => {
      const posted = await client.chat.postMessage({ channel: "#dock", text: "a < b *c*" });
      expect([posted.message?.text, posted.message?.bot_id, posted.message?.app_id]).toEqual([
        "a &lt; b *c*",
        app.botId,
        app.id,
      ]);
      expect(posted.message?.blocks?.[0]?.type).toBe("rich_text");
      const ts = posted.ts ?? "";
      const updated = await client.chat.update({ channel: dock.id, ts, text: "two" });
      expect([updated.text, updated.message?.edited?.user]).toEqual(["two", app.user.id]);
      expect((await client.chat.getPermalink({ channel: dock.id, message_ts: ts })).permalink).toBe(
        `https://crew.slack.com/archives/${dock.id}/p${ts.replace(".", "")}`,
      );
      const mine = alice.say(dock, "mine").wire.ts;
      await expect(client.chat.update({ channel: dock.id, ts: mine, text: "x" })).rejects.toMatchObject(
        refusal("cant_update_message"),
      );
      await expect(client.chat.delete({ channel: dock.id, ts: mine })).rejects.toMatchObject(
        refusal("cant_delete_message"),
      );
      expect(await texts()).toEqual(["mine", "two"]);
      expect(await texts({ oldest: ts })).toEqual(["mine"]);
      expect(await texts({ oldest: ts, latest: mine, inclusive: true })).toEqual(["mine", "two"]);
      await client.chat.delete({ channel: dock.id, ts });
      await expect(client.chat.delete({ channel: dock.id, ts })).rejects.toMatchObject(refusal("message_not_found"));
      await client.chat.meMessage({ channel: dock.id, text: "waves" });
      expect((await client.conversations.history({ channel: dock.id, limit: 1 })).messages?.[0]?.subtype).toBe(
        "me_message",
      );
    });

    test("a name and a picture of its own", async () => {
      const as = { username: "Harbour", icon_url: "https://example.org/a.png" };
      const posted = await client.chat.postMessage({ channel: dock.id, text: "ahoy", ...as });
      expect([posted.message?.subtype, posted.message?.username]).toEqual(["bot_message", "Harbour"]);
      await client.chat.update({ channel: dock.id, ts: posted.ts ?? "", text: "ahoy!" });
      app.scopes.delete("chat:write.customize");
      const plain = await client.chat.postMessage({ channel: dock.id, text: "ahoy", ...as });
      expect([plain.message?.subtype, plain.message?.username, plain.message?.user]).toEqual([
        undefined,
        undefined,
        app.user.id,
      ]);
      app.refusesNames = true;
      await expect(client.chat.postMessage({ channel: dock.id, text: "ahoy", ...as })).rejects.toMatchObject({
        data: { error: "missing_scope", needed: "chat:write.customize" },
      });
    });

    test("threads", async () => {
      const root = alice.say(dock, "root");
      const ts = root.wire.ts;
      const first = await say("in it", { thread_ts: ts });
      await say("for all", { thread_ts: ts, reply_broadcast: true });
      const replies = await client.conversations.replies({ channel: dock.id, ts });
      expect(replies.messages?.map(({ text }) => text)).toEqual(["root", "in it", "for all"]);
      expect(replies.messages?.[0]?.reply_count).toBe(2);
      const [newest] = (await client.conversations.history({ channel: dock.id })).messages ?? [];
      expect([newest?.subtype, newest?.root?.text, newest?.thread_ts]).toEqual(["thread_broadcast", "root", ts]);
      expect(await texts()).toEqual(["for all", "root"]);
      await expect(say("lost", { thread_ts: first })).rejects.toMatchObject(refusal("cannot_reply_to_message"));
      await expect(say("lost", { thread_ts: "1.000001" })).rejects.toMatchObject(refusal("thread_not_found"));
      alice.erase(root);
      const [stone] = (await client.conversations.replies({ channel: dock.id, ts })).messages ?? [];
      expect(stone).toMatchObject({ subtype: "tombstone", user: "USLACKBOT", reply_count: 2 });
    });

    test("metadata comes back to who asks for all of it", async () => {
      await say("one", { metadata: { event_type: "rialto_op", event_payload: { op: "op-1" } } });
      const seen = async (all: boolean): Promise<unknown> =>
        (await client.conversations.history({ channel: dock.id, include_all_metadata: all })).messages?.[0]?.metadata;
      expect(await seen(true)).toEqual({ event_type: "rialto_op", event_payload: { op: "op-1" } });
      expect(await seen(false)).toEqual({ event_type: "rialto_op" });
      const large = { event_type: "rialto_op", event_payload: { op: "x".repeat(8000) } };
      await expect(say("two", { metadata: large })).rejects.toMatchObject(refusal("metadata_too_large"));
    });

    test("long texts are cut into several messages, and not when they are edits", async () => {
      const words = "word ".repeat(1000);
      const ts = await say(words);
      const parts = (await texts()).reverse() as string[];
      expect(parts).toHaveLength(2);
      expect(parts.every((part) => part.length <= 4000)).toBe(true);
      expect(parts.join(" ").trim()).toBe(words.trim());
      await expect(client.chat.update({ channel: dock.id, ts, text: words })).rejects.toMatchObject(
        refusal("msg_too_long"),
      );
    });

    test("blocks are looked at", async () => {
      const section = (text: string): object => ({ type: "section", text: { type: "mrkdwn", text } });
      const post = async (blocks: object[]): Promise<WebApi.ChatPostMessageResponse> =>
        await client.chat.postMessage({ channel: dock.id, text: "", blocks: blocks as Block[] });
      expect((await post([section("one"), { type: "divider" }])).message?.blocks?.map(({ type }) => type)).toEqual([
        "section",
        "divider",
      ]);
      await expect(post([section("x".repeat(3001))])).rejects.toMatchObject({
        data: {
          error: "invalid_blocks",
          errors: ["must be less than 3001 characters [json-pointer:/blocks/0/text/text]"],
        },
      });
      await expect(post([section("")])).rejects.toMatchObject(refusal("invalid_blocks"));
      await expect(post(Array.from({ length: 51 }, () => section("x")))).rejects.toMatchObject(
        refusal("invalid_blocks"),
      );
      await expect(post(Array.from({ length: 5 }, () => section("x".repeat(2900))))).rejects.toMatchObject(
        refusal("msg_blocks_too_long"),
      );
      const rich = {
        type: "rich_text",
        elements: [{ type: "rich_text_section", elements: [{ type: "text", text: "" }] }],
      };
      await expect(post([rich])).rejects.toMatchObject(refusal("invalid_blocks"));
      await expect(client.chat.postMessage({ channel: dock.id, text: " " })).rejects.toMatchObject(refusal("no_text"));
      const attachments = Array.from({ length: 101 }, () => ({ text: "x" }));
      await expect(say("x", { attachments })).rejects.toMatchObject(refusal("too_many_attachments"));
    });

    test("reactions and emoji", async () => {
      const ts = alice.say(dock, "one").wire.ts;
      addEmoji(server, team, "parrot", "https://example.org/parrot.gif");
      expect((await client.emoji.list()).emoji).toEqual({ parrot: "https://example.org/parrot.gif" });
      const one = { channel: dock.id, timestamp: ts };
      await client.reactions.add({ ...one, name: "parrot" });
      await client.reactions.add({ ...one, name: "+1::skin-tone-3" });
      await expect(client.reactions.add({ ...one, name: "parrot" })).rejects.toMatchObject(refusal("already_reacted"));
      await expect(client.reactions.add({ ...one, name: "nothing_like_it" })).rejects.toMatchObject(
        refusal("invalid_name"),
      );
      const got = (await client.reactions.get(one)) as { message?: { reactions?: { name?: string }[] } };
      expect(got.message?.reactions?.map(({ name }) => name)).toEqual(["parrot", "+1::skin-tone-3"]);
      await client.reactions.remove({ ...one, name: "parrot" });
      await expect(client.reactions.remove({ ...one, name: "parrot" })).rejects.toMatchObject(refusal("no_reaction"));
    });

    test("pages, and what the plan hides", async () => {
      const rows = Array.from({ length: 7 }, (_, at) => alice.say(dock, String(at)));
      const all: unknown[] = [];
      for await (const page of client.paginate("conversations.history", { channel: dock.id, limit: 3 })) {
        all.push(...((page as WebApi.ConversationsHistoryResponse).messages ?? []).map(({ text }) => text));
      }
      expect(all).toEqual(["6", "5", "4", "3", "2", "1", "0"]);
      hideBefore(dock, rows[5]!);
      const history = await client.conversations.history({ channel: dock.id });
      expect([history.messages?.length, (history as { is_limited?: boolean }).is_limited]).toEqual([2, true]);
      server.history.smallPages = true;
      for (let at = 0; at < 20; at += 1) alice.say(dock, "more");
      expect((await client.conversations.history({ channel: dock.id, limit: 200 })).messages).toHaveLength(15);
    });
  });

  describe("@slack/web-api takes our server for Slack: files and limits", () => {
    test("files go in three steps, and come", async () => {
      const bytes = Buffer.from([0, 255, 13, 10, 0]);
      server.files.lateShares = 1;
      const sent = await client.files.uploadV2({
        channel_id: dock.id,
        file: bytes,
        filename: "a b.bin",
        initial_comment: "look",
      });
      const id = (sent as { files?: { files?: { id?: string }[] }[] }).files?.[0]?.files?.[0]?.id ?? "";
      expect((await client.files.info({ file: id })).file?.shares).toBeUndefined();
      const { file } = await client.files.info({ file: id });
      const [share] = file?.shares?.public?.[dock.id] ?? [];
      const [message] = (await client.conversations.history({ channel: dock.id })).messages ?? [];
      expect([message?.text, message?.ts, message?.files?.[0]?.id, file?.name]).toEqual([
        "look",
        share?.ts,
        id,
        "a b.bin",
      ]);
      const fetched = await fetch(file?.url_private_download ?? "", {
        headers: { authorization: `Bearer ${app.token}` },
      });
      expect(Buffer.from(await fetched.arrayBuffer())).toEqual(bytes);
      // Without a token people would log in.
      expect((await fetch(file?.url_private ?? "")).headers.get("content-type")).toContain("text/html");
      const again = { files: [{ id }] as [{ id: string }] };
      await expect(client.files.completeUploadExternal(again)).rejects.toMatchObject(refusal("file_not_found"));
      eraseFile(server, server.world.files.get(id)!);
      expect((await client.conversations.history({ channel: dock.id })).messages?.[0]?.files).toEqual([
        { id, mode: "tombstone" },
      ]);
    });

    test("files that are hidden, those elsewhere, and one that is too large", async () => {
      const hidden = alice.sendFile(dock, { name: "old.txt", content: Buffer.from("old") });
      hideFile(server.world.files.get(hidden.files[0]!)!);
      alice.sendExternal(dock, "sheet", "https://drive.example.org/1");
      const [external, old] = (await client.conversations.history({ channel: dock.id })).messages ?? [];
      expect([external?.files?.[0]?.mode, external?.files?.[0]?.url_private]).toEqual([
        "external",
        "https://drive.example.org/1",
      ]);
      expect(old?.files?.[0]).toEqual({ id: hidden.files[0], mode: "hidden_by_limit" });
      server.world.maxFile = 2;
      await expect(client.files.getUploadURLExternal({ filename: "a", length: 3 })).rejects.toMatchObject(
        refusal("file_upload_size_restricted"),
      );
    });

    test("it waits when told to, and everything arrives once", async () => {
      client = make(app.token, 5);
      const waits: number[] = [];
      client.on("rate_limited" as WebApi.WebClientEvent, (seconds: number) => waits.push(seconds));
      server.limit({ path: "/chat.postMessage" }, 1, 2);
      for (const text of ["1", "2", "3"]) await say(text);
      expect(waits).toEqual([1, 1]);
      expect(await texts()).toEqual(["3", "2", "1"]);
    });

    test("answers that are lost, and servers in trouble", async () => {
      server.faults.loseAnswer({ path: "/chat.postMessage" });
      await expect(say("stored")).rejects.toMatchObject({ code: "slack_webapi_request_error" });
      server.faults.break({ path: "/chat.postMessage" });
      await expect(say("not stored")).rejects.toMatchObject({ code: "slack_webapi_request_error" });
      expect(await texts()).toEqual(["stored"]);
      server.faults.fail({ path: "/chat.postMessage" }, 503);
      await expect(say("x")).rejects.toMatchObject({ code: "slack_webapi_http_error", statusCode: 503 });
      server.refuse("chat.postMessage", "fatal_error");
      await expect(say("x")).rejects.toMatchObject(refusal("fatal_error"));
    });
  });
});
