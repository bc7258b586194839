import { isObject } from "../../lib/shapes.ts";
import type { Seq } from "../log.ts";

/** What an entry means for what is found: `of` is the message that it changes; null: nothing. */
export type IndexedText =
  | { readonly is: "said"; readonly text: string; readonly authors: readonly string[] }
  | { readonly is: "edited"; readonly of: Seq; readonly text: string }
  | { readonly is: "deleted"; readonly of: Seq };

/** Of messages; what has another label is no message: people who come and go, topics, reactions, outages. */
const MESSAGE_LABELS: ReadonlySet<string> = new Set(["", "user_action", "notice_irc"]);

/** Reads a payload that gateway/codec.ts has made; of anything else nothing is found. */
export function indexedText(label: string, payload: string): IndexedText | null {
  const value = parsed(payload);
  if (!isObject(value) || typeof value["text"] !== "string") return null;
  const about = isObject(value["about"]) ? value["about"] : {};
  const is = about["is"];
  if (is === "edit" || is === "delete") {
    const of = about["seq"];
    if (typeof of !== "number") return null;
    return is === "delete" ? { is: "deleted", of } : { is: "edited", of, text: textOf(value) };
  }
  return MESSAGE_LABELS.has(label) ? { is: "said", text: textOf(value), authors: authorsOf(value) } : null;
}

/** The name and the id of the author. */
function authorsOf({ username, userid }: Readonly<Record<string, unknown>>): readonly string[] {
  return [username, userid].filter((name) => typeof name === "string").filter((name) => name !== "");
}

function parsed(payload: string): unknown {
  try {
    return JSON.parse(payload);
  } catch {
    return null;
  }
}

/** What was said, and what its files are called. */
function textOf({ text, Extra: extra }: Readonly<Record<string, unknown>>): string {
  const files = isObject(extra) && Array.isArray(extra["file"]) ? extra["file"].filter(isObject) : [];
  const names = files.flatMap(({ Name, Comment }) => [Name, Comment]).filter((name) => typeof name === "string");
  return [text, ...names].join("\n");
}
