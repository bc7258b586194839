import { Fences } from "./markdown-fences.ts";
import { placesToProtect } from "./markdown-inline.ts";
import { LIKE_QUOTE, SIGNS } from "./markdown-parse.ts";

/** A text with the backslashes that it needs to be read as the text it is; most need none. */
export function protectText(text: string): string {
  if (!SIGNS.test(text)) return text;
  const parts = text.split(/(\r\n?|\n)/);
  const lines = parts.filter((_, at) => at % 2 === 0);
  const fences = new Fences(lines);
  const shown: string[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const fence = fences.at(at);
    if (fence === null) {
      shown.push(protectQuote(protectLine(lines[at] ?? "")));
      continue;
    }
    shown.push((fence.is === "empty" ? "" : "\\") + lines[at]);
    for (; at < fence.close; at += 1) shown.push(lines[at + 1] ?? "");
  }
  return shown.map((line, at) => line + (parts[at * 2 + 1] ?? "")).join("");
}

/** As `protectText`, of one line that is no quote and no fence. */
export function protectLine(line: string): string {
  let shown = "";
  let from = 0;
  for (const place of placesToProtect(line)) {
    shown += `${line.slice(from, place)}\\`;
    from = place;
  }
  return shown + line.slice(from);
}

/** A line that says something else than what a quote says. */
export function protectQuote(line: string): string {
  return LIKE_QUOTE.test(line) ? `\\${line}` : line;
}
