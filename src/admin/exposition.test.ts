import { expect, test } from "vitest";
import { exposition, type Family } from "./exposition.ts";
import { Distribution } from "./tally.ts";

const gauge = (fields: Partial<Extract<Family, { is: "counter" | "gauge" }>>): Family => ({
  is: "gauge",
  name: "m",
  help: "h",
  labels: [],
  samples: [],
  ...fields,
});

const one = (value: number): Family => gauge({ samples: [{ labels: [], value }] });
const labelled = (...values: readonly string[]): Family =>
  gauge({ labels: ["a", "b"].slice(0, values.length), samples: [{ labels: values, value: 1 }] });

/** Of 0.5, 2 and 3. */
function aSpread(bounds: readonly number[]): Distribution {
  const spread = new Distribution(bounds);
  for (const value of [0.5, 2, 3]) spread.observe(value);
  return spread;
}

test.each<[string, Family, readonly string[]]>([
  ["a number", one(1.5), ["m 1.5"]],
  ["a whole one", one(3), ["m 3"]],
  ["a huge one", one(1e21), ["m 1e+21"]],
  ["a tiny one", one(-5e-7), ["m -5e-7"]],
  ["none", one(NaN), ["m NaN"]],
  ["without end", one(Infinity), ["m +Inf"]],
  ["without end, below zero", one(-Infinity), ["m -Inf"]],
  ["no samples", gauge({}), []],
  ["a label", labelled("x"), ['m{a="x"} 1']],
  ["labels", labelled("x", "y"), ['m{a="x",b="y"} 1']],
  ["an empty label", labelled(""), ['m{a=""} 1']],
  ["a label that is not given", gauge({ labels: ["a"], samples: [{ labels: [], value: 1 }] }), ['m{a=""} 1']],
  ["a quotation mark", labelled('x"y'), [String.raw`m{a="x\"y"} 1`]],
  ["a backslash", labelled(String.raw`x\n`), [String.raw`m{a="x\\n"} 1`]],
  ["a line break", labelled("x\ny\n"), [String.raw`m{a="x\ny\n"} 1`]],
  ["all of them", labelled('\\"\n'), [String.raw`m{a="\\\"\n"} 1`]],
  ["what has a meaning elsewhere in a line", labelled('{},= #"'), [String.raw`m{a="{},= #\""} 1`]],
  ["other letters", labelled("ключ 🔑"), ['m{a="ключ 🔑"} 1']],
])("%s", (_, family, lines) => {
  expect(exposition([family]).body).toBe(["# HELP m h", "# TYPE m gauge", ...lines, ""].join("\n"));
});

test("a help is one line, and its quotation marks stay", () => {
  const { body } = exposition([{ is: "counter", name: "m", help: 'a \\ b\n"c"', labels: [], samples: [] }]);
  expect(body).toBe('# HELP m a \\\\ b\\n"c"\n# TYPE m counter\n');
});

test("a histogram: each bucket holds those below it, the last one all", () => {
  const family: Family = {
    is: "histogram",
    name: "m",
    help: "h",
    labels: ["a"],
    bounds: [0.1, 2],
    samples: [{ labels: ['"'], value: aSpread([0.1, 2]) }],
  };
  expect(exposition([family]).body.split("\n")).toEqual([
    "# HELP m h",
    "# TYPE m histogram",
    String.raw`m_bucket{le="0.1",a="\""} 0`,
    String.raw`m_bucket{le="2",a="\""} 2`,
    String.raw`m_bucket{le="+Inf",a="\""} 3`,
    String.raw`m_sum{a="\""} 5.5`,
    String.raw`m_count{a="\""} 3`,
    "",
  ]);
});

test("a histogram without labels, and without bounds", () => {
  const bare = { is: "histogram", name: "m", help: "h", labels: [], bounds: [] } as const;
  const { body } = exposition([{ ...bare, samples: [{ labels: [], value: aSpread([]) }] }]);
  expect(body.split("\n").slice(2)).toEqual(['m_bucket{le="+Inf"} 3', "m_sum 5.5", "m_count 3", ""]);
});

test("metrics are apart by an empty line, and the type says what they are", () => {
  const { type, body } = exposition([one(1), one(2)]);
  expect(type).toBe("text/plain; version=0.0.4; charset=utf-8");
  expect(body).toBe("# HELP m h\n# TYPE m gauge\nm 1\n\n# HELP m h\n# TYPE m gauge\nm 2\n");
  expect(exposition([]).body).toBe("\n");
});
