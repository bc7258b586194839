import { type SampleFormat, SAMPLES } from "../src/content/samples.suite.ts";

const FORMATS: readonly (readonly [SampleFormat, string])[] = [
  ["plain", "plain text"],
  ["irc", "IRC"],
  ["markdown", "Markdown"],
  ["html", "HTML"],
  ["styling", "XEP-0393"],
];

/** How each kind of content is written in each format; `†`: the words remain, what they were is lost. */
export function formatsTable(): string {
  const heads = ["what", ...FORMATS.map(([, title]) => title)];
  const rows = SAMPLES.map(({ kind, written, kept }) => {
    const cells = FORMATS.map(([format]) => code(written[format]) + (kept.includes(format) ? "" : " †"));
    return `| ${kind} | ${cells.join(" | ")} |`;
  });
  return [`| ${heads.join(" | ")} |`, `|${"---|".repeat(heads.length)}`, ...rows].join("\n");
}

/** As code within a table: control characters by their number, line breaks as a sign. */
function code(text: string): string {
  const shown = text
    .replaceAll(/\p{Cc}/gu, (char) => (char === "\n" ? "⏎" : `\\x${char.charCodeAt(0).toString(16).padStart(2, "0")}`))
    .replaceAll("|", "\\|");
  const fence = "`".repeat(Math.max(0, ...Array.from(shown.matchAll(/`+/g), ([run]) => run.length)) + 1);
  return fence.length > 1 ? `${fence} ${shown} ${fence}` : `\`${shown}\``;
}
