import type { Block, Inline } from "../contract/content.ts";
import { changeCodes, type IrcFormat, PLAIN, RESET, samePlain } from "./irc-codes.ts";
import { nearestColour } from "./irc-palette.ts";
import { wordsOf } from "./irc.ts";
import { shownLink } from "./links.ts";

/**
 * The tree as text with the formatting codes of IRC. Every block and line break begins a line, and no formatting
 * crosses a line's end (`\n`). Control characters of the text itself are left out: nobody else's text formats or
 * commands anything.
 */
export function renderIrc(blocks: readonly Block[]): string {
  return blocks.flatMap((block) => plainLines(block) ?? blockLines(block).map(codedLine)).join("\n");
}

/** The short way for what most texts are, and what a text of a million lines needs. */
function plainLines(block: Block): readonly string[] | null {
  if (block.t !== "para") return null;
  const texts = block.of.flatMap((inline) => (inline.t === "text" ? [wordsOf(inline.text)] : []));
  return texts.length === block.of.length ? [texts.join("")] : null;
}

interface Run {
  readonly text: string;
  readonly format: IrcFormat;
}

/** Without a line break. */
type Line = readonly Run[];

function blockLines(block: Block): readonly Line[] {
  switch (block.t) {
    case "para":
      return linesOf(inlineRuns(block.of, PLAIN));
    case "heading":
      return linesOf(inlineRuns(block.of, { ...PLAIN, bold: true }));
    case "pre":
      return linesOf([run(block.text, { ...PLAIN, code: true })]);
    case "quote":
      return block.of
        .flatMap(blockLines)
        .flatMap((line) => (line.length === 0 ? [[run(">", PLAIN)]] : indented([line], "> ", "> ")));
    case "list":
      return block.items.flatMap((item, index) => {
        const bullet = block.ordered ? `${index + 1}. ` : "- ";
        return indented(item.flatMap(blockLines), bullet, " ".repeat(bullet.length));
      });
  }
}

function indented(lines: readonly Line[], first: string, rest: string): readonly Line[] {
  return lines.map((line, index) => [run(index === 0 ? first : rest, PLAIN), ...line]);
}

function inlineRuns(inlines: readonly Inline[], format: IrcFormat): readonly Run[] {
  return inlines.flatMap((inline) => runsOf(inline, format));
}

function runsOf(inline: Inline, format: IrcFormat): readonly Run[] {
  switch (inline.t) {
    case "text":
    case "mention":
    case "emoji":
      return [run(inline.text, format)];
    case "code":
      return [run(inline.text, { ...format, code: true })];
    case "bold":
    case "italic":
    case "underline":
    case "strike":
      return inlineRuns(inline.of, { ...format, [inline.t]: true });
    case "spoiler":
      return inlineRuns(inline.of, { ...format, fore: HIDDEN, back: HIDDEN });
    case "colour":
      return inlineRuns(inline.of, {
        ...format,
        fore: inline.fore === null ? format.fore : nearestColour(inline.fore),
        back: inline.back === null ? format.back : nearestColour(inline.back),
      });
    case "link":
      return linkRuns(inlineRuns(inline.of, format), wordsOf(inline.href), format);
  }
}

/** Text in the colour of its background: whoever wants to read it marks it. */
const HIDDEN = "01";

function linkRuns(words: readonly Run[], href: string, format: IrcFormat): readonly Run[] {
  const text = words.map((word) => word.text).join("");
  const shown = shownLink(text, href);
  if (shown === "address") return [run(href, format)];
  return shown === "words" ? words : [...words, run(` (${href})`, format)];
}

function run(text: string, format: IrcFormat): Run {
  return { text: wordsOf(text), format };
}

function linesOf(runs: readonly Run[]): readonly Line[] {
  const lines: Run[][] = [[]];
  for (const { text, format } of runs) {
    for (const [index, part] of text.split("\n").entries()) {
      if (index > 0) lines.push([]);
      if (part !== "") lines.at(-1)?.push({ text: part, format });
    }
  }
  return lines;
}

function codedLine(line: Line): string {
  let text = "";
  let format = PLAIN;
  for (const next of line) {
    if (next.text === "") continue;
    text += changeCodes(format, next.format, next.text) + next.text;
    format = next.format;
  }
  return samePlain(format) ? text : text + RESET;
}
