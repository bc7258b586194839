/** Reading and writing a message of 500 characters with ten marks, per format, beside JSON of the same text. */
import { parse, render } from "../src/content/formats.ts";
import { runAlone } from "./lib/print.ts";
import type { Figure, Result, RunOptions } from "./lib/result.ts";
import { median } from "./lib/stats.ts";

const FILL = "the quick brown fox jumps over the lazy dog and goes on ";
const LENGTH = 500;
const GOAL_US = 50;

/** Ten marks in the words of each format, filled up with plain words. */
const MARKED: ReadonlyMap<string, (fill: string) => string> = new Map([
  ["plain", (fill) => fill.repeat(10)],
  ["irc", (fill) => `\x02bold\x02 ${fill}\x1ditalic\x1d \x0304red\x03 ${fill}\x11code\x11 \x1estrike\x1e `.repeat(2)],
  [
    "markdown",
    (fill) => `**bold** ${fill}_italic_ [a link](https://e.example/a_b) ${fill}\`code\` ~~strike~~ `.repeat(2),
  ],
  [
    "html",
    (fill) =>
      `<b>bold</b> ${fill}<i>italic</i> <a href="https://e.example/">a link</a> ${fill}<code>code</code> <del>strike</del> `.repeat(
        2,
      ),
  ],
  ["styling", (fill) => `*bold* ${fill}_italic_ *_both_* ${fill}\`code\` ~strike~ `.repeat(2)],
]);

/** As the last, with a quote, a list and a fence: what a fast way for mere paragraphs does not help. */
const BLOCKS = "> **quoted** words\n\n- _one_\n- `two`\n\n```ts\nconst a = 1;\n```\n";

export async function run({ smoke }: RunOptions): Promise<Result> {
  const rounds = smoke ? 20 : 2000;
  const figures: Figure[] = [];
  const plain = sample("plain");
  const yardstick = microseconds(() => JSON.parse(JSON.stringify({ text: plain })) as unknown, rounds);
  figures.push({ what: "JSON.stringify and JSON.parse of 500 characters", value: yardstick, unit: "µs" });
  const texts = Array.from(MARKED.keys(), (format): readonly [string, string, string] => [
    format,
    format,
    sample(format),
  ]);
  texts.push(["markdown", "markdown with blocks", (BLOCKS + sample("markdown")).slice(0, LENGTH)]);
  for (const [format, what, text] of texts) {
    const tree = parse(format, text);
    const goal = { op: "<=", value: GOAL_US } as const;
    figures.push(
      { what: `${what}: read`, value: microseconds(() => parse(format, text), rounds), unit: "µs", goal },
      { what: `${what}: written`, value: microseconds(() => render(format, tree), rounds), unit: "µs", goal },
    );
  }
  return { name: "content: 500 characters, ten marks", figures, ok: true };
}

function sample(format: string): string {
  const make = MARKED.get(format) ?? ((fill: string) => fill);
  const bare = make("").length;
  const fill = FILL.repeat(10).slice(0, Math.max(Math.floor((LENGTH - bare) / (format === "plain" ? 10 : 4)), 0));
  return make(`${fill.trimEnd()} `).slice(0, LENGTH);
}

/** Median over batches, so that what the machine does besides counts little. */
function microseconds(work: () => unknown, rounds: number): number {
  const batch = 20;
  for (let warm = 0; warm < rounds; warm += 1) work();
  const times = Array.from({ length: Math.max(Math.floor(rounds / batch), 5) }, () => {
    const begin = performance.now();
    for (let turn = 0; turn < batch; turn += 1) work();
    return ((performance.now() - begin) * 1000) / batch;
  });
  return median(times);
}

if (import.meta.main) await runAlone(run);
