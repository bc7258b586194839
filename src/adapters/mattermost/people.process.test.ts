import { expect, test } from "vitest";
import { stop, toldBy, until } from "../../../test/contract/life.ts";
import { RecordingHost } from "../../../test/contract/recording-host.ts";
import { addPerson } from "../../../test/servers/mattermost/people.ts";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { live, mattermostTown } from "./town.suite.ts";

const signal = new AbortController().signal;

test("what was read does not wait for who is looked up behind it", async () => {
  const town = await mattermostTown();
  const { alice, channel, server, team } = town;
  const bob = addPerson(server, team, "bob");
  bob.enter(channel);
  const { host } = await live(town);
  await alice.say(channel, "hello");
  await until(host, "Alice: hello");
  const go = server.faults.hold({ method: "GET", path: `/users/${bob.id}` });
  server.wire.stall();
  await alice.say(channel, "first");
  await bob.say(channel, "second");
  server.wire.flow();
  await until(host, "Alice: first");
  expect(toldBy(host)).not.toContain("bob: second");
  go();
  await until(host, "bob: second");
});

test("who cannot be looked up now is asked for again later, and is not taken for nobody", async () => {
  const town = await mattermostTown();
  const { alice, channel, server } = town;
  const clock = new FakeClock();
  const { host } = await live(town, { host: new RecordingHost(clock) });
  server.faults.fail({ method: "GET", path: `/users/${alice.id}` }, 502);
  for (const word of ["one", "two"]) {
    await alice.say(channel, word);
    await until(host, `alice: ${word}`);
  }
  const isAsked = (request: string): boolean => request === `GET /users/${alice.id}`;
  expect(server.requests.filter(isAsked)).toHaveLength(1);
  await clock.advance(20_000);
  await alice.say(channel, "three");
  await until(host, "Alice: three");
  expect(toldBy(host)).toEqual(["alice: one", "alice: two", "Alice: three"]);
});

test("a server that does not say who somebody is holds up his channel for 10 s, once, and no other", async () => {
  const town = await mattermostTown();
  const { alice, bot, channel, server, team } = town;
  const other = server.world.addChannel(team.id, "other");
  const bob = addPerson(server, team, "bob");
  for (const one of [alice, bot, bob]) one.enter(other);
  const clock = new FakeClock();
  const { host, session } = await live(town, { host: new RecordingHost(clock) });
  await session.join({ name: "other", options: {} }, signal);
  await bob.say(other, "before");
  await until(host, "bob: before");
  server.faults.hold({ method: "GET", path: `/users/${alice.id}` });
  await alice.say(channel, "one");
  await alice.say(channel, "two");
  await bob.say(other, "meanwhile");
  await until(host, "bob: meanwhile");
  expect(toldBy(host)).toEqual(["bob: before", "bob: meanwhile"]);
  await clock.advance(10_000);
  await until(host, "alice: two");
  await alice.say(channel, "three");
  await until(host, "alice: three");
  const words = ["one", "two", "three"].map((word) => `alice: ${word}`);
  expect(toldBy(host)).toEqual(["bob: before", "bob: meanwhile", ...words]);
});

test("what was said before somebody is thrown out is told, whoever has to be looked up for it", async () => {
  const town = await mattermostTown();
  const { alice, bot, channel, server } = town;
  const { host } = await live(town);
  const go = server.faults.hold({ method: "GET", path: `/users/${alice.id}` });
  await alice.say(channel, "at last");
  alice.kick(channel, bot.id);
  await until(host, () => server.requests.includes(`GET /users/${alice.id}`));
  go();
  await until(host, () => host.losses.length > 0);
  expect(toldBy(host)).toContain("Alice: at last");
});

test("people whom the server cannot tell of take no name from others", async () => {
  const town = await mattermostTown();
  const { alice, channel, server, team } = town;
  const first = await live(town);
  await alice.say(channel, "before");
  await until(first.host, "Alice: before");
  await stop(first);
  server.world.hub.forget();
  for (let count = 0; count < 101; count += 1) {
    const one = addPerson(server, team, `p${count}`);
    one.enter(channel);
    await one.say(channel, `no. ${count}`);
  }
  // The request for the first of them fails each time, the one for the last is made once.
  const ids = { method: "POST", path: "/users/ids" };
  server.faults.fail(ids, 500);
  server.faults.hold(ids)();
  server.faults.fail(ids, 500, 2);
  const next = await live(town, first);
  for (let count = 1; count < 3; count += 1) {
    await until(next.host, () => next.host.losses.length === count);
    await next.session.join({ name: "town", options: {} }, signal);
  }
  await until(next.host, "p100: no. 100");
  expect(toldBy(next.host)).toContain("somebody: no. 0");
});

test("an incoming webhook speaks under its own name, with the owner behind it", async () => {
  const town = await mattermostTown({ config: { usernameOverride: true } });
  const { alice, channel, server } = town;
  const { host } = await live(town);
  server.world.webhooks.set("hook", { id: "hook", user: alice.id, channel: channel.id, locked: false });
  const body = JSON.stringify({ text: "failed", username: "Deploy Bot" });
  await fetch(`${server.url}/hooks/hook`, { method: "POST", body });
  await until(host, "Deploy Bot (Alice): failed");
});
