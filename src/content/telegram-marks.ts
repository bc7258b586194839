import type { Inline } from "../contract/content.ts";

/** `Markdown` and `MarkdownV2` of the Bot API. */
export type TelegramMarkdown = "Markdown" | "MarkdownV2";

type Style = "bold" | "italic" | "underline" | "strike" | "spoiler";

interface Dialect {
  /** The marks of styles; a longer mark stands before one that it begins with. */
  readonly styles: readonly (readonly [mark: string, style: Style])[];
  /** What a backslash may stand before, as a sticky expression. */
  readonly escaped: RegExp;
}

const DIALECTS: Readonly<Record<TelegramMarkdown, Dialect>> = {
  Markdown: {
    styles: [
      ["*", "bold"],
      ["_", "italic"],
    ],
    escaped: /\\[_*`[]/y,
  },
  MarkdownV2: {
    styles: [
      ["*", "bold"],
      ["__", "underline"],
      ["_", "italic"],
      ["~", "strike"],
      ["||", "spoiler"],
    ],
    escaped: /\\[!-/:-@[-`{-~]/y,
  },
};

const LINK = /\[([^\]]+)\]\((https?:\/\/[^\s()]+)\)/y;
const CODE = /`([^`]+)`/y;
/** Styles within each other. */
const DEPTH_MAX = 16;

/**
 * Short texts of an operator, such as formats of names, in the markup of the Bot API. Where the Bot API would refuse a
 * text, because a mark has no end or a sign has no backslash, the mark and the sign are text.
 */
export function parseTelegramMarks(text: string, markdown: TelegramMarkdown, depth = 0): readonly Inline[] {
  const { styles, escaped } = DIALECTS[markdown];
  const of: Inline[] = [];
  let words = "";
  const put = (inline: Inline): void => {
    if (words !== "") of.push({ t: "text", text: words });
    words = "";
    of.push(inline);
  };
  for (let at = 0; at < text.length;) {
    const sign = matchAt(escaped, text, at);
    const code = matchAt(CODE, text, at);
    const link = matchAt(LINK, text, at);
    const styled = styles.find(([mark]) => text.startsWith(mark, at));
    const close = styled === undefined ? -1 : endOf(styled[0], text, at, escaped);
    if (sign !== null) words += sign[0].slice(1);
    else if (code !== null) put({ t: "code", text: code[1] ?? "" });
    else if (link !== null && depth < DEPTH_MAX)
      put({ t: "link", href: link[2] ?? "", of: parseTelegramMarks(link[1] ?? "", markdown, depth + 1) });
    else if (styled !== undefined && close !== -1 && depth < DEPTH_MAX) {
      const [mark, t] = styled;
      put({ t, of: parseTelegramMarks(text.slice(at + mark.length, close), markdown, depth + 1) });
      at = close + mark.length;
      continue;
    } else words += styled?.[0] ?? text.charAt(at);
    at += (sign ?? code ?? link)?.[0].length ?? styled?.[0].length ?? 1;
  }
  if (words !== "") of.push({ t: "text", text: words });
  return of;
}

function matchAt(sticky: RegExp, text: string, at: number): RegExpExecArray | null {
  sticky.lastIndex = at;
  return sticky.exec(text);
}

/** Where the mark that begins at `at` ends, with something between; -1: nowhere. */
function endOf(mark: string, text: string, at: number, escaped: RegExp): number {
  for (let end = at + mark.length; end < text.length; end += 1) {
    if (matchAt(escaped, text, end) !== null) end += 1;
    else if (text.startsWith(mark, end) && end > at + mark.length) return end;
  }
  return -1;
}
