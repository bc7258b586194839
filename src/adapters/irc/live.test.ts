import { expect, test } from "vitest";
import { settled } from "../../../test/support/fake-clock.ts";
import { post, session } from "./scripted-server.suite.ts";

test("what people say in our channels is handed over in its order, and nothing else", async () => {
  const { peer, host } = await session({ channels: ["#a"] });
  host.hold();
  peer.send(
    ":alice!a@host PRIVMSG #A :one",
    ":alice!a@host PRIVMSG rialto :to us alone",
    ":rialto!~rialto@client.test PRIVMSG #a :our own",
    ":alice!a@host PRIVMSG #elsewhere :not ours",
    ":irc.test NOTICE * :server",
    ":alice!a@host NOTICE #a :two",
    "garbage \0 $$$",
    ":alice!a@host PRIVMSG #a :\u0001ACTION waves\u0001",
    "PING x",
  );
  await peer.until(/^PONG/);
  expect(host.posted.map(({ channel, body }) => [channel, body.style, body.source.text])).toEqual([
    ["#a", "normal", "one"],
    ["#a", "aside", "two"],
    ["#a", "action", "waves"],
  ]);
  host.release();
});

test("lines that a batch plays back are no news", async () => {
  const { peer, host } = await session({ caps: "batch server-time", channels: ["#a"] });
  peer.send(
    ":irc.test BATCH +1 chathistory #a",
    "@batch=1 :alice!a@host PRIVMSG #a :old",
    ":alice!a@host PRIVMSG #a :new",
    ":irc.test BATCH -1",
    "@batch=1 :alice!a@host PRIVMSG #a :after",
    "PING x",
  );
  await peer.until(/^PONG/);
  expect(host.posted.map(({ body }) => body.source.text)).toEqual(["new", "after"]);
});

test("while too many events wait nothing is read; then all of it, and the silence does not count", async () => {
  const { peer, clock, host } = await session({ channels: ["#a"] });
  host.hold();
  const sent = 20_000;
  // Long enough that the socket cannot hold the rest.
  const text = "x".repeat(400);
  for (let at = 0; at < sent; at += 100) {
    peer.send(...Array.from({ length: 100 }, (_, more) => `:alice!a@host PRIVMSG #a :${at + more} ${text}`));
    await settled();
  }
  expect(host.pendingMost).toBeGreaterThan(1000);
  // One piece of a socket is 64 KiB at most.
  expect(host.pendingMost).toBeLessThan(1200);
  await clock.advance(200_000);
  expect(host.doubts).toEqual([]);
  host.release();
  peer.send("PING done");
  await peer.until(/^PONG done$/);
  expect(host.posted.map(({ body }) => Number(body.source.text.split(" ")[0]))).toEqual(
    Array.from({ length: sent }, (_, at) => at),
  );
});

test("CTCP requests are answered, a few at a time", async () => {
  const { peer, clock } = await session({ channels: ["#a"] });
  peer.send(":alice!a@host PRIVMSG rialto :\u0001VERSION\u0001", ":alice!a@host PRIVMSG #a :\u0001PING 12 34\u0001");
  expect(await peer.next()).toBe("NOTICE alice :\u0001VERSION Rialto\u0001");
  expect(await peer.next()).toBe("NOTICE alice :\u0001PING 12 34\u0001");
  for (let count = 0; count < 5; count++) peer.send(":eve!e@host PRIVMSG rialto :\u0001VERSION\u0001");
  peer.send("PING x");
  expect((await peer.next()).startsWith("NOTICE eve ")).toBe(true);
  expect(await peer.next()).toBe("PONG x");
  await clock.advance(10_000);
  peer.send(":eve!e@host PRIVMSG rialto :\u0001VERSION\u0001");
  expect((await peer.next()).startsWith("NOTICE eve ")).toBe(true);
});

test("an ERROR of the server ends the session with its text", async () => {
  const { peer, clock, session: live } = await session({});
  peer.send("ERROR :Closing Link: rialto[host] (Killed (op (go away)))");
  const { cause, why } = await live.ended;
  expect([cause, why.message]).toEqual([
    "lost",
    "the server closes the connection: Closing Link: rialto[host] (Killed (op (go away)))",
  ]);
  await peer.over;
  expect(clock.waiting).toBe(0);
});

test("a close says goodbye, waits for the server, and ends as asked", async () => {
  const { peer, clock, host, session: live } = await session({ channels: ["#a"] });
  await live.quiesce();
  peer.send(":alice!a@host PRIVMSG #a :too late");
  const { outcome } = post(live, "still works");
  await peer.until(/^PRIVMSG/);
  peer.pong(await peer.next());
  expect((await outcome).is).toBe("delivered");
  const closing = [live.close(AbortSignal.timeout(5000)), live.close(AbortSignal.timeout(5000))];
  expect(await peer.next()).toBe("QUIT :Rialto stops");
  peer.send("ERROR :Closing link: (rialto@host) [Quit: Rialto stops]");
  await Promise.all(closing);
  expect(await live.ended).toMatchObject({ cause: "asked" });
  expect(host.events).toEqual([]);
  expect(clock.waiting).toBe(0);
  await live.close(AbortSignal.timeout(5000));
});

test("a close whose signal is aborted does not wait", async () => {
  const { peer, session: live } = await session({});
  const giveUp = new AbortController();
  const closing = live.close(giveUp.signal);
  await peer.until(/^QUIT/);
  giveUp.abort();
  await closing;
  expect(await live.ended).toMatchObject({ cause: "asked" });
  await peer.over;
});

test("capabilities that come and go while we are connected", async () => {
  const { peer, session: live } = await session({ caps: "message-tags", channels: ["#a"] });
  peer.send(":irc.test CAP rialto NEW :echo-message sasl unknown");
  expect(await peer.next()).toBe("CAP REQ echo-message");
  peer.send(":irc.test CAP rialto ACK :echo-message", "PING x");
  await peer.until(/^PONG/);
  const echoed = post(live, "one");
  await peer.until(/^PRIVMSG/);
  peer.send(":rialto!~rialto@client.test PRIVMSG #a one");
  expect((await echoed.outcome).is).toBe("delivered");
  peer.send(":irc.test CAP rialto DEL :echo-message", "PING y");
  await peer.until(/^PONG/);
  const answered = post(live, "two");
  peer.pong(await peer.until(/^PING/));
  expect((await answered.outcome).is).toBe("delivered");
});

test("the true length of our prefix decides where a line is cut", async () => {
  const { peer, session: live } = await session({ channels: ["#a"] });
  const text = "x".repeat(600);
  const { outcome } = post(live, text);
  const sent = await peer.next();
  // The server puts a colon before the text.
  expect(Buffer.byteLength(`:rialto!~rialto@client.test ${sent}:\r\n`)).toBe(512);
  peer.pong(await peer.until(/^PING/));
  expect((await outcome).is).toBe("delivered");
  // A longer host leaves less room.
  peer.send(":irc.test 396 rialto a-much-longer.host.test :is now your displayed host", "PING x");
  await peer.until(/^PONG/);
  post(live, text);
  expect(Buffer.byteLength(`:rialto!~rialto@a-much-longer.host.test ${await peer.next()}:\r\n`)).toBe(512);
});

test("what the server refuses is told in detail, but not what it repeats of ours", async () => {
  const { peer, host } = await session({});
  peer.send(
    ":irc.test 421 rialto OPRE :Unknown command",
    ":irc.test 461 rialto sesame :Not enough parameters",
    "PING x",
  );
  await peer.until(/^PONG/);
  const told = host.records.filter(({ message }) => message === "the server reports an error");
  expect(told).toMatchObject([
    { level: "debug", fields: { numeric: "421", says: "Unknown command" } },
    { level: "debug", fields: { numeric: "461" } },
  ]);
  expect(JSON.stringify(host.records)).not.toContain("sesame");
});

test("marks of rank that a server has not told in full, and names that are none", async () => {
  const { peer, host } = await session({ isupport: "PREFIX=(ohv)@", channels: ["#a"] });
  peer.send(":irc.test 353 rialto = #a :@ @@ bob  ", ":bob!b@host QUIT", "PING x");
  await peer.until(/^PONG/);
  expect(host.events).toMatchObject([{ text: "bob quits" }]);
});

test("our address is as the server told it last, and not as old lines have it", async () => {
  const text = "x".repeat(2000);
  const { peer, session: live } = await session({ caps: "batch", channels: ["#a"] });
  peer.send(
    ":rialto!~rialto@client.test CHGHOST ~rialto a-much-longer.host.test",
    ":irc.test BATCH +1 chathistory #a",
    "@batch=1 :rialto!~rialto@h PRIVMSG #a :old",
    ":irc.test BATCH -1",
    "PING x",
  );
  await peer.until(/^PONG/);
  post(live, text);
  expect(Buffer.byteLength(`:rialto!~rialto@a-much-longer.host.test ${await peer.next()}:\r\n`)).toBe(512);
});
