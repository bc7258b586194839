import type { Block } from "../contract/content.ts";
import { parseIrc } from "./irc.ts";

/** What is read out of a text, by the name of its format; a format nobody here knows is read as plain text. */
export function parse(format: string, text: string): readonly Block[] {
  return (PARSERS.get(format) ?? parsePlain)(text);
}

type Parser = (text: string) => readonly Block[];

const PARSERS: ReadonlyMap<string, Parser> = new Map([["irc", parseIrc]]);

/** Plain stays plain: nothing in it has a meaning but the line breaks. */
const parsePlain: Parser = (text) => (text === "" ? [] : [{ t: "para", of: [{ t: "text", text }] }]);
