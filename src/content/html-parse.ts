import { createRequire } from "node:module";
import type * as HtmlParser from "htmlparser2";
import type { Block } from "../contract/content.ts";
import type { UserRef } from "../contract/ids.ts";
import { HtmlBuilder, type Wrap } from "./html-build.ts";
import { isLinkable } from "./links.ts";

/**
 * HTML as a tree, of the subset that Matrix clients write: what a tag means is kept where the tree has a word for it,
 * and of everything else the text. `<mx-reply>`, scripts and styles are left out. `mention` says whom an address names,
 * null: nobody. What is after 64 Ki characters is not read (an event of Matrix is shorter); tags nested deeper than 64
 * count as text.
 */
export function parseHtml(html: string, mention: (href: string) => UserRef | null = () => null): readonly Block[] {
  const builder = new HtmlBuilder();
  if (!/[<&]/.test(html)) {
    builder.text(html);
    return builder.end();
  }
  const bounded = html.length > LENGTH_MAX ? `${html.slice(0, LENGTH_MAX)}…` : html;
  if (read(bounded, builder, mention)) return builder.end();
  const words = new HtmlBuilder();
  words.text(bounded.replaceAll(/<[^<>]*>/g, " "));
  return words.end();
}

/** Loaded with the first text that needs it: many programs never see one, and starting is quicker without. */
const load: (name: "htmlparser2") => typeof HtmlParser = createRequire(import.meta.url);

const LENGTH_MAX = 64 * 1024;
const DEPTH_MAX = 64;
/** A reader of HTML looks through all open tags at each end. */
const OPEN_MAX = 1000;
/** Their content is nothing that people see. */
const SILENT = new Set(["mx-reply", "script", "style", "head", "title", "template"]);

/** Gives false when it gave up because of tags nested beyond all measure. */
function read(html: string, builder: HtmlBuilder, mention: (href: string) => UserRef | null): boolean {
  /** What the end of each open element does. */
  const ends: ((() => void) | null)[] = [];
  let silent = 0;
  let text = "";
  let isTooDeep = false;
  const flush = (): void => {
    if (text !== "" && silent === 0) builder.text(text);
    text = "";
  };
  const { Parser } = load("htmlparser2");
  const parser = new Parser({
    onopentag: (name, attributes) => {
      flush();
      if (SILENT.has(name)) {
        silent += 1;
        ends.push(() => {
          silent -= 1;
        });
      } else if (silent > 0 || ends.length >= DEPTH_MAX) ends.push(null);
      else ends.push(open(builder, name, attributes, mention));
      isTooDeep ||= ends.length > OPEN_MAX;
      if (isTooDeep) parser.pause();
    },
    ontext: (part) => {
      text += part;
    },
    onclosetag: () => {
      flush();
      ends.pop()?.();
    },
  });
  parser.write(html);
  // oxlint-disable-next-line typescript/no-unnecessary-condition -- the parser calls back while it is written to
  if (isTooDeep) return false;
  parser.end();
  flush();
  return true;
}

type Attributes = Readonly<Record<string, string | undefined>>;
type Opener = (builder: HtmlBuilder, attributes: Attributes) => (() => void) | null;

const wrapped =
  (wrap: Wrap): Opener =>
  (builder) =>
    builder.open(wrap);

/** Stands on lines of its own; `lines`: how many line breaks are between two of them. */
const apart =
  (lines: 1 | 2): Opener =>
  (builder) => {
    builder.gap(lines);
    return () => {
      builder.gap(lines);
    };
  };

const heading =
  (level: number): Opener =>
  (builder) =>
    builder.container((blocks) =>
      blocks.map((block) => (block.t === "para" ? { t: "heading", level, of: block.of } : block)),
    );

/** Once, at its beginning. */
const said =
  (say: (builder: HtmlBuilder, attributes: Attributes) => void): Opener =>
  (builder, attributes) => {
    say(builder, attributes);
    return null;
  };

const cell: Opener = (builder) => {
  builder.cell();
  return null;
};

const ELEMENTS: ReadonlyMap<string, Opener> = new Map<string, Opener>([
  ...["b", "strong"].map((tag) => [tag, wrapped({ t: "bold" })] as const),
  ...["i", "em"].map((tag) => [tag, wrapped({ t: "italic" })] as const),
  ...["u", "ins"].map((tag) => [tag, wrapped({ t: "underline" })] as const),
  ...["s", "del", "strike"].map((tag) => [tag, wrapped({ t: "strike" })] as const),
  ...["code", "tt", "kbd", "samp"].map((tag) => [tag, wrapped({ t: "code" })] as const),
  ...[1, 2, 3, 4, 5, 6].map((level) => [`h${level}`, heading(level)] as const),
  ...["p", "table"].map((tag) => [tag, apart(2)] as const),
  ...["div", "details", "summary", "caption", "section", "article", "dl", "dt", "dd", "tr", "center"].map(
    (tag) => [tag, apart(1)] as const,
  ),
  ...["td", "th"].map((tag) => [tag, cell] as const),
  ["blockquote", (builder) => builder.container((of) => (of.length === 0 ? [] : [{ t: "quote", of }]))],
  ["ul", (builder) => builder.list(null)],
  ["ol", (builder, { start }) => builder.list(/^\d{1,9}$/.test(start ?? "") ? Number(start) : 1)],
  ["li", (builder) => builder.item()],
  ["pre", (builder) => builder.pre()],
  ["br", said((builder) => builder.lineBreak())],
  ["hr", said((builder) => builder.rule())],
  ["img", said(picture)],
  ["span", (builder, attributes) => colours(builder, attributes, attributes["data-mx-spoiler"] !== undefined)],
  ["font", (builder, attributes) => colours(builder, attributes, false)],
]);

function open(
  builder: HtmlBuilder,
  name: string,
  attributes: Attributes,
  mention: (href: string) => UserRef | null,
): (() => void) | null {
  if (name === "a") return anchor(builder, attributes["href"] ?? "", mention);
  const language = /^language-([\w+#.-]+)$/.exec(attributes["class"] ?? "")?.[1];
  if (name === "code" && builder.inPre) return builder.language(language ?? null);
  return ELEMENTS.get(name)?.(builder, attributes) ?? null;
}

function anchor(builder: HtmlBuilder, href: string, mention: (href: string) => UserRef | null): (() => void) | null {
  const user = mention(href);
  if (user !== null) return builder.open({ t: "mention", user });
  return isLinkable(href) ? builder.open({ t: "link", href }) : null;
}

function colours(builder: HtmlBuilder, attributes: Attributes, spoiler: boolean): (() => void) | null {
  const fore = colourOf(attributes["data-mx-color"] ?? attributes["color"]);
  const back = colourOf(attributes["data-mx-bg-color"]);
  const ends = [
    ...(spoiler ? [builder.open({ t: "spoiler" })] : []),
    ...(fore === null && back === null ? [] : [builder.open({ t: "colour", fore, back })]),
  ];
  return () => {
    for (const end of ends.toReversed()) end();
  };
}

function colourOf(value: string | undefined): string | null {
  return value !== undefined && /^#[0-9a-f]{6}$/i.test(value) ? value.toLowerCase() : null;
}

/** Its words: emoji of a server's own, and pictures, have nothing else that crosses. */
function picture(builder: HtmlBuilder, attributes: Attributes): void {
  const words = attributes["alt"] ?? attributes["title"] ?? "";
  if (words === "") return;
  if (attributes["data-mx-emoticon"] === undefined) builder.text(words);
  else builder.emoji(words);
}
