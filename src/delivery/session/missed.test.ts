import { beforeEach, expect, test } from "vitest";
import { settled } from "../../../test/support/fake-clock.ts";
import type { Cursor } from "../../contract/ids.ts";
import type { Joined } from "../../contract/session.ts";
import { refOf } from "../scripted.suite.ts";
import { MINUTE, Supervised } from "./supervised.suite.ts";

let made: Supervised;
/** What the next join hears, and how to answer it. */
let answer: (joined: Joined) => void;

beforeEach(() => {
  made = new Supervised();
  made.network.plans.push(async () => {
    const opened = await made.network.welcome();
    made.network.session.answer = () => {
      const { promise, resolve } = Promise.withResolvers<Joined>();
      answer = resolve;
      return promise;
    };
    return opened;
  });
});

const JOINED: Joined = { ok: true, ref: refOf("#a"), without: [] };

/** The server lets us in and does not say so; somebody speaks; the next join is answered. */
async function missSomething(): Promise<void> {
  await made.clock.advance(MINUTE);
  expect(await made.say("#a")).toBe("ignored");
  await made.clock.advance(MINUTE);
  answer(JOINED);
  await settled();
}

test("what was said before we knew that we are in the channel is asked for again by another session", async () => {
  await made.start();
  await made.host.accept({ events: [], cursor: "c1" as Cursor });
  await missSomething();
  await made.clock.advance(MINUTE);
  expect(made.network.opens.map(({ since }) => since)).toEqual([null, "c1"]);
  expect(made.network.sessions[0]?.steps).toContain("close");
});

test("a network that tells nothing again keeps its session", async () => {
  await made.start();
  await missSomething();
  await made.clock.advance(MINUTE);
  expect(made.network.opens).toHaveLength(1);
  expect(await made.say("#a")).toBe("stored");
});
