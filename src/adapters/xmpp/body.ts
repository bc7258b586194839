import type { Block, RemoteFile, Source, Style } from "../../contract/content.ts";
import type { SaidBody } from "../../contract/events.ts";
import { renderHtml } from "../../content/html-render.ts";
import { hidden } from "../../content/spoilers.ts";
import { parse } from "../../content/formats.ts";
import { NS } from "./ns.ts";
import { attr, child, childText, type Stanza } from "./xml.ts";

/** Files that one message may carry; what comes after them stays text. */
const FILES_MAX = 20;
const NAME_MAX = 255;
const HINT_MAX = 255;
/** Fallbacks of one message, and ranges of one of them. */
const RANGES_MAX = 8;
const ACTION = "/me ";

/**
 * What a message says, without the words that others put there for clients that do not know what its elements mean;
 * null when it says nothing. `calls`: the nicks of people whom it addresses and these words do not name.
 */
export function readBody(message: Stanza, calls: (words: string) => readonly string[] = () => []): SaidBody | null {
  const found = [...sharedFiles(message), ...outOfBand(message)].filter(distinct).slice(0, FILES_MAX);
  // XEP-0382 hides all of a message.
  const hint = child(message, "spoiler", NS.spoiler);
  const files =
    hint === undefined
      ? found
      : found.map((file) => Object.assign({}, file, { spoiler: oneLine(hint.getText()) || (true as const) }));
  const urls = files.flatMap(({ url }) => url ?? []);
  const said = withoutFallback(message, childText(message, "body") ?? "", urls);
  const text = files.some(({ url }) => url === said.trim()) ? "" : said;
  if (text.trim() === "" && files.length === 0) return null;
  const style: Style = text.startsWith(ACTION) ? "action" : "normal";
  const nicks = style === "action" || text.trim() === "" ? [] : calls(text);
  // A quote or a fence begins with its line.
  const gap = /^(?:>|```)/u.test(text) && nicks.length > 0 ? "\n" : "";
  const words = style === "action" ? text.slice(ACTION.length) : nicks.map((nick) => `${nick}: `).join("") + gap + text;
  // XEP-0393 §5.
  const unstyled = child(message, "unstyled", NS.styling) !== undefined;
  const source = { format: unstyled ? "plain" : "styling", text: words };
  return { style, source: covered(message, source), files };
}

/** XEP-0382: all words are hidden, behind a hint that can be read. */
function covered(message: Stanza, source: Source): Source {
  const spoilers = message.getChildren("spoiler", NS.spoiler);
  if (spoilers.length === 0 || source.text.trim() === "") return source;
  // A hint may be there in several languages.
  const hint = spoilers.map((one) => oneLine(one.getText()).slice(0, HINT_MAX)).find(Boolean) ?? "";
  const words = hidden(parse(source.format, source.text));
  const open: readonly Block[] = hint === "" ? [] : [{ t: "para", of: [{ t: "text", text: `${hint}:` }] }];
  return { format: "html", text: renderHtml([...open, ...words]) };
}

const distinct = (file: RemoteFile, at: number, all: readonly RemoteFile[]): boolean =>
  all.findIndex(({ url }) => url === file.url) === at;

/** Features of ours for which a fallback (XEP-0428) may be in the body. */
const KNOWN: ReadonlySet<string> = new Set([NS.reply, NS.oob, NS.sfs, NS.reactions, NS.retract0, NS.retract1]);

/**
 * The body without what stands there for other clients: ranges count code points (XEP-0428 §3.2); without a range it is
 * all of it. `urls`: those of the files.
 */
function withoutFallback(message: Stanza, body: string, urls: readonly string[]): string {
  const characters = Array.from(body);
  const left = [...characters];
  let hasReply = false;
  const fallbacks = [NS.fallback, NS.fallbackOld].flatMap((namespace) => message.getChildren("fallback", namespace));
  for (const fallback of fallbacks.slice(0, RANGES_MAX)) {
    if (!KNOWN.has(attr(fallback, "for"))) continue;
    const isReply = attr(fallback, "for") === NS.reply;
    hasReply ||= isReply;
    const ranges = fallback.getChildren("body").slice(0, RANGES_MAX);
    const isSubject = ranges.length === 0 && child(fallback, "subject") !== undefined;
    if (ranges.length === 0 && !isSubject && !isReply) return "";
    // Without a range it is the whole body, as with a range that has neither a start nor an end.
    for (const range of ranges.length === 0 && !isSubject ? [fallback] : ranges) {
      const start = place(attr(range, "start"), 0);
      const end = place(attr(range, "end"), characters.length);
      if (start === null || end === null) continue;
      const meant = isReply ? quoteIn(characters, { start, end }) : addressIn(characters, { start, end }, urls);
      left.fill("", meant.start, Math.max(meant.start, meant.end));
    }
  }
  // A blank line between the quote and the words belongs to the quote.
  const words = left.join("").replace(hasReply ? /^\n+/u : "", "");
  return words.trim() === "" && hasReply ? body : words;
}

/** In code points. */
interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * What a reply's range means. Some clients count it wrongly: nothing but the quote is cut, which is the leading lines
 * that begin with `>`, and no part of a line of it stays. Where there are none, the range is what it says.
 */
function quoteIn(characters: readonly string[], { start, end }: Range): Range {
  let quote = 0;
  while (characters[quote] === ">") {
    const next = characters.indexOf("\n", quote);
    quote = next === -1 ? characters.length : next + 1;
  }
  if (quote === 0) return { start, end };
  if (characters[end] === "\n" && end < quote) return { start, end: end + 1 };
  return { start, end: end < quote && characters[end - 1] === "\n" ? end : quote };
}

/** What a file's range means: some clients count UTF-16 units, which shows when exactly those are its address. */
function addressIn(characters: readonly string[], { start, end }: Range, urls: readonly string[]): Range {
  const isAddress = (text: string): boolean => urls.includes(text.trim());
  const body = characters.join("");
  if (isAddress(characters.slice(start, end).join(""))) return { start, end };
  if (!isAddress(body.slice(start, end))) return { start, end };
  const before = (units: number): number => Array.from(body.slice(0, units)).length;
  return { start: before(start), end: before(end) };
}

/** Null for what is not a place. */
function place(text: string, otherwise: number): number | null {
  if (text === "") return otherwise;
  return /^\d{1,9}$/u.test(text) ? Number(text) : null;
}

/** XEP-0066 §3. */
function outOfBand(message: Stanza): readonly RemoteFile[] {
  return message.getChildren("x", NS.oob).flatMap((oob) => {
    const url = webUrl(childText(oob, "url"));
    if (url === null) return [];
    return [{ name: nameFrom(url), comment: oneLine(childText(oob, "desc")), mime: null, bytes: null, url, ref: null }];
  });
}

/** XEP-0447: only what can be fetched from a URL. */
function sharedFiles(message: Stanza): readonly RemoteFile[] {
  return message.getChildren("file-sharing", NS.sfs).flatMap((sharing) => {
    const file = child(sharing, "file", NS.fileMetadata);
    const url = webUrl(attr(child(child(sharing, "sources"), "url-data", NS.urlData), "target"));
    if (url === null) return [];
    const bytes = Number(childText(file, "size") ?? "");
    return [
      {
        name: fileName(childText(file, "name") ?? "") || nameFrom(url),
        comment: oneLine(childText(file, "desc")),
        mime: childText(file, "media-type"),
        bytes: Number.isSafeInteger(bytes) && bytes > 0 ? bytes : null,
        url,
        ref: null,
      },
    ];
  });
}

function webUrl(text: string | null): string | null {
  const url = text?.trim() ?? "";
  return /^https?:\/\//iu.test(url) && URL.canParse(url) ? url : null;
}

function nameFrom(url: string): string {
  const last = new URL(url).pathname.split("/").at(-1) ?? "";
  try {
    return fileName(decodeURIComponent(last)) || "file";
  } catch {
    return fileName(last) || "file";
  }
}

function fileName(text: string): string {
  return text.replaceAll(/[\p{Cc}/\\]/gu, "").slice(0, NAME_MAX);
}

function oneLine(text: string | null): string {
  return (text ?? "").replaceAll(/\p{Cc}+/gu, " ").trim();
}
