import type { Block } from "../contract/content.ts";
import { parseHtml } from "./html-parse.ts";
import { renderHtml } from "./html-render.ts";
import { renderIrc } from "./irc-render.ts";
import { parseIrc } from "./irc.ts";
import { personBehind } from "./matrix-links.ts";
import { parseMarkdown } from "./markdown-parse.ts";
import { renderMarkdown } from "./markdown-render.ts";
import { parseMattermost } from "./mattermost-parse.ts";
import { renderMattermost } from "./mattermost-render.ts";
import { plainText } from "./plain.ts";
import { parseStyling } from "./styling-parse.ts";
import { renderStyling } from "./styling-render.ts";

/** What is read out of a text, by the name of its format; a format nobody here knows is read as plain text. */
export function parse(format: string, text: string): readonly Block[] {
  return (FORMATS.get(format)?.parse ?? parsePlain)(text);
}

/** Whether people write the format by hand: whoever knows no formats can read it. */
export function isWritten(format: string): boolean {
  return format === "markdown" || format === "styling" || format === "mattermost";
}

/** The tree as text of a format; a format nobody here knows gets plain text. */
export function render(format: string, blocks: readonly Block[]): string {
  return (FORMATS.get(format)?.render ?? plainText)(blocks);
}

interface Format {
  readonly parse: (text: string) => readonly Block[];
  readonly render: (blocks: readonly Block[]) => string;
}

const FORMATS: ReadonlyMap<string, Format> = new Map<string, Format>([
  ["irc", { parse: parseIrc, render: renderIrc }],
  ["markdown", { parse: parseMarkdown, render: renderMarkdown }],
  ["mattermost", { parse: parseMattermost, render: renderMattermost }],
  ["html", { parse: (text) => parseHtml(text, personBehind), render: (blocks) => renderHtml(blocks) }],
  ["styling", { parse: parseStyling, render: renderStyling }],
]);

/** Plain stays plain: nothing in it has a meaning but the line breaks. */
function parsePlain(text: string): readonly Block[] {
  return text === "" ? [] : [{ t: "para", of: [{ t: "text", text }] }];
}
