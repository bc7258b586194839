import type { Body } from "../../src/contract/content.ts";
import type { PostDraft } from "../../src/contract/ops.ts";
import type { Loss } from "../../src/contract/outcome.ts";
import { readAloud } from "./texts.ts";

/** The lines a post makes on the fake network: the author before each, none longer than `max` code points. */
export function linesOf(
  { author, body }: PostDraft,
  max: number,
): { readonly lines: string[]; readonly losses: Loss[] } {
  const before = clean(author?.shown ?? "", " ");
  const rows = [...clean(readAloud(body.blocks), "\n").split("\n"), ...body.files.map(fileLine)];
  const room = Math.max(1, max - Array.from(before).length);
  const lines = rows
    .filter((row) => row.trim() !== "")
    .flatMap((row) => pieces(row, room).map((piece) => before + piece));
  const homeless = body.files.filter(({ url }) => url === null);
  return { lines, losses: homeless.map(({ name }) => ({ what: "file", note: `${name} has no address` })) };
}

function fileLine({ name, comment, url }: Body["files"][number]): string {
  return clean([comment, url ?? `(file ${name}, which has no public address)`].filter(Boolean).join(" "), " ");
}

/** Line breaks of all kinds become `line`; other control characters go. */
function clean(text: string, line: " " | "\n"): string {
  return text
    .replaceAll(/\r\n|[\r\n\u0085\u2028\u2029]/gu, line)
    .replaceAll(/\p{Cc}/gu, (char) => (char === "\n" ? "\n" : ""));
}

/** Splits at the last space that fits, or hard, never inside a code point. */
function pieces(row: string, max: number): readonly string[] {
  const rest = Array.from(row);
  const found: string[] = [];
  while (rest.length > max) {
    const space = rest.lastIndexOf(" ", max);
    found.push(rest.splice(0, space > 0 ? space : max).join(""));
    while (rest[0] === " ") rest.shift();
  }
  return rest.length === 0 ? found : [...found, rest.join("")];
}
