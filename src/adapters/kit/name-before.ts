import type { Block, Inline } from "../../contract/content.ts";
import type { OpAuthor } from "../../contract/ops.ts";
import { cut, measure } from "../../content/length.ts";
import { overTexts } from "../../content/name-marks.ts";
import { plainText } from "../../content/plain.ts";
import { shownName } from "../../content/shown-name.ts";

/** Names before texts, for networks whose messages do not show who speaks. */

/** Code points of a name before a text. */
const NAME_MAX = 256;

/**
 * The name of an author as it comes before a text: with the marks and the line breaks of its format, and without spaces
 * before it. `change` is applied to each of its texts. Empty: nothing of the name can be seen.
 */
export function nameBefore(
  author: Pick<OpAuthor, "shown" | "marks"> | null,
  change: (text: string) => string = (text) => text,
): readonly Inline[] {
  if (author === null || shownName(author.shown) === "") return [];
  let left = NAME_MAX;
  let isBegun = false;
  const clean = (text: string): string => {
    const line = text.replaceAll(/\r\n?|[\u2028\u2029\u0085]/gu, "\n").replaceAll(/[\p{Cc}--\n]+/gv, " ");
    const part = cut(isBegun ? line : line.trimStart(), left, "codepoints");
    isBegun ||= part !== "";
    left -= measure(part, "codepoints");
    return change(part);
  };
  const { marks = [{ t: "text", text: author.shown }] } = author;
  return withoutEmpty(marks.map((inline) => overTexts(inline, clean)));
}

function withoutEmpty(of: readonly Inline[]): readonly Inline[] {
  return of.flatMap((inline): readonly Inline[] => {
    if (!("of" in inline)) return inline.text === "" ? [] : [inline];
    const inner = withoutEmpty(inline.of);
    return inner.length === 0 ? [] : [{ ...inline, of: inner }];
  });
}

/** The words of a name. */
export const wordsOfName = (name: readonly Inline[]): string => plainText([{ t: "para", of: name }]);

/** A text with the name before it, which has a line of its own before a block that cannot begin with it. */
export function withName(name: readonly Inline[], blocks: readonly Block[]): readonly Block[] {
  if (name.length === 0) return blocks;
  const [first, ...rest] = blocks;
  if (first?.t === "para") return [{ t: "para", of: joined(name, first.of) }, ...rest];
  return [{ t: "para", of: trimmedEnd(name) }, ...blocks];
}

/** Text after text becomes one: a line break at the end of a name begins a line of the text. */
function joined(name: readonly Inline[], of: readonly Inline[]): readonly Inline[] {
  const [last, first] = [name.at(-1), of[0]];
  if (last?.t !== "text" || first?.t !== "text") return [...name, ...of];
  return [...name.slice(0, -1), { t: "text", text: last.text + first.text }, ...of.slice(1)];
}

function trimmedEnd(name: readonly Inline[]): readonly Inline[] {
  const last = name.at(-1);
  if (last?.t !== "text") return name;
  const text = last.text.trimEnd();
  return text === "" ? trimmedEnd(name.slice(0, -1)) : [...name.slice(0, -1), { t: "text", text }];
}

/**
 * The name in a network's own format, to come before a text that stays as it was written. Null: a mark at its end would
 * meet the text.
 */
export function writtenName(name: readonly Inline[], render: (blocks: readonly Block[]) => string): string | null {
  const [space] = /\s*$/u.exec(wordsOfName(name)) ?? [""];
  if (space === "" && name.some(({ t }) => t !== "text")) return null;
  return render(withName(name, [])) + space;
}

/** `/me`: the words of a text are in italics. */
export function inItalics(blocks: readonly Block[]): readonly Block[] {
  return blocks.map((block) => (block.t === "para" ? { t: "para", of: [{ t: "italic", of: block.of }] } : block));
}
