import { expect, test } from "vitest";
import { post, session } from "../scripted-server.suite.ts";
import { wordsOf } from "../../../../test/contract/texts.ts";
import { FakeClock } from "../../../../test/support/fake-clock.ts";

/** What is replayed without a batch is no news. */

const NOW_MS = new FakeClock().nowMs();
const at = (seconds: number): string => `@time=${new Date(NOW_MS + seconds * 1000).toISOString()}`;
const ZNC = ":***!znc@znc.in";
const ALICE = ":alice!a@host";

/** What was said in #a, of the lines that the server sends after our JOIN. */
async function heard(...lines: readonly string[]): Promise<readonly string[]> {
  const { peer, host, session: live } = await session({ caps: "server-time message-tags" });
  const joined = live.join({ name: "#a", options: {} }, new AbortController().signal);
  await peer.until(/^JOIN/u);
  peer.send(":rialto!~rialto@client.test JOIN #a", ":irc.test 366 rialto #a :End", ...lines, "PING end");
  await joined;
  await peer.until(/^PONG end/u);
  return host.events.map((event) => (event.kind === "posted" ? wordsOf(event.body) : event.kind));
}

test.each<[string, readonly string[], readonly string[]]>([
  ["an hour before our JOIN", [`${at(-3600)} ${ALICE} PRIVMSG #a old`], []],
  ["a minute before it, by another spelling", [`${at(-60)} ${ALICE} PRIVMSG #A old`], []],
  ["an old notice", [`${at(-60)} ${ALICE} NOTICE #a old`], []],
  ["an old action", [`${at(-60)} ${ALICE} PRIVMSG #a :\x01ACTION old\x01`], []],
  ["an old topic", [`${at(-60)} ${ALICE} TOPIC #a old`], []],
  ["old joins and leaves", [`${at(-60)} ${ALICE} JOIN #a`, `${at(-60)} ${ALICE} PART #a`], []],
  ["an old reaction", [`${at(-60)};+draft/react=x;+draft/reply=m ${ALICE} TAGMSG #a`], []],
  ["by a clock that is slow", [`${at(-5)} ${ALICE} PRIVMSG #a new`], ["new"]],
  ["now", [`${at(0)} ${ALICE} PRIVMSG #a new`], ["new"]],
  ["without a time", [`${ALICE} PRIVMSG #a new`], ["new"]],
  ["with a time that is none", [`@time=yesterday ${ALICE} PRIVMSG #a new`], ["new"]],
  ["old, then new", [`${at(-60)} ${ALICE} PRIVMSG #a old`, `${at(1)} ${ALICE} PRIVMSG #a new`], ["new"]],
  [
    "between the marks of ZNC",
    [
      `${ZNC} PRIVMSG #a :Buffer Playback...`,
      `${ALICE} PRIVMSG #a :[12:00:01] old`,
      `${ALICE} NOTICE #a :[12:00:02] old`,
      `${ZNC} PRIVMSG #a :Playback Complete.`,
      `${ALICE} PRIVMSG #a new`,
    ],
    ["new"],
  ],
  ["what ZNC says of its own", [":*status!znc@znc.in PRIVMSG #a :hi", ":*foo!znc@znc.in NOTICE #a :hi"], []],
  ["what other bouncers say", [":-psyBNC!psyBNC@lam3rz.de PRIVMSG #a :hi", ":-bip!bip@bip PRIVMSG #a :hi"], []],
  [
    "marks that a person writes",
    [`${ALICE} PRIVMSG #a :Buffer Playback...`, `${ALICE} PRIVMSG #a new`],
    ["Buffer Playback...", "new"],
  ],
  ["a replay of another channel", [`${ZNC} PRIVMSG #b :Buffer Playback...`, `${ALICE} PRIVMSG #a new`], ["new"]],
])("%s", async (_, lines, expected) => {
  expect(await heard(...lines)).toEqual(expected);
});

test("our JOIN counts by the clock of the server, however wrong that is", async () => {
  const { peer, host, session: live } = await session({ caps: "server-time" });
  const joined = live.join({ name: "#a", options: {} }, new AbortController().signal);
  await peer.until(/^JOIN/u);
  peer.send(`${at(-7200)} :rialto!~rialto@client.test JOIN #a`, ":irc.test 366 rialto #a :End");
  await joined;
  peer.send(`${at(-7300)} ${ALICE} PRIVMSG #a old`, `${at(-7190)} ${ALICE} PRIVMSG #a new`, "PING end");
  await peer.until(/^PONG end/u);
  expect(host.events.map((event) => event.kind === "posted" && wordsOf(event.body))).toEqual(["new"]);
});

test("a replay without an end is over after a minute, and when we enter again", async () => {
  const { peer, clock, host, session: live } = await session({ channels: ["#a"] });
  const says = async (text: string): Promise<void> => {
    peer.send(`${ALICE} PRIVMSG #a :${text}`, "PING end");
    await peer.until(/^PONG end/u);
  };
  peer.send(`${ZNC} PRIVMSG #a :Buffer Playback...`);
  await says("old");
  await clock.advance(60_000);
  await says("new");
  peer.send(`${ZNC} PRIVMSG #a :Buffer Playback...`, ":rialto!~rialto@client.test JOIN #a");
  await says("newer");
  expect(host.events.map((event) => event.kind === "posted" && wordsOf(event.body))).toEqual(["new", "newer"]);
  expect(live.as).toBe("rialto");
});

test("an old line of ours confirms nothing", async () => {
  const { peer, session: live } = await session({ caps: "server-time echo-message", channels: ["#a"] });
  const { outcome, attempt } = post(live, "again");
  await peer.until(/^PRIVMSG/u);
  peer.send(`${at(-3600)} :rialto!~rialto@client.test PRIVMSG #a again`, "PING end");
  await peer.until(/^PONG end/u);
  expect(attempt.confirmed).toEqual([]);
  peer.send(":rialto!~rialto@client.test PRIVMSG #a again");
  expect(await outcome).toMatchObject({ is: "delivered" });
});
