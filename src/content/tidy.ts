import type { Inline } from "../contract/content.ts";

type Marked = Extract<Inline, { of: readonly Inline[] }>;
type Leaf = Exclude<Inline, Marked>;

/**
 * A line for formats that write marks around text: no mark within the same mark, none around nothing, none that begins
 * or ends with a space (the space moves out), and what stands side by side and is alike is one. Marks that the format
 * lacks are left out. The words stay the same.
 */
export function tidy(line: readonly Inline[], lacking: ReadonlySet<Inline["t"]>): readonly Inline[] {
  if (line.every((inline) => inline.t === "text")) return joined(line);
  return tidyWithin(line, lacking);
}

/** The lines of a paragraph; what reaches over a line's end is marked again on each line. */
export function splitLines(inlines: readonly Inline[]): readonly (readonly Inline[])[] {
  const lines: Inline[][] = [[]];
  for (const inline of inlines) {
    for (const [index, part] of partsOf(inline).entries()) {
      if (index > 0) lines.push([]);
      lines.at(-1)?.push(part);
    }
  }
  return lines;
}

function partsOf(inline: Inline): readonly Inline[] {
  if (inline.t === "link") return [inline];
  if ("of" in inline) return splitLines(inline.of).map((of) => withWords(inline, of));
  if (!inline.text.includes("\n")) return [inline];
  return inline.text.split("\n").map((text) => withText(inline, text));
}

function onOneLine(inline: Inline): Inline {
  if ("of" in inline) return withWords(inline, inline.of.map(onOneLine));
  return withText(inline, inline.text.replaceAll("\n", " "));
}

function withWords(mark: Marked, of: readonly Inline[]): Inline {
  return { ...mark, of };
}

function withText(leaf: Leaf, text: string): Inline {
  return { ...leaf, text };
}

/** `around`: marks that would say nothing here. */
function tidyWithin(inlines: readonly Inline[], around: ReadonlySet<Inline["t"]>): readonly Inline[] {
  return joined(inlines.flatMap((inline) => tidied(inline, around)));
}

function tidied(inline: Inline, around: ReadonlySet<Inline["t"]>): readonly Inline[] {
  if (!("of" in inline)) return inline.text === "" ? [] : [inline];
  if (inline.t === "link") return tidiedLink(inline, around);
  // A colour within a colour is another one.
  if (around.has(inline.t)) return tidyWithin(inline.of, around);
  const of = tidyWithin(inline.of, inline.t === "colour" ? around : new Set([...around, inline.t]));
  return of.length === 0 ? [] : hoisted(inline, of);
}

/** A link is whole, and without words it is its address. */
function tidiedLink(link: Extract<Inline, { t: "link" }>, around: ReadonlySet<Inline["t"]>): readonly Inline[] {
  const of = tidyWithin(link.of.map(onOneLine), new Set([...around, link.t]));
  return of.length === 0 && link.href === "" ? [] : [{ ...link, of }];
}

/** The mark around the words, and the spaces at their edges outside. */
function hoisted(mark: Marked, of: readonly Inline[]): readonly Inline[] {
  const [before, rest] = edge(of, "start");
  const [after, inner] = edge(rest, "end");
  const space = (text: string): readonly Inline[] => (text === "" ? [] : [{ t: "text", text }]);
  return [...space(before), ...(inner.length === 0 ? [] : [{ ...mark, of: inner }]), ...space(after)];
}

/** The spaces at one edge, and what is left without them. */
function edge(of: readonly Inline[], side: "start" | "end"): readonly [string, readonly Inline[]] {
  const outer = side === "start" ? of[0] : of.at(-1);
  if (outer?.t !== "text") return ["", of];
  const words = side === "start" ? outer.text.trimStart() : outer.text.trimEnd();
  if (words.length === outer.text.length) return ["", of];
  const kept: readonly Inline[] = words === "" ? [] : [{ t: "text", text: words }];
  if (side === "start") return [outer.text.slice(0, outer.text.length - words.length), [...kept, ...of.slice(1)]];
  return [outer.text.slice(words.length), [...of.slice(0, -1), ...kept]];
}

/** All that is alike is gathered before it is joined: one after the other would take the square of their number. */
function joined(inlines: readonly Inline[]): readonly Inline[] {
  const all: Inline[] = [];
  for (let from = 0; from < inlines.length;) {
    const first = inlines[from];
    if (first === undefined) break;
    let to = from + 1;
    for (let next = inlines[to]; next !== undefined && isAlike(first, next); next = inlines[to]) to += 1;
    all.push(to === from + 1 ? first : joinAll(first, inlines.slice(from, to)));
    from = to;
  }
  return all;
}

function joinAll(first: Inline, alike: readonly Inline[]): Inline {
  if ("of" in first) return withWords(first, joined(alike.flatMap((inline) => ("of" in inline ? inline.of : []))));
  return withText(first, alike.map((inline) => ("of" in inline ? "" : inline.text)).join(""));
}

function isAlike(one: Inline, other: Inline): boolean {
  if (one.t === "text" || one.t === "code") return other.t === one.t;
  if (one.t === "link" || !("of" in one) || one.t !== other.t) return false;
  return one.t !== "colour" || (other.t === "colour" && one.fore === other.fore && one.back === other.back);
}
