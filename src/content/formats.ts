import type { Block, Source } from "../contract/content.ts";
import { writtenDiscord } from "./discord-names.ts";
import { parseDiscord } from "./discord-parse.ts";
import { renderDiscord } from "./discord-render.ts";
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
import { parseSlack } from "./slack-parse.ts";
import { showAddresses } from "./shown-addresses.ts";
import { renderSlack } from "./slack-render.ts";
import { writtenSlack } from "./slack-source.ts";
import { parseStyling } from "./styling-parse.ts";
import { renderStyling } from "./styling-render.ts";

/**
 * What is read out of a text, by the name of its format; a format nobody here knows is read as plain text. Links in it
 * show where they lead.
 */
export function parse(format: string, text: string): readonly Block[] {
  return readSource({ format, text }).blocks;
}

/** The text as people write it who know no ids; null: people do not write the format by hand. */
export function written(format: string, text: string): string | null {
  return (FORMATS.get(format)?.written ?? notWritten)(text);
}

const asWritten = (text: string): string => text;
const notWritten = (): null => null;

/**
 * A source as it may be passed on, with what is read out of it. A network of the same format gets the text as it was
 * written, so a text with a link that pretends to lead elsewhere is written anew.
 */
export function readSource({ format, text }: Source): { readonly source: Source; readonly blocks: readonly Block[] } {
  const read = (FORMATS.get(format)?.parse ?? parsePlain)(text);
  const blocks = showAddresses(read);
  return { source: { format, text: blocks === read ? text : render(format, blocks) }, blocks };
}

/** The tree as text of a format; a format nobody here knows gets plain text. */
export function render(format: string, blocks: readonly Block[]): string {
  return (FORMATS.get(format)?.render ?? plainText)(blocks);
}

interface Format {
  readonly parse: (text: string) => readonly Block[];
  readonly render: (blocks: readonly Block[]) => string;
  readonly written: (text: string) => string | null;
}

const FORMATS: ReadonlyMap<string, Format> = new Map<string, Format>([
  ["irc", { parse: parseIrc, render: renderIrc, written: notWritten }],
  ["markdown", { parse: parseMarkdown, render: renderMarkdown, written: asWritten }],
  ["mattermost", { parse: parseMattermost, render: renderMattermost, written: asWritten }],
  ["discord", { parse: parseDiscord, render: (blocks) => renderDiscord(blocks), written: writtenDiscord }],
  ["slack", { parse: (text) => parseSlack(text), render: renderSlack, written: writtenSlack }],
  [
    "html",
    { parse: (text) => parseHtml(text, personBehind), render: (blocks) => renderHtml(blocks), written: notWritten },
  ],
  ["styling", { parse: (text) => parseStyling(text), render: renderStyling, written: asWritten }],
]);

/** Plain stays plain: nothing in it has a meaning but the line breaks. */
function parsePlain(text: string): readonly Block[] {
  return text === "" ? [] : [{ t: "para", of: [{ t: "text", text }] }];
}
