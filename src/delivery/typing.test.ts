import { expect, test } from "vitest";
import { FakeClock } from "../../test/support/fake-clock.ts";
import { encode } from "../gateway/codec.ts";
import { compileRoutes } from "../gateway/routes.ts";
import { aConfig, aGateway, aMessage, anAccount } from "../gateway/samples.suite.ts";
import { type PlaceDisplay, TypingPlace } from "./typing.ts";
import { TypingRelay } from "./typing-relay.ts";

/** `4000 on`: what one channel shows, and when. */
class Shown {
  readonly clock = new FakeClock();
  readonly lines: string[] = [];
  idle = 0;
  takes = true;
  display: PlaceDisplay | null;
  readonly place: TypingPlace;

  constructor(lastsMs = 10_000) {
    const show = (on: boolean): boolean => {
      if (this.takes) this.lines.push(`${this.clock.monoMs()} ${on ? "on" : "off"}`);
      return this.takes;
    };
    this.display = { lastsMs, show };
    this.place = new TypingPlace(
      this.clock,
      () => this.display,
      () => (this.idle += 1),
    );
  }

  /** `ann on`, `ann off`, `ann on 6000`, or a time to pass in ms. */
  async play(...acts: readonly string[]): Promise<readonly string[]> {
    for (const act of acts) {
      const [who = "", word, forMs] = act.split(" ");
      if (word === undefined) await this.clock.advance(Number(who));
      else this.place.take({ who, on: word === "on", ...(forMs !== undefined && { forMs: Number(forMs) }) });
    }
    return this.lines;
  }
}

test.each<[string, number, readonly string[], readonly string[]]>([
  ["off comes once, when the person stops", 10_000, ["ann on", "1000", "ann off", "ann off"], ["500 on", "1000 off"]],
  ["nothing comes of an off without an on", 10_000, ["ann off", "60000"], []],
  ["nothing comes of half a second", 10_000, ["ann on", "499", "ann off", "60000"], []],
  ["on is repeated before the network ends it", 10_000, ["ann on", "19000"], ["500 on", "9500 on", "18500 on"]],
  ["on is repeated every 4 s at most", 3_000, ["ann on", "ann on", "9000"], ["500 on", "4500 on", "8500 on"]],
  ["on is not repeated where it lasts", Infinity, ["ann on", "29000", "ann off"], ["500 on", "29000 off"]],
  ["without a word it is over after 30 s", Infinity, ["ann on", "90000"], ["500 on", "30000 off"]],
  ["or after the time that the network gives it", Infinity, ["ann on 6000", "90000"], ["500 on", "6000 off"]],
  ["a repeated hint prolongs it", Infinity, ["ann on 6000", "5000", "ann on 6000", "90000"], ["500 on", "11000 off"]],
  [
    "one stretch is shown for a minute",
    Infinity,
    ["ann on", "20000", "ann on", "20000", "ann on", "19000", "ann on", "20000"],
    ["500 on", "60000 off"],
  ],
  [
    "the same person again comes 4 s after the end",
    Infinity,
    ["ann on", "1000", "ann off", "ann on", "9000"],
    ["500 on", "1000 off", "5000 on"],
  ],
  [
    "another person waits for the end and a pause",
    Infinity,
    ["ann on", "1000", "bob on", "1000", "ann off", "4999", "1", "bob off"],
    ["500 on", "2000 off", "7000 on", "7000 off"],
  ],
  [
    "a person who has stopped meanwhile is not shown",
    Infinity,
    ["ann on", "bob on", "1000", "ann off", "1000", "bob off", "60000"],
    ["500 on", "1000 off"],
  ],
])("%s", async (_, lastsMs, acts, lines) => {
  expect(await new Shown(lastsMs).play(...acts)).toEqual(lines);
});

test("a channel that takes no on is tried again after 4 s, and gets no off", async () => {
  const it = new Shown(Infinity);
  it.takes = false;
  await it.play("ann on", "3000");
  it.takes = true;
  expect(await it.play("2000", "ann off")).toEqual(["4500 on", "5000 off"]);
  it.takes = false;
  await it.play("9000", "ann on", "1000");
  it.takes = true;
  expect((await it.play("ann off")).length).toBe(2);
});

test("a channel that can show nothing any more gets nothing", async () => {
  const it = new Shown(5_000);
  await it.play("ann on", "500");
  it.display = null;
  expect(await it.play("10000", "ann off", "60000")).toEqual(["500 on"]);
});

test("nothing is left to remember once all have stopped, and 50 people at a time are known", async () => {
  const it = new Shown(Infinity);
  for (let count = 0; count < 1000; count += 1) it.place.take({ who: `p${count}`, on: true });
  await it.clock.advance(500);
  for (let count = 0; count < 50; count += 1) it.place.take({ who: `p${count}`, on: false });
  await it.clock.advance(60_000);
  expect([it.lines, it.idle > 0, it.clock.waiting]).toEqual([["500 on", "500 off"], true, 0]);
});

const CONFIG = aConfig(
  [
    aGateway("g", ["inout net.a #a", "in net.b #b", "out net.c #c", "inout net.d #d", "inout api.x api"]),
    aGateway("h", ["inout net.a #elsewhere", "inout net.e #e"]),
  ],
  [anAccount("net.d", { showUserTyping: false })],
);

function aRelay(isJoined: (place: string) => boolean = () => true) {
  const lines: string[] = [];
  const clock = new FakeClock();
  const relay = new TypingRelay({
    routes: compileRoutes(CONFIG),
    clock,
    accounts: () => CONFIG.accounts,
    displayOf: (key, channel) => {
      const place = `${key} ${channel}`;
      const show = (on: boolean): boolean => lines.push(`${on ? "+" : "-"}${place}`) > 0;
      return !key.startsWith("api.") && isJoined(place) ? { lastsMs: Infinity, show } : null;
    },
  });
  const hint = (account: string, channel: string, more: { on?: boolean; bot?: boolean } = {}): void => {
    const { on = true, bot = false } = more;
    relay.hint(account, channel, { kind: "typing", author: { id: "u1", name: "bob", bot }, on });
  };
  return { relay, clock, lines, hint };
}

test.each<[string, string, string, readonly string[]]>([
  ["goes where messages go", "net.a", "#a", ["+net.c #c"]],
  ["goes from a room that only gives", "net.b", "#b", ["+net.a #a", "+net.c #c"]],
  ["does not go from a room that only takes", "net.c", "#c", []],
  ["does not go from an account without ShowUserTyping, as not to it", "net.d", "#d", []],
  ["goes from programs to networks", "api.x", "g", ["+net.a #a", "+net.c #c"]],
  ["does not go to other gateways", "api.x", "h", []],
  ["goes by the channel", "net.e", "#e", ["+net.a #elsewhere"]],
])("typing %s", async (_, account, channel, lines) => {
  const it = aRelay();
  it.hint(account, channel);
  await it.clock.advance(500);
  expect(it.lines).toEqual(lines);
});

test("typing of programs, presence, and typing where no channel is joined are not shown", async () => {
  const it = aRelay((place) => place !== "net.c #c");
  it.hint("net.a", "#a");
  it.hint("net.b", "#b", { bot: true });
  it.relay.hint("net.b", "#b", { kind: "presence", author: { id: "u1", name: "bob" }, on: true });
  await it.clock.advance(500);
  expect([it.lines, it.clock.waiting]).toEqual([[], 0]);
});

test("a message of the person ends it, and one of another person does not", async () => {
  const it = aRelay();
  it.hint("net.b", "#b");
  it.hint("api.x", "g");
  await it.clock.advance(500);
  const say = (subject: string, userid: string): void =>
    it.relay.heard([{ subject, payload: encode(aMessage({ userid })) }]);
  say("net.b/#b", "u2");
  say("net.a/#a", "u1");
  it.relay.heard([{ subject: "net.b/#b", payload: "not JSON" }]);
  expect(it.lines).toHaveLength(2);
  say("net.b/#b", "u1");
  expect(it.lines.slice(2)).toEqual(["-net.a #a", "-net.c #c"]);
});

test("nothing is shown after the end", async () => {
  const it = aRelay();
  it.hint("net.b", "#b");
  await it.clock.advance(500);
  it.relay.close();
  it.hint("net.b", "#b");
  await it.clock.advance(60_000);
  expect([it.lines, it.clock.waiting]).toEqual([["+net.a #a", "+net.c #c"], 0]);
});

/** Bridges in a circle: each shows in the next room, under a name of its own, what it hears in one room. */
test.each([
  ["tell when it ends", undefined, 300],
  ["tell when it ends, after seconds", undefined, 3_000],
  ["do not tell when it ends", 10_000, 300],
])("typing does not go round in networks that %s", async (_, forMs, latencyMs) => {
  const clock = new FakeClock();
  let lastMs = 0;
  const all = [0, 1, 2].map((nth) => {
    const show = (on: boolean): boolean => {
      lastMs = clock.monoMs();
      const typist = { who: `bridge ${nth}`, on, ...(forMs !== undefined && { forMs }) };
      if (on || forMs === undefined) clock.after(latencyMs, () => all[(nth + 1) % 3]?.take(typist));
      return true;
    };
    return new TypingPlace(
      clock,
      () => ({ lastsMs: 5_000, show }),
      () => undefined,
    );
  });
  for (let time = 0; time < 3; time += 1) {
    all[0]?.take({ who: "ann", on: true });
    await clock.advance(2_000);
    all[0]?.take({ who: "ann", on: false });
    await clock.advance(2_000);
  }
  const stoppedMs = clock.monoMs();
  await clock.advance(30 * 60_000);
  expect(lastMs - stoppedMs).toBeLessThan(2 * 60_000);
  expect(clock.waiting).toBe(0);
});
