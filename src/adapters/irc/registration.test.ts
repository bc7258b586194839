import { expect, test } from "vitest";
import { settled } from "../../../test/support/fake-clock.ts";
import { opening } from "./scripted-server.suite.ts";

test("the order in which a session introduces itself; only capabilities we know are asked for", async () => {
  const { peer, opened } = await opening({ Password: "open sesame", UserName: "relay", RealName: "A bridge" });
  expect([await peer.next(), await peer.next(), await peer.next(), await peer.next()]).toEqual([
    "CAP LS 302",
    "PASS :open sesame",
    "NICK rialto",
    "USER relay 0 * :A bridge",
  ]);
  peer.send(":irc.test CAP * LS * :inspircd.org/poison sts=port=6697", ":irc.test CAP * LS :message-tags batch");
  expect(await peer.next()).toBe("CAP REQ :message-tags batch");
  peer.send(":irc.test CAP * ACK :message-tags batch");
  expect(await peer.next()).toBe("CAP END");
  peer.send("PING :cookie");
  expect(await peer.next()).toBe("PONG cookie");
  peer.send(":irc.test 001 rialto :Welcome", ":irc.test 422 rialto :no MOTD");
  const result = await opened;
  expect(result.ok && result.session.as).toBe("rialto");
});

test("a server without CAP", async () => {
  const { peer, opened } = await opening();
  await peer.until(/^USER /);
  peer.send(":irc.test 421 * CAP :Unknown command", ":irc.test 001 rialto :Welcome", ":irc.test 376 rialto :End");
  expect((await opened).ok).toBe(true);
});

test("a taken nick gets company, and the server has the last word", async () => {
  const { peer, opened } = await opening();
  await peer.until(/^USER /);
  peer.send(":irc.test CAP * LS :", ":irc.test 433 * rialto :Nickname is already in use");
  expect(await peer.until(/^NICK /)).toBe("NICK rialto_");
  peer.send(":irc.test 433 * rialto_ :Nickname is already in use");
  expect(await peer.until(/^NICK /)).toBe("NICK rialto__");
  peer.send(":irc.test 001 rialto_x :Welcome", ":irc.test 376 rialto_x :End");
  const result = await opened;
  expect(result.ok && result.session.as).toBe("rialto_x");
});

test("when ten nicks are taken it is given up", async () => {
  const { peer, opened } = await opening();
  for (let tried = 0; tried < 11; tried++) {
    await peer.until(/^NICK /);
    peer.send(":irc.test 433 * x :Nickname is already in use");
  }
  expect(await opened).toMatchObject({ ok: false, ended: { cause: "lost" } });
});

test.each([
  [":irc.test 464 * :Password incorrect", "auth", /check Password/],
  [":irc.test 465 * :You are banned", "auth", /banned/],
  [":irc.test 432 * 9x :Erroneous nickname", "config", /change Nick/],
  ["ERROR :Closing Link: Bad password", "auth", /check Password/],
  ["ERROR :Closing Link: (K-Lined)", "auth", /K-Lined/],
  ["ERROR :Trying to reconnect too fast.", "lost", /too fast/],
  ["ERROR :Closing Link: (Server is full)", "lost", /full/],
])("%s", async (line, cause, message) => {
  const { peer, clock, opened } = await opening({ Password: "hunter2" });
  await peer.until(/^USER /);
  peer.send(line);
  const result = await opened;
  if (result.ok) throw new Error("it opened");
  expect(result.ended.cause).toBe(cause);
  expect(result.ended.why.message).toMatch(message);
  expect(result.ended.why.message).not.toContain("hunter2");
  await peer.over;
  expect(clock.waiting).toBe(0);
});

test("a server that says nothing is given up after 60 s", async () => {
  const { peer, clock, opened } = await opening();
  await peer.until(/^USER /);
  await clock.advance(59_000);
  peer.send("PING :still-here");
  await peer.until(/^PONG still-here$/);
  await clock.advance(1000);
  expect(await opened).toMatchObject({ ok: false, ended: { cause: "lost", why: { code: "timeout" } } });
  await peer.over;
});

test("a message of the day without an end is not waited for", async () => {
  const { peer, clock, opened } = await opening();
  await peer.until(/^USER /);
  peer.send(":irc.test CAP * LS :");
  await peer.until(/^CAP END$/);
  peer.send(":irc.test 001 rialto :Welcome", "PING :x");
  await peer.until(/^PONG x$/);
  await clock.advance(30_000);
  expect((await opened).ok).toBe(true);
});

test("a connection that ends while we introduce ourselves", async () => {
  const { peer, clock, opened } = await opening();
  await peer.until(/^USER /);
  peer.end();
  expect(await opened).toMatchObject({ ok: false, ended: { cause: "lost", why: { code: "network" } } });
  expect(clock.waiting).toBe(0);
});

test("a try that is given up closes the connection", async () => {
  const { peer, clock, opened, giveUp } = await opening();
  await peer.until(/^USER /);
  giveUp.abort();
  expect(await opened).toMatchObject({ ok: false, ended: { cause: "lost", why: { code: "stopping" } } });
  await peer.over;
  expect(clock.waiting).toBe(0);
});

const SASL = { UseSASL: true, NickServNick: "jilles", NickServPassword: "sesame" };

test("SASL PLAIN", async () => {
  const { peer, opened } = await opening(SASL);
  peer.send(":irc.test CAP * LS :sasl=PLAIN,EXTERNAL server-time");
  expect(await peer.until(/^CAP REQ/)).toBe("CAP REQ :server-time sasl");
  peer.send(":irc.test CAP * ACK :server-time sasl");
  expect(await peer.next()).toBe("AUTHENTICATE PLAIN");
  peer.send("AUTHENTICATE +");
  // RFC 4616: no authorization identity, then the name and the password, each behind a NUL.
  expect(await peer.next()).toBe(`AUTHENTICATE ${Buffer.from("\0jilles\0sesame").toString("base64")}`);
  await settled();
  expect(peer.waiting).toEqual([]);
  peer.send(":irc.test 900 * * jilles :You are now logged in", ":irc.test 903 * :SASL successful");
  expect(await peer.next()).toBe("CAP END");
  peer.send(":irc.test 001 rialto :Welcome", ":irc.test 376 rialto :End");
  expect((await opened).ok).toBe(true);
});

test.each([
  ["refused", ["sasl=PLAIN"], "904", /check NickServNick/],
  ["not offered", ["server-time"], null, /no SASL/],
  ["only by certificate", ["sasl=EXTERNAL"], null, /no SASL/],
])("SASL that is %s needs a person", async (_, offered, numeric, message) => {
  const { peer, opened, host } = await opening(SASL);
  peer.send(`:irc.test CAP * LS :${offered.join(" ")}`);
  const request = await peer.until(/^CAP REQ/);
  peer.send(`:irc.test CAP * ACK :${request.replace(/^CAP REQ :?/, "")}`);
  if (numeric !== null) {
    await peer.until(/^AUTHENTICATE PLAIN$/);
    peer.send(`:irc.test ${numeric} * :SASL authentication failed`);
  }
  const result = await opened;
  if (result.ok) throw new Error("it opened");
  expect(result.ended.cause).toBe("auth");
  expect(result.ended.why.message).toMatch(message);
  expect(JSON.stringify([result, host.records])).not.toContain("sesame");
});

test("SASL is needed, and the server lets us in without CAP", async () => {
  const { peer, opened } = await opening(SASL);
  await peer.until(/^USER /);
  peer.send(":irc.test 001 rialto :Welcome", ":irc.test 376 rialto :End");
  expect(await opened).toMatchObject({ ok: false, ended: { cause: "auth" } });
});

test("NickServ is told, and waited for", async () => {
  const { peer, opened } = await opening({ NickServNick: "NickServ", NickServPassword: "sesame" });
  await peer.welcome();
  expect(await peer.next()).toBe("PRIVMSG NickServ :IDENTIFY sesame");
  const early = await Promise.race([opened, settled().then(() => null)]);
  expect(early).toBe(null);
  peer.send(":NickServ!service@services NOTICE rialto :You are now identified");
  expect((await opened).ok).toBe(true);
});

test("QuakeNet's service has words of its own; a service that does not answer is not waited for", async () => {
  const { peer, clock, opened } = await opening({
    NickServNick: "Q@CServe.quakenet.org",
    NickServUsername: "jilles",
    NickServPassword: "sesame",
  });
  await peer.welcome();
  expect(await peer.next()).toBe("PRIVMSG Q@CServe.quakenet.org :AUTH jilles sesame");
  await clock.advance(5000);
  expect((await opened).ok).toBe(true);
});

test("RunCommands leave a second apart, and before channels are joined", async () => {
  const { peer, clock, opened } = await opening({ RunCommands: ["MODE {BOTNICK} +x", "OPER a b\r\nQUIT"] });
  await peer.welcome({ isupport: "BOT=B" });
  expect(await peer.next()).toBe("MODE rialto +B");
  expect(await peer.next()).toBe("MODE rialto +x");
  await clock.advance(999);
  expect(peer.waiting).toEqual([]);
  await clock.advance(1);
  expect(await peer.next()).toBe("OPER a b  QUIT");
  await clock.advance(1000);
  expect((await opened).ok).toBe(true);
});

test("a server that takes only UTF-8 and another charset", async () => {
  const { peer, opened } = await opening({ Charset: "iso-8859-1" });
  await peer.until(/^USER /);
  peer.send(":irc.test CAP * LS :", ":irc.test 001 rialto :Welcome", ":irc.test 005 rialto UTF8ONLY :are supported");
  peer.send(":irc.test 376 rialto :End");
  expect(await opened).toMatchObject({ ok: false, ended: { cause: "config" } });
});
