import { expect, test } from "vitest";
import * as fc from "../../../test/support/property.ts";
import { extraOf, readFile } from "./file-drafts.ts";

const REFUSED = ".Data is not standard base64 with padding (RFC 4648 §4)";

test("content comes as it was, whatever line breaks are in its base64, and goes out in standard base64", () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1 }), fc.integer({ min: 1, max: 80 }), (bytes, width) => {
      const whole = Buffer.from(bytes).toString("base64");
      const lines = whole.replaceAll(new RegExp(`.{${width}}`, "gu"), "$&\r\n");
      const file = readFile({ Name: "n", Data: lines });
      if (typeof file === "string") throw new Error(file);
      expect(file).toMatchObject({ Size: bytes.length, content: Buffer.from(bytes) });
      expect(extraOf([file])?.file[0]).toMatchObject({ Name: "n", Data: whole });
      expect(extraOf([file])?.file[0]).not.toHaveProperty("content");
    }),
  );
});

const NEAR = ["A", "Q", "g", "w", "z", "/", "+", "=", "-", "_", " ", "\t", "é"] as const;

test("text is base64 if it comes out as it went in, but for spare bits of its last group", () => {
  const characters = fc.string({ unit: fc.constantFrom(...NEAR), minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(characters, (Data) => {
      const again = Buffer.from(Data, "base64").toString("base64");
      const isSame = again.length === Data.length && again.slice(0, -4) === Data.slice(0, -4);
      const isWhole = /^[A-Za-z\d+/]{2}(?:[A-Za-z\d+/]{2}|[A-Za-z\d+/]=|==)$/u.test(Data.slice(-4));
      const file = readFile({ Data });
      expect(file === REFUSED).toBe(!(isSame && isWhole));
    }),
    { numRuns: 2_000 },
  );
});

test("a file without content has the size that was given", () => {
  const file = readFile({ URL: "https://f.example/a", Size: 7 });
  expect(file).toMatchObject({ content: null, Size: 7 });
  expect(typeof file === "string" ? file : extraOf([file])?.file[0]?.Data).toBe("");
  expect(extraOf([])).toBeNull();
});
