import { beforeEach, describe, expect, test } from "vitest";
import { FakeClock, settled } from "../../test/support/fake-clock.ts";
import type { Author, Event } from "../contract/events.ts";
import type { ChannelRef, Cursor, EventKey, MessageRef, UserRef } from "../contract/ids.ts";
import { decodeStored } from "../gateway/codec.ts";
import { compileInbound } from "../gateway/inbound.ts";
import { compileRecord } from "../gateway/record.ts";
import { compileRoutes } from "../gateway/routes.ts";
import { aConfig, aGateway, anAccount } from "../gateway/samples.suite.ts";
import { LogError } from "../log/errors.ts";
import { Intake } from "./intake.ts";
import { ScriptedLog } from "./intake-log.suite.ts";
import { MemoryLogger } from "./scripted.suite.ts";

const PLACE = "net.here/#room";
const BOB: Author = { id: "u" as UserRef, name: "bob", identity: null, avatar: null, bot: false };
const BASE = { key: null, channel: "room" as ChannelRef, atMs: 0, echoOf: null } as const;

function body(text: string) {
  return { style: "normal", source: { format: "plain", text }, blocks: [], files: [] } as const;
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

beforeEach(() => {
  log = new ScriptedLog();
  clock = new FakeClock();
  const account = anAccount("net.here");
  const config = aConfig([aGateway("g", ["in net.here #room", "out net.there #x"])], [account]);
  intake = new Intake({
    account,
    record: compileRecord(account, compileInbound(account)),
    routes: compileRoutes(config),
    log,
    logger: new MemoryLogger().logger,
    clock,
    random: () => 0.5,
    cursor: "c0" as Cursor,
  });
});

const accept = (events: readonly Event[], cursor: string | null = null) =>
  intake.accept({ events, cursor: cursor as Cursor | null }, () => "#room");

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
  test("is looked for once more: a copy of ours may be on its way to the disk", async () => {
    log.model.note(7, "net.there/#x", 0, { is: "said", refs: [], author: "a", name: "anna", excerpt: "over there" });
    const answer = accept([said("m1", "an answer", "copy")]);
    await settled();
    expect(log.batches).toEqual([]);
    log.model.copies("lane", { of: 7, place: PLACE, refs: ["copy"] });
    await clock.advance(50);
    expect(await answer).toEqual(["stored"]);
    expect(abouts()).toEqual(["reply 7 over there"]);
  });

  test("holds up a call once, and is left out then", async () => {
    const answer = accept([said("m1", "to nobody", "x"), edited("y", "never"), said("m2", "to nobody", "z")]);
    await clock.advance(50);
    expect(await answer).toEqual(["stored", "ignored", "stored"]);
    expect([abouts(), intake.dropped]).toEqual([[null, null], { unknown_target: 1 }]);
  });
});

test("a flood of what speaks of unknown messages holds up nobody for longer than one such", async () => {
  const answers = Array.from({ length: 200 }, async (_, at) => await accept([edited(`unknown ${at}`, "x")]));
  answers.push(accept([said("m1", "one")]));
  await clock.advance(50);
  expect((await Promise.all(answers)).at(-1)).toEqual(["stored"]);
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

test("closed while it looks, nothing more is stored", async () => {
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
