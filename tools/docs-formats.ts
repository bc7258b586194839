import { STYLED, UNCHANGED } from "../test/text/golden.ts";
import { type SampleFormat, SAMPLES } from "../src/content/samples.suite.ts";

const FORMATS: readonly (readonly [SampleFormat, string])[] = [
  ["plain", "plain text"],
  ["irc", "IRC"],
  ["markdown", "Markdown"],
  ["mattermost", "Mattermost"],
  ["discord", "Discord"],
  ["slack", "Slack"],
  ["telegram", "Telegram"],
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

/** What was posted, and what it looks like elsewhere. */
export function goldenTable(): string {
  const rows = STYLED.map(({ text, words, irc, xmpp, html }) =>
    [text, words, irc, xmpp, html ?? words].map(code).join(" | "),
  );
  return [
    "| posted | plain text | IRC | XMPP | Matrix |",
    "|---|---|---|---|---|",
    ...rows.map((row) => `| ${row} |`),
  ].join("\n");
}

/** What nobody changes. */
export function unchangedList(): string {
  return UNCHANGED.map(([what, texts]) => `- ${what}: ${texts.map(asCode).join(" ")}`).join("\n");
}

/** As code within a table. */
const code = (text: string): string => asCode(text).replaceAll("|", "\\|");

/** As code: control characters by their number, line breaks as a sign. */
function asCode(text: string): string {
  const shown = text.replaceAll(/\p{Cc}|\u200b/gu, (char) =>
    char === "\n" ? "⏎" : char === "\u200b" ? "␣" : `\\x${char.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );
  const fence = "`".repeat(Math.max(0, ...Array.from(shown.matchAll(/`+/g), ([run]) => run.length)) + 1);
  return fence.length > 1 ? `${fence} ${shown} ${fence}` : `\`${shown}\``;
}
