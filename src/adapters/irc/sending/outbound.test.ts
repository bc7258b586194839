import { expect, test } from "vitest";
import type { ChannelRef, MessageRef, OpId } from "../../../contract/ids.ts";
import type { DeleteOp, OpAuthor } from "../../../contract/ops.ts";
import type { Outcome } from "../../../contract/outcome.ts";
import type { Session } from "../../../contract/session.ts";
import { RecordingAttempt } from "../../../../test/contract/recording-attempt.ts";
import { settled } from "../../../../test/support/fake-clock.ts";
import type { Peer } from "../scripted-server.suite.ts";
import { post, session } from "../scripted-server.suite.ts";

const TAGS = "message-tags echo-message labeled-response batch";
const REDACTION = `${TAGS} draft/message-redaction`;
const OURS = ":rialto!~rialto@client.test";

const labelOf = (line: string): string => /^@(?:[^ ]*;)?label=(?<label>[^; ]+)/u.exec(line)?.groups?.["label"] ?? "";

function author(shown: string, name = "alice"): OpAuthor {
  return { id: "a@elsewhere", name, shown, avatar: null, account: "xmpp" };
}

function erase(
  to: Pick<Session, "handlers">,
  target: readonly string[],
  attempt = new RecordingAttempt(),
): { readonly attempt: RecordingAttempt; readonly outcome: Promise<Outcome> } {
  const op: DeleteOp = {
    kind: "delete",
    id: `erase ${target.join(" ")}` as OpId,
    channel: "#a" as ChannelRef,
    attempt: 1,
    target: target as readonly MessageRef[],
    author: null,
  };
  if (to.handlers.delete === undefined) throw new Error("no handler");
  return { attempt, outcome: to.handlers.delete(op, attempt) };
}

const reply = (target: string) => ({ target: target as MessageRef, name: "bob", excerpt: "hi" });

/** The next line that is no PING; those are answered. */
async function said(peer: Peer): Promise<string> {
  for (;;) {
    const line = await peer.next();
    if (!line.startsWith("PING ")) return line;
    peer.pong(line);
  }
}

test("a reply carries its tag on the first line, where the server passes it on", async () => {
  const { peer, session: live } = await session({ caps: TAGS, channels: ["#a"] });
  post(live, "bob: yes\nindeed", { reply: reply("m1") });
  const [first, second] = [await peer.next(), await peer.next()];
  expect(first).toMatch(/^@label=r1;\+draft\/reply=m1;\+reply=m1 PRIVMSG #a :bob: yes$/);
  expect(second).toMatch(/^@label=r2 PRIVMSG #a indeed$/);
});

test.each([
  ["", "CASEMAPPING=ascii", ""],
  ["message-tags", "CASEMAPPING=ascii", "@+draft/reply=m1;+reply=m1 "],
  ["message-tags", "CLIENTTAGDENY=*", ""],
  ["message-tags", "CLIENTTAGDENY=draft/reply,reply", ""],
  ["message-tags", "CLIENTTAGDENY=draft/reply", "@+reply=m1 "],
  ["message-tags", "CLIENTTAGDENY=reply", "@+draft/reply=m1 "],
  ["message-tags", "CLIENTTAGDENY=*,-draft/reply", "@+draft/reply=m1 "],
  ["message-tags", "CLIENTTAGDENY=*,-reply", "@+reply=m1 "],
  ["message-tags", "CLIENTTAGDENY=*,-reply,-draft/reply", "@+draft/reply=m1;+reply=m1 "],
])("a reply has the tags that the server passes on: %j, %j", async (caps, isupport, tags) => {
  const { peer, session: live } = await session({ caps, isupport, channels: ["#a"] });
  post(live, "bob: yes", { reply: reply("m1") });
  expect(await peer.next()).toBe(`${tags}PRIVMSG #a :bob: yes`);
});

test("a join says whether messages can be taken back", async () => {
  const joined = async (caps: string) => {
    const { peer, session: live } = await session({ caps });
    const join = live.join({ name: "#a", options: {} }, new AbortController().signal);
    await peer.enter("#a");
    return await join;
  };
  expect(await joined(REDACTION)).toEqual({ ok: true, ref: "#a", without: [] });
  expect(await joined(TAGS)).toEqual({ ok: true, ref: "#a", without: ["delete"] });
});

test("a deletion takes back every line of the message; what is gone already is no failure", async () => {
  const { peer, session: live } = await session({ caps: REDACTION, channels: ["#a"] });
  const { outcome, attempt } = erase(live, ["m1", "m2"]);
  const [first, second] = [await peer.next(), await peer.next()];
  expect([first, second]).toEqual(["@label=r1 REDACT #a m1", "@label=r2 REDACT #a m2"]);
  expect(attempt.announced).toEqual(["1", "end"]);
  peer.send(`@label=r1;msgid=x ${OURS} REDACT #a m1`);
  peer.send(`@label=r2 :irc.test FAIL REDACT UNKNOWN_MSGID #a m2 :It is too old`);
  expect(await outcome).toEqual({ is: "delivered", receipt: { messages: [], losses: [] } });
  expect(attempt.faults).toEqual([]);
});

test("a refusal with the label of something else concerns no message", async () => {
  const { peer, session: live } = await session({ caps: TAGS, channels: ["#a"] });
  const { outcome } = post(live, "hello");
  const label = labelOf(await peer.next());
  peer.send("@label=h9 :irc.test 403 rialto #a :No such channel", `@label=${label};msgid=m1 ${OURS} PRIVMSG #a hello`);
  expect(await outcome).toMatchObject({ is: "delivered", receipt: { messages: ["m1"] } });
});

test("a deletion that the server does not allow", async () => {
  const { peer, session: live } = await session({ caps: REDACTION, channels: ["#a"] });
  const { outcome } = erase(live, ["m1"]);
  peer.send(`@label=${labelOf(await peer.next())} :irc.test FAIL REDACT REDACT_FORBIDDEN #a m1 :You may not`);
  expect(await outcome).toMatchObject({ is: "rejected", why: { code: "forbidden" } });
});

test("a deletion without labels and without an echo is done when the server has read it, and nothing else is meant by its failure", async () => {
  const caps = "message-tags echo-message draft/message-redaction";
  const { peer, clock, session: live } = await session({ caps, channels: ["#a"] });
  const gone = erase(live, ["m1"]);
  expect(await peer.next()).toBe("REDACT #a m1");
  await clock.advance(5000);
  peer.pong(await peer.next());
  expect(await gone.outcome).toMatchObject({ is: "delivered" });
  const message = post(live, "hello");
  const refused = erase(live, ["m2"]);
  expect([await peer.next(), await peer.next()]).toEqual(["PRIVMSG #a hello", "REDACT #a m2"]);
  peer.send(":irc.test FAIL REDACT REDACT_WINDOW_EXPIRED #a m2 60 :Too late");
  expect(await refused.outcome).toMatchObject({ is: "rejected" });
  peer.send(`@msgid=m3 ${OURS} PRIVMSG #a hello`);
  expect(await message.outcome).toMatchObject({ is: "delivered", receipt: { messages: ["m3"] } });
});

test("a deletion where the connection dies is unknown; one that no server can do is rejected", async () => {
  const { peer, session: live } = await session({ caps: REDACTION, channels: ["#a"] });
  const { outcome } = erase(live, ["m1"]);
  await peer.next();
  peer.end();
  expect(await outcome).toMatchObject({ is: "unknown" });
  const plain = await session({ channels: ["#a"] });
  expect(await erase(plain.session, ["m1"]).outcome).toMatchObject({ is: "rejected", why: { code: "unsupported" } });
  await settled();
  expect(plain.peer.waiting).toEqual([]);
});

const MANY = Array.from({ length: 10 }, (_, at) => `line ${at}`).join("\n");

test("what is too long for its lines has a link, and what comes after it stays after it", async () => {
  const { peer, host, session: live } = await session({ channels: ["#a"], settings: { MessageLines: 3 } });
  const published: string[] = [];
  const link = Promise.withResolvers<string | null>();
  Object.assign(host, {
    publish: async (text: string) => {
      published.push(text);
      return await link.promise;
    },
  });
  const long = post(live, MANY);
  post(live, "behind");
  await settled();
  expect(peer.waiting).toEqual([]);
  expect(published).toEqual([MANY]);
  link.resolve("https://files.test/t/abc.txt");
  const lines = [await said(peer), await said(peer), await said(peer), await said(peer)];
  expect(lines).toEqual([
    "PRIVMSG #a :line 0",
    "PRIVMSG #a :line 1",
    "PRIVMSG #a :(8 more lines: https://files.test/t/abc.txt)",
    "PRIVMSG #a behind",
  ]);
  peer.pong(await peer.until(/^PING/));
  expect(await long.outcome).toMatchObject({ is: "delivered", receipt: { losses: [{ what: "length" }] } });
});

test("without a place for links the last line only counts", async () => {
  const { peer, session: live } = await session({ channels: ["#a"], settings: { MessageLines: 2 } });
  post(live, MANY);
  expect([await said(peer), await said(peer)]).toEqual(["PRIVMSG #a :line 0", "PRIVMSG #a :(9 more lines)"]);
});

test("a deletion waits for the long text before it", async () => {
  const {
    peer,
    host,
    session: live,
  } = await session({
    caps: REDACTION,
    channels: ["#a"],
    settings: { MessageLines: 2 },
  });
  const link = Promise.withResolvers<null>();
  Object.assign(host, { publish: async () => await link.promise });
  post(live, MANY);
  erase(live, ["m1"]);
  await settled();
  expect(peer.waiting).toEqual([]);
  link.resolve(null);
  expect([await said(peer), await said(peer), await said(peer)].map((line) => line.split(" ")[1])).toEqual([
    "PRIVMSG",
    "PRIVMSG",
    "REDACT",
  ]);
});

test("a post that is given up while its link is made ends", async () => {
  const { host, session: live } = await session({ channels: ["#a"], settings: { MessageLines: 2 } });
  Object.assign(host, { publish: async () => await new Promise<null>(() => undefined) });
  const { attempt, outcome } = post(live, MANY);
  await settled();
  attempt.abort();
  expect(await outcome).toMatchObject({ is: "deferred" });
});

const MULTILINE = `${TAGS} draft/multiline=max-bytes=400,max-lines=5`;

/** What a server says of the batch that it was sent: it shows it back. */
function shown(lines: readonly string[], reference = "s1"): readonly string[] {
  const label = labelOf(lines[0] ?? "");
  return [
    `@label=${label};msgid=m7 ${OURS} BATCH +${reference} draft/multiline #a`,
    ...lines.slice(1, -1).map((line) => `@batch=${reference} ${OURS} ${line.replace(/^@\S+ /u, "")}`),
    `:irc.test BATCH -${reference}`,
  ];
}

test("several lines are one message where the server takes them as one", async () => {
  const { peer, session: live } = await session({ caps: MULTILINE, channels: ["#a"] });
  const { outcome, attempt } = post(live, "one\ntwo", { author: author("<alice> "), reply: reply("m1") });
  const lines = [await peer.next(), await peer.next(), await peer.next(), await peer.next()];
  expect(lines).toEqual([
    "@label=r1;+draft/reply=m1;+reply=m1 BATCH +m1 draft/multiline #a",
    "@batch=m1 PRIVMSG #a :<alice> one",
    "@batch=m1 PRIVMSG #a :<alice> two",
    "BATCH -m1",
  ]);
  peer.send(...shown(lines));
  expect(await outcome).toEqual({ is: "delivered", receipt: { messages: ["m7"], losses: [] } });
  expect([attempt.announced, attempt.faults]).toEqual([["end"], []]);
});

test.each([
  ["too many lines", "1\n2\n3\n4\n5\n6"],
  ["too many bytes", `${"x".repeat(250)}\n${"y".repeat(250)}`],
  ["one line", "one"],
])("lines go as lines: %s", async (_, text) => {
  const { peer, session: live } = await session({ caps: MULTILINE, channels: ["#a"] });
  post(live, text);
  expect(await peer.next()).toMatch(/^@label=r1 PRIVMSG #a /);
});

test("a batch that the server refuses goes as lines, and so do all after it", async () => {
  const { peer, session: live } = await session({ caps: MULTILINE, channels: ["#a"] });
  const first = post(live, "one\ntwo");
  const lines = [await peer.next(), await peer.next(), await peer.next(), await peer.next()];
  peer.send(`@label=${labelOf(lines[0] ?? "")} :irc.test FAIL BATCH MULTILINE_INVALID :No`);
  expect(await first.outcome).toMatchObject({ is: "deferred", scope: "channel", retryInMs: 0 });
  post(live, "one\ntwo");
  expect([await said(peer), await said(peer)]).toEqual(["@label=r2 PRIVMSG #a one", "@label=r3 PRIVMSG #a two"]);
});

const RELAY = `${TAGS} draft/relaymsg=/`;
const RELAYED = { UseRelayMsg: true };

test("a message under the name of who wrote it", async () => {
  const isupport = "NICKLEN=30";
  const { peer, host, session: live } = await session({ caps: RELAY, isupport, channels: ["#a"], settings: RELAYED });
  const { outcome } = post(live, "hi there", { author: author("<alice> ") });
  expect(await peer.next()).toBe("@label=r1 RELAYMSG #a alice/x :hi there");
  peer.send("@label=r1;msgid=m1;draft/relaymsg=rialto :alice/x!r@relay.test PRIVMSG #a :hi there");
  expect(await outcome).toEqual({ is: "delivered", receipt: { messages: ["m1"], losses: [] } });
  const action = post(live, "waves", {
    author: author("alice/matrix"),
    body: {
      style: "action",
      source: { format: "plain", text: "waves" },
      blocks: [{ t: "para", of: [{ t: "text", text: "waves" }] }],
      files: [],
    },
  });
  expect(await peer.next()).toBe("@label=r2 RELAYMSG #a alice/matrix :\u0001ACTION waves\u0001");
  // This server does not show it back.
  peer.send("@label=r2 :irc.test ACK");
  expect(await action.outcome).toMatchObject({ is: "delivered" });
  expect(host.posted).toEqual([]);
});

test("RELAYMSG is not asked for unless it is wanted, and not used where the server has none", async () => {
  const without = await session({ caps: "message-tags", channels: ["#a"], settings: RELAYED });
  const { outcome } = post(without.session, "hi", { author: author("<alice> ") });
  expect(await without.peer.next()).toBe("PRIVMSG #a :<alice> hi");
  without.peer.pong(await without.peer.next());
  expect(await outcome).toMatchObject({ is: "delivered", receipt: { losses: [{ what: "identity" }] } });
});

test("a name that the server does not take: the fallback with the name in the text, then only the text", async () => {
  const { peer, session: live } = await session({ caps: RELAY, channels: ["#a"], settings: RELAYED });
  const write = () => post(live, "hi", { author: author("<alice> ") });
  const refuse = async (code: string) => {
    const { outcome } = write();
    const line = await said(peer);
    peer.send(`@label=${labelOf(line)} :irc.test FAIL RELAYMSG ${code} #a :No`);
    expect(await outcome).toMatchObject({ is: "deferred", retryInMs: 0 });
    return line.replace(/^@\S+ /u, "");
  };
  expect(await refuse("INVALID_NICK")).toBe("RELAYMSG #a alice/x hi");
  expect(await refuse("INVALID_NICK")).toBe("RELAYMSG #a unknown/x :<alice> hi");
  write();
  expect(await said(peer)).toMatch(/PRIVMSG #a :<alice> hi$/);
  // Others are not concerned, until the server refuses all.
  const refused = post(live, "ho", { author: author("<bob> ", "bob") });
  const line = await said(peer);
  expect(line).toMatch(/RELAYMSG #a bob\/x ho$/);
  peer.send(`@label=${labelOf(line)} :irc.test 482 rialto #a :You're not a channel operator`);
  expect(await refused.outcome).toMatchObject({ is: "deferred" });
  post(live, "ho", { author: author("<bob> ", "bob") });
  expect(await said(peer)).toMatch(/PRIVMSG #a :<bob> ho$/);
});

test("without UseRelayFallback a refused name is in the text at once", async () => {
  const settings = { ...RELAYED, UseRelayFallback: false };
  const { peer, session: live } = await session({ caps: RELAY, channels: ["#a"], settings });
  const refused = post(live, "hi", { author: author("<alice> ") });
  peer.send(`@label=${labelOf(await said(peer))} :irc.test FAIL RELAYMSG BAD_RELAY_NICK #a :No`);
  expect(await refused.outcome).toMatchObject({ is: "deferred" });
  post(live, "hi", { author: author("<alice> ") });
  expect(await said(peer)).toMatch(/PRIVMSG #a :<alice> hi$/);
});

test("numerics without labels refuse a relayed line, and not an ordinary one", async () => {
  const caps = "message-tags echo-message overdrivenetworks.com/relaymsg";
  const { peer, session: live } = await session({ caps, channels: ["#a"], settings: RELAYED });
  const own = post(live, "of Rialto");
  const relayed = post(live, "hi", { author: author("alice") });
  expect([await said(peer), await said(peer)]).toEqual(["PRIVMSG #a :of Rialto", "RELAYMSG #a alice/x hi"]);
  peer.send(`@msgid=m1 ${OURS} PRIVMSG #a :of Rialto`, ":irc.test 573 rialto alice/x :Invalid relay nick");
  expect(await own.outcome).toMatchObject({ is: "delivered" });
  expect(await relayed.outcome).toMatchObject({ is: "deferred" });
});

test.each([
  [RELAY, ":irc.test 482 rialto #a :You're not a channel operator"],
  [RELAY, ":irc.test 481 rialto :Permission denied"],
  ["message-tags echo-message draft/relaymsg=/", ":irc.test 433 rialto rialto :Nickname is already in use"],
  ["message-tags echo-message draft/relaymsg=/", ":irc.test 482 rialto #b :You're not a channel operator"],
])("what answers another command of ours refuses no relayed line: %s, %s", async (caps, answer) => {
  const { peer, session: live } = await session({ caps, channels: ["#a"], settings: RELAYED });
  const { outcome } = post(live, "hi", { author: author("alice") });
  const label = labelOf(await said(peer));
  const tags = `${label === "" ? "" : `label=${label};`}msgid=m1;draft/relaymsg=rialto`;
  peer.send(answer, `@${tags} :alice/x!r@relay.test PRIVMSG #a :hi`);
  expect(await outcome).toMatchObject({ is: "delivered", receipt: { messages: ["m1"] } });
});

test("whom the channel has banned does not get in another way", async () => {
  const { peer, session: live } = await session({ caps: RELAY, channels: ["#a"], settings: RELAYED });
  const { outcome } = post(live, "hi", { author: author("eve") });
  peer.send(`@label=${labelOf(await said(peer))} :irc.test FAIL RELAYMSG BANNED :eve/x is banned from relaying`);
  expect(await outcome).toMatchObject({ is: "rejected", why: { code: "forbidden" } });
  post(live, "hi", { author: author("bob", "bob") });
  expect(await said(peer)).toMatch(/RELAYMSG #a bob\/x hi$/);
});

const typingIn = (to: Pick<Session, "typing">, on: boolean): void => to.typing?.show("#a" as ChannelRef, on);

test.each([
  ["message-tags", "", "@+typing=active TAGMSG #a"],
  ["message-tags labeled-response batch", "", "@label=typing;+typing=active TAGMSG #a"],
  ["message-tags", "CLIENTTAGDENY=*", "PRIVMSG #a hello"],
  ["message-tags", "CLIENTTAGDENY=typing", "PRIVMSG #a hello"],
  ["", "", "PRIVMSG #a hello"],
])("typing goes out as a tag where the server passes it on: %j, %j", async (caps, isupport, line) => {
  const { peer, session: live } = await session({ caps, isupport, channels: ["#a"] });
  typingIn(live, true);
  post(live, "hello");
  expect(await peer.next()).toBe(line);
});

test("no typing goes out while a message is not answered, or the server still owes us lines", async () => {
  const settings = { MessageDelay: 1000 };
  const { peer, clock, session: live } = await session({ caps: "message-tags", settings, channels: ["#a"] });
  await clock.advance(15_000);
  const { outcome } = post(live, "hello");
  expect(await peer.next()).toBe("PRIVMSG #a hello");
  typingIn(live, true);
  const ping = await peer.next();
  peer.pong(ping);
  expect([ping.startsWith("PING "), (await outcome).is]).toEqual([true, "delivered"]);
  typingIn(live, true);
  await clock.advance(1000);
  typingIn(live, true);
  typingIn(live, false);
  post(live, "more");
  expect(await peer.next()).toBe("@+typing=active TAGMSG #a");
  expect(await said(peer)).toBe("PRIVMSG #a more");
});
