import type { Upload } from "./wire.ts";

/** One part of a form: a text, or a file. */
export interface Part {
  readonly name: string;
  readonly value: string | Upload;
}

const BLANK_LINE = "\r\n\r\n";

/** Reads a multipart form as the server does, which takes names without quotation marks, too; null for what is none. */
export function parseForm(raw: Buffer, type: string): readonly Part[] | null {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(type) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) return null;
  const line = Buffer.from(`--${boundary}`);
  const parts: Part[] = [];
  let at = raw.indexOf(line);
  while (at >= 0) {
    const begin = at + line.length;
    if (raw.toString("latin1", begin, begin + 2) === "--") return parts;
    at = raw.indexOf(Buffer.concat([Buffer.from("\r\n"), line]), begin);
    if (at < 0) return null;
    const part = partOf(raw.subarray(begin + 2, at));
    if (part === null) return null;
    parts.push(part);
    at += 2;
  }
  return null;
}

function partOf(bytes: Buffer): Part | null {
  const end = bytes.indexOf(BLANK_LINE);
  if (end < 0) return null;
  const head = bytes.toString("utf8", 0, end);
  const content = bytes.subarray(end + BLANK_LINE.length);
  const name = field(head, "name");
  if (name === null) return null;
  const file = field(head, "filename");
  if (file === null) return { name, value: content.toString("utf8") };
  const mime = /^content-type:\s*([^;\r\n]+)/im.exec(head)?.[1] ?? "";
  return { name, value: { name: file, content: Buffer.from(content), mime } };
}

/** A field of `content-disposition`, with the escapes of web browsers. */
function field(head: string, name: string): string | null {
  const [disposition = ""] = /^content-disposition:.*$/im.exec(head) ?? [];
  const found = new RegExp(`;\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^;]*))`, "i").exec(disposition);
  const value = found?.[1]?.replaceAll(/\\(["\\])/g, "$1") ?? found?.[2] ?? null;
  return value?.replaceAll("%22", '"').replaceAll("%0D", "\r").replaceAll("%0A", "\n") ?? null;
}
