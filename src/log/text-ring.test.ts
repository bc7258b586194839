import * as fc from "../../test/support/property.ts";
import { expect, test } from "vitest";
import { type TextPlace, TextRing } from "./text-ring.ts";

/** The same without a buffer: every text, and where it lies. */
class Model {
  readonly #capacity: number;
  readonly #texts: { readonly from: number; readonly text: string }[] = [];
  #end = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** False: too long. */
  put(text: string): boolean {
    const bytes = new TextEncoder().encode(text).length;
    if (bytes > this.#capacity) return false;
    const left = this.#capacity - (this.#end % this.#capacity || 0);
    if (bytes > left) this.#end += left;
    this.#texts.push({ from: this.#end, text });
    this.#end += bytes;
    return true;
  }

  /** What is there of all texts that were taken, in their order. */
  get all(): readonly (string | null)[] {
    return this.#texts.map(({ from, text }) => (this.#end - from <= this.#capacity ? text : null));
  }
}

const capacity = fc.constantFrom(0, 1, 7, 10, 64, 100);
const text = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 12 }),
  fc.string({ unit: "binary-ascii", maxLength: 40 }),
  fc.string({ unit: "grapheme", minLength: 60, maxLength: 130 }),
);

test("holds what an array of all texts says that it holds, over many rounds", () => {
  fc.assert(
    fc.property(capacity, fc.array(text, { maxLength: 60 }), (size, texts) => {
      const ring = new TextRing(size);
      const model = new Model(size);
      const places: TextPlace[] = [];
      for (const each of texts) {
        const place = ring.put(each);
        expect(place !== null).toBe(model.put(each));
        if (place !== null) places.push(place);
        const held = places.map((one) => ring.get(one));
        expect(held).toEqual(model.all);
        expect(places.map((one) => ring.has(one))).toEqual(held.map((one) => one !== null));
      }
    }),
  );
});

test("what is held never takes more than the ring has, and is at least what fits without the gap of a round", () => {
  const ring = new TextRing(1000);
  const places: TextPlace[] = [];
  for (let count = 0; count < 500; count += 1) {
    const place = ring.put("é".repeat(count % 50));
    if (place !== null) places.push(place);
    const held = places.filter((one) => ring.has(one)).reduce((sum, { bytes }) => sum + bytes, 0);
    expect(held).toBeLessThanOrEqual(1000);
    if (count > 60) expect(held).toBeGreaterThanOrEqual(1000 - 2 * 100);
  }
});

test("a text that is longer than the ring leaves the others as they are", () => {
  const ring = new TextRing(10);
  const kept = ring.put("12345") ?? expect.fail();
  expect(ring.put("x".repeat(11))).toBeNull();
  expect(ring.put("é".repeat(6))).toBeNull();
  expect(ring.get(kept)).toBe("12345");
  const whole = ring.put("é".repeat(5)) ?? expect.fail();
  expect(ring.get(kept)).toBeNull();
  expect(ring.get(whole)).toBe("é".repeat(5));
});

test("half a surrogate pair reads as it does from the disk", () => {
  const ring = new TextRing(10);
  expect(ring.get(ring.put("a\ud800b") ?? expect.fail())).toBe("a\ufffdb");
});
