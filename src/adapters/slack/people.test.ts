import { expect, test } from "vitest";
import { FakeClock, settled } from "../../../test/support/fake-clock.ts";
import type { SlackUser } from "./model.ts";
import { SlackPeople } from "./people.ts";
import { slackSettings } from "./settings.suite.ts";

const userOf = (id: string): SlackUser => ({
  id,
  teamId: "T1",
  name: id.toLowerCase(),
  displayName: "",
  realName: "",
  isBot: false,
  deleted: false,
  picture: null,
});

/** Nobody is said to be who they are before `gate` is open. */
function stage() {
  const clock = new FakeClock();
  const gate = Promise.withResolvers<void>();
  const asked: string[] = [];
  const user = async (id: string) => {
    asked.push(id);
    await gate.promise;
    return { ok: true as const, value: userOf(id) };
  };
  return { clock, gate, asked, people: new SlackPeople({ api: { user }, clock, settings: slackSettings({}) }) };
}

test("a name is waited for so long, once, and is there when it comes", async () => {
  const { people, clock, gate, asked } = stage();
  const got = people.get("U1", 1_500);
  await clock.advance(1_499);
  expect(people.isToAsk("U1")).toBe(true);
  await clock.advance(1);
  expect([await got, people.isToAsk("U1"), people.author("U1").name]).toEqual([null, false, "U1"]);
  gate.resolve();
  await settled();
  expect([people.isToAsk("U1"), people.author("U1").name, asked]).toEqual([false, "u1", ["U1"]]);
});

test("while very many were waited for in vain, no other is", async () => {
  const { people, clock, gate } = stage();
  const got = Array.from({ length: 100 }, async (_, at) => await people.get(`U${at}`, 1_500));
  expect(people.isToAsk("U100")).toBe(true);
  await clock.advance(1_500);
  await Promise.all(got);
  expect(people.isToAsk("U100")).toBe(false);
  gate.resolve();
  await settled();
  expect(people.isToAsk("U100")).toBe(true);
});

test("the people of a history are waited for together", async () => {
  const { people, clock, asked } = stage();
  const ids = Array.from({ length: 20 }, (_, at) => `U${at}`);
  const learned = people.learn(ids, 10_000);
  await clock.advance(10_000);
  expect([await learned, asked]).toEqual([false, ids.slice(0, 4)]);
});

test("hundreds of people of a history get the time that they take, up to a bound", async () => {
  const clock = new FakeClock();
  let asked = 0;
  const user = async (id: string) => {
    asked += 1;
    const said = Promise.withResolvers<void>();
    clock.after(200, () => said.resolve());
    await said.promise;
    return { ok: true as const, value: userOf(id) };
  };
  const people = new SlackPeople({ api: { user }, clock, settings: slackSettings({}) });
  const of = (team: string, length: number): string[] => Array.from({ length }, (_, at) => `${team}${at}`);
  const learned = people.learn(of("U", 240), 10_000, 30_000);
  for (let ms = 0; ms < 12_000; ms += 200) await clock.advance(200);
  expect(await learned).toBe(true);
  asked = 0;
  const more = people.learn(of("W", 1_000), 10_000, 30_000);
  for (let ms = 0; ms < 30_000; ms += 200) await clock.advance(200);
  expect([await more, asked]).toEqual([false, 600]);
});
