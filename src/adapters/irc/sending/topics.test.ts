import { expect, test } from "vitest";
import type { ChannelRef, OpId } from "../../../contract/ids.ts";
import type { TopicOp } from "../../../contract/ops.ts";
import type { Outcome } from "../../../contract/outcome.ts";
import type { Session } from "../../../contract/session.ts";
import { RecordingAttempt } from "../../../../test/contract/recording-attempt.ts";
import { post, session } from "../scripted-server.suite.ts";

const OURS = ":rialto!~rialto@client.test";
const TAGS = "message-tags echo-message labeled-response batch";
const DONE: Outcome = { is: "delivered", receipt: { messages: [], losses: [] } };
const REFUSED = ":irc.test 482 rialto #a :You're not a channel operator";

function setTopic(
  to: Pick<Session, "handlers">,
  topic: string,
): { readonly attempt: RecordingAttempt; readonly outcome: Promise<Outcome> } {
  const op: TopicOp = { kind: "topic", id: "op" as OpId, channel: "#a" as ChannelRef, attempt: 1, topic };
  const attempt = new RecordingAttempt();
  if (to.handlers.topic === undefined) throw new Error("no handler");
  return { attempt, outcome: to.handlers.topic(op, attempt) };
}

test("a topic is set in its place among the messages, and announces nothing", async () => {
  const { peer, session: live } = await session({ channels: ["#a"] });
  const before = post(live, "one");
  const { outcome, attempt } = setTopic(live, "ships: three");
  const after = post(live, "two");
  expect([await peer.next(), await peer.next(), await peer.next()]).toEqual([
    "PRIVMSG #a one",
    "TOPIC #a :ships: three",
    "PRIVMSG #a two",
  ]);
  peer.send(`${OURS} TOPIC #a :ships: three`);
  peer.pong(await peer.next());
  expect(await outcome).toEqual(DONE);
  for (const each of [before, after]) expect(await each.outcome).toEqual(DONE);
  expect(attempt.announced).toEqual([]);
});

test.each([
  ["", "TOPIC #a :"],
  ["one\ntwo\r\n\u0002three\u0000", "TOPIC #a :one two three"],
  [":-)", "TOPIC #a ::-)"],
])("%j is one line", async (topic, line) => {
  const { peer, session: live } = await session({ channels: ["#a"] });
  void setTopic(live, topic);
  expect(await peer.next()).toBe(line);
});

test.each(["TOPICLEN=10", "LINELEN=58"])(
  "what is too long for the server is cut, and the receipt says so: %s",
  async (isupport) => {
    const { peer, session: live } = await session({ isupport, channels: ["#a"] });
    const { outcome } = setTopic(live, "ships: three of them, and more");
    const line = await peer.next();
    expect(line).toMatch(/^TOPIC #a :ships: /);
    expect(line.length).toBeLessThan("TOPIC #a :ships: three of them".length);
    peer.pong(await peer.next());
    expect(await outcome).toMatchObject({ is: "delivered", receipt: { losses: [{ what: "length" }] } });
  },
);

test("one that stands already is answered by an ACK, or by nothing", async () => {
  const { peer, session: live } = await session({ caps: TAGS, channels: ["#a"] });
  const { outcome } = setTopic(live, "ships");
  expect(await peer.next()).toBe("@label=r1 TOPIC #a ships");
  peer.send("@label=r1 :irc.test ACK");
  expect(await outcome).toEqual(DONE);
});

test.each([
  ["with a label", TAGS, "@label=r2 "],
  ["without", "", ""],
])("where only operators may, it is refused for good, and no message is meant: %s", async (_name, caps, tag) => {
  const { peer, session: live } = await session({ caps, channels: ["#a"] });
  const message = post(live, "one");
  const { outcome } = setTopic(live, "ships");
  expect([await peer.next(), await peer.next()].map((line) => line.replace(/^@\S+ /u, ""))).toEqual([
    "PRIVMSG #a one",
    "TOPIC #a ships",
  ]);
  peer.send(`${tag}${REFUSED}`);
  expect(await outcome).toMatchObject({ is: "rejected", why: { code: "forbidden" } });
  if (caps === "") peer.pong(await peer.next());
  else peer.send(`@label=r1 ${OURS} PRIVMSG #a one`);
  expect(await message.outcome).toMatchObject({ is: "delivered" });
});

test("what the server says of operators concerns no topic while none waits", async () => {
  const { peer, session: live } = await session({ channels: ["#a"] });
  const { outcome } = post(live, "one");
  await peer.next();
  peer.send(REFUSED);
  peer.pong(await peer.next());
  expect(await outcome).toEqual(DONE);
});

test("one that was written when the connection died may have been set", async () => {
  const { peer, session: live } = await session({ channels: ["#a"] });
  const { outcome } = setTopic(live, "ships");
  await peer.next();
  peer.end();
  expect((await outcome).is).toBe("unknown");
  expect(await setTopic(live, "later").outcome).toMatchObject({ is: "deferred" });
});
