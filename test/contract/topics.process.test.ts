import { expect, onTestFinished, test } from "vitest";
import type { PresentationSettings } from "../../src/config/config.ts";
import { online, personIn, stands, until, harness } from "./crossing.ts";
import { FakeNetwork } from "./fake-network.ts";
import type { FakePerson } from "./fake-person.ts";
import type { FakeTraits } from "./fake-script.ts";
import type { Harness } from "./harness.ts";

interface World {
  readonly made: Harness;
  readonly left: FakeNetwork;
  readonly right: FakeNetwork;
  readonly anna: FakePerson;
  readonly ben: FakePerson;
}

const rich: Partial<FakeTraits> = { ops: "native", refsPerRoom: true };

/** Two rooms, each of which follows the other. */
async function world(
  presentation: Partial<PresentationSettings> = { syncTopic: true },
  traits: Partial<FakeTraits> = {},
): Promise<World> {
  const [left, right] = [new FakeNetwork(rich), new FakeNetwork({ ...rich, ...traits })];
  const made = await harness({ left, right }, { g: ["inout left.x one", "inout right.x two"] }, presentation);
  await made.start();
  await online(made, "left", "right");
  onTestFinished(() => made.kill());
  return { made, left, right, anna: await personIn(left, "one"), ben: await personIn(right, "two") };
}

async function shown(person: FakePerson, channel: string, topic: string): Promise<void> {
  await until(
    () => person.topic(channel) === topic,
    () => `the topic "${topic}" in ${channel}; it is "${person.topic(channel)}"`,
  );
}

/** How often the topic of a room was set. */
const settings = (network: FakeNetwork, channel: string): number => network.server.room(channel).topics;

test("a topic is set in the other room, in its place among what is said, and nothing comes back", async () => {
  const { left, right, anna, ben } = await world();
  await anna.setTopic("one", "ships");
  await anna.say("one", "look up");
  await stands(right, "two", [`<${anna.name}> look up`]);
  await shown(ben, "two", "ships");
  await ben.setTopic("two", "");
  await ben.say("two", "gone");
  await stands(left, "one", [`<${ben.name}> gone`]);
  await shown(anna, "one", "");
  expect([settings(left, "one"), settings(right, "two")]).toEqual([2, 2]);
});

test("two rooms that change at once come to rest", async () => {
  const { left, right, anna, ben } = await world();
  await Promise.all([anna.setTopic("one", "of one"), ben.setTopic("two", "of two")]);
  await shown(ben, "two", "of one");
  await shown(anna, "one", "of two");
  await Promise.all([anna.say("one", "a"), ben.say("two", "b")]);
  await stands(right, "two", [`<${anna.name}> a`]);
  await stands(left, "one", [`<${ben.name}> b`]);
  expect([settings(left, "one"), settings(right, "two")]).toEqual([2, 2]);
});

test("of changes while a network is away, only the newest is set, also after a kill", async () => {
  const { made, left, right, anna, ben } = await world();
  right.refuse("two", { code: "forbidden", message: "closed" }, 1);
  right.cut();
  for (const topic of ["a", "b", "c"]) await anna.setTopic("one", topic);
  await until(
    () => made.taken() >= 3,
    () => "three topics in the log",
  );
  made.kill();
  right.allow("two");
  await made.start();
  await shown(ben, "two", "c");
  expect([settings(left, "one"), settings(right, "two")]).toEqual([3, 1]);
});

test("where a room does not let us, and with ShowTopicChange, words say it", async () => {
  const narrow = await world({ syncTopic: true }, { without: ["topic"] });
  await narrow.anna.setTopic("one", "ships");
  await stands(narrow.right, "two", [`<${narrow.anna.name}> changes the topic to: ships`]);
  const telling = await world({ showTopicChange: true });
  await telling.anna.setTopic("one", "ships");
  await stands(telling.right, "two", [`<${telling.anna.name}> changes the topic to: ships`]);
  expect([settings(narrow.right, "two"), settings(telling.right, "two")]).toEqual([0, 0]);
});
