import { isObject, type Json, listIn, objectIn, textIn } from "../kit/json.ts";
import { objectsIn, type TelegramSaid } from "./model.ts";
import { bare, inFormat, joinedSaid } from "./said.ts";

/** The network itself nests no deeper than 16. */
const DEPTH_MAX = 32;

/** Those that texts with entities have, too. */
const FORMATS: ReadonlySet<string> = new Set([
  "bold",
  "italic",
  "underline",
  "strikethrough",
  "spoiler",
  "code",
  "text_mention",
]);

/** What is written in blocks (headings, lists, tables), as a text with formats: what has none is words alone. */
export function richWords(message: Json): TelegramSaid {
  return blocksIn(message, 0);
}

function blocksIn(from: Json, depth: number): TelegramSaid {
  if (depth > DEPTH_MAX) return bare("");
  return joinedSaid(objectsIn(from, "blocks").map((block) => blockWords(block, depth)));
}

function blockWords(block: Json, depth: number): TelegramSaid {
  const type = textIn(block, "type") ?? "";
  const text = (): TelegramSaid => runWords(block["text"], depth);
  switch (type) {
    case "heading":
      return inFormat("bold", text());
    case "pre":
      return inFormat("pre", text(), { language: textIn(block, "language") ?? "" });
    case "divider":
      return bare("---");
    case "mathematical_expression":
      return bare(textIn(block, "expression") ?? "");
    case "list":
      return joinedSaid(objectsIn(block, "items").map((item) => itemWords(item, depth)));
    case "blockquote":
    case "expandable_blockquote":
    case "pullquote":
      return inFormat("blockquote", joinedSaid([text(), blocksIn(block, depth + 1), runWords(block["credit"], depth)]));
    case "details":
      return joinedSaid([inFormat("bold", runWords(block["summary"], depth)), blocksIn(block, depth + 1)]);
    case "table":
      return joinedSaid([...rowsIn(block, depth), runWords(block["caption"], depth)]);
    case "buttons":
      return joinedSaid(
        objectsIn(block, "buttons").map((button) => runWords(button["text"], depth)),
        " / ",
      );
    case "paragraph":
    case "footer":
    case "thinking":
      return text();
    default: {
      const caption = runWords(objectIn(block, "caption")["text"], depth);
      const kind = type === "anchor" || type === "collage" || type === "slideshow" ? "" : type.replaceAll("_", " ");
      return joinedSaid([bare(kind === "" ? "" : `(${kind})`), blocksIn(block, depth + 1), caption]);
    }
  }
}

function itemWords(item: Json, depth: number): TelegramSaid {
  const tick = item["has_checkbox"] !== true ? "" : item["is_checked"] === true ? "☑" : "☐";
  return joinedSaid([bare(textIn(item, "label") ?? "-"), bare(tick), blocksIn(item, depth + 1)], " ");
}

function rowsIn(table: Json, depth: number): readonly TelegramSaid[] {
  return listIn(table, "cells").map((row) => {
    const cells = Array.isArray(row) ? row.filter((cell) => isObject(cell)) : [];
    return joinedSaid(
      cells.map((cell) => runWords(cell["text"], depth)),
      " | ",
    );
  });
}

/** A text, or texts one after the other, or one with a format. */
function runWords(run: unknown, depth: number): TelegramSaid {
  if (typeof run === "string") return bare(run);
  if (depth > DEPTH_MAX) return bare("");
  if (Array.isArray(run)) {
    return joinedSaid(
      run.map((one: unknown) => runWords(one, depth + 1)),
      "",
    );
  }
  if (!isObject(run)) return bare("");
  const type = textIn(run, "type") ?? "";
  const alone = textIn(run, "alternative_text") ?? textIn(run, "expression");
  const text = alone === null ? runWords(run["text"], depth + 1) : bare(alone);
  if (type === "url") return inFormat("text_link", text, { url: textIn(run, "url") ?? "" });
  return FORMATS.has(type) ? inFormat(type, text, { user: run["user"] }) : text;
}
