import { expect, test } from "vitest";
import { RecordingHost } from "../../../../test/contract/recording-host.ts";
import { FakeClock, settled } from "../../../../test/support/fake-clock.ts";
import { post, scriptedServer, session } from "../scripted-server.suite.ts";
import { open } from "../session.ts";
import { ircSettings } from "../settings.suite.ts";

test("the first message after a login leaves at once, the next ones at the pace", async () => {
  const {
    peer,
    clock,
    session: live,
  } = await session({
    channels: ["#a", "#b"],
    caps: "echo-message batch labeled-response message-tags",
    settings: { MessageDelay: 1300, Password: "secret" },
  });
  for (const text of ["one", "two"]) post(live, text);
  expect(await peer.until(/PRIVMSG/)).toContain("one");
  await clock.advance(1299);
  expect(peer.waiting).toEqual([]);
  await clock.advance(1);
  expect(await peer.until(/PRIVMSG/)).toContain("two");
});

test("an account that was disconnected for flooding is slower for half an hour, and says so", async () => {
  const { port, client } = await scriptedServer();
  const clock = new FakeClock();
  const settings = ircSettings({ Server: `127.0.0.1:${port}`, MessageDelay: 1000 });
  const connect = async () => {
    const host = new RecordingHost(clock);
    const opened = open({ settings, host, since: null, signal: new AbortController().signal });
    const peer = await client();
    await peer.welcome();
    const result = await opened;
    if (!result.ok) throw new Error(result.ended.why.message);
    const joined = result.session.join({ name: "#a", options: {} }, new AbortController().signal);
    await peer.enter("#a");
    await joined;
    return { host, peer, live: result.session };
  };
  const first = await connect();
  expect(first.host.doubts).toEqual([]);
  first.peer.send("ERROR :Closing Link: 127.0.0.1 (Excess Flood)");
  expect(await first.live.ended).toMatchObject({ cause: "lost", why: { code: "rate_limited" } });
  expect(first.host.records.map(({ level, message }) => `${level} ${message}`)).toContain(
    "warn disconnected for flooding: Rialto sends more slowly for a while",
  );

  const second = await connect();
  const why = {
    code: "rate_limited",
    message: "the server disconnected Rialto for flooding: for 30 minutes Rialto sends only one line every 2 s",
  };
  expect(second.host.doubts).toEqual([why]);
  for (const text of ["one", "two"]) post(second.live, text);
  expect(await second.peer.until(/PRIVMSG/)).toContain("one");
  await clock.advance(1999);
  await settled();
  expect(second.peer.waiting.filter((line) => line.startsWith("PRIVMSG"))).toEqual([]);
  await clock.advance(1);
  expect(await second.peer.until(/PRIVMSG/)).toContain("two");
});
