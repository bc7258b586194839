import type { Block, Inline } from "../contract/content.ts";
import { isUnseen } from "./controls.ts";
import { measure } from "./length.ts";
import { isLinkable, shownLink } from "./links.ts";
import { plainText, quoted } from "./plain.ts";
import { SLACK_USER } from "./slack-render.ts";
import { textOf } from "./slack-tokens.ts";
import { urlParts, withoutQuotes } from "./slack-write.ts";

interface SlackStyle {
  readonly bold?: true;
  readonly italic?: true;
  readonly strike?: true;
  readonly underline?: true;
  readonly code?: true;
}

interface Styled {
  readonly style?: SlackStyle;
}

type SlackRichElement = Styled &
  (
    | { readonly type: "text"; readonly text: string }
    | { readonly type: "link"; readonly url: string; readonly text?: string }
    | { readonly type: "emoji"; readonly name: string }
    | { readonly type: "user"; readonly user_id: string }
    | { readonly type: "broadcast"; readonly range: "here" | "channel" | "everyone" }
  );

interface SlackRichSection {
  readonly type: "rich_text_section";
  readonly elements: readonly SlackRichElement[];
}

export type SlackRichPart =
  | SlackRichSection
  | { readonly type: "rich_text_quote"; readonly elements: readonly SlackRichElement[] }
  | {
      readonly type: "rich_text_preformatted";
      readonly border: 0 | 1;
      readonly language?: string;
      readonly elements: readonly { readonly type: "text"; readonly text: string }[];
    }
  | {
      readonly type: "rich_text_list";
      readonly style: "bullet" | "ordered";
      readonly indent: number;
      readonly border: 0 | 1;
      readonly offset?: number;
      readonly elements: readonly SlackRichSection[];
    };

/** One of the blocks of a message. */
export interface SlackRichText {
  readonly type: "rich_text";
  readonly elements: readonly SlackRichPart[];
}

/** Whether the workspace has an emoji of its own of this name. */
type HasEmoji = (name: string) => boolean;

/**
 * The tree as a block of Slack; null: nothing of it can be seen. What is text there is shown as it is. A mention is one
 * when its user is an id of Slack, `@here`, `@channel` or `@everyone`; any other is its text. What has no element of
 * its own is its words: a spoiler, a colour, code within a list, a quote within a quote. A heading is a bold line.
 */
export function slackRichText(blocks: readonly Block[], hasEmoji: HasEmoji = () => false): SlackRichText | null {
  const writer = new Writer(hasEmoji);
  writer.write(blocks.map(withoutQuotes), 0);
  return writer.parts.length === 0 || isUnseen(plainText(blocks))
    ? null
    : { type: "rich_text", elements: writer.parts };
}

/** Characters of all that the blocks of one message say; Slack takes about 13 000. */
export const SLACK_RICH_MAX = 12_000;

/** Characters of all that a block says, addresses and names included. */
export function slackRichLength({ elements }: SlackRichText): number {
  const all = elements.flatMap((part): readonly SlackRichElement[] =>
    part.type === "rich_text_list" ? part.elements.flatMap((item) => item.elements) : part.elements,
  );
  return all.reduce((sum, element) => sum + lengthOf(element), 0);
}

function lengthOf(element: SlackRichElement): number {
  switch (element.type) {
    case "text":
      return measure(element.text, "codepoints");
    case "link":
      return measure((element.text ?? "") + element.url, "codepoints");
    case "emoji":
      return element.name.length + 2;
    case "user":
      return element.user_id.length + 3;
    case "broadcast":
      return element.range.length + 1;
  }
}

const INDENT_MAX = 8;
const LANG = /^[\w+#.-]{1,64}$/;

type Border = 0 | 1;
type List = Extract<Block, { t: "list" }>;

class Writer {
  readonly parts: SlackRichPart[] = [];
  readonly #hasEmoji: HasEmoji;
  /** The section or quote under way. */
  #words: SlackRichElement[] | null = null;

  constructor(hasEmoji: HasEmoji) {
    this.#hasEmoji = hasEmoji;
  }

  /** `border`: 1 within a quote. */
  write(blocks: readonly Block[], border: Border): void {
    for (const block of blocks) this.#block(block, border);
    this.#flush(border, false);
  }

  #block(block: Block, border: Border): void {
    switch (block.t) {
      case "para":
        this.#say(block.of);
        return;
      case "heading":
        this.#say([{ t: "bold", of: block.of }]);
        return;
      case "pre": {
        if (isUnseen(block.text)) {
          this.#say([textOf(block.text)]);
          return;
        }
        this.#flush(border, true);
        const elements = [{ type: "text" as const, text: block.text }];
        const language = block.lang !== null && LANG.test(block.lang) ? { language: block.lang } : {};
        this.parts.push({ type: "rich_text_preformatted", border, ...language, elements });
        return;
      }
      case "quote":
        this.#flush(border, true);
        this.write(block.of, 1);
        return;
      case "list":
        this.#flush(border, true);
        this.#list(block, 0, border);
        return;
    }
  }

  #say(of: readonly Inline[]): void {
    if (this.#words === null) this.#words = [];
    else put(this.#words, { type: "text", text: "\n" });
    for (const element of elementsOf(of, {}, this.#hasEmoji)) put(this.#words, element);
  }

  #flush(border: Border, isFollowed: boolean): void {
    const elements = this.#words ?? [];
    const last = elements.at(-1);
    // The last line break before another part shows nothing.
    if (border === 0 && isFollowed && last?.type === "text" && last.text.endsWith("\n"))
      elements[elements.length - 1] = { ...last, text: `${last.text}\n` };
    this.#words = null;
    if (elements.length > 0)
      this.parts.push({ type: border === 1 ? "rich_text_quote" : "rich_text_section", elements });
  }

  #list({ ordered, items }: List, indent: number, border: Border): void {
    let [begin, own]: [number, SlackRichSection[]] = [0, []];
    const flush = (next: number): void => {
      const style = ordered ? "ordered" : "bullet";
      const offset = ordered && begin > 0 ? { offset: begin } : {};
      if (own.length > 0) this.parts.push({ type: "rich_text_list", style, indent, border, ...offset, elements: own });
      [begin, own] = [next, []];
    };
    const within = Math.min(indent + 1, INDENT_MAX);
    for (const [at, item] of items.entries()) {
      const nested = item.findIndex(({ t }) => t === "list");
      const first = nested === -1 ? item : item.slice(0, nested);
      own.push(this.#item(first));
      if (nested === -1) continue;
      flush(at + 1);
      // Words behind a list within an item have no place but in another item.
      for (const block of item.slice(nested)) {
        if (block.t === "list") this.#list(block, within, border);
        else this.#list({ t: "list", ordered: false, items: [[block]] }, within, border);
      }
    }
    flush(items.length);
  }

  #item(blocks: readonly Block[]): SlackRichSection {
    const elements: SlackRichElement[] = [];
    for (const [at, block] of blocks.entries()) {
      if (at > 0) put(elements, { type: "text", text: "\n" });
      for (const element of elementsOf(lineOf(block), {}, this.#hasEmoji)) put(elements, element);
    }
    return { type: "rich_text_section", elements };
  }
}

/** A block where there are none. */
function lineOf(block: Block): readonly Inline[] {
  switch (block.t) {
    case "para":
      return block.of;
    case "heading":
      return [{ t: "bold", of: block.of }];
    case "pre":
      return [{ t: "code", text: block.text }];
    case "quote":
      return [textOf(quoted(plainText(block.of)))];
    case "list":
      return [textOf(plainText([block]))];
  }
}

function elementsOf(of: readonly Inline[], style: SlackStyle, hasEmoji: HasEmoji): readonly SlackRichElement[] {
  return of.flatMap((inline): readonly SlackRichElement[] => {
    switch (inline.t) {
      case "text":
        return textElements(inline.text, style);
      case "code":
        return [styled({ type: "text", text: inline.text }, { ...style, code: true })];
      case "mention":
        return [mentionOf(inline, style)];
      case "emoji":
        return [emojiOf(inline.text, style, hasEmoji)];
      case "bold":
      case "italic":
      case "strike":
      case "underline":
        return elementsOf(inline.of, { ...style, [inline.t]: true }, hasEmoji);
      case "spoiler":
      case "colour":
        return elementsOf(inline.of, style, hasEmoji);
      case "link":
        return linkElements(inline, style, hasEmoji);
    }
  });
}

function styled(element: SlackRichElement, style: SlackStyle): SlackRichElement {
  return Object.keys(style).length === 0 ? element : { ...element, style };
}

/** Addresses are links: Slack makes none of them in a block. */
function textElements(text: string, style: SlackStyle): readonly SlackRichElement[] {
  return urlParts(text).map(({ isUrl, part }) =>
    styled(isUrl ? { type: "link", url: part } : { type: "text", text: part }, style),
  );
}

function mentionOf({ user, text }: Extract<Inline, { t: "mention" }>, style: SlackStyle): SlackRichElement {
  if (user !== null && SLACK_USER.test(user)) return styled({ type: "user", user_id: user }, style);
  const range = user === null ? undefined : RANGES.find((one) => user === `@${one}`);
  return styled(range === undefined ? { type: "text", text } : { type: "broadcast", range }, style);
}

const RANGES = ["here", "channel", "everyone"] as const;

function emojiOf(text: string, style: SlackStyle, hasEmoji: HasEmoji): SlackRichElement {
  const name = /^:([^:\s]{1,100}):$/.exec(text)?.[1];
  const isOwn = name !== undefined && hasEmoji(name);
  return styled(isOwn ? { type: "emoji", name } : { type: "text", text }, style);
}

function linkElements(
  { href, of }: Extract<Inline, { t: "link" }>,
  style: SlackStyle,
  hasEmoji: HasEmoji,
): readonly SlackRichElement[] {
  const words = plainText([{ t: "para", of }]);
  const shown = shownLink(words, href);
  if (shown === "words") return elementsOf(of, style, hasEmoji);
  if (shown === "address") return textElements(href, style);
  if (isLinkable(href)) return [styled({ type: "link", url: href, text: words }, { ...style, ...sharedStyle(of) })];
  return [...elementsOf(of, style, hasEmoji), ...textElements(` (${href})`, style)];
}

/** Styles around all words of a link. */
function sharedStyle(of: readonly Inline[]): SlackStyle {
  const [only] = of;
  if (of.length !== 1 || only === undefined) return {};
  if (only.t === "code") return { code: true };
  if (only.t === "bold" || only.t === "italic" || only.t === "strike" || only.t === "underline")
    return { [only.t]: true, ...sharedStyle(only.of) };
  return {};
}

/** Text beside text in the same style is one; Slack refuses an empty one. */
function put(elements: SlackRichElement[], element: SlackRichElement): void {
  const last = elements.at(-1);
  if (element.type === "text" && element.text === "") return;
  if (element.type === "text" && last?.type === "text" && isSame(element.style, last.style))
    elements[elements.length - 1] = { ...last, text: last.text + element.text };
  else elements.push(element);
}

const KINDS = ["bold", "italic", "strike", "underline", "code"] as const;

const isSame = (one: SlackStyle = {}, other: SlackStyle = {}): boolean =>
  KINDS.every((kind) => one[kind] === other[kind]);
