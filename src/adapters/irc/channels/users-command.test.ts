import { expect, test } from "vitest";
import type { OpAuthor } from "../../../contract/ops.ts";
import type { Peer } from "../scripted-server.suite.ts";
import { post, session } from "../scripted-server.suite.ts";

const AUTHOR: OpAuthor = { id: "a", name: "alice", shown: "<alice> ", avatar: null, account: "xmpp" };

async function ask(peer: Peer, outcome: Promise<unknown>): Promise<void> {
  expect(await peer.next()).toBe("PRIVMSG #a :<alice> !users");
  peer.pong(await peer.next());
  await outcome;
}

test("who asks for the people gets their names, sorted, where the question came from", async () => {
  const { peer, host, session: live } = await session({ channels: ["#a"] });
  await ask(peer, post(live, "!users", { author: AUTHOR }).outcome);
  expect(await peer.next()).toBe("NAMES #a");
  // A second question is answered with the first.
  const again = post(live, " !users ", { author: AUTHOR });
  expect(await peer.next()).toMatch(/^PRIVMSG/);
  peer.pong(await peer.next());
  await again.outcome;
  peer.send(
    ":irc.test 353 rialto = #a :@zoe @+bob rialto",
    ":irc.test 353 rialto = #a :alice!a@host",
    ":irc.test 366 rialto #a :End of /NAMES list.",
    "PING x",
  );
  expect(await peer.next()).toBe("PONG x");
  expect(host.events).toMatchObject([
    {
      kind: "posted",
      key: null,
      channel: "#a",
      echoOf: null,
      author: { id: "rialto", name: "rialto" },
      body: { source: { format: "plain", text: "@bob, @zoe, alice, rialto currently on IRC" } },
    },
  ]);
});

test("300 names are one answer", async () => {
  const { peer, host, session: live } = await session({ channels: ["#a"] });
  await ask(peer, post(live, "!users", { author: AUTHOR }).outcome);
  await peer.next();
  const names = Array.from({ length: 450 }, (_, at) => `n${String(at).padStart(4, "0")}`);
  for (let at = 0; at < names.length; at += 50) {
    peer.send(`:irc.test 353 rialto = #a :${names.slice(at, at + 50).join(" ")}`);
  }
  peer.send(":irc.test 366 rialto #a :End of /NAMES list.", "PING x");
  await peer.until(/^PONG/);
  expect(host.posted.map(({ body }) => body.source.text.split(", ").length)).toEqual([300, 150]);
});

test("a huge channel is three answers, and the rest a number; asked again at once, there is none", async () => {
  const { peer, clock, host, session: live } = await session({ channels: ["#a"] });
  await ask(peer, post(live, "!users", { author: AUTHOR }).outcome);
  await peer.next();
  const names = Array.from({ length: 1000 }, (_, at) => `n${String(at).padStart(4, "0")}`);
  for (let at = 0; at < names.length; at += 50) {
    peer.send(`:irc.test 353 rialto = #a :${names.slice(at, at + 50).join(" ")}`);
  }
  peer.send(":irc.test 366 rialto #a :End of /NAMES list.", "PING x");
  await peer.until(/^PONG/);
  expect(host.posted).toHaveLength(3);
  expect(host.posted.at(-1)?.body.source.text).toMatch(/n0899 and 100 more currently on IRC$/);
  const write = async () => {
    const { outcome } = post(live, "!users", { author: AUTHOR });
    peer.pong(await peer.until(/^PING/));
    await outcome;
    peer.send("PING then");
    return await peer.until(/^NAMES|^PONG then/);
  };
  expect(await write()).toBe("PONG then");
  await clock.advance(10_000);
  expect(await write()).toBe("NAMES #a");
});

test.each([
  ["!users please", AUTHOR],
  ["!users", null],
])("no question: %j", async (text, author) => {
  const { peer, session: live } = await session({ channels: ["#a"] });
  const { outcome } = post(live, text, { author });
  await peer.next();
  peer.pong(await peer.next());
  await outcome;
  peer.send("PING x");
  expect(await peer.next()).toBe("PONG x");
});

test("a list that does not end is forgotten, and can be asked for again", async () => {
  const { peer, clock, host, session: live } = await session({ channels: ["#a"] });
  await ask(peer, post(live, "!users", { author: AUTHOR }).outcome);
  await peer.next();
  peer.send(":irc.test 353 rialto = #a :bob", "PING x");
  await peer.until(/^PONG/);
  await clock.advance(30_000);
  peer.send(":irc.test 366 rialto #a :End of /NAMES list.", "PING y");
  await peer.until(/^PONG y/);
  expect(host.events).toEqual([]);
  const { outcome } = post(live, "!users", { author: AUTHOR });
  peer.pong(await peer.until(/^PING/));
  await outcome;
  expect(await peer.until(/^NAMES/)).toBe("NAMES #a");
});
