import { isUnseen } from "./controls.ts";

interface Fence {
  /** The line that closes it. */
  readonly close: number;
  readonly lang: string | null;
  /** `protected`: a backslash before it says that it is none; `empty`: there is nothing in it, and it is text. */
  readonly is: "code" | "protected" | "empty";
}

/**
 * The fences of some lines: three backticks or more, what language it is, some content, and as many backticks on a line
 * of their own.
 */
export class Fences {
  readonly #lines: readonly string[];
  /** For each line the longest closing line from there on. */
  #longest: readonly number[] | null = null;

  constructor(lines: readonly string[]) {
    this.#lines = lines;
  }

  at(line: number): Fence | null {
    const text = this.#lines[line] ?? "";
    if (!/^\\*```/.test(text)) return null;
    const { slashes = "", ticks = "", lang = "" } = OPENING.exec(text)?.groups ?? {};
    if (ticks === "") return null;
    this.#longest ??= longestFrom(this.#lines);
    if ((this.#longest[line + 1] ?? 0) < ticks.length) return null;
    let close = line + 1;
    let hasContent = false;
    for (; closingLength(this.#lines[close] ?? "") < ticks.length; close += 1)
      hasContent ||= !isUnseen(this.#lines[close] ?? "");
    const is = slashes === "" ? "code" : "protected";
    return { close, lang: lang === "" ? null : lang, is: hasContent ? is : "empty" };
  }
}

const OPENING = /^(?<slashes>\\*)(?<ticks>`{3,})(?<lang>[\w+#.-]*)[ \t]*$/;

function closingLength(line: string): number {
  return line.startsWith("```") ? (/^(`+)[ \t]*$/.exec(line)?.[1]?.length ?? 0) : 0;
}

function longestFrom(lines: readonly string[]): readonly number[] {
  const longest = [...lines, ""].map(closingLength);
  for (let line = lines.length - 1; line >= 0; line -= 1)
    longest[line] = Math.max(longest[line] ?? 0, longest[line + 1] ?? 0);
  return longest;
}
