import { beforeEach, describe, expect, test } from "vitest";
import { FakeClock, settled } from "../../test/support/fake-clock.ts";
import type { Author, Event } from "../contract/events.ts";
import type { ChannelRef, Cursor, EventKey, MessageRef, UserRef } from "../contract/ids.ts";
import { decodeStored } from "../gateway/codec.ts";
import { compileInbound } from "../gateway/inbound.ts";
import { compileNormalizer } from "../gateway/normalize.ts";
import { compileRoutes } from "../gateway/routes.ts";
import { aConfig, aGateway, anAccount } from "../gateway/samples.suite.ts";
import { LogError } from "../log/errors.ts";
import { Intake } from "./intake.ts";
import { ScriptedLog } from "./intake-log.suite.ts";
import { MemoryLogger } from "./scripted.suite.ts";

const PLACE = "net.here/#room";
const BOB: Author = { id: "u" as UserRef, name: "bob", identity: null, avatar: null };
const BASE = { key: null, channel: "room" as ChannelRef, atMs: 0, echoOf: null } as const;

function body(text: string) {
  return { style: "normal", source: { format: "plain", text }, files: [] } as const;
}

function said(ref: string, text: string, replyTo: string | null = null): Event {
  const answers = replyTo as MessageRef | null;
  const messages = [ref as MessageRef];
  const key = ref as EventKey;
  return { ...BASE, kind: "posted", key, messages, author: BOB, body: body(text), replyTo: answers, thread: null };
}

function edited(ref: string, text: string, author = BOB): Event {
  const message = ref as MessageRef;
  return { ...BASE, kind: "edited", message, aliases: [], author, vouched: false, body: body(text) };
}

function deleted(ref: string): Event {
  return { ...BASE, kind: "deleted", message: ref as MessageRef, by: BOB, vouched: false };
}

let log: ScriptedLog;
let clock: FakeClock;
let intake: Intake;
/** What is under way, by channel. */
let underWay: Map<string, PromiseWithResolvers<void>>;

beforeEach(() => {
  underWay = new Map();
  log = new ScriptedLog();
  clock = new FakeClock();
  const account = anAccount("net.here");
  const config = aConfig([aGateway("g", ["in net.here #room", "in net.here #other", "out net.there #x"])], [account]);
  intake = new Intake({
    account,
    normalizer: compileNormalizer(account, compileInbound(account)),
    routes: compileRoutes(config),
    log,
    logger: new MemoryLogger().logger,
    clock,
    random: () => 0.5,
    cursor: "c0" as Cursor,
    underWay: (channel) => underWay.get(channel)?.promise ?? null,
  });
});

const accept = (events: readonly Event[], cursor: string | null = null) =>
  intake.accept({ events, cursor: cursor as Cursor | null }, (ref) => `#${ref}`);

/** Something is being sent to the channel; the function ends that, with the copy on the disk when there is one. */
function sending(channel = "#room"): (copy?: string) => void {
  const under = Promise.withResolvers<void>();
  underWay.set(channel, under);
  return (copy) => {
    if (copy !== undefined) log.model.copies("lane", { of: 7, place: PLACE, refs: [copy] });
    under.resolve();
  };
}

function abouts(): readonly (string | null)[] {
  return log.batches.flatMap(({ entries }) =>
    entries.map(({ payload }) => {
      const { about } = decodeStored(payload);
      return about === null ? null : `${about.is} ${about.seq} ${about.excerpt}`;
    }),
  );
}

describe("what speaks of another message", () => {
  test("finds it, whether it came in an earlier call, in the same turn, or in the same batch", async () => {
    await accept([said("m1", "one")]);
    void accept([said("m2", "two")]);
    expect(await accept([edited("m2", "two!")])).toEqual(["stored"]);
    expect(await accept([said("m3", "three"), edited("m3", "three!"), said("m4", "x", "m1")], "c1")).toEqual([
      "stored",
      "stored",
      "stored",
    ]);
    expect(abouts()).toEqual([null, null, "edit 2 two", null, "edit 4 three", "reply 1 one"]);
  });

  test("sees what the same batch did to it before", async () => {
    await accept([said("m1", "one")]);
    expect(await accept([edited("m1", "two"), edited("m1", "three"), deleted("m1"), edited("m1", "four")])).toEqual([
      "stored",
      "stored",
      "stored",
      "ignored",
    ]);
    expect(abouts()).toEqual([null, "edit 1 one", "edit 1 two", "delete 1 three"]);
    expect(intake.dropped).toEqual({ gone: 1 });
  });

  test("comes with the cursor of its call, which no earlier append has", async () => {
    await accept([said("m1", "one"), edited("m1", "two")], "c1");
    expect(log.batches.map(({ marks }) => marks?.map(({ value }) => value))).toEqual([[], ["c1"]]);
    expect(intake.cursor).toBe("c1");
  });

  test("stays in order with everything else", async () => {
    const answers = Promise.all([
      accept([said("m1", "one")]),
      accept([said("m2", "two", "m1")]),
      accept([said("m3", "three")]),
      accept([said("m4", "four", "m2"), said("m5", "five")]),
    ]);
    expect(await answers).toEqual([["stored"], ["stored"], ["stored"], ["stored", "stored"]]);
    expect(log.texts.flat()).toEqual(["one", "two", "three", "four", "five"]);
  });

  test("from somebody else changes nothing", async () => {
    await accept([said("m1", "one")]);
    const mallory = { ...BOB, id: "mallory" as UserRef };
    expect(await accept([edited("m1", "stolen", mallory), edited("m1", "stolen", { ...BOB, identity: "2" })])).toEqual([
      "ignored",
      "ignored",
    ]);
    expect(intake.dropped).toEqual({ foreign: 2 });
  });
});

describe("a message that is not found", () => {
  const elsewhere = (event: Event): Event => ({ ...event, channel: "other" as ChannelRef });
  const OVER_THERE = { is: "said", refs: [], author: "a", name: "anna", excerpt: "over there" } as const;

  beforeEach(() => log.model.note(7, "net.there/#x", 0, OVER_THERE));

  test("is not waited for where nothing is under way", async () => {
    sending("#other");
    expect(await accept([said("m1", "to nobody", "x"), edited("y", "never")])).toEqual(["stored", "ignored"]);
    expect([abouts(), intake.dropped, clock.waiting]).toEqual([[null], { unknown_target: 1 }, 0]);
  });

  test("is looked for once more when what is under way has ended, however long that takes", async () => {
    const end = sending();
    const answer = accept([said("m1", "an answer", "copy")]);
    await clock.advance(9_000);
    expect(log.batches).toEqual([]);
    end("copy");
    expect(await answer).toEqual(["stored"]);
    expect(abouts()).toEqual(["reply 7 over there"]);
    expect(clock.waiting).toBe(0);
  });

  test("is looked for once more also when that ended while the log was asked", async () => {
    const end = sending();
    const find = log.ids.find.bind(log.ids);
    log.ids.find = async (place, refs) => {
      const found = await find(place, refs);
      end("copy");
      return found;
    };
    expect(await accept([said("m1", "an answer", "copy")])).toEqual(["stored"]);
    expect(abouts()).toEqual(["reply 7 over there"]);
  });

  test("is waited for once, whatever begins meanwhile", async () => {
    const end = sending();
    const answer = accept([edited("x", "never")]);
    await settled();
    sending();
    end();
    expect(await answer).toEqual(["ignored"]);
  });

  test("is given up after 10 s where a handler hangs, and so is all that came with it", async () => {
    sending();
    const answers = Array.from({ length: 200 }, async (_, at) => await accept([edited(`unknown ${at}`, "x")]));
    answers.push(accept([said("m1", "one")]));
    await clock.advance(10_000);
    expect((await Promise.all(answers)).at(-1)).toEqual(["stored"]);
    expect([intake.dropped, clock.waiting]).toEqual([{ unknown_target: 200 }, 0]);
  });

  test("holds up what comes after it in its channel, and nothing else", async () => {
    const end = sending();
    const answers = [
      accept([said("m1", "before"), said("m2", "held", "copy"), elsewhere(said("o1", "beside")), said("m3", "after")]),
      accept([said("m4", "later")]),
      accept([elsewhere(said("o2", "on"))]),
      accept([elsewhere(said("o3", "and on")), said("m5", "last")]),
    ];
    await settled();
    expect(log.texts.flat()).toEqual(["before", "beside", "on", "and on"]);
    end("copy");
    expect(await Promise.all(answers)).toEqual([
      ["stored", "stored", "stored", "stored"],
      ["stored"],
      ["stored"],
      ["stored", "stored"],
    ]);
    expect(log.texts.flat()).toEqual(["before", "beside", "on", "and on", "held", "after", "later", "last"]);
    expect(abouts()[4]).toBe("reply 7 over there");
  });

  test("keeps back the cursors of what is stored before it", async () => {
    const ends = [sending(), sending("#other")] as const;
    const answers = [
      accept([edited("x", "held")], "c1"),
      accept([elsewhere(edited("y", "held as well"))], "c2"),
      accept([{ ...said("t1", "on"), channel: "third" as ChannelRef }], "c3"),
    ];
    await settled();
    expect(await answers[2]).toEqual(["ignored"]);
    expect(intake.cursor).toBe("c0");
    ends[1]();
    expect(await answers[1]).toEqual(["ignored"]);
    expect(intake.cursor).toBe("c0");
    ends[0]();
    expect(await answers[0]).toEqual(["ignored"]);
    expect(intake.cursor).toBe("c3");
  });

  test("is not waited for after a close, and a drain waits for it", async () => {
    const drained: string[] = [];
    const end = sending();
    const first = accept([edited("x", "held")]);
    await settled();
    void intake.drained().then(() => drained.push("drained"));
    await settled();
    expect(drained).toEqual([]);
    end();
    await first;
    await settled();
    expect(drained).toEqual(["drained"]);
    sending();
    const second = accept([edited("x", "held"), elsewhere(said("o1", "stored"))]);
    await settled();
    intake.close();
    expect(await second).toEqual(["ignored", "stored"]);
    expect(clock.waiting).toBe(0);
  });
});

test("a log that does not answer is waited for", async () => {
  await accept([said("m1", "one")]);
  let refusals = 2;
  const find = log.ids.find.bind(log.ids);
  log.ids.find = async (place, refs) => {
    if (refusals-- > 0) throw new LogError("io", "no");
    return await find(place, refs);
  };
  const answer = accept([edited("m1", "two")], "c1");
  await clock.advance(10_000);
  expect(await answer).toEqual(["stored"]);
  expect(abouts()).toEqual([null, "edit 1 one"]);
});

test("a log that is closed meanwhile ends it", async () => {
  log.ids.find = async () => await Promise.reject(new LogError("closed", "the log is closed"));
  log.refusals.push(new LogError("closed", "the log is closed"));
  sending();
  expect(await accept([said("m1", "to nobody", "x"), said("m2", "next")])).toEqual(["ignored", "ignored"]);
});

test("closed while it looks, nothing more is stored", async () => {
  sending();
  const answer = accept([said("m1", "to nobody", "x"), said("m2", "next")], "c1");
  await settled();
  intake.close();
  expect(await answer).toEqual(["ignored", "ignored"]);
  expect([log.batches, intake.cursor]).toEqual([[], "c0"]);
});

test("the newest cursor that is durable is what the next session goes on from", async () => {
  expect(intake.cursor).toBe("c0");
  await accept([said("m1", "one")], "c1");
  await accept([said("m2", "two")]);
  expect(intake.cursor).toBe("c1");
  await accept([], "c2");
  expect(intake.cursor).toBe("c2");
});
