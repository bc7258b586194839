import { expect, test } from "vitest";
import { END, type Progress } from "../../../contract/ids.ts";
import { RecordingAttempt } from "../../../../test/contract/recording-attempt.ts";
import { settled } from "../../../../test/support/fake-clock.ts";
import type { Peer } from "../scripted-server.suite.ts";
import { post, session } from "../scripted-server.suite.ts";

/** The next `count` lines. */
async function lines(peer: Peer, count: number): Promise<string[]> {
  const all: string[] = [];
  while (all.length < count) all.push(await peer.next());
  return all;
}

const NETWORK = { is: "unknown", why: { code: "network" } };

test("a line is delivered by the PONG to the PING after it, and not before", async () => {
  const { peer, session: live } = await session({ channels: ["#a"] });
  const { outcome, attempt } = post(live, "hello there");
  expect(await peer.next()).toBe("PRIVMSG #a :hello there");
  const ping = await peer.next();
  expect(ping).toMatch(/^PING rialto-\d+$/);
  peer.send(":irc.test PONG irc.test :rialto-999");
  await settled();
  expect(attempt.confirmed).toEqual([]);
  peer.pong(ping);
  expect(await outcome).toEqual({ is: "delivered", receipt: { messages: [], losses: [] } });
  expect([attempt.announced, attempt.confirmed]).toEqual([[END], [END]]);
});

test("what is posted in one turn leaves with one PING; the next waits for room in the window", async () => {
  const { peer, session: live } = await session({ channels: ["#a", "#b"] });
  const posts = Array.from({ length: 20 }, (_, at) => post(live, `${at}`, { channel: at % 2 === 0 ? "#a" : "#b" }));
  const first = await lines(peer, 16);
  expect(first).toEqual(Array.from({ length: 16 }, (_, at) => `PRIVMSG ${at % 2 === 0 ? "#a" : "#b"} ${at}`));
  const ping = await peer.next();
  await settled();
  expect(peer.waiting).toEqual([]);
  peer.pong(ping);
  expect(await lines(peer, 4)).toEqual(["PRIVMSG #a 16", "PRIVMSG #b 17", "PRIVMSG #a 18", "PRIVMSG #b 19"]);
  peer.pong(await peer.next());
  for (const { outcome } of posts) expect(await outcome).toMatchObject({ is: "delivered" });
});

test("long lines fill the window by their bytes", async () => {
  const { peer, session: live } = await session({
    channels: ["#a"],
    isupport: "LINELEN=4096",
    settings: { MessageLength: 4096 },
  });
  const long = "x".repeat(3000);
  const posts = Array.from({ length: 3 }, () => post(live, long));
  await lines(peer, 2);
  const ping = await peer.next();
  expect(ping).toMatch(/^PING/);
  expect(posts[2]?.attempt.announced).toEqual([]);
  peer.pong(ping);
  expect(await peer.next()).toBe(`PRIVMSG #a ${long}`);
});

test("no byte leaves before its announcement is durable, and the order stays", async () => {
  const { peer, session: live } = await session({ channels: ["#a", "#b"] });
  const gate = Promise.withResolvers<boolean>();
  const slow = post(live, "slow", { attempt: new RecordingAttempt(async () => await gate.promise) });
  const behind = post(live, "behind");
  const other = post(live, "other", { channel: "#b" });
  expect(await peer.next()).toBe("PRIVMSG #b other");
  peer.pong(await peer.next());
  expect((await other.outcome).is).toBe("delivered");
  expect(behind.attempt.announced).toEqual([END]);
  expect(peer.waiting).toEqual([]);
  gate.resolve(true);
  expect(await lines(peer, 2)).toEqual(["PRIVMSG #a slow", "PRIVMSG #a behind"]);
  peer.pong(await peer.next());
  expect((await slow.outcome).is).toBe("delivered");
});

test("an announcement that is refused takes what waits after it along", async () => {
  const { peer, session: live } = await session({ channels: ["#a", "#b"] });
  const refused = post(live, "refused", { attempt: new RecordingAttempt(() => false) });
  const behind = post(live, "behind");
  const other = post(live, "other", { channel: "#b" });
  expect(await peer.next()).toBe("PRIVMSG #b other");
  expect(await refused.outcome).toMatchObject({ is: "deferred", scope: "channel" });
  expect(await behind.outcome).toMatchObject({ is: "deferred", scope: "channel" });
  peer.pong(await peer.next());
  expect((await other.outcome).is).toBe("delivered");
  expect(peer.waiting).toEqual([]);
});

test("with a pace Rialto sends one line every MessageDelay, announced no sooner; a burst shares its PINGs", async () => {
  const { peer, clock, session: live } = await session({ channels: ["#a"], settings: { MessageDelay: 1000 } });
  await clock.advance(10_000);
  const posts = Array.from({ length: 6 }, (_, at) => post(live, `${at}`));
  await settled();
  expect(await peer.next()).toBe("PRIVMSG #a 0");
  expect(posts.map(({ attempt }) => attempt.announced.length)).toEqual([1, 0, 0, 0, 0, 0]);
  for (const next of ["1", "2", "3"]) {
    await clock.advance(999);
    expect(peer.waiting).toEqual([]);
    await clock.advance(1);
    expect(await peer.next()).toBe(`PRIVMSG #a ${next}`);
  }
  // The window of a paced session is full: a PING serves all four.
  const ping = await peer.next();
  await clock.advance(5000);
  expect(peer.waiting).toEqual([]);
  peer.pong(ping);
  expect(await peer.next()).toBe("PRIVMSG #a 4");
  await clock.advance(1000);
  expect(await peer.next()).toBe("PRIVMSG #a 5");
  peer.pong(await peer.next());
  for (const { outcome } of posts) expect(await outcome).toMatchObject({ is: "delivered" });
});

test("with a pace long lines get their PING sooner", async () => {
  const { peer, clock, session: live } = await session({ channels: ["#a"], settings: { MessageDelay: 1000 } });
  await clock.advance(10_000);
  for (let count = 0; count < 3; count++) post(live, "x".repeat(400));
  await peer.until(/^PRIVMSG/);
  await clock.advance(1000);
  await peer.until(/^PRIVMSG/);
  const ping = await peer.next();
  await clock.advance(1000);
  expect(peer.waiting).toEqual([]);
  peer.pong(ping);
  expect(await peer.next()).toMatch(/^PRIVMSG/);
});

test("a post in parts continues after those an earlier attempt sent", async () => {
  const { peer, session: live } = await session({ channels: ["#a"] });
  const first = post(live, "one\ntwo\nthree");
  expect(await lines(peer, 3)).toEqual(["PRIVMSG #a one", "PRIVMSG #a two", "PRIVMSG #a three"]);
  peer.pong(await peer.next());
  expect((await first.outcome).is).toBe("delivered");
  const [, behindTwo] = first.attempt.announced;
  const rest = post(live, "one\ntwo\nthree", { resume: behindTwo as Progress });
  expect(await lines(peer, 1)).toEqual(["PRIVMSG #a three"]);
  peer.pong(await peer.next());
  expect((await rest.outcome).is).toBe("delivered");
  expect((await post(live, "one", { resume: END }).outcome).is).toBe("delivered");
});

test("when the connection dies, what was written is unknown and what was not is deferred", async () => {
  const { peer, session: live } = await session({ channels: ["#a"] });
  const posts = Array.from({ length: 18 }, (_, at) => post(live, `${at}`));
  await peer.until(/^PING/);
  peer.end();
  const ended = await live.ended;
  expect(ended).toMatchObject({ cause: "lost", why: { code: "network" } });
  const outcomes = await Promise.all(posts.map(async ({ outcome }) => await outcome));
  expect(outcomes.slice(0, 16).every(({ is }) => is === "unknown")).toBe(true);
  expect(outcomes[0]).toMatchObject(NETWORK);
  expect(outcomes.slice(16)).toMatchObject([
    { is: "deferred", scope: "session" },
    { is: "deferred", scope: "session" },
  ]);
  expect(await post(live, "late").outcome).toMatchObject({ is: "deferred" });
});

test("a post in parts that the connection cuts: unknown, with what was confirmed told", async () => {
  const { peer, session: live } = await session({ channels: ["#a"] });
  const long = Array.from({ length: 20 }, (_, at) => `line ${at}`).join("\n");
  const { outcome, attempt } = post(live, long);
  await lines(peer, 16);
  peer.pong(await peer.next());
  await lines(peer, 4);
  peer.end();
  expect(await outcome).toMatchObject(NETWORK);
  expect(attempt.confirmed.at(-1)).toBe(attempt.announced[15]);
  expect(attempt.announced.at(-1)).toBe(END);
});

test("a part that was announced and not yet written when the connection dies is not in doubt", async () => {
  const { peer, session: live } = await session({ channels: ["#a"] });
  let announced = 0;
  // The second announcement does not become durable any more.
  const attempt = new RecordingAttempt(async () => {
    announced += 1;
    return announced === 1 ? true : await new Promise<boolean>(() => undefined);
  });
  const { outcome } = post(live, "one\ntwo\nthree", { attempt });
  await peer.next();
  peer.end();
  const first = attempt.announced[0];
  expect(attempt.announced.length).toBeGreaterThan(1);
  expect(first).not.toBe(END);
  expect(await outcome).toMatchObject({ ...NETWORK, upTo: first });
});

test("an abort ends a post at once: deferred when nothing is in doubt, unknown when something is", async () => {
  const { peer, session: live } = await session({ channels: ["#a"] });
  const doubtful = post(live, "doubtful");
  const ping = await peer.until(/^PING/);
  doubtful.attempt.abort();
  expect(await doubtful.outcome).toMatchObject({ is: "unknown" });
  const waits = post(live, "waits", { attempt: new RecordingAttempt(async () => await new Promise(() => {})) });
  await settled();
  waits.attempt.abort();
  expect(await waits.outcome).toMatchObject({ is: "deferred" });
  peer.pong(ping);
  await settled();
  expect(doubtful.attempt.confirmed).toEqual([]);
  expect(peer.waiting).toEqual([]);
});

test("a refusal of the only line to a channel defers it, with what follows", async () => {
  const { peer, host, session: live } = await session({ channels: ["#a", "#b"] });
  const refused = post(live, "muted");
  const other = post(live, "fine", { channel: "#b" });
  await lines(peer, 2);
  const ping = await peer.next();
  peer.send(":irc.test 404 rialto #A :Cannot send to channel");
  expect(await refused.outcome).toMatchObject({ is: "deferred", retryInMs: 30_000, why: { code: "forbidden" } });
  peer.pong(ping);
  expect((await other.outcome).is).toBe("delivered");
  expect(host.losses).toEqual([]);
});

test("refusals of all lines to a channel defer all; fewer leave them unknown, and then each line is asked for", async () => {
  const { peer, session: live } = await session({ channels: ["#a"] });
  const all = [post(live, "1"), post(live, "2")];
  await lines(peer, 2);
  const first = await peer.next();
  peer.send(":irc.test 404 rialto #a :Cannot send to channel", ":irc.test 404 rialto #a :Cannot send to channel");
  peer.pong(first);
  expect(await all[0]?.outcome).toMatchObject({ is: "deferred" });
  expect(await all[1]?.outcome).toMatchObject({ is: "deferred" });
  // From here on each line has a PING of its own.
  const some = [post(live, "3"), post(live, "4"), post(live, "5")];
  const sent = await lines(peer, 6);
  expect(sent.map((line) => line.split(" ")[0])).toEqual(["PRIVMSG", "PING", "PRIVMSG", "PING", "PRIVMSG", "PING"]);
  peer.pong(sent[1] ?? "");
  peer.send(":irc.test 404 rialto #a :Your message contained a censored word");
  for (const ping of [sent[3], sent[5]]) peer.pong(ping ?? "");
  expect(await Promise.all(some.map(async ({ outcome }) => (await outcome).is))).toEqual([
    "delivered",
    "rejected",
    "delivered",
  ]);
});

test("one refusal for two lines: nobody knows which", async () => {
  const { peer, session: live } = await session({ channels: ["#a"] });
  const posts = [post(live, "1"), post(live, "2")];
  await lines(peer, 2);
  const ping = await peer.next();
  peer.send(":irc.test 404 rialto #a :Cannot send to channel");
  await settled();
  peer.pong(ping);
  for (const { outcome } of posts) expect(await outcome).toMatchObject({ is: "unknown", why: { code: "forbidden" } });
});

test("a refusal that says that we are not there loses the channel", async () => {
  const { peer, host, session: live } = await session({ channels: ["#a"] });
  const posts = [post(live, "1"), post(live, "2")];
  await lines(peer, 2);
  peer.send(
    ":irc.test 442 rialto #a :You're not on that channel",
    ":irc.test 442 rialto #a :You're not on that channel",
  );
  peer.pong(await peer.next());
  for (const { outcome } of posts) expect(await outcome).toMatchObject({ is: "deferred", why: { code: "not_found" } });
  expect(host.losses).toMatchObject([{ channel: "#a", retryInMs: 0 }]);
  expect(await post(live, "3").outcome).toMatchObject({ is: "deferred" });
});

const ECHO = { caps: "message-tags echo-message", channels: ["#a"] };

test("with echo-message the echo confirms, its id is the receipt, and no PING is needed", async () => {
  const { peer, session: live } = await session(ECHO);
  const posts = [post(live, "one"), post(live, "two")];
  expect(await lines(peer, 2)).toEqual(["PRIVMSG #a one", "PRIVMSG #a two"]);
  await settled();
  expect(peer.waiting).toEqual([]);
  peer.send("@msgid=1a :rialto!~rialto@client.test PRIVMSG #a one");
  expect(await posts[0]?.outcome).toEqual({ is: "delivered", receipt: { messages: ["1a"], losses: [] } });
  // The server has taken something out of it.
  peer.send("@msgid=2b :rialto!~rialto@client.test PRIVMSG #a :t w o");
  expect(await posts[1]?.outcome).toEqual({ is: "delivered", receipt: { messages: ["2b"], losses: [] } });
});

test("an echo that never comes: the PONG decides that it is unknown", async () => {
  const { peer, clock, session: live } = await session(ECHO);
  const shown = post(live, "shown");
  const swallowed = post(live, "swallowed");
  await lines(peer, 2);
  peer.send("@msgid=1 :rialto!~rialto@client.test PRIVMSG #a shown");
  expect((await shown.outcome).is).toBe("delivered");
  await clock.advance(5000);
  peer.pong(await peer.next());
  expect(await swallowed.outcome).toMatchObject({ is: "unknown", why: { code: "remote_error" } });
});

test("labels tell whose answer it is: echo, refusal, and silence", async () => {
  const { peer, session: live } = await session({
    caps: "message-tags echo-message labeled-response batch",
    channels: ["#a"],
  });
  const posts = ["x", "x", "x"].map((text) => post(live, text));
  const labels = (await lines(peer, 3)).map((line) => /^@label=(\S+) PRIVMSG #a x$/.exec(line)?.[1]);
  expect(new Set(labels).size).toBe(3);
  peer.send(
    `@label=${labels[2]} :irc.test 404 rialto #a :Cannot send to channel`,
    `@label=${labels[1]};msgid=m1 :rialto!~rialto@client.test PRIVMSG #a x`,
    `@label=${labels[0]} :irc.test ACK`,
  );
  expect(await posts[0]?.outcome).toEqual({ is: "delivered", receipt: { messages: [], losses: [] } });
  expect(await posts[1]?.outcome).toEqual({ is: "delivered", receipt: { messages: ["m1"], losses: [] } });
  expect(await posts[2]?.outcome).toMatchObject({ is: "deferred", why: { code: "forbidden" } });
});

test("a text with line ends is lines of text, and no command", async () => {
  const { peer, session: live } = await session({ channels: ["#a"] });
  const { outcome } = post(live, "one\r\nQUIT :two\0\n:three");
  const sent = await lines(peer, 3);
  expect(sent.every((line) => line.startsWith("PRIVMSG #a "))).toBe(true);
  peer.pong(await peer.next());
  expect((await outcome).is).toBe("delivered");
});

test("an answer in a batch counts for the line whose label the batch has", async () => {
  const { peer, session: live } = await session({
    caps: "message-tags echo-message labeled-response batch",
    channels: ["#a"],
  });
  const posts = [post(live, "red"), post(live, "other")];
  const labels = (await lines(peer, 2)).map((line) => /^@label=(\S+) /.exec(line)?.[1]);
  peer.send(
    `@label=${labels[0]} :irc.test BATCH +1 labeled-response`,
    "@batch=1 :irc.test NOTICE rialto :colours are stripped here",
    "@batch=1;msgid=m1 :rialto!~rialto@client.test PRIVMSG #a red",
    ":irc.test BATCH -1",
    `@label=${labels[1]} :irc.test BATCH +2 labeled-response`,
    "@batch=2 :irc.test 404 rialto #a :Cannot send to channel",
    ":irc.test BATCH -2",
  );
  expect(await posts[0]?.outcome).toMatchObject({ is: "delivered", receipt: { messages: ["m1"] } });
  expect(await posts[1]?.outcome).toMatchObject({ is: "deferred" });
});

test("old lines of ours that a batch plays back confirm nothing", async () => {
  const { peer, session: live } = await session({ caps: "echo-message batch", channels: ["#a"] });
  const { outcome, attempt } = post(live, "again");
  await lines(peer, 1);
  peer.send(
    ":irc.test BATCH +1 chathistory #a",
    "@batch=1 :rialto!~rialto@client.test PRIVMSG #a again",
    ":irc.test BATCH -1",
    "PING x",
  );
  await peer.until(/^PONG/);
  expect(attempt.confirmed).toEqual([]);
  peer.send(":rialto!~rialto@client.test PRIVMSG #a again");
  expect(await outcome).toMatchObject({ is: "delivered" });
});

test("channels take turns: a long post holds the others up by a line, not by its length", async () => {
  const { peer, clock, session: live } = await session({ channels: ["#a", "#b"], settings: { MessageDelay: 1000 } });
  await clock.advance(10_000);
  post(live, "1\n2\n3\n4\n5\n6");
  post(live, "7");
  await peer.until(/PRIVMSG #a 1/);
  post(live, "other", { channel: "#b" });
  const sent: string[] = [];
  while (sent.length < 3) {
    await clock.advance(1000);
    await settled();
    while (peer.waiting.length > 0) {
      const line = await peer.next();
      if (line.startsWith("PING")) peer.pong(line);
      else sent.push(line);
    }
  }
  expect(sent.slice(0, 3)).toEqual(["PRIVMSG #b other", "PRIVMSG #a 2", "PRIVMSG #a 3"]);
});
