import { describe, expect, test } from "vitest";
import type { Ended } from "../../src/contract/session.ts";
import { accepted, arrived, by, lines, online, personIn, sayAll, until, harness } from "./crossing.ts";
import { FakeNetwork } from "./fake-network.ts";

const AUTH: Ended = { cause: "auth", why: { code: "auth", message: "wrong token" } };

test("what is said on one network arrives on the other, both ways, in order", async () => {
  const [left, right] = [new FakeNetwork(), new FakeNetwork()];
  const made = await harness({ left, right }, { g: ["inout left.x one", "inout right.x two"] });
  await made.start();
  const anna = await personIn(left, "one");
  const ben = await personIn(right, "two");
  await Promise.all([sayAll(anna, "one", lines(100)), sayAll(ben, "two", lines(100))]);
  await arrived(right, "two", by(anna, lines(100)));
  await arrived(left, "one", by(ben, lines(100)));
});

test("a stuck account moves no other, and nothing of its own is lost", async () => {
  const [left, right, third] = [new FakeNetwork(), new FakeNetwork(), new FakeNetwork()];
  const made = await harness(
    { left, right, third },
    { g: ["in left.x one", "out right.x two", "out third.x three", "out third.x four"] },
  );
  right.script("two", { is: "hang", deaf: true });
  third.script("three", { is: "defer", retryInMs: 3_600_000 });
  await made.start();
  await online(made, "left", "right", "third");
  const anna = await personIn(left, "one");
  await sayAll(anna, "one", lines(50));
  await arrived(third, "four", by(anna, lines(50)));
  expect([right.said("two"), third.said("three")]).toEqual([[], []]);
  made.kill();
  await made.start();
  await arrived(right, "two", by(anna, lines(50)));
  await arrived(third, "three", by(anna, lines(50)));
});

describe("an account that does not open", () => {
  test.each([
    ["hangs", "hang" as const],
    ["has a wrong password", AUTH],
    ["has no server", { cause: "lost", why: { code: "network", message: "refused" } } as const],
  ])("%s: the start and the others do not wait for it", async (_, step) => {
    const [left, right, third] = [new FakeNetwork(), new FakeNetwork(), new FakeNetwork()];
    right.scriptOpen(...Array.from({ length: 1_000 }, () => step));
    const made = await harness(
      { left, right, third },
      { g: ["in left.x one", "out right.x two", "out third.x three"] },
    );
    await made.start();
    await online(made, "left", "third");
    const anna = await personIn(left, "one");
    await sayAll(anna, "one", lines(20));
    await arrived(third, "three", by(anna, lines(20)));
    expect(right.said("two")).toEqual([]);
    made.kill();
    right.forgetScript();
    await made.start();
    await arrived(right, "two", by(anna, lines(20)));
  });
});

test("an account that comes back by itself delivers what waited", async () => {
  const [left, right] = [new FakeNetwork(), new FakeNetwork()];
  const lost: Ended = { cause: "lost", why: { code: "network", message: "refused" } };
  right.scriptOpen(lost, lost, lost);
  const made = await harness({ left, right }, { g: ["in left.x one", "out right.x two"] });
  await made.start();
  const anna = await personIn(left, "one");
  await sayAll(anna, "one", lines(10));
  await arrived(right, "two", by(anna, lines(10)));
  expect(right.opens).toBe(4);
});

test("a channel that refuses us, then lets us in, gets what waited; other channels did not wait", async () => {
  const [left, right] = [new FakeNetwork(), new FakeNetwork()];
  right.refuse("two", { code: "forbidden", message: "members only" }, 20);
  const made = await harness({ left, right }, { g: ["in left.x one", "out right.x two", "out right.x three"] });
  await made.start();
  const anna = await personIn(left, "one");
  await sayAll(anna, "one", lines(10));
  await arrived(right, "three", by(anna, lines(10)));
  expect(right.said("two")).toEqual([]);
  right.allow("two");
  await arrived(right, "two", by(anna, lines(10)));
});

test("kicked, we come back, and nothing is lost", async () => {
  const [left, right] = [new FakeNetwork(), new FakeNetwork({ latencyMs: 1 })];
  const made = await harness({ left, right }, { g: ["in left.x one", "out right.x two"] });
  await made.start();
  await personIn(right, "two");
  const anna = await personIn(left, "one");
  await sayAll(anna, "one", lines(60));
  for (const count of [10, 30]) {
    await until(
      () => right.said("two").length >= count,
      () => `${count} lines`,
    );
    right.kick("two");
  }
  await arrived(right, "two", by(anna, lines(60)));
});

test("a rate limit of the network waits, and drops nothing", async () => {
  const [left, right] = [new FakeNetwork(), new FakeNetwork()];
  right.rate = { lines: 5, windowMs: 30 };
  const made = await harness({ left, right }, { g: ["in left.x one", "out right.x two"] });
  await made.start();
  const anna = await personIn(left, "one");
  await personIn(right, "two");
  await sayAll(anna, "one", lines(40));
  await arrived(right, "two", by(anna, lines(40)));
});

test("a stop is quick, and what was waiting goes out after the next start", async () => {
  const [left, right] = [new FakeNetwork(), new FakeNetwork({ latencyMs: 1 })];
  const made = await harness({ left, right }, { g: ["in left.x one", "out right.x two"] });
  await made.start();
  const anna = await personIn(left, "one");
  await personIn(right, "two");
  await sayAll(anna, "one", lines(200));
  await accepted(made, 200);
  await made.stop();
  expect(right.said("two").length).toBeLessThan(200);
  await made.start();
  await arrived(right, "two", by(anna, lines(200)));
  expect(await made.receipts("g", "right.x", "two")).toEqual(
    expect.not.arrayContaining([expect.objectContaining({ state: "unconfirmed" })]),
  );
});
