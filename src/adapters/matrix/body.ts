import type { RemoteFile, Spoiler, Style } from "../../contract/content.ts";
import { fileRef } from "./ids.ts";
import type { SaidBody } from "../../contract/events.ts";
import { parse } from "../../content/formats.ts";
import { plainText } from "../../content/plain.ts";
import { isObject, type Json, listIn, numberIn, objectIn, textIn } from "../kit/json.ts";

/** Whether the quote that older programs put before a reply is to go. */
interface Reading {
  readonly withoutQuote: boolean;
}

const FILES: ReadonlySet<string> = new Set(["m.image", "m.file", "m.audio", "m.video"]);
/** The specification: more answers of a poll do not count. */
const ANSWERS_MAX = 20;
/** No messages, although they come as such. */
const SILENT: ReadonlySet<string> = new Set(["m.key.verification.request"]);

/** The content of `m.room.message`; null when it says nothing. */
export function messageBody(content: Json, reading: Reading): SaidBody | null {
  const type = textIn(content, "msgtype") ?? "";
  if (SILENT.has(type)) return null;
  if (FILES.has(type)) return fileBody(content, reading) ?? textBody(content, reading);
  if (type === "m.location") return plainBody(locationText(content));
  return textBody(content, reading);
}

/** The content of `m.sticker`: a picture, told by its description. */
export function stickerBody(content: Json): SaidBody | null {
  return fileBody(content, { withoutQuote: false }) ?? plainBody(textIn(content, "body") ?? "");
}

function pollIn(content: Json): Json | null {
  return [content["m.poll"], content["m.poll.start"], content["org.matrix.msc3381.poll.start"]].find(isObject) ?? null;
}

/** The texts of a poll's answers by their ids; null when the content is not that of a poll's start. */
export function pollAnswers(content: Json): ReadonlyMap<string, string> | null {
  const poll = pollIn(content);
  if (poll === null) return null;
  const answers = listIn(poll, "answers").filter(isObject).slice(0, ANSWERS_MAX);
  return new Map(answers.map((one) => [textIn(one, "m.id") ?? textIn(one, "id") ?? "", fallbackText(one)]));
}

/** The content of a poll's end: its words, and the votes that it has. `answers`: of its start, where it is known. */
export function pollEndBody(content: Json, answers: ReadonlyMap<string, string> | null): SaidBody | null {
  const results = [content["m.poll.results"], content["org.matrix.msc3381.poll.results"]].find(isObject) ?? {};
  const counted = Object.entries(results).filter((one): one is [string, number] => Number.isSafeInteger(one[1]));
  const lines = counted
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, ANSWERS_MAX)
    .map(([id, votes]) => `${answers?.get(id) ?? id}: ${votes} ${votes === 1 ? "vote" : "votes"}`);
  return plainBody([fallbackText(content) || "The poll has ended", ...lines].join("\n"));
}

/** The content of a poll's start (MSC3381): the question and its answers. */
export function pollBody(content: Json): SaidBody | null {
  const poll = pollIn(content);
  if (poll === null) return plainBody(fallbackText(content));
  const answers = listIn(poll, "answers").filter(isObject).map(fallbackText);
  const lines = [
    `Poll: ${fallbackText(objectIn(poll, "question"))}`,
    ...answers.map((answer, at) => `${at + 1}. ${answer}`),
  ];
  return plainBody(lines.join("\n"));
}

/** Text of an extensible event (MSC1767), stable or not. */
export function fallbackText(content: Json): string {
  for (const key of ["m.text", "org.matrix.msc1767.text"]) {
    const text =
      textIn(content, key) ??
      listIn(content, key)
        .filter(isObject)
        .map((one) => textIn(one, "body"))[0];
    if (typeof text === "string") return text;
  }
  return textIn(content, "body") ?? "";
}

function textBody(content: Json, { withoutQuote }: Reading): SaidBody | null {
  const written = textIn(content, "body") ?? "";
  const html = textIn(content, "format") === "org.matrix.custom.html" ? textIn(content, "formatted_body") : null;
  // With its quote only the plain text has it in a shape that others understand.
  if (html !== null && html.trim() !== "" && (withoutQuote || !QUOTED.test(written))) {
    const text = withoutReply(html).trim();
    const words = plainText(parse("html", text));
    // Pictures and lines without words: the other shape says more.
    if (words.trim() !== "" || written.trim() === "")
      return { style: styleOf(content), source: { format: "html", text }, files: [] };
  }
  return plainBody(withoutQuote ? unquoted(written) : written, styleOf(content));
}

/** Programs put it first, and once. */
function withoutReply(html: string): string {
  const from = html.search(/<mx-reply\b[^>]*>/iu);
  const end = from === -1 ? null : /<\/mx-reply>/iu.exec(html.slice(from));
  return end === null ? html : html.slice(0, from) + html.slice(from + end.index + end[0].length);
}

function plainBody(written: string, style: Style = "normal"): SaidBody | null {
  const text = written.replaceAll(/\r\n?/gu, "\n");
  if (text.trim() === "") return null;
  return { style, source: { format: "plain", text }, files: [] };
}

function styleOf(content: Json): Style {
  const type = textIn(content, "msgtype");
  if (type === "m.emote") return "action";
  return type === "m.notice" ? "notice" : "normal";
}

const QUOTED = /^> (?:\* )?<@[^>]+>/u;

/** Without the lines that older programs put before a reply: what somebody quotes by hand stays. */
function unquoted(text: string): string {
  if (!QUOTED.test(text)) return text;
  const lines = text.split("\n");
  const from = lines.findIndex((line) => !line.startsWith(">"));
  return from === -1 ? "" : lines.slice(lines[from] === "" ? from + 1 : from).join("\n");
}

export function hasQuote(content: Json): boolean {
  return QUOTED.test(textIn(content, "body") ?? "");
}

/** An encrypted file (`file` in place of `url`) can only be named. */
function fileBody(content: Json, reading: Reading): SaidBody | null {
  const url = textIn(content, "url");
  const body = textIn(content, "body") ?? "";
  const written = reading.withoutQuote ? unquoted(body) : body;
  const filename = textIn(content, "filename");
  const name = (filename ?? written) || "file";
  if (url?.startsWith("mxc://") !== true)
    return isObject(content["file"]) ? plainBody(`${name} (an encrypted file)`) : null;
  const info = objectIn(content, "info");
  const bytes = numberIn(info, "size");
  const file: RemoteFile = {
    name,
    comment: filename !== null && filename !== written ? written : "",
    mime: textIn(info, "mimetype"),
    bytes: bytes !== null && Number.isSafeInteger(bytes) && bytes >= 0 ? bytes : null,
    url: null,
    ref: fileRef(url),
    ...spoilerOf(content),
  };
  // A hidden file's caption is not hidden.
  const isText = file.comment !== "" && (file.spoiler !== undefined || hasHtml(content));
  const said = isText ? textBody(content, reading) : null;
  if (said !== null) return { style: "normal", source: said.source, files: [{ ...file, comment: "" }] };
  return { style: "normal", source: { format: "plain", text: "" }, files: [file] };
}

const hasHtml = (content: Json): boolean => (textIn(content, "formatted_body") ?? "").trim() !== "";

/** MSC4193 and MSC3725: a hidden file, and why. */
function spoilerOf(content: Json): Pick<RemoteFile, "spoiler"> {
  for (const key of ["m.spoiler", "page.codeberg.everypizza.msc4193.spoiler"]) {
    if (content[key] === true) return { spoiler: reasonIn(content, `${key}.reason`) };
  }
  const warning = [content["m.content_warning"], content["town.robin.msc3725.content_warning"]].find(isObject);
  const type = textIn(warning ?? {}, "type") ?? "";
  if (warning === undefined || type === "") return {};
  const kind = type.slice(type.lastIndexOf(".") + 1);
  const reason = reasonIn(warning, "description");
  return { spoiler: reason === true && kind !== "spoiler" ? kind : reason };
}

const reasonIn = (content: Json, key: string): Spoiler =>
  (textIn(content, key) ?? "").replaceAll(/\p{Cc}+/gu, " ").trim() || true;

function locationText(content: Json): string {
  const written = textIn(content, "body") ?? "";
  const place = textIn(content, "geo_uri") ?? "";
  return written.includes(place) ? written : `${written} (${place})`;
}
