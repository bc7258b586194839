import type { Block, Inline } from "../contract/content.ts";
import { withoutC0 } from "./controls.ts";
import { isLinkable, shownLink } from "./links.ts";
import { plainText } from "./plain.ts";

type Mention = Extract<Inline, { t: "mention" }>;

/** Where a mention leads, null: nowhere. */
export type MentionLink = (mention: Mention) => string | null;

/**
 * The tree as HTML of the subset that Matrix clients show ("m.text" with `org.matrix.custom.html`): only its tags and
 * attributes, and every text escaped. One paragraph alone has no tag around it. Addresses that nobody should click on
 * are text.
 */
export function renderHtml(blocks: readonly Block[], mention: MentionLink = () => null): string {
  const joined = joinParas(blocks);
  const [first, ...rest] = joined;
  if (first?.t === "para" && rest.length === 0) return lineHtml(first.of, mention);
  return joined.map((block) => blockHtml(block, mention)).join("");
}

/**
 * Paragraphs side by side stand line under line, as they do everywhere else; an empty line beside another block is that
 * block's margin.
 */
function joinParas(blocks: readonly Block[]): readonly Block[] {
  const joined = joinAll(blocks);
  if (joined.length < 2) return joined;
  return joined.flatMap((block): readonly Block[] => {
    if (block.t !== "para") return [block];
    const of = withoutEmptyEdges(block.of);
    return of.length === 0 ? [] : [{ t: "para", of }];
  });
}

function withoutEmptyEdges(of: readonly Inline[]): readonly Inline[] {
  const texts = of.map((inline, at): Inline => {
    if (inline.t !== "text") return inline;
    const begun = at === 0 ? inline.text.replace(/^\n+/, "") : inline.text;
    return { t: "text", text: at === of.length - 1 ? begun.replace(/\n+$/, "") : begun };
  });
  return texts.filter((inline) => inline.t !== "text" || inline.text !== "");
}

function joinAll(blocks: readonly Block[]): readonly Block[] {
  const all: Block[] = [];
  let of: Inline[] | null = null;
  for (const block of blocks) {
    if (block.t !== "para") {
      all.push(block);
      of = null;
    } else if (of === null) {
      of = [...block.of];
      all.push({ t: "para", of });
    } else of.push({ t: "text", text: "\n" }, ...block.of);
  }
  return all;
}

function blockHtml(block: Block, mention: MentionLink): string {
  switch (block.t) {
    case "para":
      return `<p>${lineHtml(block.of, mention)}</p>`;
    case "heading": {
      const tag = `h${Math.min(Math.max(Math.trunc(block.level) || 1, 1), 6)}`;
      return `<${tag}>${lineHtml(block.of, mention)}</${tag}>`;
    }
    case "pre": {
      const language = block.lang !== null && /^[\w+#.-]+$/.test(block.lang) ? ` class="language-${block.lang}"` : "";
      return `<pre><code${language}>${escapeHtml(block.text)}\n</code></pre>`;
    }
    case "quote":
      return `<blockquote>${joinParas(block.of)
        .map((inner) => blockHtml(inner, mention))
        .join("")}</blockquote>`;
    case "list": {
      const tag = block.ordered ? "ol" : "ul";
      return `<${tag}>${block.items.map((item) => `<li>${renderHtml(item, mention)}</li>`).join("")}</${tag}>`;
    }
  }
}

/** What is written so far. */
interface Writing {
  readonly mention: MentionLink;
  /** Nothing or a space comes before: a space here would not show. */
  afterSpace: boolean;
  /** A link holds no link. */
  inLink: boolean;
}

function lineHtml(inlines: readonly Inline[], mention: MentionLink): string {
  return inlinesHtml(inlines, { mention, afterSpace: true, inLink: false });
}

function inlinesHtml(inlines: readonly Inline[], writing: Writing): string {
  let html = "";
  for (const inline of inlines) html += inlineHtml(inline, writing);
  return html;
}

const TAGS = { bold: "strong", italic: "em", underline: "u", strike: "del" } as const;

function inlineHtml(inline: Inline, writing: Writing): string {
  switch (inline.t) {
    case "text":
    case "emoji":
      return textHtml(inline.text, writing);
    case "code":
      return inline.text === "" ? "" : `<code>${textHtml(inline.text, writing)}</code>`;
    case "bold":
    case "italic":
    case "underline":
    case "strike": {
      const inner = inlinesHtml(inline.of, writing);
      return inner === "" ? "" : `<${TAGS[inline.t]}>${inner}</${TAGS[inline.t]}>`;
    }
    case "spoiler":
      return span(" data-mx-spoiler", inlinesHtml(inline.of, writing));
    case "colour": {
      const attributes =
        colourAttribute("data-mx-color", inline.fore) + colourAttribute("data-mx-bg-color", inline.back);
      return span(attributes, inlinesHtml(inline.of, writing));
    }
    case "mention":
      return anchor(writing.inLink ? null : writing.mention(inline), textHtml(inline.text, writing));
    case "link":
      return linkHtml(inline, writing);
  }
}

function linkHtml({ href, of }: Extract<Inline, { t: "link" }>, writing: Writing): string {
  const shown = shownLink(plainText([{ t: "para", of }]), href);
  const isLink = isLinkable(href) && !writing.inLink;
  const { inLink } = writing;
  writing.inLink ||= isLink;
  const inner = shown === "address" ? textHtml(href, writing) : inlinesHtml(of, writing);
  writing.inLink = inLink;
  if (isLink) return anchor(href, inner);
  return shown === "both" ? inner + textHtml(` (${href})`, writing) : inner;
}

function anchor(href: string | null, inner: string): string {
  return href === null ? inner : `<a href="${escapeHtml(href)}">${inner}</a>`;
}

function span(attributes: string, inner: string): string {
  return attributes === "" || inner === "" ? inner : `<span${attributes}>${inner}</span>`;
}

function colourAttribute(name: string, colour: string | null): string {
  return colour !== null && /^#[0-9a-f]{6}$/i.test(colour) ? ` ${name}="${colour.toLowerCase()}"` : "";
}

/** Line breaks are elements, and spaces that HTML would swallow do not break. */
function textHtml(text: string, writing: Writing): string {
  if (text === "") return "";
  const html = escapeHtml(text);
  const isSimple = !(writing.afterSpace && html.startsWith(" ")) && !/[\n\r\t]| {2}/.test(html);
  const before = writing.afterSpace ? "\n" : "x";
  writing.afterSpace = /\s$/.test(html.slice(-1));
  if (isSimple) return html;
  return (before + html)
    .replaceAll(/\r\n?/g, "\n")
    .replaceAll("\t", "    ")
    .replaceAll(/\n +/g, (spaces) => `\n${"&nbsp;".repeat(spaces.length - 1)}`)
    .replaceAll(/ {2,}/g, (spaces) => `${"&nbsp;".repeat(spaces.length - 1)} `)
    .slice(1)
    .replaceAll("\n", "<br>");
}

/**
 * Text as the content of an element or of an attribute in double quotes; what XML and HTML do not allow is left out.
 */
export function escapeHtml(text: string): string {
  return withoutC0(text)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
