import { beforeEach, describe, expect, test } from "vitest";
import { settled } from "../../../test/support/fake-clock.ts";
import type { Joined } from "../../contract/session.ts";
import { MemoryLane, NETWORK_DOWN, refOf } from "../scripted.suite.ts";
import { MINUTE, Supervised } from "./supervised.suite.ts";

const REMOVED = "-the bridge is no longer in the configuration";
const BANNED = { code: "forbidden", message: "banned" } as const;

let made: Supervised;
let a: MemoryLane;
let b: MemoryLane;

beforeEach(async () => {
  made = new Supervised();
  a = new MemoryLane();
  b = new MemoryLane();
  await made.change(made.channel("#a", [a]));
});

const joined = (name: string): Joined => ({ ok: true, ref: refOf(name), without: [] });

/** From now on joins wait for their answer, by name. */
function held(): Map<string, (answer: Joined) => void> {
  const answers = new Map<string, (answer: Joined) => void>();
  made.network.session.answer = ({ name }) => new Promise((resolve) => answers.set(name, resolve));
  return answers;
}

describe("while a session lives", () => {
  test("what is new is joined, what is gone is left, and what stays is not touched", async () => {
    const [stays, channelA, channelB] = [new MemoryLane(), made.channel("#a", [a]), made.channel("#b", [b])];
    await made.change(channelA, made.channel("#c", [stays]));
    await made.start();
    await made.change(made.channel("#c", [stays]), channelB);
    const { session, sessions } = made.network;
    expect([sessions.length, session.asked, session.left]).toEqual([1, ["#a", "#c", "#b"], [refOf("#a")]]);
    expect(a.told).toEqual(["+ref:#a", REMOVED]);
    expect(stays.told).toEqual(["+ref:#c"]);
    expect(b.told).toEqual(["+ref:#b"]);
    expect((await made.status()).channels.map(({ channel, state }) => `${channel} ${state}`)).toEqual([
      "#c joined",
      "#b joined",
    ]);
  });

  test("the same again does nothing", async () => {
    await made.start();
    await made.change(made.channel("#a", [a]));
    expect([made.network.session.asked, made.network.session.left, a.told]).toEqual([["#a"], [], ["+ref:#a"]]);
  });

  test("a channel gets other lanes without being joined again", async () => {
    const other = new MemoryLane();
    await made.change(made.channel("#a", [a, other]));
    await made.start();
    await made.change(made.channel("#a", [b, other]));
    expect(made.network.session.asked).toEqual(["#a"]);
    expect([a.told, other.told, b.told]).toEqual([["+ref:#a", REMOVED], ["+ref:#a"], ["+ref:#a"]]);
    made.host.lost(refOf("#a"), BANNED, 0);
    expect([a.told, other.told.at(-1), b.told.at(-1)]).toEqual([["+ref:#a", REMOVED], "-banned", "-banned"]);
    await made.clock.advance(MINUTE);
    expect([a.told, other.told.at(-1), b.told.at(-1)]).toEqual([["+ref:#a", REMOVED], "+ref:#a", "+ref:#a"]);
  });

  test("what is said in a channel that was left is ignored, also before the leave has ended", async () => {
    await made.start();
    expect(await made.say("#a")).toBe("stored");
    made.network.session.leaving = () => new Promise(() => undefined);
    await made.change(made.channel("#b", [b]));
    expect(await made.say("#a")).toBe("ignored");
    await made.clock.advance(10_000);
    expect(await made.say("#a")).toBe("ignored");
    expect(await made.say("#b")).toBe("stored");
  });

  test("the loss of a channel that was left is no trouble", async () => {
    await made.change(made.channel("#a", [a]), made.channel("#b", [b]));
    await made.start();
    await made.change(made.channel("#b", [b]));
    made.host.lost(refOf("#a"), BANNED, 0);
    await made.clock.advance(60 * MINUTE);
    expect(made.network.session.asked).toEqual(["#a", "#b"]);
    expect(made.memory.shown("channel").filter((line) => line.startsWith("warn"))).toEqual([]);
    expect(made.clock.waiting).toBe(0);
  });

  test("a channel that comes back is joined after it was left", async () => {
    await made.start();
    const leave = Promise.withResolvers<void>();
    made.network.session.leaving = () => leave.promise;
    await made.change();
    await made.change(made.channel("#a", [b]));
    expect(made.network.session.asked).toEqual(["#a"]);
    expect(await made.channelStatus()).toMatchObject({ state: "joining", heardMs: null });
    leave.resolve();
    await settled();
    expect(made.network.session.asked).toEqual(["#a", "#a"]);
    expect([a.told, b.told]).toEqual([["+ref:#a", REMOVED], ["+ref:#a"]]);
    expect(await made.say("#a")).toBe("stored");
  });

  test("what is said in a channel that comes back counts while it is still being joined, and so does its loss", async () => {
    await made.start();
    await made.change();
    const answers = held();
    await made.change(made.channel("#a", [b]));
    const said = made.say("#a");
    made.host.lost(refOf("#a"), BANNED, 0);
    answers.get("#a")!(joined("#a"));
    await settled();
    expect(await said).toBe("stored");
    expect(b.told).toEqual(["-banned"]);
    await made.clock.advance(MINUTE);
    answers.get("#a")!(joined("#a"));
    await settled();
    expect(b.told).toEqual(["-banned", "+ref:#a"]);
  });

  test("what is said in a channel that was left does not wait for others", async () => {
    await made.start();
    held();
    await made.change(made.channel("#b", [b]));
    expect(await made.say("#a")).toBe("ignored");
  });

  test("a leave that hangs or throws holds up nothing for long", async () => {
    await made.change(made.channel("#a", [a]), made.channel("#d"));
    await made.start();
    made.network.session.leaving = (ref) =>
      ref === refOf("#a") ? new Promise(() => undefined) : Promise.reject(new Error("oops"));
    await made.change(made.channel("#b", [b]));
    await made.clock.advance(10_000);
    expect(b.told).toEqual(["+ref:#b"]);
    expect(made.memory.shown("channel", "why")).toContain("warn a channel was not left cleanly #d Error: oops");
  });

  test("a network without leaving hands over nothing of the channel any more", async () => {
    await made.start();
    Object.assign(made.network.session, { leave: undefined });
    await made.change(made.channel("#b", [b]));
    expect([await made.say("#a"), await made.say("#b")]).toEqual(["ignored", "stored"]);
    expect(b.told).toEqual(["+ref:#b"]);
  });

  test("one that is being joined is left once it is", async () => {
    await made.start();
    const answers = held();
    await made.change(made.channel("#b", [b]));
    await made.change(made.channel("#c"));
    expect(made.network.session.left).toEqual([refOf("#a")]);
    answers.get("#b")!(joined("#b"));
    await settled();
    expect(made.network.session.left).toEqual([refOf("#a"), refOf("#b")]);
    answers.get("#c")!(joined("#c"));
    await settled();
    expect(b.told).toEqual([REMOVED]);
    expect([await made.say("#b"), await made.say("#c")]).toEqual(["ignored", "stored"]);
  });

  test("one whose turn has not come is never asked for", async () => {
    await made.start();
    const answers = held();
    await made.change(made.channel("#b"), made.channel("#c"));
    await made.change(made.channel("#b"));
    answers.get("#b")!(joined("#b"));
    await settled();
    expect(made.network.session.asked).toEqual(["#a", "#b"]);
    expect(made.network.session.left).toEqual([refOf("#a")]);
  });

  test("one that waits is tried no more, and its lanes have their reason", async () => {
    await made.start();
    made.host.lost(refOf("#a"), BANNED, MINUTE);
    await made.change(made.channel("#a", [a, b]));
    expect(b.told).toEqual(["-banned"]);
    expect((await made.channelStatus()).state).toBe("waiting");
    await made.change();
    expect(made.clock.waiting).toBe(0);
    await made.clock.advance(60 * MINUTE);
    expect([made.network.session.asked, made.network.session.left]).toEqual([["#a"], []]);
  });

  test("one that waits for the right key is tried at once with another", async () => {
    await made.start();
    made.network.session.answer = ({ name, options }) =>
      Promise.resolve(
        options["key"] === "sesame" ? joined(name) : { ok: false, why: BANNED, retryInMs: 24 * 60 * MINUTE },
      );
    await made.change(made.channel("#b", [b]));
    expect(b.told).toEqual(["-banned"]);
    await made.change(made.channel("#b", [b], { key: "sesame" }));
    await made.clock.advance(1_000);
    expect(b.told).toEqual(["-banned", "+ref:#b"]);
  });

  test("the other name of a room is joined when the first one goes", async () => {
    await made.start();
    made.network.session.answer = () => Promise.resolve(joined("#a"));
    await made.change(made.channel("#a", [a]), made.channel("#b", [b]));
    expect(b.told).toEqual([expect.stringContaining("the same room as #a")]);
    await made.change(made.channel("#b", [b]));
    await made.clock.advance(1_000);
    expect(b.told.at(-1)).toBe("+ref:#a");
    expect(made.network.session.left).toEqual([refOf("#a")]);
  });
});

describe("without a session", () => {
  test("before the first one: only what is there then is joined", async () => {
    await made.change(made.channel("#b", [b]));
    await made.start();
    expect(made.network.session.asked).toEqual(["#b"]);
    expect([a.told, b.told]).toEqual([[REMOVED], ["+ref:#b"]]);
  });

  test("while one is opened", async () => {
    const open = Promise.withResolvers<void>();
    const session = made.network.sessions;
    made.network.plans.push(async () => {
      await open.promise;
      return await made.network.welcome();
    });
    await made.start();
    await made.change(made.channel("#b", [b]));
    expect(session).toEqual([]);
    open.resolve();
    await settled();
    expect(made.network.session.asked).toEqual(["#b"]);
    expect([a.told, b.told]).toEqual([[REMOVED], ["+ref:#b"]]);
  });

  test("while the account waits: a lane that comes is told why, and the status knows it", async () => {
    made.network.refuse({ cause: "lost", why: NETWORK_DOWN });
    await made.start();
    await made.change(made.channel("#a", [a]), made.channel("#b", [b]));
    expect(b.told).toEqual(["-the server hung up"]);
    expect(await made.channelStatus("#b")).toMatchObject({ state: "offline", why: NETWORK_DOWN });
    await made.change(made.channel("#b", [b]));
    expect([a.told.at(-1), b.told.length]).toEqual([REMOVED, 1]);
    await made.clock.advance(500);
    expect(made.network.session.asked).toEqual(["#b"]);
    expect(b.told).toEqual(["-the server hung up", "+ref:#b"]);
  });

  test("while the account is tried again: a lane that comes is told why there was none before", async () => {
    made.network.refuse({ cause: "lost", why: NETWORK_DOWN });
    made.network.plans.push(() => new Promise(() => undefined));
    await made.start();
    await made.clock.advance(500);
    await made.change(made.channel("#b", [b]));
    expect(made.supervisor.state.is).toBe("connecting");
    expect(b.told).toEqual(["-the server hung up"]);
  });
});
