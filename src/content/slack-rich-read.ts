import type { Block, Inline } from "../contract/content.ts";
import { isObject, listOf } from "../lib/shapes.ts";
import { markedItem } from "./list-text.ts";
import { plainText } from "./plain.ts";
import {
  channelInline,
  dateInline,
  emojiInline,
  groupInline,
  linkInline,
  type SlackNames,
  textOf,
  userInline,
} from "./slack-tokens.ts";

type Json = Readonly<Record<string, unknown>>;

export const wordIn = (from: Json, key: string): string => {
  const value = from[key];
  return typeof value === "string" ? value : "";
};

const numberIn = (from: Json, key: string): number => {
  const value = from[key];
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : 0;
};

/** The elements of a `rich_text` block. What has another shape than Slack documents is its words. */
export function richBlocks(elements: readonly unknown[], names: SlackNames): readonly Block[] {
  const blocks: Block[] = [];
  /** A quote that may go on: a list or a block of code with a border belongs to the one before it. */
  let quote: Block[] | null = null;
  for (let at = 0; at < elements.length; at += 1) {
    const element = elements[at];
    if (!isObject(element)) continue;
    const type = wordIn(element, "type");
    if (type === "rich_text_list") {
      const run = listRun(elements, at, names);
      at += run.length - 1;
      if (isBordered(element)) quote = into(quote, blocks, listsOf(run));
      else blocks.push(...listsOf(run));
    } else if (type === "rich_text_quote") {
      const of: Block[] = [{ t: "para", of: richWords(listOf(element["elements"]), names) }];
      const goesOn = quote !== null && quote.at(-1)?.t !== "para";
      quote = into(goesOn ? quote : null, blocks, of);
      continue;
    } else if (type === "rich_text_preformatted") {
      const pre = preOf(element, names);
      if (isBordered(element)) quote = into(quote, blocks, [pre]);
      else blocks.push(pre);
    } else {
      const of = richWords(listOf(element["elements"]), names);
      const own = at === elements.length - 1 ? of : withoutBreak(of);
      if (own.length > 0) blocks.push({ t: "para", of: own });
    }
    if (!isBordered(element)) quote = null;
  }
  return blocks;
}

const isBordered = (element: Json): boolean => element["border"] === 1 || element["border"] === true;

function into(quote: Block[] | null, blocks: Block[], of: readonly Block[]): Block[] {
  if (quote !== null) {
    quote.push(...of);
    return quote;
  }
  const begun = [...of];
  blocks.push({ t: "quote", of: begun });
  return begun;
}

/** The line break before a block is shown as none. */
function withoutBreak(of: readonly Inline[]): readonly Inline[] {
  const last = of.at(-1);
  if (last?.t !== "text" || !last.text.endsWith("\n")) return of;
  const text = last.text.slice(0, -1);
  return [...of.slice(0, -1), ...(text === "" ? [] : [textOf(text)])];
}

function preOf(element: Json, names: SlackNames): Block {
  const text = plainText([{ t: "para", of: richWords(listOf(element["elements"]), names) }]);
  return { t: "pre", text: text.replace(/\n$/, ""), lang: wordIn(element, "language") || null };
}

/** Items that stand side by side, as Slack has lists: those within others are lists of their own behind them. */
interface Level {
  readonly indent: number;
  readonly ordered: boolean;
  readonly offset: number;
  readonly items: readonly Block[][];
}

const INDENT_MAX = 8;

function listRun(elements: readonly unknown[], from: number, names: SlackNames): readonly Level[] {
  const run: Level[] = [];
  const first = elements[from];
  for (let at = from; at < elements.length; at += 1) {
    const element = elements[at];
    if (!isObject(element) || !isObject(first) || wordIn(element, "type") !== "rich_text_list") break;
    if (isBordered(element) !== isBordered(first)) break;
    run.push({
      indent: Math.min(numberIn(element, "indent"), INDENT_MAX),
      ordered: wordIn(element, "style") === "ordered",
      offset: numberIn(element, "offset"),
      items: listOf(element["elements"]).map((item): Block[] => {
        const of = isObject(item) ? richWords(listOf(item["elements"]), names) : [];
        return of.length === 0 ? [] : [{ t: "para", of }];
      }),
    });
  }
  return run;
}

type List = Extract<Block, { t: "list" }>;

interface OpenList {
  readonly indent: number;
  readonly blocks: Block[];
  /** The last of the blocks, where it is a list that may go on. */
  last: { readonly list: List; readonly items: Block[][] } | null;
}

function listsOf(run: readonly Level[]): readonly Block[] {
  const blocks: Block[] = [];
  const open: OpenList[] = [];
  for (const level of run) {
    while ((open.at(-1)?.indent ?? -1) > level.indent) open.pop();
    const top = open.at(-1);
    if (top === undefined || top.indent < level.indent) {
      const item = top?.last?.items.at(-1);
      open.push({ indent: level.indent, blocks: item ?? top?.blocks ?? blocks, last: null });
    }
    const here = open.at(-1);
    if (here !== undefined) addItems(here, level);
  }
  return blocks;
}

function addItems(here: OpenList, { ordered, offset, items }: Level): void {
  const { last } = here;
  const goesOn = last !== null && last.list.ordered === ordered && (!ordered || offset === last.items.length);
  if (goesOn) last.items.push(...items);
  else if (ordered && offset > 0) {
    here.blocks.push(...items.flatMap((item, at) => markedItem(`${offset + at + 1}. `, item)));
    here.last = null;
  } else {
    const own = [...items];
    const list: List = { t: "list", ordered, items: own };
    here.blocks.push(list);
    here.last = { list, items: own };
  }
}

/** A piece of text with its styles. */
interface Run {
  readonly inline: Inline;
  readonly style: Json;
}

/** From the outermost to the innermost. */
const STYLES = ["bold", "italic", "strike", "underline"] as const;

/** Elements of a section. */
export function richWords(elements: readonly unknown[], names: SlackNames): readonly Inline[] {
  const runs = elements.filter(isObject).map((element): Run => {
    const style = isObject(element["style"]) ? element["style"] : {};
    const inline = wordsOf(element, names);
    if (style["code"] !== true || inline.t === "mention") return { inline, style };
    return { inline: { t: "code", text: plainText([{ t: "para", of: [inline] }]) }, style };
  });
  return nested(
    runs.filter(({ inline }) => !("text" in inline) || inline.text !== ""),
    0,
  );
}

function nested(runs: readonly Run[], depth: number): readonly Inline[] {
  const style = STYLES[depth];
  const of: Inline[] = [];
  if (style === undefined) {
    for (const run of runs) put(of, run.inline);
    return of;
  }
  for (let from = 0; from < runs.length;) {
    const isStyled = runs[from]?.style[style] === true;
    let to = from + 1;
    while (to < runs.length && (runs[to]?.style[style] === true) === isStyled) to += 1;
    const part = nested(runs.slice(from, to), depth + 1);
    if (isStyled) of.push({ t: style, of: part });
    else for (const inline of part) of.push(inline);
    from = to;
  }
  return of;
}

/** Text beside text, and code beside code, is one. */
function put(of: Inline[], inline: Inline): void {
  const last = of.at(-1);
  if ((inline.t === "text" || inline.t === "code") && last?.t === inline.t)
    of[of.length - 1] = { t: inline.t, text: last.text + inline.text };
  else of.push(inline);
}

function wordsOf(element: Json, names: SlackNames): Inline {
  const word = (key: string): string => wordIn(element, key);
  switch (word("type")) {
    case "text":
      return textOf(word("text"));
    case "link":
      return linkInline(word("url"), word("text") || null);
    case "emoji":
      return emojiOf(element);
    case "user":
      return userInline(word("user_id") || "U", names.user(word("user_id")));
    case "usergroup":
      return groupInline(names.group(word("usergroup_id")));
    case "channel":
      return channelInline(names.channel(word("channel_id")));
    case "broadcast":
      return textOf(`@${word("range") || "channel"}`);
    case "team":
      return textOf("@unknown-team");
    case "color":
      return textOf(word("value"));
    case "date":
      return dateInline(secondsOf(element["timestamp"]), word("format"), {
        url: word("url"),
        fallback: word("fallback") || null,
      });
    default:
      return textOf(SAYING.map(word).find((words) => words !== "") ?? somethingOf(word("type")));
  }
}

/** What nobody knows how to show. */
export const somethingOf = (type: string): string =>
  type === "canvas"
    ? "(canvas)"
    : `(something that only Slack shows${type === "" ? "" : `: ${type.replaceAll("_", " ")}`})`;

/** Programs have sent them as text, too. */
const secondsOf = (value: unknown): number =>
  typeof value === "number" || typeof value === "string" ? Number(value) : Number.NaN;

/** Where elements that are not documented may have words. */
const SAYING = ["text", "label", "name", "title", "fallback", "url"] as const;

function emojiOf(element: Json): Inline {
  const [name = "", tone] = wordIn(element, "name").split("::skin-tone-");
  const points = wordIn(element, "unicode").split("-").map(pointOf);
  if (points.every((point) => point !== null)) return textOf(String.fromCodePoint(...points));
  const own = element["skin_tone"] ?? Number(tone);
  return emojiInline(name, typeof own === "number" && own >= 2 && own <= 6 ? own : null);
}

function pointOf(hex: string): number | null {
  const point = /^[\da-f]{1,6}$/i.test(hex) ? Number.parseInt(hex, 16) : -1;
  return point > 0x1f && point <= 0x10ffff && (point < 0xd800 || point > 0xdfff) ? point : null;
}
