import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Known } from "../log/log.ts";
import { decodeStored } from "./codec.ts";
import { backEntry, isOutage, type Outage, outageEntry, outageRef, outageSubject } from "./outages.ts";
import { ABLE, aStored, NOTHING_HERE, opOf, planOf, refs } from "./plan.suite.ts";

// Rooms are told the local time.
beforeEach(() => void vi.stubEnv("TZ", "UTC"));
afterEach(() => vi.unstubAllEnvs());

const SINCE = Date.UTC(2026, 0, 1, 21, 45);
const MINUTE = 60_000;

const OUTAGE: Outage = {
  place: "net.home/lobby",
  account: "net.Home",
  channel: "lobby",
  sinceMs: SINCE,
  code: "network",
  takes: true,
};

const known: Known = {
  seq: 7,
  subject: outageSubject(OUTAGE.place),
  at: SINCE,
  author: "",
  name: "Rialto",
  excerpt: "",
  gone: false,
};

const textOf = ({ payload }: { readonly payload: string }): string => decodeStored(payload).message.text;

describe("the words", () => {
  test.each<[Partial<Outage>, number, string]>([
    [
      {},
      5,
      "net.Home lobby has been out of reach since 21:45+00:00 (no connection). Messages for it are kept and delivered when it is back.",
    ],
    [{ takes: false }, 5, "net.Home lobby has been out of reach since 21:45+00:00 (no connection)."],
    [{ takes: false, code: null }, 5, "net.Home lobby has been out of reach since 21:45+00:00."],
    [
      { takes: false, code: "auth" },
      5,
      "net.Home lobby has been out of reach since 21:45+00:00 (the login is refused).",
    ],
    [
      { takes: false, code: "forbidden" },
      150,
      "net.Home lobby has been out of reach since 2026-01-01 21:45+00:00 (Rialto is not allowed in).",
    ],
    [{ takes: false, channel: "a\nb" }, 5, "net.Home a b has been out of reach since 21:45+00:00 (no connection)."],
  ])("%j after %d min: %s", (more, minutes, expected) => {
    expect(textOf(outageEntry({ ...OUTAGE, ...more }, SINCE + minutes * MINUTE))).toBe(expected);
  });

  test.each<[Partial<Outage>, number | null, number, string]>([
    [{}, 3, 25, "net.Home lobby was out of reach from 21:45+00:00 to 22:10+00:00; 3 messages waited."],
    [{}, 1, 25, "net.Home lobby was out of reach from 21:45+00:00 to 22:10+00:00; 1 message waited."],
    [{}, 0, 25, "net.Home lobby was out of reach from 21:45+00:00 to 22:10+00:00."],
    [{}, null, 25, "net.Home lobby was out of reach from 21:45+00:00 to 22:10+00:00."],
    [{}, 0, 0, "net.Home lobby was out of reach from 21:45+00:00."],
    [
      { takes: false },
      3,
      150,
      "net.Home lobby was out of reach from 2026-01-01 21:45+00:00 to 2026-01-02 00:15+00:00.",
    ],
  ])("%j, %s waited, back after %d min: %s", (more, waited, minutes, expected) => {
    expect(textOf(backEntry({ ...OUTAGE, ...more }, known, waited, SINCE + minutes * MINUTE))).toBe(expected);
  });
});

describe("the entries", () => {
  const down = outageEntry(OUTAGE, SINCE);
  const back = backEntry(OUTAGE, known, 3, SINCE + MINUTE);

  test("are at a subject of their own, with keys that tell them apart", () => {
    expect([down.subject, back.subject]).toEqual(Array(2).fill("rialto.outage/net.home/lobby"));
    const again = outageEntry({ ...OUTAGE, sinceMs: SINCE + 1 }, SINCE);
    expect(new Set([down.key, back.key, again.key]).size).toBe(3);
    expect(outageEntry(OUTAGE, SINCE + MINUTE).key).toBe(down.key);
  });

  test("the second edits the first, which is found by its beginning", () => {
    expect(down.note).toMatchObject({ is: "said", refs: [outageRef(OUTAGE)] });
    expect(back.note).toMatchObject({ is: "revised", of: 7 });
    expect(decodeStored(back.payload).about).toMatchObject({ is: "edit", seq: 7 });
  });

  test("no message of an account is one", () => {
    expect([down, back].map(({ payload }) => isOutage(decodeStored(payload)))).toEqual([true, true]);
    expect(isOutage(aStored({ event: "rialto_outage" }))).toBe(false);
  });
});

describe("at a destination", () => {
  const down = decodeStored(outageEntry(OUTAGE, SINCE).payload);
  const back = decodeStored(backEntry(OUTAGE, known, 3, SINCE + MINUTE).payload);

  test("Rialto says it, as a notice where there are any, and pings nobody", () => {
    const plan = planOf({}, [], { ...ABLE, notice: "native" });
    expect(opOf(plan, down)).toMatchObject({
      kind: "post",
      author: null,
      body: { style: "notice", source: { text: down.message.text } },
      mayPing: { users: false, everyone: false },
    });
    expect(opOf(planOf(), down)).toMatchObject({ kind: "post", body: { style: "normal" } });
  });

  test("that it is back is an edit where that is possible and the first is there, and said anew elsewhere", () => {
    const able = planOf({}, [], ABLE);
    const text = { source: { text: back.message.text } };
    expect(able.needs(back, NOTHING_HERE)).toMatchObject({ about: 7 });
    expect(opOf(able, back, { about: refs("m1") })).toMatchObject({ kind: "edit", target: ["m1"], body: text });
    expect(opOf(able, back)).toMatchObject({ kind: "post", body: text });
    expect(opOf(able, back, { about: refs("m1"), without: ["edit"] })).toMatchObject({ kind: "post", body: text });
    expect(opOf(planOf({ editFallback: "none" }), back)).toMatchObject({ kind: "post", body: text });
  });

  test("both are admitted", () => {
    const plan = planOf();
    expect(["rialto_outage", "rialto_outage_over"].map((label) => plan.admits(label))).toEqual([true, true]);
  });
});
