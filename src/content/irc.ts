import type { Block, Inline } from "../contract/content.ts";
import { withoutC0 } from "./controls.ts";
import { type IrcFormat, PLAIN, readCode } from "./irc-codes.ts";
import { hexColour } from "./irc-palette.ts";

/**
 * Text with the formatting codes of IRC as a tree: bold, italic, underline, strike, monospace (`code`), colours as
 * `#rrggbb`, and text in the colour of its background as a spoiler. Reverse video and all other control characters of
 * ASCII but tabs are left out.
 */
export function parseIrc(text: string): readonly Block[] {
  const of = wrapped(runsOf(text), WRAPPERS);
  return of.length === 0 ? [] : [{ t: "para", of }];
}

interface Run {
  readonly text: string;
  readonly format: IrcFormat;
}

function runsOf(text: string): readonly Run[] {
  const runs: Run[] = [];
  let format = PLAIN;
  let from = 0;
  const take = (to: number): void => {
    const words = wordsOf(text.slice(from, to));
    if (words !== "") runs.push({ text: words, format });
  };
  for (let at = 0; at < text.length;) {
    const code = text.charCodeAt(at) < 0x20 ? readCode(text, at, format) : null;
    if (code === null) {
      at += 1;
      continue;
    }
    take(at);
    format = code.format;
    from = at = code.end;
  }
  take(text.length);
  return runs;
}

/** A line with its formatting codes left out. */
export function withoutCodes(line: string): string {
  return runsOf(line)
    .map(({ text }) => text)
    .join("");
}

/** Words without codes; lines end in `\n`. */
export function wordsOf(text: string): string {
  return withoutC0(text.replaceAll(/\r\n?/g, "\n"));
}

/**
 * For names and other short texts: lines end in `\n`, a tab is a space, and nothing else of C0, DEL and C1 is left but
 * U+0085.
 */
export function withoutControls(text: string): string {
  return text
    .replaceAll(/\r\n?/g, "\n")
    .replaceAll("\t", " ")
    .replaceAll(/[\p{Cc}--[\n\x85]]/gv, "");
}

/** Wraps what stands side by side and is alike. */
interface Wrapper {
  readonly key: (format: IrcFormat) => string;
  readonly wrap: (format: IrcFormat, of: readonly Inline[]) => readonly Inline[];
}

const wrapper = (key: "bold" | "italic" | "underline" | "strike"): Wrapper => ({
  key: (format) => String(format[key]),
  wrap: (format, of) => (format[key] ? [{ t: key, of }] : of),
});

const WRAPPERS: readonly Wrapper[] = [
  {
    key: ({ fore, back }) => `${fore} ${back}`,
    wrap: (format, of) => {
      const fore = format.fore === null ? null : hexColour(format.fore);
      const back = format.back === null ? null : hexColour(format.back);
      if (fore === null && back === null) return of;
      return [fore === back ? { t: "spoiler", of } : { t: "colour", fore, back, of }];
    },
  },
  wrapper("bold"),
  wrapper("italic"),
  wrapper("underline"),
  wrapper("strike"),
];

function wrapped(runs: readonly Run[], wrappers: readonly Wrapper[]): readonly Inline[] {
  const [first, ...rest] = wrappers;
  if (first === undefined) {
    return grouped(runs, ({ code }) => String(code)).map(([head, ...tail]) => ({
      t: head.format.code ? "code" : "text",
      text: [head, ...tail].map(({ text }) => text).join(""),
    }));
  }
  return grouped(runs, first.key).flatMap((group) => first.wrap(group[0].format, wrapped(group, rest)));
}

function grouped(runs: readonly Run[], key: (format: IrcFormat) => string): readonly (readonly [Run, ...Run[]])[] {
  const groups: [Run, ...Run[]][] = [];
  for (const run of runs) {
    const last = groups.at(-1);
    if (last !== undefined && key(last[0].format) === key(run.format)) last.push(run);
    else groups.push([run]);
  }
  return groups;
}
