import { describe, expect, test } from "vitest";
import { circleFindings } from "./circles.ts";

function found(files: Readonly<Record<string, string>>): readonly string[] {
  const tree = Object.entries(files).map(([path, text]) => ({ path, text }));
  return circleFindings(tree).map(({ message }) => message);
}

describe("circles are found", () => {
  test("of two files", () => {
    const tree = { "src/a.ts": 'import { b } from "./b.ts";', "src/b.ts": 'import { a } from "./a.ts";' };
    expect(found(tree)).toStrictEqual(["is in a circle of imports: src/a.ts → src/b.ts → src/a.ts"]);
  });

  test("of types, behind a file that is not in it", () => {
    const tree = {
      "src/main.ts": 'import { a } from "./x/a.ts";',
      "src/x/a.ts": 'import type { B } from "../y/b.ts";',
      "src/y/b.ts": 'export type { C } from "./c.ts";',
      "src/y/c.ts": 'import { type A } from "../x/a.ts";',
    };
    const circle = "is in a circle of imports: src/x/a.ts → src/y/b.ts → src/y/c.ts → src/x/a.ts";
    expect(found(tree)).toStrictEqual([circle]);
  });

  test("of a file that is loaded later", () => {
    const tree = { "src/a.ts": 'const b = await import("./b.ts");', "src/b.ts": 'import type { A } from "./a.ts";' };
    expect(found(tree)).toHaveLength(1);
  });

  test("of a file with itself", () => {
    expect(found({ "src/a.ts": 'import { a } from "./a.ts";' })).toHaveLength(1);
  });
});

test("what is imported by two ways, by tests, or outside src is no circle", () => {
  const tree = {
    "src/a.ts": 'import { b } from "./b.ts";\nimport { c } from "./c.ts";',
    "src/b.ts": 'import { c } from "./c.ts";\nimport { join } from "node:path";',
    "src/c.ts": "",
    "src/d.suite.ts": 'import { e } from "./e.test.ts";',
    "src/e.test.ts": 'import { d } from "./d.suite.ts";',
    "test/f.ts": 'import { g } from "./g.ts";',
    "test/g.ts": 'import { f } from "./f.ts";',
  };
  expect(found(tree)).toStrictEqual([]);
});
