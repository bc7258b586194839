import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmStrikethroughFromMarkdown } from "mdast-util-gfm-strikethrough";
import { gfmStrikethrough } from "micromark-extension-gfm-strikethrough";

/**
 * Markdown (CommonMark and `~~strike~~`) without its marks: emphasis and code become their text, a link `text (address)`; quotes,
 * bullets and line breaks stay. What is no Markdown (`2 * 3 * 4`, `snake_case`, `<tag>`) is not touched. A text that is long,
 * nested or full of marks beyond what people write comes back as it is, because its parsing takes time.
 */
export function stripMarkdown(text: string): string {
  if (!MARKS.test(text) || text.length > LENGTH_MAX || DEEP.test(text) || isFullOfSigns(text)) return text;
  const tree = fromMarkdown(text, {
    extensions: [gfmStrikethrough({ singleTilde: false }), { disable: { null: NOT_IN_CHATS } }],
    mdastExtensions: [gfmStrikethroughFromMarkdown()],
  });
  return blocks(tree.children, text);
}

/** Without one of these there is nothing to strip. */
const MARKS = /[*_~`[<>#\\]/;
const LENGTH_MAX = 8 * 1024;
const DEEP = /^(?:[ \t]*(?:[>*+-]|\d{1,9}[.)])){32}/m;

/** Signs that may be marks: which of them belong together takes the square of their number to find. */
const SIGNS_MAX = 1_000;
const SIGNS = /[*_~`[\]<>#\\!]/g;

function isFullOfSigns(text: string): boolean {
  return text.length > SIGNS_MAX && (text.match(SIGNS)?.length ?? 0) > SIGNS_MAX;
}

/** Programs for chats take these for text, and so they stay. */
const NOT_IN_CHATS = ["characterReference", "definition", "htmlFlow", "htmlText", "setextUnderline"];

type Node = ReturnType<typeof fromMarkdown>["children"][number];

/** One under the other, with as many line breaks between as in the source. */
function blocks(nodes: readonly Node[], source: string): string {
  let text = "";
  let line: number | undefined;
  for (const node of nodes) {
    if (line !== undefined) text += "\n".repeat(Math.max((node.position?.start.line ?? line) - line, 1));
    text += block(node, source);
    line = node.position?.end.line ?? line;
  }
  return text;
}

function block(node: Node, source: string): string {
  if (node.type === "paragraph" || node.type === "heading") return inlines(node.children, source);
  if (node.type === "list") return blocks(node.children, source);
  if (node.type === "blockquote") return indented(blocks(node.children, source), "> ", "> ");
  if (node.type === "code") return node.value;
  if (node.type !== "listItem") return sourceOf(node, source);
  const marker = `${/^\S+/.exec(sourceOf(node, source))?.[0] ?? "-"} `;
  return indented(blocks(node.children, source), marker, " ".repeat(marker.length));
}

function inlines(nodes: readonly Node[], source: string): string {
  return nodes.map((node) => inline(node, source)).join("");
}

function inline(node: Node, source: string): string {
  if (node.type === "text" || node.type === "inlineCode") return node.value;
  if (node.type === "emphasis" || node.type === "strong" || node.type === "delete")
    return inlines(node.children, source);
  if (node.type === "link") return link(inlines(node.children, source), node.url);
  if (node.type === "image") return link(node.alt ?? "", node.url);
  return node.type === "break" ? "\n" : sourceOf(node, source);
}

function link(text: string, address: string): string {
  if (text === "" || text === address || `mailto:${text}` === address) return text === "" ? address : text;
  return address === "" ? text : `${text} (${address})`;
}

function sourceOf(node: Node, source: string): string {
  return source.slice(node.position?.start.offset ?? 0, node.position?.end.offset ?? 0);
}

function indented(text: string, first: string, rest: string): string {
  return first + text.replaceAll("\n", () => `\n${rest}`);
}
