import { describe, expect, test } from "vitest";
import { type Caps, capsSettled, NO_CAPS, onCap, wantedCaps, withoutCaps } from "./caps.ts";

/** Plays CAP lines; gives the requests that came of each, and the end. */
function played(
  lines: readonly (readonly string[])[],
  wanted: readonly string[],
): { caps: Caps; requests: (readonly string[])[] } {
  let caps = NO_CAPS;
  const requests: (readonly string[])[] = [];
  for (const line of lines) {
    const step = onCap(caps, line, wanted);
    caps = step.caps;
    requests.push(step.requests);
  }
  return { caps, requests };
}

const WANTED = ["message-tags", "batch", "sasl"];

describe("registration", () => {
  test("only what is wanted by name is asked for, whatever is offered", () => {
    const { caps, requests } = played(
      [
        ["*", "LS", "inspircd.org/poison batch ergo.chat/nope message-tags"],
        ["*", "ACK", "message-tags batch"],
      ],
      WANTED,
    );
    expect(requests).toStrictEqual([["message-tags batch"], []]);
    expect([...caps.enabled]).toStrictEqual(["message-tags", "batch"]);
    expect(capsSettled(caps)).toBe(true);
  });

  test("a list of several lines is waited for, and keeps its values", () => {
    const { caps, requests } = played(
      [
        ["*", "LS", "*", "batch sasl=PLAIN,EXTERNAL"],
        ["*", "ls", "message-tags"],
      ],
      WANTED,
    );
    expect(requests).toStrictEqual([[], ["message-tags batch sasl"]]);
    expect(caps.offered.get("sasl")).toBe("PLAIN,EXTERNAL");
    expect(capsSettled(caps)).toBe(false);
  });

  test("nothing wanted is offered: nothing to wait for", () => {
    const { caps, requests } = played([["*", "LS", "multi-prefix"]], WANTED);
    expect(requests).toStrictEqual([[]]);
    expect(capsSettled(caps)).toBe(true);
  });

  test("a joint request that is refused is asked again one by one", () => {
    const { caps, requests } = played(
      [
        ["*", "LS", "batch sasl message-tags"],
        ["*", "NAK", "message-tags batch sasl"],
        ["*", "ACK", "message-tags"],
        ["*", "NAK", "batch"],
        ["*", "ACK", "sasl "],
      ],
      WANTED,
    );
    expect(requests).toStrictEqual([["message-tags batch sasl"], ["message-tags", "batch", "sasl"], [], [], []]);
    expect([...caps.enabled]).toStrictEqual(["message-tags", "sasl"]);
    expect(capsSettled(caps)).toBe(true);
  });

  test("an answer in two lines, with the marks of old servers", () => {
    const { caps } = played(
      [
        ["*", "LS", "batch sasl message-tags"],
        ["*", "ACK", "~message-tags"],
        ["*", "ACK", "=batch sasl"],
      ],
      WANTED,
    );
    expect([...caps.enabled]).toStrictEqual(["message-tags", "batch", "sasl"]);
    expect(capsSettled(caps)).toBe(true);
  });

  test("what nobody asked for is not enabled", () => {
    const { caps } = played([["*", "ACK", "inspircd.org/poison batch"]], WANTED);
    expect([...caps.enabled]).toStrictEqual([]);
  });

  test("a server without CAP", () => {
    expect(capsSettled(withoutCaps())).toBe(true);
    expect(capsSettled(NO_CAPS)).toBe(false);
  });
});

describe("later", () => {
  const { caps } = played(
    [
      ["*", "LS", "batch message-tags"],
      ["*", "ACK", "message-tags batch"],
    ],
    WANTED,
  );

  test("NEW asks for what is wanted and not there yet", () => {
    const step = onCap(caps, ["bot", "NEW", "sasl=PLAIN batch other"], WANTED);
    expect(step.requests).toStrictEqual(["sasl"]);
    expect([...onCap(step.caps, ["bot", "ACK", "sasl"], WANTED).caps.enabled]).toContain("sasl");
  });

  test("DEL and an ACK with a minus take away", () => {
    expect([...onCap(caps, ["bot", "DEL", "batch"], WANTED).caps.enabled]).toStrictEqual(["message-tags"]);
    expect([...onCap(caps, ["bot", "ACK", "-message-tags"], WANTED).caps.enabled]).toStrictEqual(["batch"]);
  });

  test.each([[["bot"]], [[]], [["bot", "LIST", "batch"]], [["bot", "WHAT"]]])("%j changes nothing", (params) => {
    expect(onCap(caps, params, WANTED)).toStrictEqual({ caps, requests: [] });
  });
});

test("sasl is wanted only by those who log in with it", () => {
  expect(wantedCaps({ sasl: true, relay: false })).toContain("sasl");
  expect(wantedCaps({ sasl: false, relay: false })).not.toContain("sasl");
});

test("a flood of offers is not kept", () => {
  const names = Array.from({ length: 2000 }, (_, index) => `cap${index}`).join(" ");
  expect(onCap(NO_CAPS, ["*", "LS", "*", names], WANTED).caps.offered.size).toBe(500);
});
