import { expect, test } from "vitest";
import { settled } from "../../../../test/support/fake-clock.ts";
import type { ChannelRef, Cursor } from "../../../contract/ids.ts";
import type { Session } from "../../../contract/session.ts";
import { post, session } from "../scripted-server.suite.ts";

const never = (): AbortSignal => new AbortController().signal;
const A = "#a" as ChannelRef;
const OUT = ":rialto!~rialto@client.test PART #a";

async function leaveA(live: Session, signal = never()): Promise<void> {
  if (live.leave === undefined) throw new Error("the session cannot leave channels");
  await live.leave(A, signal);
}

/** In two channels, with leaving the first one under way. */
async function leaving(signal = never()) {
  const { peer, clock, host, session: live } = await session({ channels: ["#a", "#b"] });
  let isOver = false;
  const leave = leaveA(live, signal).then(() => (isOver = true));
  expect(await peer.until(/^PART/)).toBe("PART #a");
  return { peer, clock, host, live, leave, isOver: () => isOver };
}

test("leaving is over when the server has let us go, and the channel can be entered again", async () => {
  const { peer, live, leave, isOver, host } = await leaving();
  await settled();
  expect(isOver()).toBe(false);
  peer.send(OUT);
  await leave;
  const joining = live.join({ name: "#A", options: {} }, never());
  expect(await peer.until(/^JOIN/)).toBe("JOIN #A");
  peer.send(":rialto!~rialto@client.test JOIN #a", ":irc.test 366 rialto #a :End");
  expect(await joining).toMatchObject({ ok: true, ref: "#A" });
  expect(host.losses).toEqual([]);
});

test.each([
  ["says that we are not there", ":irc.test 442 rialto #a :You're not on that channel"],
  ["throws us out at the same time", ":op!o@h KICK #a rialto :out"],
])("also when the server %s", async (_, line) => {
  const { peer, leave, host } = await leaving();
  peer.send(line);
  await leave;
  expect(host.losses).toEqual([]);
});

test("a server that does not answer is not waited for, nor is one whose session has ended", async () => {
  const first = await leaving();
  await first.clock.advance(5_000);
  await first.leave;
  const second = await leaving();
  await second.live.close(AbortSignal.abort());
  await second.leave;
  const third = await leaving(AbortSignal.abort());
  await third.leave;
});

test("what is said there is not handed over from the call on, and what is to be sent goes back", async () => {
  const { peer, live, leave, host } = await leaving();
  peer.send(":bob!b@h PRIVMSG #a :among us", ":bob!b@h PRIVMSG #b :for all", OUT, "PING 1");
  await peer.until(/^PONG/);
  await leave;
  expect(host.posted.map(({ channel }) => channel)).toEqual(["#b"]);
  expect((await post(live, "too late").outcome).is).toBe("deferred");
});

test("posts that are under way end as what they are", async () => {
  const { peer, session: live } = await session({ channels: ["#a"] });
  const { outcome } = post(live, "on its way");
  await peer.until(/^PRIVMSG #a :on its way/);
  const ping = await peer.until(/^PING/);
  const leave = leaveA(live);
  peer.send(`:irc.test PONG irc.test ${ping.slice("PING ".length)}`, OUT);
  expect((await outcome).is).toBe("delivered");
  await leave;
});

test("an invitation into a channel that was left is no news", async () => {
  const { peer, leave, host } = await leaving();
  peer.send(OUT, ":bob!b@h INVITE rialto #a", "PING 1");
  await leave;
  await peer.until(/^PONG/);
  expect(host.losses).toEqual([]);
});

test("should we come back, its past is none of ours", async () => {
  const caps = "draft/chathistory batch server-time message-tags";
  const since = JSON.stringify({ at: { "#a": Date.UTC(2025, 11, 31), "#b": 5 }, nicks: ["rialto"] }) as Cursor;
  const { peer, host, session: live } = await session({ caps, since, channels: ["#a"] });
  await peer.until(/^CHATHISTORY AFTER #a/);
  const leave = leaveA(live);
  peer.send(OUT, ":bob!b@h PRIVMSG #c :x");
  await leave;
  peer.send("PING 1");
  await peer.until(/^PONG/);
  expect(host.cursors.at(-1)).not.toContain("#a");
  expect(host.cursors.at(-1)).toContain("#b");
});
