import { expect, test } from "vitest";
import { settled } from "../../../../test/support/fake-clock.ts";
import { opening } from "../scripted-server.suite.ts";

test("the order in which a session introduces itself; only capabilities we know are asked for", async () => {
  const { peer, opened } = await opening({ Password: "open sesame", UserName: "relay/net", RealName: "A bridge" });
  expect([await peer.next(), await peer.next(), await peer.next(), await peer.next()]).toEqual([
    "CAP LS 302",
    "PASS :open sesame",
    "NICK rialto",
    "USER relay/net 0 * :A bridge",
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
  const { peer, opened, host } = await opening();
  await peer.until(/^USER /);
  peer.send(":irc.test CAP * LS :", ":irc.test 433 * rialto :Nickname is already in use");
  expect(await peer.until(/^NICK /)).toBe("NICK rialto_");
  peer.send(":irc.test 433 * rialto_ :Nickname is already in use");
  expect(await peer.until(/^NICK /)).toBe("NICK rialto__");
  peer.send(":irc.test 001 rialto_x :Welcome", ":irc.test 376 rialto_x :End");
  const result = await opened;
  expect(result.ok && result.session.as).toBe("rialto_x");
  const told = { level: "warn", fields: { wanted: "rialto", nick: "rialto_x" } };
  expect(host.records.filter(({ level }) => level !== "debug")).toMatchObject([told]);
});

test("a server that has answered without TLS before is not taken for one that expects TLS", async () => {
  const { peer, opened, again } = await opening();
  await peer.until(/^USER /);
  peer.send(":irc.test NOTICE * :*** Looking up your hostname");
  peer.end();
  await opened;
  const second = await again();
  await second.peer.until(/^USER /);
  second.peer.end();
  const result = await second.opened;
  expect(result.ok ? "" : result.ended.why.message).toMatch(/closed the connection$/);
});

test.each([
  ["says nothing that can be read, as where TLS is expected", [], /without sending anything; .*UseTLS = true$/],
  ["has spoken", [":irc.test NOTICE * :*** Looking up your hostname"], /closed the connection$/],
])("a server closes the connection that %s", async (_, lines, message) => {
  const { peer, opened } = await opening();
  await peer.until(/^USER /);
  peer.send(...lines);
  peer.end();
  const result = await opened;
  expect(result.ok ? "" : result.ended.why.message).toMatch(message);
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
  [":irc.test 464 * :Password incorrect", "auth", /password is missing or wrong: .*; check Password$/],
  [":irc.test 465 * :You are banned", "auth", /banned/],
  [":irc.test 465 * :\x0304You\x03 are \x02banned\x02", "auth", /: You are banned$/],
  ["FAIL * ACCOUNT_REQUIRED :Members only", "auth", /needs an account: Members only; set UseSASL = true/],
  [":irc.test 432 * 9x :Erroneous nickname", "config", /change Nick/],
  ["ERROR :Closing Link: Bad password", "auth", /check Password/],
  ["ERROR :Closing Link: (K-Lined)", "auth", /K-Lined/],
  ["ERROR :Closing Link: 192.0.2.7 (G:Lined (too many clones))", "auth", /G:Lined/],
  ["ERROR :Closing link: (x@192.0.2.7) [Z-lined: reconnect when you are sober]", "auth", /Z-lined/],
  ["ERROR :Closing Link: 192.0.2.7 (*** Banned )", "auth", /Banned/],
  ["ERROR :Closing Link: 192.0.2.7 (Unauthorized connection)", "auth", /Unauthorized/],
  ["ERROR :You are not authorized to connect to this server", "auth", /not authorized/],
  ["ERROR :Access denied: Bad password?", "auth", /check Password/],
  ["ERROR :Closing link: (x@192.0.2.7) [Access denied by configuration]", "auth", /check Password/],
  ["ERROR :Closing Link: 192.0.2.7 (Your IP is listed in a DNSBL)", "auth", /DNSBL/],
  ["ERROR :Closing Link: 192.0.2.7 (SASL access only)", "auth", /UseSASL/],
  ["ERROR :Closing Link: (You must be logged in to connect)", "auth", /UseSASL/],
  ["ERROR :Closing Link: 192.0.2.7 (Invalid username [x])", "config", /change UserName/],
  ["ERROR :Trying to reconnect too fast.", "lost", /too fast/],
  ["ERROR :Closing Link: (Server is full)", "lost", /full/],
  ["ERROR :Connection refused, too many connections from your IP address", "lost", /too many/],
  ["ERROR :Closing link: [No more connections allowed from your host via this connect class]", "lost", /No more/],
  ["ERROR :Closing Link: (Throttled: Reconnecting too fast)", "lost", /Throttled/],
  ["ERROR :Closing Link: (Ping timeout)", "lost", /timeout/],
  ["ERROR :Closing Link: rialto[192.0.2.7] (Something else)", "lost", /Something/],
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

test("a server that says nothing is given up after 50 s", async () => {
  const { peer, clock, opened } = await opening();
  await peer.until(/^USER /);
  await clock.advance(49_000);
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
  // RFC 4616: no authorization identity, then the name and the password, each after a NUL.
  expect(await peer.next()).toBe(`AUTHENTICATE ${Buffer.from("\0jilles\0sesame").toString("base64")}`);
  await settled();
  expect(peer.waiting).toEqual([]);
  peer.send(":irc.test 900 * * jilles :You are now logged in", ":irc.test 903 * :SASL successful");
  expect(await peer.next()).toBe("CAP END");
  peer.send(":irc.test 001 rialto :Welcome", ":irc.test 376 rialto :End");
  expect((await opened).ok).toBe(true);
});

test.each([
  ["refused", ["sasl=PLAIN"], "904", "auth", /check NickServNick/],
  // Its services may be down.
  ["not offered", ["server-time"], null, "lost", /no SASL/],
  ["only by certificate", ["sasl=EXTERNAL"], null, "auth", /no SASL/],
])("SASL that is required and %s", async (_, offered, numeric, cause, message) => {
  const { peer, opened, host } = await opening({ ...SASL, RequireSASL: true });
  peer.send(`:irc.test CAP * LS :${offered.join(" ")}`);
  const request = await peer.until(/^CAP REQ/);
  peer.send(`:irc.test CAP * ACK :${request.replace(/^CAP REQ :?/, "")}`);
  if (numeric !== null) {
    await peer.until(/^AUTHENTICATE PLAIN$/);
    peer.send(`:irc.test ${numeric} * :SASL authentication failed`);
  }
  const result = await opened;
  if (result.ok) throw new Error("it opened");
  expect(result.ended.cause).toBe(cause);
  expect(result.ended.why.message).toMatch(message);
  expect(JSON.stringify([result, host.records])).not.toContain("sesame");
});

test.each([
  ["refused", "sasl=PLAIN", "904"],
  ["only by certificate", "sasl=EXTERNAL", null],
])("SASL that is %s needs a person, required or not", async (_, offered, numeric) => {
  const { peer, opened, host } = await opening(SASL);
  peer.send(`:irc.test CAP * LS :${offered}`);
  await peer.until(/^CAP REQ/);
  peer.send(":irc.test CAP * ACK :sasl");
  if (numeric !== null) {
    await peer.until(/^AUTHENTICATE PLAIN$/);
    peer.send(`:irc.test ${numeric} * :SASL authentication failed`);
  }
  expect(await opened).toMatchObject({ ok: false, ended: { cause: "auth" } });
  expect(host.doubts).toEqual([]);
});

test.each([
  ["offers other capabilities", [":irc.test CAP * LS :server-time", ":irc.test CAP * ACK :server-time"]],
  ["offers none", [":irc.test CAP * LS :"]],
  ["lets us in without CAP", []],
])("a server without SASL that %s is used without the login, loudly, until it has SASL", async (_, lines) => {
  const { peer, opened, host } = await opening(SASL);
  await peer.until(/^USER /);
  peer.send(...lines, ":irc.test 001 rialto :Welcome", ":irc.test 376 rialto :End");
  const result = await opened;
  if (!result.ok) throw new Error(result.ended.why.message);
  const message = expect.stringMatching(/^NOT logged in, .*UseSASL = false; with RequireSASL = true/) as string;
  expect(host.doubts).toEqual([{ code: "unsupported", message }]);
  expect(JSON.stringify(peer.waiting)).not.toContain("sesame");
  peer.send(":irc.test CAP * NEW :sasl=PLAIN");
  expect(await result.session.ended).toMatchObject({
    cause: "lost",
    why: { message: expect.stringMatching(/now offers SASL/) as string },
  });
});

test("SASL is required, and the server lets us in without CAP", async () => {
  const { peer, opened } = await opening({ ...SASL, RequireSASL: true });
  await peer.until(/^USER /);
  peer.send(":irc.test 001 rialto :Welcome", ":irc.test 376 rialto :End");
  expect(await opened).toMatchObject({ ok: false, ended: { cause: "lost" } });
});

test("a service that only asks who we are has not answered our login yet", async () => {
  const { peer, opened } = await opening({ NickServNick: "NickServ", NickServPassword: "sesame" });
  await peer.welcome();
  await peer.until(/IDENTIFY/);
  let isOpen = false;
  void opened.then(() => (isOpen = true));
  const service = ":NickServ!service@services NOTICE rialto";
  peer.send(
    `${service} :This nickname is registered.`,
    `${service} :If it is yours, type /msg NickServ IDENTIFY password.`,
  );
  await settled();
  expect(isOpen).toBe(false);
  peer.send(`${service} :You are now identified for rialto.`);
  expect((await opened).ok).toBe(true);
});

test("NickServ is told, and waited for; what it says is told", async () => {
  const { peer, opened, host } = await opening({ NickServNick: "NickServ", NickServPassword: "sesame" });
  await peer.welcome();
  expect(await peer.next()).toBe("PRIVMSG NickServ :IDENTIFY sesame");
  const early = await Promise.race([opened, settled().then(() => null)]);
  expect(early).toBe(null);
  peer.send(":somebody!a@b NOTICE rialto :hello", ":NickServ!service@services NOTICE rialto :Password incorrect.");
  expect((await opened).ok).toBe(true);
  const told = { level: "info", fields: { service: "NickServ", says: "Password incorrect." } };
  expect(host.records.filter(({ level }) => level !== "debug")).toMatchObject([told]);
});

test("a service that is not there is not waited for, and named", async () => {
  const { peer, opened, host } = await opening({ NickServNick: "NickSrv", NickServPassword: "sesame" });
  await peer.welcome();
  expect(await peer.next()).toBe("PRIVMSG NickSrv :IDENTIFY sesame");
  peer.send(":irc.test 401 rialto NickSrv :No such nick");
  expect((await opened).ok).toBe(true);
  expect(host.records.filter(({ level }) => level === "warn")).toMatchObject([{ fields: { service: "NickSrv" } }]);
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

test.each([
  ["before", [":rialto!~rialto@h NICK Guest1", ":irc.test 376 Guest1 :End"]],
  ["right after", [":irc.test 376 rialto :End", ":rialto!~rialto@h NICK Guest1"]],
])("services change our nick %s the end of the message of the day", async (_, lines) => {
  const { peer, opened } = await opening();
  await peer.until(/^USER /);
  peer.send(":irc.test CAP * LS :");
  await peer.until(/^CAP END$/);
  peer.send(":irc.test 001 rialto :Welcome", ...lines);
  const result = await opened;
  expect(result.ok && result.session.as).toBe("Guest1");
});

test("where the server cuts nicks, shorter ones are tried in the end", async () => {
  const { peer, opened } = await opening({ Nick: "rialtobridge" });
  const tried: string[] = [];
  while (tried.length < 8) {
    tried.push((await peer.until(/^NICK /)).replace("NICK ", "").slice(0, 9));
    peer.send(":irc.test 433 * x :Nickname is already in use");
  }
  expect(new Set(tried).size).toBeGreaterThan(2);
  peer.end();
  expect((await opened).ok).toBe(false);
});

test("a list of capabilities without end ends the connection", async () => {
  const { peer, opened } = await opening();
  await peer.until(/^USER /);
  peer.send(...Array.from({ length: 101 }, (_, line) => `:irc.test CAP * LS * :cap${line}`));
  const result = await opened;
  expect(result.ok ? "" : result.ended.why.message).toBe("the server lists capabilities without end");
});

test.each([
  ["", 1],
  ["a bouncer's", 0],
])("a server that says in its 005 that it needs an account is named; with the password %j", async (Password, count) => {
  const { peer, host, opened } = await opening({ Password });
  await peer.welcome({ isupport: "draft/ACCOUNTREQUIRED" });
  expect((await opened).ok).toBe(true);
  const warned = host.records.filter(({ level, message }) => level === "warn" && message.includes("needs an account"));
  expect(warned).toHaveLength(count);
});
