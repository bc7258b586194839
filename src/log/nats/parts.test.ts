import { describe, expect, test } from "vitest";
import type { MessageId } from "./codec.ts";
import { Parts } from "./parts.ts";

const id = (more: Partial<MessageId> = {}): MessageId => ({
  node: "n1",
  run: "r",
  is: "commit",
  number: 1,
  part: 1,
  parts: 3,
  ...more,
});
const text = (body: Uint8Array | "lost" | null): string | null =>
  body === null || body === "lost" ? body : Buffer.from(body).toString();

/** What becomes of each message, by its body; `at`: ms by the clock of the servers. */
function taken(...messages: readonly (Partial<MessageId> & { readonly at?: number })[]): (string | null)[] {
  const parts = new Parts();
  return messages.map(({ at = 0, ...more }, index) => {
    const whole = id(more);
    return text(parts.add(whole, Buffer.from(`${whole.node}${whole.number}.${whole.part} `), index + 1, at));
  });
}

describe("a commit in parts", () => {
  test.each([
    ["is whole with its last", [{}, { part: 2 }, { part: 3 }], [null, null, "n11.1 n11.2 n11.3 "]],
    ["of one part is whole at once", [{ parts: 1 }], ["n11.1 "]],
    [
      "may have parts twice",
      [{}, {}, { part: 2 }, { part: 2 }, { part: 3 }],
      [null, null, null, null, "n11.1 n11.2 n11.3 "],
    ],
    ["is lost when one is missing", [{}, { part: 3 }], [null, "lost"]],
    ["is lost when its first is missing", [{ part: 2 }, { part: 3 }], [null, "lost"]],
    [
      "lets those of other nodes pass",
      [{}, { node: "n2", parts: 1 }, { part: 2 }, { node: "n2", number: 2, parts: 2 }, { part: 3 }],
      [null, "n21.1 ", null, null, "n11.1 n11.2 n11.3 "],
    ],
    [
      "lets a claim of its own node pass",
      [{}, { is: "claim", number: 9, parts: 1 }, { part: 2 }, { part: 3 }],
      [null, "n19.1 ", null, "n11.1 n11.2 n11.3 "],
    ],
    [
      "is given up when its node begins another",
      [{}, { number: 2, parts: 1 }, { part: 2 }, { part: 3 }],
      [null, "n12.1 ", null, "lost"],
    ],
    [
      "is given up when its node was restarted",
      [{}, { run: "s", parts: 2 }, { run: "s", part: 2, parts: 2 }],
      [null, null, "n11.1 n11.2 "],
    ],
    ["is given up after ten minutes", [{}, { part: 2 }, { part: 3, at: 600_001 }], [null, null, "lost"]],
  ] as const)("%s", (_what, messages, expected) => {
    expect(taken(...messages)).toEqual(expected);
  });
});

test("the stream is needed from the first part of what is not whole", () => {
  const parts = new Parts();
  expect(parts.resume(4)).toBe(5);
  parts.add(id(), Buffer.of(1), 5, 0);
  parts.add(id({ node: "n2" }), Buffer.of(1), 6, 0);
  expect(parts.resume(7)).toBe(5);
  for (const part of [2, 3]) parts.add(id({ part }), Buffer.of(1), 6 + part, 0);
  expect(parts.resume(9)).toBe(6);
  parts.clear();
  expect(parts.resume(9)).toBe(10);
});
