import { expect, test } from "vitest";
import { settled } from "../../../../test/support/fake-clock.ts";
import { post, session } from "../scripted-server.suite.ts";

const never = (): AbortSignal => new AbortController().signal;
const request = (name: string, options: Readonly<Record<string, string>> = {}) => ({ name, options });

test("a join resolves with the end of the names; its ref is the configured name", async () => {
  const { peer, session: live } = await session({});
  const joining = live.join(request("#one", { key: "sesame" }), never());
  expect(await peer.next()).toBe("JOIN #one sesame");
  peer.send(":rialto!~rialto@client.test JOIN :#One", ":irc.test 353 rialto = #One :@op rialto");
  await settled();
  expect(await Promise.race([joining, Promise.resolve("waiting")])).toBe("waiting");
  peer.send(":irc.test 366 rialto #One :End");
  expect(await joining).toEqual({ ok: true, ref: "#one", without: ["delete"] });
  expect(await live.join(request("#ONE"), never())).toEqual({ ok: true, ref: "#one", without: ["delete"] });
  expect(peer.waiting).toEqual([]);
});

test("names that do not end are waited for 10 s", async () => {
  const { peer, clock, session: live } = await session({});
  const joining = live.join(request("#a"), never());
  await peer.until(/^JOIN/);
  peer.send(":rialto!~rialto@client.test JOIN #a", "PING x");
  await peer.until(/^PONG/);
  await clock.advance(10_000);
  expect(await joining).toEqual({ ok: true, ref: "#a", without: ["delete"] });
});

test("joins go one after the other, each after JoinDelay", async () => {
  const { peer, clock, session: live } = await session({ settings: { JoinDelay: 500 } });
  const first = live.join(request("#a"), never());
  const second = live.join(request("#b"), never());
  await clock.advance(499);
  expect(peer.waiting).toEqual([]);
  await clock.advance(1);
  await peer.enter("#a");
  expect((await first).ok).toBe(true);
  await settled();
  expect(peer.waiting).toEqual([]);
  await clock.advance(500);
  expect(await peer.next()).toBe("JOIN #b");
  peer.send(":rialto!~rialto@client.test JOIN #b", ":irc.test 366 rialto #b :End");
  expect((await second).ok).toBe(true);
});

test.each([
  ["403", "not_found", null, /no such channel/],
  ["405", "forbidden", null, /too many/],
  ["471", "forbidden", 60_000, /full/],
  ["473", "forbidden", null, /invitation/],
  ["474", "forbidden", 300_000, /banned/],
  ["475", "forbidden", null, /options\.key/],
  ["476", "not_found", null, /name/],
  ["477", "forbidden", 60_000, /UseSASL/],
  ["489", "forbidden", null, /UseTLS/],
  ["599", "forbidden", null, /the server refuses/],
])("refused by %s", async (numeric, code, retryInMs, message) => {
  const { peer, session: live } = await session({});
  const joining = live.join(request("#a", { key: "sesame" }), never());
  await peer.until(/^JOIN/);
  peer.send(`:irc.test ${numeric} rialto #A :Cannot join channel`);
  const joined = await joining;
  expect(joined).toMatchObject({ ok: false, why: { code }, retryInMs });
  if (!joined.ok) expect(joined.why.message).toMatch(message);
  expect(JSON.stringify(joined)).not.toContain("sesame");
});

test("sent on to another channel: refused, and we leave that one", async () => {
  const { peer, session: live } = await session({});
  const joining = live.join(request("#a"), never());
  await peer.until(/^JOIN/);
  peer.send(":irc.test 470 rialto #a ##a :Forwarding to another channel", ":rialto!~rialto@client.test JOIN ##a");
  expect(await joining).toMatchObject({ ok: false, why: { code: "forbidden" } });
  expect(await peer.next()).toBe("PART ##a");
});

test("no answer is waited for 30 s; one that comes later is taken up", async () => {
  const { peer, clock, host, session: live } = await session({});
  const joining = live.join(request("#a"), never());
  await peer.until(/^JOIN/);
  await clock.advance(30_000);
  expect(await joining).toMatchObject({ ok: false, why: { code: "timeout" } });
  peer.send(":rialto!~rialto@client.test JOIN #a", ":irc.test 366 rialto #a :End", "PING x");
  await peer.until(/^PONG/);
  expect(host.losses).toMatchObject([{ channel: "#a", retryInMs: 0 }]);
  expect(await live.join(request("#a"), never())).toEqual({ ok: true, ref: "#a", without: ["delete"] });
});

test.each(["", "0", "a", "#a,#b", "#a key", "#a\r\nQUIT", "#a\u0007"])("%j is no channel", async (name) => {
  const { peer, session: live } = await session({ isupport: "CHANTYPES=#" });
  expect(await live.join(request(name), never())).toMatchObject({ ok: false, why: { code: "config" } });
  expect(await live.join(request("#a", { key: "b,c" }), never())).toMatchObject({ ok: false });
  await settled();
  expect(peer.waiting).toEqual([]);
});

test("kicked: lost with who and why, not before RejoinDelay; what waits goes back", async () => {
  const {
    peer,
    clock,
    host,
    session: live,
  } = await session({
    channels: ["#a"],
    settings: { RejoinDelay: 7, MessageDelay: 1000 },
  });
  await clock.advance(10_000);
  const posts = [post(live, "out"), post(live, "waits")];
  await peer.until(/^PRIVMSG #a out$/);
  peer.send(":op!o@host KICK #A rialto :be quiet");
  expect(await posts[1]?.outcome).toMatchObject({ is: "deferred", why: { message: "kicked by op (be quiet)" } });
  expect(host.losses).toEqual([
    { channel: "#a", why: { code: "forbidden", message: "kicked by op (be quiet)" }, retryInMs: 7000 },
  ]);
  expect(await post(live, "later").outcome).toMatchObject({ is: "deferred" });
  await clock.advance(5000);
  peer.pong(await peer.until(/^PING/));
  expect((await posts[0]?.outcome)?.is).toBe("delivered");
});

test("made to leave; put back; invited", async () => {
  const { peer, host, session: live } = await session({ channels: ["#a"] });
  const seen = async () => {
    peer.send("PING x");
    await peer.until(/^PONG/);
    return host.losses.splice(0).map(({ channel, retryInMs }) => [channel, retryInMs]);
  };
  peer.send(":rialto!~rialto@client.test PART #a :sapart");
  expect(await seen()).toEqual([["#a", 0]]);
  peer.send(":op!o@host INVITE rialto #a");
  expect(await seen()).toEqual([["#a", 0]]);
  peer.send(":op!o@host INVITE rialto #other", ":op!o@host INVITE somebody #a");
  expect(await seen()).toEqual([]);
  const joining = live.join(request("#a"), never());
  await peer.enter("#a");
  await joining;
  peer.send(":op!o@host INVITE rialto #a");
  expect(await seen()).toEqual([]);
});

test("a join that is given up, before and while it is asked for", async () => {
  const { peer, session: live } = await session({});
  expect(await live.join(request("#a"), AbortSignal.abort())).toMatchObject({ ok: false });
  expect(peer.waiting).toEqual([]);
  const giveUp = new AbortController();
  const joining = live.join(request("#a"), giveUp.signal);
  await peer.until(/^JOIN/);
  giveUp.abort();
  expect(await joining).toMatchObject({ ok: false, why: { code: "stopping" } });
});

test("the end of the session ends a join", async () => {
  const { peer, clock, session: live } = await session({});
  const joining = live.join(request("#a"), never());
  await peer.until(/^JOIN/);
  peer.end();
  expect(await joining).toMatchObject({ ok: false, why: { code: "network" } });
  await live.ended;
  expect(clock.waiting).toBe(0);
  expect(await live.join(request("#b"), never())).toMatchObject({ ok: false });
});

test("who leaves the network or takes another nick did so in the channels where we saw them", async () => {
  const { peer, host, session: live } = await session({ channels: ["#a"] });
  const joining = live.join(request("#b"), never());
  await peer.enter("#b", "rialto @bob +carol!c@host dave");
  await joining;
  peer.send(
    ":alice!a@host JOIN #a",
    ":bob!b@host JOIN #a",
    ":carol!c@host PART #b",
    ":op!o@host KICK #b dave",
    ":bob!b@host NICK Bert",
  );
  peer.send(":bert!b@host QUIT :bye", ":alice!a@host QUIT", ":carol!c@host QUIT", ":dave!d@host QUIT", "PING x");
  await peer.until(/^PONG/);
  const told = host.events.map((event) => `${event.channel} ${"text" in event ? event.text : event.kind}`);
  expect(told.filter((text) => /known|quits/.test(text)).sort()).toEqual([
    "#a alice quits",
    "#a bert quits",
    "#a bob is now known as Bert",
    "#b bert quits",
    "#b bob is now known as Bert",
  ]);
});

test("our own nick may be changed: by us it is no event", async () => {
  const { peer, host, session: live } = await session({ channels: ["#a"] });
  peer.send(":rialto!~rialto@client.test NICK Guest1", ":op!o@host KICK #a guest1", "PING x");
  await peer.until(/^PONG/);
  expect(live.as).toBe("Guest1");
  expect(host.losses).toMatchObject([{ channel: "#a" }]);
  expect(
    host.events.filter(({ kind }) => kind === "member").map((event) => ("text" in event ? event.text : "")),
  ).toEqual([]);
});

test("kicked in the same breath in which the join is over: it is lost, and not for good", async () => {
  const { peer, host, session: live } = await session({});
  const joining = live.join(request("#a"), never());
  await peer.until(/^JOIN/);
  peer.send(
    ":rialto!~rialto@client.test JOIN #a",
    ":irc.test 366 rialto #a :End",
    ":op!o@host KICK #a rialto :\x02out\x0304",
    "PING x",
  );
  await peer.until(/^PONG/);
  expect((await joining).ok).toBe(true);
  expect(host.losses).toMatchObject([{ channel: "#a", why: { message: "kicked by op (out)" } }]);
  const again = live.join(request("#a"), never());
  await peer.enter("#a");
  expect((await again).ok).toBe(true);
});

test("a channel in which we are before we ask (a bouncer's, or one that services put us in) is not joined", async () => {
  const { peer, host, session: live } = await session({});
  peer.send(":rialto!~rialto@client.test JOIN #A", ":irc.test 366 rialto #A :End", "PING x");
  await peer.until(/^PONG/);
  const joining = live.join(request("#a"), never());
  expect(await peer.next()).toBe("NAMES #a");
  peer.send(":irc.test 353 rialto = #A :rialto @alice", ":irc.test 366 rialto #A :End");
  expect(await joining).toEqual({ ok: true, ref: "#a", without: ["delete"] });
  peer.send(":alice!a@host QUIT", "PING y");
  await peer.until(/^PONG y/);
  expect(host.events).toMatchObject([{ text: "alice quits" }]);
  // One that we are out of again is joined like the others.
  peer.send(":rialto!~rialto@client.test JOIN #b", ":op!o@host KICK #b rialto", "PING z");
  await peer.until(/^PONG z/);
  const other = live.join(request("#b"), never());
  await peer.enter("#b");
  expect((await other).ok).toBe(true);
});

test("a server that says nothing to a JOIN because we are in: the names tell", async () => {
  const { peer, clock, session: live } = await session({});
  const joining = live.join(request("#a"), never());
  expect(await peer.next()).toBe("JOIN #a");
  await clock.advance(5000);
  expect(await peer.next()).toBe("NAMES #a");
  peer.send(":irc.test 353 rialto = #a :alice @rialto", ":irc.test 366 rialto #a :End");
  expect(await joining).toEqual({ ok: true, ref: "#a", without: ["delete"] });
  await settled();
  expect(clock.waiting).toBe(1);
});
