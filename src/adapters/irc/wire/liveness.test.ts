import { expect, test } from "vitest";
import { post, session } from "../scripted-server.suite.ts";

const MINUTE = 60_000;

test("after a silence of PingDelay a PING; answered, all is well", async () => {
  const { peer, clock, host, session: live } = await session({ settings: { PingDelay: MINUTE } });
  await clock.advance(MINUTE - 5000);
  expect(peer.waiting).toEqual([]);
  await clock.advance(5000);
  peer.pong(await peer.next());
  // What others say is a sign of life, too.
  await clock.advance(MINUTE - 5000);
  peer.send(":irc.test NOTICE rialto :hello", "PING x");
  await peer.until(/^PONG/);
  await clock.advance(MINUTE - 5000);
  expect(peer.waiting).toEqual([]);
  expect(host.doubts).toEqual([]);
  await live.close(AbortSignal.abort());
  expect(clock.waiting).toBe(0);
});

test("no answer for 20 s: in doubt; an answer after a minute: as if nothing had been", async () => {
  const { peer, clock, host } = await session({ settings: { PingDelay: MINUTE } });
  await clock.advance(MINUTE);
  const ping = await peer.next();
  await clock.advance(15_000);
  expect(host.doubts).toEqual([]);
  await clock.advance(5000);
  expect(host.doubts).toMatchObject([{ code: "timeout" }]);
  await clock.advance(40_000);
  expect(host.doubts.length).toBe(1);
  peer.pong(ping);
  peer.send("PING x");
  await peer.until(/^PONG/);
  expect(host.doubts.at(-1)).toBe(null);
  expect(host.doubts.length).toBe(2);
});

test.each([
  ["ahead", 7_200_000],
  ["back", -7_200_000],
])("a clock that is set %s while a PING waits is no silence, and ends none", async (_, ms) => {
  const { peer, clock, host, session: live } = await session({ settings: { PingDelay: MINUTE } });
  await clock.advance(MINUTE);
  await peer.next();
  clock.jump(ms);
  await clock.advance(15_000);
  expect(host.doubts).toEqual([]);
  await clock.advance(5000);
  expect(host.doubts).toMatchObject([{ code: "timeout" }]);
  await clock.advance(75_000);
  expect(await live.ended).toMatchObject({ cause: "lost", why: { code: "timeout" } });
});

test("no answer for 90 s: the session is lost, what was written is unknown", async () => {
  const { peer, clock, session: live } = await session({ channels: ["#a"], settings: { PingDelay: MINUTE } });
  const { outcome } = post(live, "hello");
  await peer.until(/^PING/);
  await clock.advance(89_000);
  await clock.advance(5000);
  expect(await live.ended).toMatchObject({ cause: "lost", why: { code: "timeout" } });
  expect(await outcome).toMatchObject({ is: "unknown" });
  expect(clock.waiting).toBe(0);
  await peer.over;
});

const QUIET = { caps: "message-tags echo-message", settings: { PingDelay: MINUTE } };

test("a channel where nothing is seen is looked at: a TAGMSG comes back", async () => {
  const { peer, clock, host } = await session({ ...QUIET, channels: ["#a", "#b"] });
  await clock.advance(30_000);
  peer.send(":alice!a@host PRIVMSG #b :hello", "PING x");
  await peer.until(/^PONG/);
  await clock.advance(30_000);
  const [check, ping] = [await peer.next(), await peer.next()];
  expect(check).toBe("@+rialto/check=1 TAGMSG #a");
  peer.send(`${check.split(" ")[0]} :rialto!~rialto@client.test TAGMSG #a`);
  peer.pong(ping);
  peer.send("PING y");
  await peer.until(/^PONG/);
  await clock.advance(25_000);
  expect(peer.waiting).toEqual([]);
  await clock.advance(5000);
  expect(await peer.next()).toBe("@+rialto/check=2 TAGMSG #b");
  expect(host.losses).toEqual([]);
});

test("a TAGMSG that does not come back: the names decide that the channel is lost", async () => {
  const { peer, clock, host } = await session({ ...QUIET, channels: ["#a"] });
  await clock.advance(MINUTE);
  await peer.until(/TAGMSG/);
  peer.pong(await peer.next());
  expect(await peer.next()).toBe("NAMES #a");
  peer.send(":irc.test 366 rialto #a :End");
  peer.pong(await peer.next());
  peer.send("PING x");
  await peer.until(/^PONG/);
  expect(host.losses).toMatchObject([{ channel: "#a", why: { code: "not_found" }, retryInMs: 0 }]);
});

test("a server that does not show TAGMSG back is not asked again", async () => {
  const { peer, clock, host } = await session({ ...QUIET, channels: ["#a"] });
  await clock.advance(MINUTE);
  await peer.until(/TAGMSG/);
  peer.pong(await peer.next());
  await peer.until(/^NAMES/);
  peer.send(":irc.test 353 rialto = #a :alice @rialto", ":irc.test 366 rialto #a :End");
  peer.pong(await peer.next());
  peer.send("PING x");
  await peer.until(/^PONG/);
  await clock.advance(MINUTE);
  // Silence, so a PING; but no check.
  expect(await peer.next()).toMatch(/^PING/);
  expect(peer.waiting).toEqual([]);
  expect(host.losses).toEqual([]);
});

test.each([
  ["no echo-message", { caps: "message-tags" }],
  ["tags that are not passed on", { caps: "message-tags echo-message", isupport: "CLIENTTAGDENY=*" }],
])("%s: no check", async (_, server) => {
  const { peer, clock } = await session({ ...server, channels: ["#a"], settings: { PingDelay: MINUTE } });
  await clock.advance(MINUTE);
  expect(await peer.next()).toMatch(/^PING/);
  expect(peer.waiting).toEqual([]);
});

test.each([
  ["NAMES is not answered", [], [":irc.test 263 rialto NAMES :Please wait"]],
  [
    "we may not speak there",
    [":irc.test 404 rialto #a :Cannot send to channel (+m)"],
    [":irc.test 353 rialto = #a :rialto"],
  ],
])("%s: nothing is lost, and channels are looked at again", async (_, toTagmsg, toNames) => {
  const { peer, clock, host } = await session({ ...QUIET, channels: ["#a"] });
  await clock.advance(MINUTE);
  await peer.until(/TAGMSG/);
  peer.send(...toTagmsg);
  peer.pong(await peer.next());
  await peer.until(/^NAMES/);
  peer.send(...toNames);
  peer.pong(await peer.next());
  peer.send("PING x");
  await peer.until(/^PONG/);
  expect(host.losses).toEqual([]);
  await clock.advance(MINUTE);
  expect(await peer.next()).toMatch(/TAGMSG #a$/);
});
