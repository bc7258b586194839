import { beforeEach, describe, expect, test } from "vitest";
import { settled } from "../../../test/support/fake-clock.ts";
import type { Ended } from "../../contract/session.ts";
import { NETWORK_DOWN } from "../scripted.suite.ts";
import { MINUTE, Supervised } from "./supervised.suite.ts";

const LOST: Ended = { cause: "lost", why: NETWORK_DOWN };
const WRONG_PASSWORD: Ended = { cause: "auth", why: { code: "auth", message: "wrong password" } };

let made: Supervised;

beforeEach(() => {
  made = new Supervised();
});

/** How often a session is opened, or tried to be, in so many minutes. */
async function opensIn(minutes: number): Promise<number> {
  const before = made.network.opens.length;
  await made.clock.advance(minutes * MINUTE);
  return made.network.opens.length - before;
}

describe("the waits between sessions", () => {
  test("double up to half a minute, and start again after a minute online", async () => {
    const { network, clock } = made;
    network.refuse(LOST, 11);
    await made.start();
    const waits: number[] = [];
    for (let time = 1; time <= 11; time += 1) {
      await settled();
      const since = clock.nowMs();
      while (network.opens.length === time) await clock.advance(250);
      waits.push(clock.nowMs() - since);
    }
    // Half of what they may be at most: so chance has it here.
    expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000, ...Array.from({ length: 6 }, () => 15_000)]);
    await clock.advance(MINUTE - 1);
    network.session.end();
    await clock.advance(14_999);
    expect(network.opens).toHaveLength(12);
    await clock.advance(1);
    expect(network.opens).toHaveLength(13);
    await clock.advance(MINUTE);
    network.session.end();
    await clock.advance(500);
    expect(network.opens).toHaveLength(14);
  });

  test.each([
    ["ahead", 3 * 60],
    ["back", -3 * 60],
  ])("go by how long the outage lasts, also when the clock is set %s in it", async (_, minutes) => {
    made.network.refuse(LOST, 1000);
    await made.start();
    const before = await opensIn(2);
    made.clock.jump(minutes * MINUTE);
    expect(before + (await opensIn(8))).toBeGreaterThan(38);
    await opensIn(5);
    expect(await opensIn(50)).toBe(20);
  });

  test("grow to five minutes once an outage has lasted for ten, and are short again in the next one", async () => {
    made.network.refuse(LOST, 1000);
    await made.start();
    expect(await opensIn(10)).toBeGreaterThan(38);
    await opensIn(5);
    expect(await opensIn(50)).toBe(20);
    made.network.plans.length = 0;
    await opensIn(10);
    made.network.refuse(LOST, 1000);
    made.network.session.end();
    expect(await opensIn(10)).toBeGreaterThan(38);
  });

  test("are long for an account that needs somebody to act: a day has some thirty logins, whatever chance says", async () => {
    made.network.refuse(WRONG_PASSWORD, 1000);
    let seed = 1;
    await made.start();
    for (let minute = 0; minute < 24 * 60; minute += 1) {
      // The minimal standard generator of Park and Miller.
      seed = (seed * 48_271) % 2_147_483_647;
      made.chance = seed / 2_147_483_647;
      await made.clock.advance(MINUTE);
    }
    expect(made.network.opens.length).toBeGreaterThan(24);
    expect(made.network.opens.length).toBeLessThanOrEqual(48);
  });
});
