import { describe, expect, test } from "vitest";
import { eventually } from "../support/wait.ts";
import { accepted, by, personIn, sayAll, until, harness } from "./crossing.ts";
import { FakeNetwork } from "./fake-network.ts";
import type { Harness } from "./harness.ts";

interface Broken {
  readonly made: Harness;
  readonly right: FakeNetwork;
}

/** The server neither reads nor answers, and then does everything that has come to it meanwhile. */
async function stopFor(right: FakeNetwork, meanwhile: () => Promise<void>): Promise<void> {
  const goOn = right.stall();
  await new Promise((resolve) => setTimeout(resolve, 20));
  await meanwhile();
  goOn();
}

/**
 * How it breaks, and whether the order stays on every network. Behind an op that fails alone those under way go on,
 * unless they have to announce themselves first.
 */
const breakages: readonly (readonly [string, boolean, (broken: Broken) => Promise<void>])[] = [
  ["the connection is cut", true, ({ right }) => Promise.resolve(right.cut())],
  [
    "the program is killed",
    true,
    async ({ made }) => {
      made.kill();
      await made.start();
    },
  ],
  ["the server stops for a moment", true, async ({ right }) => await stopFor(right, () => Promise.resolve())],
  [
    "the server stops, and meanwhile the program is killed",
    true,
    async ({ made, right }) =>
      await stopFor(right, async () => {
        made.kill();
        await made.start();
      }),
  ],
  [
    "a handler leaves it in doubt",
    false,
    ({ right }) =>
      Promise.resolve(right.script("two", { is: "unknown", arrives: true }, { is: "unknown", arrives: false })),
  ],
  [
    "a handler defers it, also in the middle",
    false,
    ({ right }) =>
      Promise.resolve(right.script("two", { is: "defer", retryInMs: 2 }, { is: "defer", after: 1, retryInMs: 2 })),
  ],
  ["a handler throws", false, ({ right }) => Promise.resolve(right.script("two", { is: "throw" }))],
];

/** Every third message has three parts. */
const MESSAGES: readonly (readonly string[])[] = Array.from({ length: 240 }, (_, at) =>
  at % 3 === 0 ? [`line ${at}`, `line ${at} goes on`, `line ${at} ends`] : [`line ${at}`],
);

/** Waits until every message was said whole or is recorded as unconfirmed; gives the parts of those recorded. */
async function drained(
  made: Harness,
  right: FakeNetwork,
  wanted: readonly (readonly string[])[],
): Promise<readonly string[]> {
  const entries = await made.entries("left.x", "one");
  const told = new Map(entries.map(({ seq }, at) => [seq, wanted[at] ?? []]));
  let open: readonly string[] = [];
  return await eventually(
    async () => {
      const receipts = await made.receipts("g", "right.x", "two");
      const unconfirmed = receipts.flatMap(({ state, seq }) => (state === "unconfirmed" ? (told.get(seq) ?? []) : []));
      const settled = new Set([...right.said("two"), ...unconfirmed]);
      open = wanted.flat().filter((text) => !settled.has(text));
      return unconfirmed;
    },
    () => open.length === 0,
    () => `every line to be settled; ${open.length} are not, the first is ${open[0]}`,
  );
}

describe.each(["none", "echo", "key"] as const)(
  "a backlog drains to a network with idempotency by %s",
  (idempotency) => {
    test.each(breakages)("and five times %s: nothing missing, nothing doubled", async (_, ordered, breakOff) => {
      const [left, right] = [new FakeNetwork(), new FakeNetwork({ idempotency, latencyMs: 1, textMax: 200 })];
      right.refuse("two", { code: "forbidden", message: "not yet" }, 10);
      const made = await harness({ left, right }, { g: ["in left.x one", "out right.x two"] });
      await made.start();
      const anna = await personIn(left, "one");
      const wanted = MESSAGES.map((parts) => by(anna, parts));
      await sayAll(
        anna,
        "one",
        MESSAGES.map((parts) => parts.join("\n")),
      );
      await accepted(made, MESSAGES.length);
      right.allow("two");
      for (const share of [0.1, 0.3, 0.5, 0.7, 0.9]) {
        await until(
          () => right.said("two").length >= wanted.flat().length * share,
          () => `${share} of the lines; ${right.said("two").length} are there`,
        );
        await breakOff({ made, right });
      }
      const unconfirmed = await drained(made, right, wanted);
      const said = right.said("two");
      const missing = wanted.flat().filter((text) => !said.includes(text));
      const there = wanted.flat().filter((text) => !missing.includes(text));
      const inOrder = ordered || idempotency === "none";
      expect(inOrder ? said : said.toSorted(), "none twice, nothing else").toEqual(inOrder ? there : there.toSorted());
      if (idempotency === "none") {
        const silent = missing.filter((text) => !unconfirmed.includes(text));
        expect(silent, "missing lines without a receipt").toEqual([]);
      } else {
        expect([missing, unconfirmed]).toEqual([[], []]);
      }
    });
  },
);
