import type { Block, Inline } from "../contract/content.ts";
import { isObject, listOf } from "../lib/shapes.ts";
import { markedItem } from "./list-text.ts";
import { plainText } from "./plain.ts";

type Json = Readonly<Record<string, unknown>>;

/** The network itself nests no deeper than 16. */
const DEPTH_MAX = 32;

/** What a place is in words, such as a link to a map. */
type PlaceWords = (location: unknown) => string;

/**
 * A message that is written in blocks (`RichMessage` of Bot API 10.1 and later) as the tree. Pictures and other media
 * in it are files, of which only the captions are here.
 */
export function telegramRichBlocks(message: unknown, placeWords: PlaceWords): readonly Block[] {
  return blocksIn(message, placeWords, 0);
}

function blocksIn(from: unknown, placeWords: PlaceWords, depth: number): readonly Block[] {
  if (depth > DEPTH_MAX || !isObject(from)) return [];
  return listOf(from["blocks"]).flatMap((block) => (isObject(block) ? blockIn(block, placeWords, depth) : []));
}

function blockIn(block: Json, placeWords: PlaceWords, depth: number): readonly Block[] {
  const inner = (): readonly Block[] => blocksIn(block, placeWords, depth + 1);
  const said = (): readonly Inline[] => runIn(block["text"], depth);
  switch (block["type"]) {
    case "paragraph":
    case "footer":
    case "thinking":
      return paraOf(said());
    case "heading":
      return said().length === 0 ? [] : [{ t: "heading", level: Number(block["size"]) || 1, of: said() }];
    case "pre":
      return preOf(plainOf(said()), textOf(block["language"]) || null);
    case "mathematical_expression":
      return preOf(textOf(block["expression"]), null);
    case "divider":
      return paraOf([{ t: "text", text: "---" }]);
    case "list":
      return listBlock(listOf(block["items"]).filter(isObject), placeWords, depth);
    case "blockquote":
    case "expandable_blockquote":
    case "pullquote": {
      const of = [...paraOf(said()), ...inner(), ...paraOf(runIn(block["credit"], depth))];
      return of.length === 0 ? [] : [{ t: "quote", of }];
    }
    case "details":
      return [...paraOf(inFormat("bold", runIn(block["summary"], depth))), ...inner()];
    case "table":
      return [...listOf(block["cells"]).flatMap((row) => rowOf(row, depth)), ...paraOf(runIn(block["caption"], depth))];
    case "buttons":
      return paraOf(
        joined(
          listOf(block["buttons"]).map((button) => buttonIn(button, depth)),
          " / ",
        ),
      );
    case "map":
      return [
        ...paraOf([{ t: "text", text: `(place: ${placeWords(block["location"])})` }]),
        ...captionIn(block, depth),
      ];
    default:
      return [...strange(block), ...inner(), ...captionIn(block, depth)];
  }
}

/** Those of which nothing but their media, their inner blocks and their captions is seen. */
const QUIET: ReadonlySet<unknown> = new Set(
  "anchor collage slideshow photo video animation audio document voice_note".split(" "),
);

/** Networks go on: what is not known is named at least. */
function strange({ type }: Json): readonly Block[] {
  return QUIET.has(type) || textOf(type) === ""
    ? []
    : paraOf([{ t: "text", text: `(${textOf(type).slice(0, NAME_MAX).replaceAll("_", " ")})` }]);
}

const NAME_MAX = 40;

function captionIn({ caption }: Json, depth: number): readonly Block[] {
  if (!isObject(caption)) return [];
  return [...paraOf(runIn(caption["text"], depth)), ...paraOf(runIn(caption["credit"], depth))];
}

/** The tree counts from 1: items that begin elsewhere, or are counted by letters, have their labels in their text. */
function listBlock(items: readonly Json[], placeWords: PlaceWords, depth: number): readonly Block[] {
  const contents = items.map((item) => {
    const tick = item["has_checkbox"] !== true ? "" : item["is_checked"] === true ? "☑ " : "☐ ";
    const blocks = blocksIn(item, placeWords, depth + 1);
    return tick === "" ? blocks : markedItem(tick, blocks);
  });
  const labels = items.map(({ label }) => textOf(label).trim());
  if (labels.every((label) => !/[\p{L}\p{N}]/u.test(label))) return listOfItems(contents, false);
  if (labels.every((label, at) => label.replace(/[.)]$/u, "") === String(at + 1))) return listOfItems(contents, true);
  return contents.flatMap((item, at) => markedItem(`${labels[at] ?? ""} `, item));
}

const listOfItems = (items: readonly (readonly Block[])[], ordered: boolean): readonly Block[] =>
  items.length === 0 ? [] : [{ t: "list", ordered, items }];

function rowOf(row: unknown, depth: number): readonly Block[] {
  const cells = listOf(row).filter(isObject);
  const shown = cells.map((cell) => {
    const of = runIn(cell["text"], depth);
    return cell["is_header"] === true ? inFormat("bold", of) : of;
  });
  return paraOf(joined(shown, " | "));
}

/** A text, or texts one after the other, or one with a format. */
function runIn(run: unknown, depth: number): readonly Inline[] {
  if (typeof run === "string") return run === "" ? [] : [{ t: "text", text: run.toWellFormed() }];
  if (depth > DEPTH_MAX) return [];
  if (Array.isArray(run)) return run.flatMap((one: unknown) => runIn(one, depth + 1));
  if (!isObject(run)) return [];
  const of = runIn(run["text"], depth + 1);
  switch (run["type"]) {
    case "bold":
    case "italic":
    case "underline":
    case "spoiler":
      return inFormat(run["type"], of);
    case "strikethrough":
      return inFormat("strike", of);
    case "code":
      return codeOf(plainOf(of));
    case "mathematical_expression":
      return codeOf(textOf(run["expression"]));
    case "custom_emoji":
      return runIn(run["alternative_text"], depth + 1);
    case "url":
      return linkOf(textOf(run["url"]), of);
    case "button":
      return buttonIn(run["button"], depth + 1);
    default:
      return of;
  }
}

function buttonIn(button: unknown, depth: number): readonly Inline[] {
  if (!isObject(button)) return [];
  const of = runIn(button["text"], depth + 1);
  const url = textOf(button["url"]);
  if (/^https?:/iu.test(url)) return linkOf(url, of);
  return of.length === 0 ? [] : [{ t: "text", text: "[" }, ...of, { t: "text", text: "]" }];
}

const textOf = (value: unknown): string => (typeof value === "string" ? value.toWellFormed() : "");

const plainOf = (of: readonly Inline[]): string => plainText([{ t: "para", of }]);

const paraOf = (of: readonly Inline[]): readonly Block[] => (of.length === 0 ? [] : [{ t: "para", of }]);

const preOf = (text: string, lang: string | null): readonly Block[] => (text === "" ? [] : [{ t: "pre", text, lang }]);

const codeOf = (text: string): readonly Inline[] => (text === "" ? [] : [{ t: "code", text }]);

const linkOf = (href: string, of: readonly Inline[]): readonly Inline[] =>
  href === "" || of.length === 0 ? of : [{ t: "link", href, of }];

const inFormat = (
  t: "bold" | "italic" | "underline" | "strike" | "spoiler",
  of: readonly Inline[],
): readonly Inline[] => (of.length === 0 ? [] : [{ t, of }]);

/** One after the other, without those that are empty. */
function joined(parts: readonly (readonly Inline[])[], between: string): readonly Inline[] {
  const of: Inline[] = [];
  for (const part of parts.filter(({ length }) => length > 0)) {
    if (of.length > 0) of.push({ t: "text", text: between });
    of.push(...part);
  }
  return of;
}
