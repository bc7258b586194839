import { expect, onTestFinished, test } from "vitest";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import type { LinkedChannel } from "../../contract/host.ts";
import type { UserRef } from "../../contract/ids.ts";
import type { WebMembersChange } from "../../contract/web-chat.ts";
import { LinkedRooms } from "./linked-rooms.ts";

/** A room linked with a channel in which the people of `names` are. */
function open({ isWatched = true } = {}) {
  const clock = new FakeClock();
  const told: WebMembersChange[] = [];
  let [reads, move] = [0, (): void => undefined];
  const here = new Set<string>();
  const channel = (): LinkedChannel => ({
    account: "net.a",
    title: "Net",
    isJoined: true,
    members: [...here].map((name) => ({ id: name as UserRef, name, bot: false, present: true })),
    count: here.size,
  });
  const rooms = new LinkedRooms({
    linked: {
      read: () => {
        reads += 1;
        return Promise.resolve({ channels: [channel()], people: [...here], labels: ["net"] });
      },
      watch: (_, task) => {
        move = task;
        return () => (move = () => undefined);
      },
    },
    clock,
    isWatched: () => isWatched,
    onChange: (_, change) => void told.push(change),
  });
  rooms.open("lobby");
  onTestFinished(() => rooms.stop());
  const come = (name: string): void => {
    here.add(name);
    move();
  };
  return { clock, told, rooms, come, here, reads: () => reads };
}

test("a thousand joins lead to at most one event in a second, and the last join is reported", async () => {
  const it = open();
  await it.rooms.view("lobby");
  for (let at = 0; at < 1_000; at += 1) {
    it.come(`m${at}`);
    await it.clock.advance(5);
  }
  await it.clock.advance(2_000);
  expect(it.told.length).toBeLessThanOrEqual(8);
  expect(it.told.at(-1)?.networks[0]?.count).toBe(1_000);
  expect(it.told.map(({ from, version }) => version - from)).toEqual(it.told.map(() => 1));
});

test("without an open page nothing is read but when a guest joins", async () => {
  const it = open({ isWatched: false });
  it.come("ann");
  await it.clock.advance(60_000);
  expect(it.reads()).toBe(0);
  expect((await it.rooms.names("lobby")).people).toEqual(["ann"]);
  await it.clock.advance(60_000);
  expect(it.reads()).toBe(1);
});

test("with an open page a change that nothing announced is found too", async () => {
  const it = open();
  await it.rooms.view("lobby");
  it.here.add("ann");
  await it.clock.advance(11_000);
  expect(it.told.at(-1)?.networks[0]?.here.map(({ name }) => name)).toEqual(["ann"]);
});

test("a room that is closed is read no more", async () => {
  const it = open();
  await it.rooms.view("lobby");
  it.rooms.close("lobby");
  it.come("ann");
  await it.clock.advance(60_000);
  expect([it.reads(), it.clock.waiting]).toEqual([1, 0]);
  expect(await it.rooms.view("lobby")).toEqual({ networks: [], version: 0 });
});
