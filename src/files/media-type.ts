// The tables of types are loaded with the first file: they would take a good part of the start-up time.
const tables = async () => await import("mime-types");

/** What the first bytes of a file tell. */
export interface Sniffed {
  /** The type that they show, null when they show none. */
  readonly mime: string | null;
  /** They are UTF-8 text, as far as they go. */
  readonly text: boolean;
}

/** How many bytes `sniff` wants to see: what file-type asks for. */
export const HEAD_BYTES = 4100;

const UNKNOWN = "application/octet-stream";

/** Looks at the first HEAD_BYTES of a file, or all of it when it is shorter. */
export async function sniff(head: Uint8Array): Promise<Sniffed> {
  const text = isText(head);
  return { mime: active(head) ?? (text ? null : await binary(head)), text };
}

async function binary(head: Uint8Array): Promise<string | null> {
  const { fileTypeFromBuffer } = await import("file-type");
  try {
    return essence((await fileTypeFromBuffer(head))?.mime ?? null);
  } catch {
    // A head that breaks off inside a structure it announces.
    return null;
  }
}

/**
 * Marks of pages and drawings that can hold scripts, wherever in the head they stand (WHATWG MIME Sniffing §7.1, and
 * stricter).
 */
const PAGE =
  /<!doctype\s+html|<(?:html|head|body|script|iframe|style|title|meta|link|base|form|object|embed|a|img|video|audio|table|div|h1|br|p)[\s/>]/iu;
const DRAWING = /<(?:\w+:)?svg[\s/>]|<!doctype\s+svg/iu;
const UTF16: ReadonlyMap<string, string> = new Map([
  ["fffe", "utf-16le"],
  ["feff", "utf-16be"],
]);

function active(head: Uint8Array): string | null {
  const text = decode(head);
  // Text that only speaks of a mark begins with something else; what is not text at all is left to its magic numbers.
  const opening = text.replace(/^[\uFEFF\s]+/u, "");
  if (!opening.startsWith("<")) return null;
  if (DRAWING.test(opening)) return "image/svg+xml";
  if (PAGE.test(opening) || opening.startsWith("<!--")) return "text/html";
  return opening.startsWith("<?xml") ? "application/xml" : null;
}

function decode(head: Uint8Array): string {
  const mark = Buffer.from(head.subarray(0, 2)).toString("hex");
  const charset = UTF16.get(mark) ?? "utf-8";
  return new TextDecoder(charset).decode(head);
}

function isText(head: Uint8Array): boolean {
  if (head.some((byte) => byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0c && byte !== 0x0d))
    return false;
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(head, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** Boxes that hold files of many kinds: the name says which. */
const BOXES: ReadonlySet<string> = new Set(["application/zip", "application/x-cfb", "application/xml"]);

interface NamedFile {
  readonly sniffed: Sniffed;
  readonly name: string;
  readonly claimed: string | null;
}

/**
 * The media type of a file: what its content shows, else what its name says, else what its sender claims.
 * A page that is called `.txt` is its own source text.
 */
export async function mediaType(of: NamedFile): Promise<string> {
  const { lookup } = await tables();
  const byName = essence(lookup(of.name) || null);
  const { mime, text } = of.sniffed;
  if (mime !== null && byName === "text/plain" && text) return byName;
  if (mime !== null && byName !== null && BOXES.has(mime) && !SHOWN.has(byName)) return byName;
  return mime ?? byName ?? essence(of.claimed) ?? UNKNOWN;
}

const TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,63}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,63}$/u;

/** Lower case and without parameters; null for what is not a media type (RFC 6838 §4.2). */
function essence(type: string | null): string | null {
  const bare = type?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  return TYPE.test(bare) ? bare : null;
}

/**
 * What browsers show without running anything. PDF is not among them: their viewers do not work in the sandbox it would
 * need.
 */
const SHOWN: ReadonlySet<string> = new Set([
  ...["png", "apng", "jpeg", "gif", "webp", "avif"].map((kind) => `image/${kind}`),
  ...["mp4", "webm", "ogg", "quicktime", "x-m4v"].map((kind) => `video/${kind}`),
  ...["mpeg", "mp4", "ogg", "webm", "aac", "flac", "x-flac", "wav", "x-wav", "x-m4a"].map((kind) => `audio/${kind}`),
  "text/plain",
]);

export function isShown(mime: string): boolean {
  return SHOWN.has(mime);
}

/** The name with an ending that fits the type, when it has no ending of its own. */
export async function withEnding(name: string, mime: string): Promise<string> {
  const { extension, lookup } = await tables();
  const ending = USUAL.get(mime) ?? extension(mime);
  const hasEnding = ENDING.test(name) || (LONG_ENDING.test(name) && lookup(name) !== false);
  return ending === false || mime === UNKNOWN || hasEnding ? name : `${name}.${ending}`;
}

/** Players and previews know these; the tables name others first, such as `mpga`. */
const USUAL: ReadonlyMap<string, string> = new Map([
  ...["aac", "flac", "ogg", "opus", "webm"].map((kind) => [`audio/${kind}`, kind] as const),
  ["audio/mpeg", "mp3"],
  ["video/quicktime", "mov"],
]);

const ENDING = /[^.]\.[\p{L}\p{N}]{1,5}[\s.]*$/u;
/** It is one where the tables know it, as `geojson`; else it may be a word. */
const LONG_ENDING = /[^.]\.[a-z\d]{6,}$/iu;
