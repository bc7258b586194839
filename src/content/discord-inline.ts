import type { Inline } from "../contract/content.ts";
import { DiscordCode } from "./discord-code.ts";
import { bracketsIn, endOfDiscordUrl, quietUrlAt, targetAt } from "./discord-links.ts";
import { DiscordRuns } from "./discord-runs.ts";
import { tokenAt } from "./discord-tokens.ts";

/**
 * Words of Discord, over as many lines as they have: `*italic*`, `_italic_`, `**bold**`, `__underline__`, `~~strike~~`,
 * `||spoiler||`, code, `[words](http…)`, addresses, tokens, and a backslash before any sign. A style begins wherever
 * its mark has an end, which is the first one there is, even within code.
 */
export function parseDiscordWords(text: string): readonly Inline[] {
  if (text === "") return [];
  return SIGNS.test(text) ? new Reader(text).read(0, text.length, 0) : [{ t: "text", text }];
}

const SIGNS = /[\\*_~|`[<]/;
const PLACES = /[\\*_~|`[<]|https?:\/\//gi;
/** Styles within each other; the marks of what is deeper are text. */
const DEPTH_MAX = 16;

/** What stands at a place, up to where. */
interface Found {
  readonly inline: Inline;
  readonly end: number;
}

/** Some of the text. */
interface Part {
  readonly at: number;
  readonly to: number;
  readonly depth: number;
}

type Style = "bold" | "italic" | "underline" | "strike" | "spoiler";

class Reader {
  readonly #text: string;
  readonly #code: DiscordCode;
  readonly #runs = new Map<"*" | "_", DiscordRuns>();
  #brackets: ReadonlyMap<number, number> | null = null;
  /** Marks that are nowhere behind a place. */
  readonly #gone = new Set<string>();

  constructor(text: string) {
    this.#text = text;
    this.#code = new DiscordCode(text);
  }

  read(from: number, to: number, depth: number): readonly Inline[] {
    const of: Inline[] = [];
    let begin = from;
    for (let at = from; at < to;) {
      PLACES.lastIndex = at;
      const match = PLACES.exec(this.#text);
      if (match === null || match.index >= to) break;
      at = match.index;
      const found = this.#at(match[0], { at, to, depth });
      if (found === null) {
        at += this.#width(match[0], at, to);
        continue;
      }
      put(of, { t: "text", text: this.#text.slice(begin, at) });
      put(of, found.inline);
      begin = at = found.end;
    }
    put(of, { t: "text", text: this.#text.slice(begin, to) });
    return of;
  }

  /** What is text for sure at a place where nothing was found. */
  #width(sign: string, at: number, to: number): number {
    if (sign !== "`") return 1;
    let end = at + 1;
    while (end < to && this.#text.charAt(end) === "`") end += 1;
    return end - at;
  }

  #at(sign: string, part: Part): Found | null {
    switch (sign) {
      case "\\":
        return this.#escaped(part);
      case "<":
        return this.#token(part);
      case "`":
        return this.#codeAt(part);
      case "[":
        return this.#link(part);
      case "*":
      case "_":
        return this.#emphasis(sign, part);
      case "~":
        return this.#until("~~", "strike", part);
      case "|":
        return this.#until("||", "spoiler", part);
      default: {
        const end = endOfDiscordUrl(this.#text, part.at, part.to);
        return end === part.at ? null : { inline: { t: "text", text: this.#text.slice(part.at, end) }, end };
      }
    }
  }

  #escaped({ at, to }: Part): Found | null {
    const char = this.#text.charAt(at + 1);
    const isSign = at + 1 < to && /^[^\dA-Za-z\s]$/.test(char);
    return isSign ? { inline: { t: "text", text: char }, end: at + 2 } : null;
  }

  #token({ at, to }: Part): Found | null {
    const token = tokenAt(this.#text, at);
    if (token !== null) return token.end <= to ? token : null;
    const quiet = quietUrlAt(this.#text, at);
    return quiet === null || quiet.end > to ? null : { inline: { t: "text", text: quiet.href }, end: quiet.end };
  }

  #codeAt({ at, to }: Part): Found | null {
    const code = this.#code.at(at, to);
    return code === null ? null : { inline: { t: "code", text: code.text }, end: code.end };
  }

  #link({ at, to, depth }: Part): Found | null {
    this.#brackets ??= bracketsIn(this.#text);
    const close = this.#brackets.get(at);
    if (close === undefined || close >= to || this.#text.charAt(close + 1) !== "(" || depth >= DEPTH_MAX) return null;
    const target = targetAt(this.#text, close + 1);
    if (target === null || target.end > to) return null;
    // Words that look like another address would deceive.
    const words = this.#text.slice(at + 1, close);
    if (words.trim() === "" || /https?:\/\/\S/i.test(words)) return null;
    const of = this.read(at + 1, close, depth + 1);
    return { inline: { t: "link", href: target.href, of }, end: target.end };
  }

  /** Of the two that one mark may begin, the longer one counts. */
  #emphasis(sign: "*" | "_", part: Part): Found | null {
    if (part.depth >= DEPTH_MAX) return null;
    const runs = this.#runsOf(sign);
    const double = runs.double(part.at, part.to);
    const single = runs.single(part.at, part.to);
    if (double === -1 && single === -1) return null;
    if (single !== -1 && single + 1 >= double + 2) return this.#styled("italic", 1, { ...part, to: single });
    return this.#styled(sign === "*" ? "bold" : "underline", 2, { ...part, to: double });
  }

  #runsOf(sign: "*" | "_"): DiscordRuns {
    const known = this.#runs.get(sign);
    if (known !== undefined) return known;
    const runs = new DiscordRuns(this.#text, sign);
    this.#runs.set(sign, runs);
    return runs;
  }

  #until(mark: string, style: Style, part: Part): Found | null {
    if (!this.#text.startsWith(mark, part.at) || part.depth >= DEPTH_MAX || this.#gone.has(mark)) return null;
    const close = this.#text.indexOf(mark, part.at + mark.length + 1);
    if (close === -1) this.#gone.add(mark);
    if (close === -1 || close + mark.length > part.to) return null;
    return this.#styled(style, mark.length, { ...part, to: close });
  }

  /** `to`: where the mark is that ends it. */
  #styled(t: Style, width: number, { at, to, depth }: Part): Found {
    return { inline: { t, of: this.read(at + width, to, depth + 1) }, end: to + width };
  }
}

/** Text after text becomes one. */
function put(of: Inline[], inline: Inline): void {
  const last = of.at(-1);
  if (inline.t === "text" && inline.text === "") return;
  if (inline.t === "text" && last?.t === "text") of[of.length - 1] = { t: "text", text: last.text + inline.text };
  else of.push(inline);
}
