import { isObject, type Json, listIn, textIn } from "../kit/json.ts";
import { bounded } from "./text.ts";

/** Integrations may attach any number; what is more is left out. */
const ATTACHMENTS_MAX = 20;
const FIELDS_MAX = 50;

/** What integrations show beside a post ("Message attachments"), in words; empty when there is nothing. */
export function attachmentWords(props: Json): string {
  const shown = listIn(props, "attachments").filter(isObject).slice(0, ATTACHMENTS_MAX);
  const texts = shown.map(words).filter((text) => text !== "");
  return bounded(texts.join("\n\n"));
}

function words(attachment: Json): string {
  const text = (key: string): string => (textIn(attachment, key) ?? "").trim();
  const lines = [
    text("pretext"),
    linked(text("author_name"), text("author_link")),
    heading(text("title"), text("title_link")),
    text("text"),
    ...listIn(attachment, "fields").filter(isObject).slice(0, FIELDS_MAX).map(field),
    text("image_url"),
    text("footer"),
    choices(attachment),
  ].filter((line) => line !== "");
  return lines.length === 0 ? text("fallback") : lines.join("\n");
}

const linked = (text: string, href: string): string =>
  text === "" || !/^https?:\/\/[^\s()]+$/u.test(href) ? text : `[${text}](${href})`;

const heading = (title: string, link: string): string => (title === "" ? "" : `**${linked(title, link)}**`);

function field(one: Json): string {
  const [title, value] = [textIn(one, "title") ?? "", one["value"]];
  const shown = typeof value === "string" || typeof value === "number" ? String(value).trim() : "";
  return [title.trim() === "" ? "" : `${title.trim()}:`, shown].filter((part) => part !== "").join(" ");
}

/** What can be clicked there. */
function choices(attachment: Json): string {
  const names = listIn(attachment, "actions")
    .filter(isObject)
    .map((action) => textIn(action, "name") ?? "")
    .filter((name) => name !== "");
  return names.length === 0 ? "" : `(${names.slice(0, FIELDS_MAX).join(" / ")})`;
}
