import { expect, test } from "vitest";
import { PrivateReplies } from "./private-replies.ts";
import { session } from "./scripted-server.suite.ts";
import { parseLine } from "./wire/wire.ts";

const ABOUT =
  "This is Rialto, a bridge between this network and others. Private messages to it are not relayed, and no person reads them.";
const DAY_MS = 24 * 60 * 60_000;

/** What the bot answers to these lines. */
async function answers(peer: Awaited<ReturnType<typeof session>>["peer"], ...lines: readonly string[]) {
  peer.send(...lines, "PING end");
  const said: string[] = [];
  for (let line = await peer.next(); line !== "PONG end"; line = await peer.next()) said.push(line);
  return said;
}

test("a private message gets one answer a day and person, over all connections", () => {
  const said: string[] = [];
  let nowMs = 0;
  const settings = { NickServNick: "" };
  const connected = () =>
    new PrivateReplies({
      link: {
        isMe: (nick) => nick === "rialto",
        send: (command, params) => said.push([command, ...params].join(" ")) > 0,
      },
      clock: { monoMs: () => nowMs },
      settings,
      channelsOf: () => [],
    });
  const take = (replies: PrivateReplies, text: string): void => {
    const line = parseLine(text);
    if (line !== null) replies.take(line);
  };
  const first = connected();
  take(first, ":alice!a@host PRIVMSG rialto :hello?");
  take(first, ":alice_!a@host PRIVMSG rialto :\u0001ACTION waves\u0001");
  const second = connected();
  nowMs = DAY_MS - 1;
  take(second, ":alice!a@host PRIVMSG rialto :hello?");
  const answer = `NOTICE alice ${ABOUT} Please ask in a channel where you have seen it.`;
  expect(said).toEqual([answer]);
  nowMs += 1;
  take(second, ":alice!a@host PRIVMSG rialto :hello?");
  expect(said).toEqual([answer, answer]);
});

test("a private message is answered, and relayed nowhere", async () => {
  const { peer, host } = await session({ channels: ["#a"] });
  const answer = `NOTICE alice :${ABOUT} Please ask in a channel where you have seen it.`;
  expect(await answers(peer, ":alice!a@host PRIVMSG rialto :hello?", ":alice!a@host PRIVMSG Rialto :hello?")).toEqual([
    answer,
  ]);
  expect(host.events).toEqual([]);
});

test("the answer names the channels where both are", async () => {
  const { peer } = await session({ channels: ["#a", "#b"] });
  peer.send(":alice!a@host JOIN #b");
  expect(await answers(peer, ":alice!a@host PRIVMSG rialto :hello")).toEqual([
    `NOTICE alice :${ABOUT} Please ask in #b.`,
  ]);
});

test.each([
  ["a notice", ":alice!a@host NOTICE rialto :hello"],
  ["a server", ":irc.test PRIVMSG rialto :hello"],
  ["a service", ":NickServ!services@services.test PRIVMSG rialto :You are now identified"],
  ["the service that gets the password", ":Q!q@cserve.test PRIVMSG rialto :hello"],
  ["a module of a bouncer", ":*status!znc@znc.in PRIVMSG rialto :hello"],
  ["a bot", "@bot :helper!h@host PRIVMSG rialto :hello"],
  ["ourselves", ":rialto!~rialto@client.test PRIVMSG rialto :hello"],
  ["a request of another program", ":alice!a@host PRIVMSG rialto :\u0001DCC SEND x 1 2 3\u0001"],
  ["nothing", ":alice!a@host PRIVMSG rialto : "],
  ["a channel", ":alice!a@host PRIVMSG #a :rialto: hello"],
  ["those in a channel with a status", ":alice!a@host PRIVMSG @#a :hello"],
  ["somebody else", ":alice!a@host PRIVMSG bob :hello"],
])("no answer to %s", async (_, line) => {
  const { peer } = await session({
    caps: "message-tags",
    channels: ["#a"],
    settings: { NickServNick: "Q@CServe.quakenet.org" },
  });
  expect(await answers(peer, line)).toEqual([]);
});

test("people who are many get a few answers at a time, and those without one get it later", async () => {
  const { peer, clock } = await session({ channels: ["#a"] });
  const lines = Array.from({ length: 20 }, (_, at) => `:eve${at}!e${at}@host PRIVMSG rialto :hello`);
  expect(await answers(peer, ...lines)).toHaveLength(3);
  await clock.advance(10_000);
  expect((await answers(peer, ...lines)).map((line) => line.split(" ")[1])).toEqual(["eve3", "eve4", "eve5"]);
});
