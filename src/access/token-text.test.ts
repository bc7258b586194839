import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { assert, integer, property, string } from "../../test/support/property.ts";
import { digestOf, newTokenId, newTokenText, readToken, TOKEN_ID } from "./token-text.ts";

test("a token has its name, 256 bits and a checksum that anybody can work out", () => {
  const token = newTokenText("abcdefgh", (count) => Buffer.alloc(count, 7));
  // The checksum as `python3 -c "import zlib; …"` has it.
  expect(token).toBe("rlt_abcdefgh_BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc_47Kcfw");
  expect(readToken(token)).toEqual({ id: "abcdefgh", digest: digestOf(token) });
});

test("what is made is read, and no character of it can be another", () => {
  assert(
    property(integer({ min: 0, max: 62 }), string({ minLength: 1, maxLength: 1 }), (at, other) => {
      const id = newTokenId(randomBytes);
      const token = newTokenText(id, randomBytes);
      expect(token).toHaveLength(63);
      expect(TOKEN_ID.test(id)).toBe(true);
      expect(readToken(token)?.id).toBe(id);
      if (other !== token[at]) expect(readToken(token.slice(0, at) + other + token.slice(at + 1))).toBeNull();
    }),
  );
});

test.each(["", "rlt_", "sesam", `${newTokenText("abcdefgh", randomBytes)} `, "rlt_ABCDEFGH_x_y"])(
  "%j is none",
  (text) => {
    expect(readToken(text)).toBeNull();
  },
);
