import { expect, test } from "vitest";
import type { IrcSettings } from "../settings.ts";
import { opening, type Peer } from "../scripted-server.suite.ts";

/** A session that had to take another nick. */
async function renamed(isupport: string, given: Partial<IrcSettings> = {}) {
  const { peer, clock, host, opened } = await opening(given);
  await peer.until(/^USER /);
  peer.send(":irc.test CAP * LS :", ":irc.test 433 * rialto :Nickname is already in use");
  expect(await peer.until(/^NICK /)).toBe("NICK rialto_");
  peer.send(
    ":irc.test 001 rialto_ :Welcome rialto_!~rialto@client.test",
    `:irc.test 005 rialto_ ${isupport} :are supported by this server`,
    ":irc.test 376 rialto_ :End of /MOTD command.",
  );
  await peer.until(/^USERHOST /);
  const result = await opened;
  if (!result.ok) throw new Error("no session");
  return { peer, clock, host, session: result.session };
}

async function read(peer: Peer): Promise<void> {
  peer.send("PING done");
  await peer.until(/^PONG done/);
}

/** Time goes on and the server answers. */
async function pass(peer: Peer, clock: { advance(ms: number): Promise<void> }, ms: number): Promise<string[]> {
  const seen: string[] = [];
  for (let passed = 0; passed < ms; passed += 5000) {
    await clock.advance(5000);
    peer.send("PING done");
    for (let line = await peer.next(); line !== "PONG done"; line = await peer.next()) {
      if (line.startsWith("PING ")) peer.pong(line);
      else seen.push(line);
    }
  }
  return seen;
}

test("MONITOR tells when the nick is free, and then it is taken back", async () => {
  const { peer, session } = await renamed("MONITOR=100");
  expect(await peer.next()).toBe("MONITOR + rialto");
  peer.send(":irc.test 730 rialto_ :rialto!~other@host", "PING x");
  expect(await peer.next()).toBe("PONG x");
  peer.send(":irc.test 731 rialto_ :rialto");
  expect(await peer.next()).toBe("NICK rialto");
  peer.send(":rialto_!~rialto@client.test NICK rialto");
  expect(await peer.next()).toBe("MONITOR - rialto");
  expect(session.as).toBe("rialto");
});

test("without MONITOR it is asked for each minute", async () => {
  const { peer, clock } = await renamed("CASEMAPPING=ascii");
  expect(await pass(peer, clock, 60_000)).toEqual(["ISON rialto"]);
  peer.send(":irc.test 303 rialto_ :rialto");
  await read(peer);
  expect(await pass(peer, clock, 60_000)).toEqual(["ISON rialto"]);
  peer.send(":irc.test 303 rialto_ :");
  expect(await peer.next()).toBe("NICK rialto");
  peer.send(":rialto_!~rialto@client.test NICK rialto");
  await read(peer);
  expect(await pass(peer, clock, 120_000)).toEqual([]);
});

test.each(["QUIT :bye", "NICK other"])("its holder is seen to leave it: %s", async (line) => {
  const { peer } = await renamed("CASEMAPPING=ascii");
  peer.send(`:RIALTO!o@host ${line}`);
  expect(await peer.next()).toBe("NICK rialto");
});

test("whoever renames us is not fought: the tries become rarer", async () => {
  const { peer, clock } = await renamed("CASEMAPPING=ascii");
  const tried: string[] = [];
  peer.send(":rialto!o@host QUIT :bye");
  expect(await peer.next()).toBe("NICK rialto");
  peer.send(":rialto_!~rialto@client.test NICK rialto");
  await read(peer);
  for (let minute = 0; minute < 30; minute++) {
    peer.send(":rialto!~rialto@client.test NICK Guest1");
    for (const line of await pass(peer, clock, 60_000)) {
      if (line.startsWith("ISON")) peer.send(":irc.test 303 Guest1 :");
    }
    peer.send("PING more");
    for (let line = await peer.next(); line !== "PONG more"; line = await peer.next()) {
      if (!line.startsWith("NICK")) continue;
      tried.push(line);
      peer.send(":Guest1!~rialto@client.test NICK rialto");
    }
    await read(peer);
  }
  expect(tried.length).toBeGreaterThan(2);
  expect(tried.length).toBeLessThan(8);
});

test("a server that does not know MONITOR after all is polled", async () => {
  const { peer, clock } = await renamed("MONITOR=100");
  expect(await peer.next()).toBe("MONITOR + rialto");
  peer.send(":irc.test 734 rialto_ 100 rialto :Monitor list is full.");
  await read(peer);
  expect(await pass(peer, clock, 60_000)).toEqual(["ISON rialto"]);
});

test("a nick that the server cuts is not asked for, and nothing waits once the session is over", async () => {
  const cut = await opening({ Nick: "rialto-the-bridge" });
  await cut.peer.until(/^USER /);
  cut.peer.send(":irc.test CAP * LS :", ":irc.test 001 rialto-th :Welcome", ":irc.test 376 rialto-th :End");
  await cut.peer.until(/^USERHOST /);
  await cut.opened;
  expect(await pass(cut.peer, cut.clock, 60_000)).toEqual([]);
  const { peer, clock, session } = await renamed("CASEMAPPING=ascii");
  peer.end();
  await session.ended;
  expect(clock.waiting).toBe(0);
});
