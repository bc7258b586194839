import { expect, test } from "vitest";
import * as fc from "../../../test/support/property.ts";
import {
  ALIVE,
  aliveBodies,
  countBody,
  Kind,
  nextNumber,
  peerWordOf,
  readAlive,
  readCount,
  readOpening,
  readPeerWord,
  readWord,
  WORD_BYTES,
  wordOf,
} from "./words.ts";

test("what is written is read again", () => {
  const { word, body } = wordOf(Kind.data, 4_000_000_000, 3);
  body.write("abc");
  expect(readWord(word)).toEqual({ kind: Kind.data, number: 4_000_000_000, body: Buffer.from("abc") });
  expect(readPeerWord(peerWordOf(ALIVE, "run", countBody(7)))).toEqual({ kind: ALIVE, run: "run", body: countBody(7) });
  expect(readCount(countBody(5 * 2 ** 40))).toBe(5 * 2 ** 40);
  const opening = { run: "run", account: "api.left", remote: { address: "::1", port: 7 } };
  expect(readOpening(Buffer.from(JSON.stringify(opening)))).toEqual(opening);
});

test("numbers begin anew after the last", () => {
  expect([nextNumber(0), nextNumber(0xffff_ffff)]).toEqual([1, 0]);
});

test("all tunnels of a process are named, in messages of the size of others", () => {
  const said = Array.from({ length: 20_000 }, (_, at) => ({ id: at.toString(16).padStart(32, "0"), number: at }));
  const words = aliveBodies(said).map((body) => peerWordOf(ALIVE, "r".repeat(255), body));
  expect(Math.max(...words.map(({ length }) => length))).toBeLessThanOrEqual(WORD_BYTES);
  expect(words.flatMap((word) => readAlive(readPeerWord(word)?.body ?? Buffer.alloc(0)))).toEqual(said);
});

test("whatever comes is read without a throw", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (data) => {
      const body = readWord(data)?.body ?? Buffer.alloc(0);
      expect([readOpening(body), readPeerWord(data), readAlive(body), readCount(body)]).toHaveLength(4);
    }),
  );
  expect(
    ["null", "[]", '{"run":1}', '{"run":"a","account":"b","remote":{"address":1}}', "{"].map((text) =>
      readOpening(Buffer.from(text)),
    ),
  ).toEqual([null, null, null, null, null]);
});
