import { expect, test } from "vitest";
import * as fc from "../../test/support/property.ts";
import { Ranges } from "./ranges.ts";

const seq = fc.integer({ min: 1, max: 30 });
const act = fc.oneof(
  fc.tuple(fc.constant("add"), seq, fc.integer({ min: 0, max: 6 })),
  fc.tuple(fc.constant("remove"), seq, fc.constant(0)),
  fc.tuple(fc.constant("pass"), seq, fc.constant(0)),
);

test("ranges hold what a set of numbers holds, ascending and apart", () => {
  fc.assert(
    fc.property(fc.array(act, { maxLength: 40 }), (acts) => {
      const ranges = new Ranges();
      const model = new Set<number>();
      for (const [what, at, more] of acts) {
        if (what === "add") {
          ranges.add(at, at + more);
          for (let one = at; one <= at + more; one++) model.add(one);
        } else if (what === "remove") {
          expect(ranges.remove(at)).toBe(model.delete(at));
        } else {
          let reach = at;
          while (model.has(reach + 1)) reach += 1;
          expect(ranges.passTo(at)).toBe(reach);
          for (const one of model) if (one <= reach) model.delete(one);
        }
        for (let one = 0; one <= 40; one++) expect(ranges.has(one)).toBe(model.has(one));
        let last = -1;
        for (const [from, to] of ranges.all) {
          expect(from).toBeGreaterThan(last + 1);
          expect(to).toBeGreaterThanOrEqual(from);
          last = to;
        }
        expect(new Ranges(ranges.all).all).toEqual(ranges.all);
      }
    }),
  );
});
