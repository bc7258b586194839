import { describe, expect, test } from "vitest";
import { RecordingHost } from "../../../test/contract/recording-host.ts";
import { addEmoji, addPerson, addStranger, hideBefore } from "../../../test/servers/slack/people.ts";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import type { SlackApi } from "./api.ts";
import { apiOn, slackGate, until } from "./gate.suite.ts";
import { codeOf, type SlackResult } from "./result.ts";

const signal = new AbortController().signal;
const words = (text: RegExp): string => expect.stringMatching(text) as string;

function good<T>(result: SlackResult<T>): T {
  if (!result.ok) throw new Error(result.failure.message);
  return result.value;
}

const draft = (channel: string, text: string) => ({
  channel,
  text,
  blocks: [],
  threadTs: "",
  metadata: { event_type: "rialto_op", event_payload: { op: "1" } },
  username: "Alice",
  iconUrl: "https://example.org/a.png",
});

const contentOf = (text: string): ReadableStream<Uint8Array> => new Blob([text]).stream();

describe("what is said through it", () => {
  test("is posted, changed, answered, reacted to and deleted", async () => {
    const gate = await slackGate();
    const { channel, app } = gate;
    const api = apiOn(gate);
    const root = good(await api.post(draft(channel.id, "one & two"), signal));
    expect(root).toMatchObject({
      channel: channel.id,
      username: "Alice",
      botId: app.botId,
      metadata: { event_type: "rialto_op", event_payload: { op: "1" } },
    });
    const ts = root?.ts ?? "";
    const reply = good(await api.post({ ...draft(channel.id, "reply"), threadTs: ts }, signal));
    expect(reply).toMatchObject({ threadTs: ts, text: "reply" });
    const change = { channel: channel.id, ts, text: "three", blocks: [], metadata: {} };
    expect(good(await api.update({ ...change, metadata: draft("", "").metadata, fileIds: [] }, signal))).toBe(ts);
    good(await api.react({ channel: channel.id, ts }, "tada", true, signal));
    expect(good(await api.message(channel.id, ts, signal))).toMatchObject({
      text: "three",
      reactions: [{ name: "tada", users: [app.user.id] }],
    });
    expect(good(await api.message(channel.id, reply?.ts ?? "", signal))).toMatchObject({ text: "reply", threadTs: ts });
    good(await api.react({ channel: channel.id, ts }, "tada", false, signal));
    expect(good(await api.permalink(channel.id, ts, signal))).toContain(channel.id);
    good(await api.delete(channel.id, reply?.ts ?? "", signal));
    expect(good(await api.message(channel.id, reply?.ts ?? "", signal))).toBeNull();
    good(await api.setTopic(channel.id, "the topic", signal));
    expect(channel.topic.value).toBe("the topic");
  });

  test("has its files, whose address is told no token", async () => {
    const gate = await slackGate();
    const { channel, server } = gate;
    const api = apiOn(gate);
    const place = good(await api.beginUpload("a b.txt", 5, signal));
    expect(await api.sendFile(place, { stream: contentOf("hello"), bytes: 5 }, signal)).toBeNull();
    const files = [{ id: place.id, title: "A" }];
    good(await api.share({ channel: channel.id, threadTs: "", files, blocks: [] }, signal));
    const info = good(await api.fileInfo(place.id, signal));
    expect(info).toMatchObject({ name: "a b.txt", title: "A", size: 5, mode: "hosted" });
    const opened = await api.openFile(info ?? { url: null, mime: null }, signal);
    expect(opened.ok && (await new Response(opened.stream).text())).toBe("hello");
    expect(server.requests.filter((one) => one.includes("/upload/v1/"))).toHaveLength(1);
  });
});

describe("what was said", () => {
  test("comes in pages, with what the bots' messages carry", async () => {
    const gate = await slackGate();
    const { channel, alice } = gate;
    const api = apiOn(gate);
    const rows = ["one", "two", "three", "four"].map((text) => alice.say(channel, text));
    good(await api.post(draft(channel.id, "ours"), signal));
    const [first, , third, fourth] = rows.map(({ wire }) => wire.ts);
    const query = { channel: channel.id, oldest: first ?? "", latest: "", cursor: "", count: 2 };
    const page = good(await api.history(query, signal));
    expect(page.messages.map(({ text }) => text)).toEqual(["ours", "four"]);
    expect([page.messages[0]?.metadata["event_type"], page.limited]).toEqual(["rialto_op", false]);
    const next = good(await api.history({ ...query, cursor: page.next }, signal));
    expect([next.messages.map(({ text }) => text), next.next]).toEqual([["three", "two"], ""]);
    const between = good(await api.history({ ...query, latest: fourth ?? "", count: 100 }, signal));
    expect(between.messages.map(({ ts }) => ts)).toEqual([third, rows[1]?.wire.ts]);
    hideBefore(channel, rows[2] ?? rows[0]!);
    expect(good(await api.history({ ...query, count: 100 }, signal))).toMatchObject({ limited: true });
  });

  test("in a thread comes behind its root", async () => {
    const gate = await slackGate();
    const { channel, alice } = gate;
    const root = alice.say(channel, "root");
    const replies = ["one", "two"].map((text) => alice.say(channel, text, { thread: root }));
    const query = { channel: channel.id, oldest: replies[0]?.wire.ts ?? "", latest: "", cursor: "", count: 100 };
    const page = good(await apiOn(gate).replies({ ...query, root: root.wire.ts }, signal));
    expect(page.messages.map(({ text }) => text)).toEqual(["root", "two"]);
    expect(page.messages[0]).toMatchObject({ replyCount: 2, latestReply: replies[1]?.wire.ts });
  });

  test("is waited for while Slack does not want to be asked, and nobody asks meanwhile", async () => {
    const gate = await slackGate();
    const { channel, alice, server } = gate;
    const clock = new FakeClock();
    const api = apiOn(gate, { host: new RecordingHost(clock) });
    const query = { channel: channel.id, oldest: "", latest: "", cursor: "", count: 100 };
    alice.say(channel, "one");
    server.limits.set("conversations.history", 1, 60_000);
    const refused = async (count: number): Promise<void> =>
      await until(
        () => server.limits.refused === count && api.isLimited("conversations.history"),
        () => `${count} refusals`,
      );
    const minute = async (): Promise<void> => {
      server.world.clock.pass(60_000);
      await clock.advance(60_000);
    };
    good(await api.history(query, signal));
    const several = Array.from({ length: 2 }, async () => good(await api.history(query, signal)).messages.length);
    await refused(2);
    expect(api.isLimited("conversations.replies")).toBe(false);
    good(await api.post(draft(channel.id, "sending goes on"), signal));
    await minute();
    await refused(3);
    await minute();
    expect(await Promise.all(several)).toEqual([2, 2]);
    // The second one was on its way when the first was refused.
    expect([server.limits.impatient, server.limits.refused]).toEqual([1, 3]);
  });
});

test("people, channels, members and emoji", async () => {
  const gate = await slackGate();
  const { server, team, channel, alice, app } = gate;
  const api = apiOn(gate);
  const bob = addPerson(server, team, "bob");
  const hidden = server.world.addChannel(team.id, "hidden", alice.id, true);
  const other = server.world.addChannel(team.id, "other", bob.id);
  const stranger = addStranger(server, channel, "eve");
  addEmoji(server, team, "parrot", "https://emoji.slack-edge.com/parrot.gif");
  addEmoji(server, team, "bird", "alias:parrot");
  expect(good(await api.user(bob.id, signal))).toMatchObject({ id: bob.id, name: "bob" });
  expect(good(await api.user(stranger.id, signal))).toMatchObject({ teamId: stranger.user.team });
  expect(good(await api.user("U0NOBODY", signal))).toBeNull();
  expect(good(await api.usersPage("", signal)).users.map(({ name }) => name)).toContain("bob");
  const mine = good(await api.channelsPage({ mine: true, cursor: "" }, signal));
  expect(mine.channels.map(({ name, isMember }) => [name, isMember])).toEqual([["town", true]]);
  const all = good(await api.channelsPage({ mine: false, cursor: "" }, signal));
  expect(all.channels.map(({ name, isMember }) => [name, isMember])).toEqual([
    ["town", true],
    ["other", false],
  ]);
  expect(good(await api.enter(other.id, signal))).toMatchObject({ id: other.id });
  expect(good(await api.members(other.id, "", signal)).users).toEqual([bob.id, app.user.id]);
  expect(good(await api.channel(other.id, signal))).toMatchObject({ name: "other", isMember: true, isPrivate: false });
  expect(good(await api.channel(hidden.id, signal))).toBeNull();
  expect([...good(await api.emoji(signal))]).toEqual([
    ["parrot", "https://emoji.slack-edge.com/parrot.gif"],
    ["bird", "alias:parrot"],
  ]);
});

test("channels of ours are found without the right for private ones", async () => {
  const gate = await slackGate();
  gate.app.scopes.delete("groups:read");
  const api = apiOn(gate);
  good(await api.authTest(signal));
  const { channels } = good(await api.channelsPage({ mine: true, cursor: "" }, signal));
  expect(channels.map(({ name }) => name)).toEqual(["town"]);
});

test("channels of ours are found on a server that has no list of them alone", async () => {
  const gate = await slackGate();
  const { server, team, alice } = gate;
  server.world.addChannel(team.id, "other", alice.id);
  server.faults.answer({ path: "/users.conversations" }, { json: { ok: false, error: "unknown_method" } }, 1);
  const api = apiOn(gate);
  for (const _ of [1, 2]) {
    const { channels } = good(await api.channelsPage({ mine: true, cursor: "" }, signal));
    expect(channels.map(({ name, isMember }) => [name, isMember])).toEqual([["town", true]]);
  }
  expect(server.requests.filter((one) => one.includes("conversations")).map((one) => one.split("/").at(-1))).toEqual([
    "users.conversations",
    "conversations.list",
    "conversations.list",
  ]);
});

describe("a refusal", () => {
  test.each([
    ["not_in_channel", "forbidden", true],
    ["is_archived", "forbidden", true],
    ["channel_not_found", "not_found", true],
    ["msg_too_long", "too_large", true],
    ["invalid_auth", "auth", true],
    ["fatal_error", "remote_error", false],
    ["internal_error", "remote_error", false],
    ["something_new", "bad_content", true],
  ])("%s is %s", async (error, code, certain) => {
    const gate = await slackGate();
    gate.server.refuse("chat.postMessage", error);
    const result = await apiOn(gate).post(draft(gate.channel.id, "hi"), signal);
    expect(result).toMatchObject({
      ok: false,
      failure: { error, certain, message: `Slack refuses chat.postMessage: ${error}` },
    });
    expect(result.ok ? "" : codeOf(result.failure)).toBe(code);
  });

  test("for a scope names it, and where it is added", async () => {
    const gate = await slackGate();
    gate.app.scopes.delete("reactions:write");
    const result = await apiOn(gate).react({ channel: gate.channel.id, ts: "1.000000" }, "tada", true, signal);
    const message = words(/lacks the scope reactions:write; add it at .*OAuth & Permissions.* install the app anew$/u);
    expect(result).toMatchObject({
      ok: false,
      failure: { error: "missing_scope", needed: "reactions:write", message },
    });
  });

  test("that repeats the token is told without it", async () => {
    const gate = await slackGate();
    const error = `who_is_${gate.app.token}_${"x".repeat(500)}`;
    const json = { ok: false, error, response_metadata: { messages: [gate.app.token] } };
    gate.server.faults.answer({ path: "/auth.test" }, { json });
    const result = await apiOn(gate).authTest(signal);
    expect(result).toMatchObject({ ok: false, failure: { message: words(/who_is_…_x{20,200}… \(…\)$/u) } });
  });

  test("says what is wrong with what was sent", async () => {
    const gate = await slackGate();
    const json = { ok: false, error: "invalid_blocks", response_metadata: { messages: ["[ERROR] must be a text"] } };
    gate.server.faults.answer({ path: "/chat.postMessage" }, { json });
    const result = await apiOn(gate).post(draft(gate.channel.id, "hi"), signal);
    expect(result).toMatchObject({
      ok: false,
      failure: { message: words(/invalid_blocks \(\[ERROR\] must be a text\)$/u) },
    });
  });

  test.each(["ratelimited", "rate_limited"])("by %s with the status 200 is one as well", async (error) => {
    const gate = await slackGate();
    gate.server.refuse("chat.postMessage", error);
    const api = apiOn(gate);
    for (let time = 0; time < 2; time += 1)
      expect(await api.post(draft(gate.channel.id, "hi"), signal)).toMatchObject({
        ok: false,
        failure: { error: "ratelimited", status: 429 },
      });
    expect(gate.channel.messages.size).toBe(0);
  });

  test("of too much forbids that channel alone, and nothing is asked before its end", async () => {
    const gate = await slackGate();
    const { server, team, alice, app } = gate;
    const api = apiOn(gate);
    const other = server.world.addChannel(team.id, "other", alice.id);
    other.members.add(app.user.id);
    server.limit({ path: "/chat.postMessage" }, 30);
    const posts = (): number => server.requests.filter((one) => one === "POST /chat.postMessage").length;
    for (let time = 0; time < 3; time += 1) {
      const result = await api.post(draft(gate.channel.id, "hi"), signal);
      expect(result).toMatchObject({ ok: false, failure: { error: "ratelimited", status: 429, certain: true } });
      expect(result.ok ? 0 : (result.failure.retryAfterMs ?? 0)).toBeGreaterThan(20_000);
      expect(result.ok ? "" : codeOf(result.failure)).toBe("rate_limited");
    }
    expect(posts()).toBe(1);
    good(await api.post(draft(other.id, "hi"), signal));
    expect(posts()).toBe(2);
  });

  test.each([
    ["an answer that was lost", "lose", false],
    ["a page of what stands before Slack", "fail", false],
    ["no server", "gone", true],
  ] as const)("is not what %s is", async (_, how, certain) => {
    const gate = await slackGate();
    const { server, channel } = gate;
    const path = "/chat.postMessage";
    const base = how === "gone" ? "http://127.0.0.1:1/api/" : server.url;
    if (how === "lose") server.faults.loseAnswer({ path });
    if (how === "fail") server.faults.fail({ path }, 502);
    const result = await apiOn(gate, { base }).post(draft(channel.id, "hi"), signal);
    expect(result).toMatchObject({ ok: false, failure: { certain, error: "" } });
    expect(channel.messages.size).toBe(how === "lose" ? 1 : 0);
  });

  test("that is none: what answers is not Slack", async () => {
    const gate = await slackGate();
    for (const json of [{}, [], "text", { ok: "yes" }, { ok: false }]) gate.server.faults.answer({}, { json });
    for (let time = 0; time < 5; time += 1)
      expect(await apiOn(gate).authTest(signal)).toMatchObject({ ok: false, failure: { why: "unreadable" } });
  });
});

describe("files", () => {
  const opening = async (api: SlackApi, url: string | null, mime: string | null = null) =>
    await api.openFile({ url, mime }, signal);

  test("are refused with a remedy where the app lacks the right", async () => {
    const gate = await slackGate();
    const { alice, server, app } = gate;
    const { wire } = alice.upload({ name: "a.txt", content: Buffer.from("a") });
    app.scopes.delete("files:read");
    const opened = await opening(apiOn(gate), wire.url_private ?? "");
    expect(opened).toMatchObject({ ok: false, why: { code: "forbidden", message: words(/scope files:read/u) } });
    server.faults.answer({ path: "/files-pri/" }, { bytes: "<html>", headers: { "content-type": "text/html" } });
    expect(await opening(apiOn(gate), wire.url_private ?? "", "text/plain")).toMatchObject({
      ok: false,
      why: { code: "forbidden" },
    });
  });

  test("that are pages of the web are files as well", async () => {
    const gate = await slackGate();
    const { wire } = gate.alice.upload({ name: "a.html", content: Buffer.from("<p>"), mime: "text/html" });
    const opened = await opening(apiOn(gate), wire.url_private ?? "", "text/html");
    expect(opened.ok && (await new Response(opened.stream).text())).toBe("<p>");
  });

  test.each([
    ["https://example.org/files-pri/a"],
    ["https://slack.com.example.org/files-pri/a"],
    ["https://evilslack.com/files-pri/a"],
    ["https://files.slack.com:8443/a"],
    ["http://files.slack.com/a"],
    ["https://user:pass@files.slack.com/a"],
    ["ftp://files.slack.com/a"],
    ["nothing"],
    [null],
  ])("at %j are not fetched, and the token is not told", async (url) => {
    const gate = await slackGate();
    expect(await opening(apiOn(gate), url)).toMatchObject({ ok: false, why: { code: "not_found" } });
  });

  test("are not sent to an address that is not Slack's", async () => {
    const gate = await slackGate();
    let cancelled = false;
    const stream = new ReadableStream<Uint8Array>({ cancel: () => void (cancelled = true) });
    const place = { url: "https://files.example.org/upload", id: "F0" };
    const failure = await apiOn(gate).sendFile(place, { stream, bytes: 1 }, signal);
    expect([failure?.why, cancelled]).toEqual(["refused", true]);
  });

  test("that are too large, or not taken, are not there", async () => {
    const gate = await slackGate();
    gate.server.world.maxFile = 3;
    const api = apiOn(gate);
    expect(await api.beginUpload("a", 5, signal)).toMatchObject({
      ok: false,
      failure: { error: "file_upload_size_restricted" },
    });
    const send = async (text: string) =>
      await api.sendFile(good(await api.beginUpload("a", 2, signal)), { stream: contentOf(text), bytes: 2 }, signal);
    gate.server.faults.fail({ path: "/upload/v1/" }, 500);
    expect(await send("he")).toMatchObject({ certain: true, status: 500 });
    expect(await send("hello")).toMatchObject({ certain: true });
    expect(gate.server.world.files.size).toBe(0);
  });
});

test("the server's clock is known from its answers", async () => {
  const gate = await slackGate();
  const host = new RecordingHost();
  const api = apiOn(gate, { host });
  expect(api.serverMs()).toBeNull();
  good(await api.authTest(signal));
  expect(Math.abs((api.serverMs() ?? 0) - Date.now())).toBeLessThan(60_000);
});
