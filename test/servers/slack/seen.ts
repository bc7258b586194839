import type { RichTextBlock, RichTextElement } from "@slack/types";
import { emojiOf } from "./emoji.ts";
import type { WireBlock, WireMessage } from "./wire.ts";

/** How people are called. */
type NameOf = (user: string) => string;

/** A message as a person sees it, with nothing of the network's own syntax. */
export function seen({ blocks = [], text = "" }: WireMessage, nameOf: NameOf): string {
  // Clients show the text only where there is nothing else.
  if (blocks.length === 0) return unescaped(text);
  return blocks.map((block) => blockSeen(block, nameOf)).join("\n");
}

/** What somebody does is all of it in italics, as the network's own clients show it. */
export function isAction({ subtype, blocks = [] }: WireMessage): boolean {
  if (subtype === "me_message") return true;
  const pieces = blocks.flatMap((block) => (isRich(block) ? piecesOf(block) : []));
  const words = pieces.filter((one) => one.type !== "text" || one.text.trim() !== "");
  // A name such as `<Bob> ` may stand before them.
  const [first] = words;
  const isNamed = first?.type === "text" && first.text.endsWith("> ") && words.length > 1;
  const said = isNamed ? words.slice(1) : words;
  return said.length > 0 && said.every((one) => "style" in one && one.style?.italic === true);
}

/** Whom it calls: ids of people, and `here`, `channel`, `everyone`. */
export function called({ blocks = [] }: WireMessage): readonly string[] {
  return blocks.flatMap((block) => (isRich(block) ? piecesOf(block) : [])).flatMap(calledBy);
}

function calledBy(piece: RichTextElement): readonly string[] {
  if (piece.type === "user") return [piece.user_id];
  return piece.type === "broadcast" ? [piece.range] : [];
}

const isRich = (block: WireBlock): block is RichTextBlock => block.type === "rich_text";

/** All that is in its sections, quotes and lists. */
function piecesOf({ elements }: RichTextBlock): readonly RichTextElement[] {
  return elements.flatMap((part): readonly RichTextElement[] =>
    part.type === "rich_text_list" ? part.elements.flatMap(({ elements: of }) => of) : part.elements,
  );
}

function blockSeen(block: WireBlock, nameOf: NameOf): string {
  if (isRich(block)) return richSeen(block, nameOf);
  if (block.type === "section" || block.type === "header") return unescaped(block.text?.text ?? "");
  return block.type === "context" ? block.elements.map((one) => ("text" in one ? one.text : "")).join(" ") : "";
}

/** A section ends where its text says so; other parts are lines of their own. */
function richSeen({ elements }: RichTextBlock, nameOf: NameOf): string {
  const pieces = (of: readonly RichTextElement[]): string => of.map((one) => pieceSeen(one, nameOf)).join("");
  let shown = "";
  for (const part of elements) {
    const text =
      part.type === "rich_text_list"
        ? part.elements.map(({ elements: of }) => pieces(of)).join("\n")
        : pieces(part.elements);
    const isApart = part.type !== "rich_text_section";
    shown += `${isApart && shown !== "" && !shown.endsWith("\n") ? "\n" : ""}${text}${isApart ? "\n" : ""}`;
  }
  return shown.replace(/\n$/u, "");
}

function pieceSeen(piece: RichTextElement, nameOf: NameOf): string {
  if (piece.type === "text") return piece.text;
  if (piece.type === "link") return piece.text ?? piece.url;
  if (piece.type === "emoji") return emojiOf(piece.name);
  if (piece.type === "user") return `@${nameOf(piece.user_id)}`;
  if (piece.type === "broadcast") return `@${piece.range}`;
  return `(${piece.type})`;
}

/** As clients send what is no markup. */
export const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

export const unescaped = (text: string): string =>
  text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
