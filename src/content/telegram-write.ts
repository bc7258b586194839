import type { Block, Inline } from "../contract/content.ts";
import { measure } from "./length.ts";
import { shownLink } from "./links.ts";
import { plainText, quoted } from "./plain.ts";
import { withoutQuotes } from "./slack-write.ts";

interface Place {
  /** In units of UTF-16. */
  readonly offset: number;
  readonly length: number;
}

/** What a part of a text is, by the network's own words. */
export type TelegramEntity = Place &
  (
    | { readonly type: "bold" | "italic" | "underline" | "strikethrough" | "spoiler" | "code" | "blockquote" }
    | { readonly type: "pre"; readonly language?: string }
    | { readonly type: "text_link"; readonly url: string }
    | { readonly type: "text_mention"; readonly user: { readonly id: number } }
  );

export interface TelegramText {
  readonly text: string;
  readonly entities: readonly TelegramEntity[];
}

/**
 * The tree as a text with entities. What is text there is shown as it is, but for what Telegram finds by itself, such
 * as addresses. A mention is one when its user is an id of Telegram's people; any other is its text. A heading is a
 * bold line, a list is text, and a quote within one or within a quote has marks; a colour is its words.
 */
export function writeTelegram(blocks: readonly Block[]): TelegramText {
  const writer = new Writer();
  writer.blocks(blocks.map(withoutQuotes));
  return { text: writer.text, entities: writer.entities() };
}

/** What Telegram counts of it, for its limits of 4096 and 1024: code points, without the entities. */
export function telegramLength(blocks: readonly Block[]): number {
  return measure(writeTelegram(blocks).text, "codepoints");
}

type Kind = TelegramEntity extends infer E ? (E extends Place ? Omit<E, keyof Place> : never) : never;

const STYLES = {
  bold: { type: "bold" },
  italic: { type: "italic" },
  underline: { type: "underline" },
  strike: { type: "strikethrough" },
  spoiler: { type: "spoiler" },
} as const satisfies Record<string, Kind>;

const LANG = /^[\w+#.-]{1,64}$/;

/** Telegram keeps so many of one message, and forgets the others without a word. */
const ENTITIES_MAX = 100;
/** More of them have their addresses behind their words. */
const LINKS_MAX = 50;

class Writer {
  text = "";
  readonly #links: TelegramEntity[] = [];
  /** `count`: how many it will be there, because code cuts the styles that it is in. */
  readonly #marks: { readonly entity: TelegramEntity; readonly count: number }[] = [];
  #depth = 0;
  /** What comes after each line break: the indent of the list that it is in. */
  #indent = "";
  #inList = false;
  /** A link holds neither links nor code. */
  #inLink = false;

  /** The outer one first. */
  entities(): readonly TelegramEntity[] {
    let left = ENTITIES_MAX - this.#links.length;
    const marks = this.#marks.filter(({ count }) => {
      left -= count;
      return left >= 0;
    });
    return [...this.#links, ...marks.map(({ entity }) => entity)].toSorted(byPlace);
  }

  blocks(blocks: readonly Block[]): void {
    for (const [at, block] of blocks.entries()) {
      if (at > 0) this.#say("\n");
      this.#block(block);
    }
  }

  #block(block: Block): void {
    switch (block.t) {
      case "para":
        this.#inlines(block.of);
        return;
      case "heading":
        this.#inlines([{ t: "bold", of: block.of }]);
        return;
      case "pre": {
        const language = block.lang !== null && LANG.test(block.lang) ? { language: block.lang } : {};
        this.#as({ type: "pre", ...language }, () => {
          this.text += cleaned(block.text);
        });
        return;
      }
      case "quote":
        if (this.#inList) this.#say(quoted(plainText(block.of)));
        else
          this.#as({ type: "blockquote" }, () => {
            this.blocks(block.of);
          });
        return;
      case "list":
        this.#list(block);
        return;
    }
  }

  #list({ ordered, items }: Extract<Block, { t: "list" }>): void {
    const [indent, inList] = [this.#indent, this.#inList];
    this.#inList = true;
    for (const [at, item] of items.entries()) {
      const mark = ordered ? `${at + 1}. ` : "- ";
      if (at > 0) this.#say("\n");
      this.#say(mark);
      this.#indent = indent + " ".repeat(mark.length);
      this.blocks(item);
      this.#indent = indent;
    }
    this.#inList = inList;
  }

  #inlines(of: readonly Inline[]): void {
    for (const inline of of) this.#inline(inline);
  }

  #inline(inline: Inline): void {
    switch (inline.t) {
      case "text":
      case "emoji":
        this.#say(inline.text);
        return;
      case "code":
        this.#as(this.#inLink ? null : { type: "code" }, () => {
          this.#say(inline.text);
        });
        return;
      case "bold":
      case "italic":
      case "underline":
      case "strike":
      case "spoiler":
        this.#as(STYLES[inline.t], () => {
          this.#inlines(inline.of);
        });
        return;
      case "colour":
        this.#inlines(inline.of);
        return;
      case "mention":
        this.#as(this.#inLink ? null : mentionOf(inline.user), () => {
          this.#say(inline.text);
        });
        return;
      case "link":
        this.#link(inline);
        return;
    }
  }

  #link({ href, of }: Extract<Inline, { t: "link" }>): void {
    const words = plainText([{ t: "para", of }]);
    const shown = shownLink(words, href);
    if (shown === "address") {
      this.#say(href);
      return;
    }
    const isLink = shown === "both" && !this.#inLink && this.#links.length < LINKS_MAX && isTelegramLink(href);
    this.#inLink ||= isLink;
    this.#as(isLink ? { type: "text_link", url: href } : null, () => {
      this.#inlines(of);
    });
    if (isLink) this.#inLink = false;
    else if (shown === "both") this.#say(` (${href})`);
  }

  /** `kind`: null, it is nothing but its words. */
  #as(kind: Kind | null, say: () => void): void {
    const offset = this.text.length;
    this.#depth += 1;
    say();
    this.#depth -= 1;
    const length = this.text.length - offset;
    if (kind === null || length === 0) return;
    const entity: TelegramEntity = { ...kind, offset, length };
    if (kind.type === "text_link") this.#links.push(entity);
    else this.#marks.push({ entity, count: kind.type === "code" || kind.type === "pre" ? this.#depth + 1 : 1 });
  }

  #say(text: string): void {
    this.text += cleaned(text).replaceAll("\n", () => `\n${this.#indent}`);
  }
}

/**
 * Half a character is none to Telegram, a ring that is not part of its letter is taken away there, and a tab is one
 * blank.
 */
const cleaned = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll("\t", "    ")
    .replaceAll(/\S\u030a/gu, (letter) => letter.normalize("NFC"));

const mentionOf = (user: string | null): Kind | null =>
  user !== null && /^[1-9]\d{0,15}$/.test(user) ? { type: "text_mention", user: { id: Number(user) } } : null;

/** Telegram drops some links without a word: their addresses must be seen. */
function isTelegramLink(href: string): boolean {
  if (!/^https?:\/\/[^\s<>"]+$/i.test(href) || !URL.canParse(href)) return false;
  const { hostname } = new URL(href);
  return href.length <= HREF_MAX && (hostname.includes(".") || hostname === "localhost");
}

const HREF_MAX = 2048;

const byPlace = (one: Place, other: Place): number => one.offset - other.offset || other.length - one.length;
