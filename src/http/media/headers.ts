import type { PublishedFile } from "../../files/files.ts";

/** Caches, browsers' included, need not ask again for so long: the content under an address never changes. */
const CACHE_MAX_S = 24 * 3600;

/**
 * The headers of every answer with a file. Whatever it holds, a browser runs nothing of it: its type is not guessed,
 * what could hold a script is saved instead of shown, and what is shown is in a sandbox that may load nothing but
 * itself.
 */
export function headersOf(file: PublishedFile, nowMs: number): Readonly<Record<string, string>> {
  const seconds = Math.max(0, Math.min(CACHE_MAX_S, Math.floor((file.untilMs - nowMs) / 1000)));
  return {
    "Content-Type": file.type,
    "Content-Disposition": disposition(file),
    "Content-Security-Policy":
      "sandbox; default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "cross-origin",
    "Referrer-Policy": "no-referrer",
    "X-Robots-Tag": "noindex",
    "Cache-Control": `public, max-age=${seconds}, immutable`,
    "Accept-Ranges": "bytes",
    ETag: etagOf(file),
  };
}

export function etagOf({ tag }: PublishedFile): string {
  return `"${tag}"`;
}

/** RFC 6266; the name in ASCII for old clients, and as it is (RFC 8187). */
function disposition({ inline, name }: PublishedFile): string {
  const ascii = name.replaceAll(/[^\w.() +,=@-]/gu, "_");
  const encoded = encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*!]/gu,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  const star = ascii === name ? "" : `; filename*=UTF-8''${encoded}`;
  return `${inline ? "inline" : "attachment"}; filename="${ascii}"${star}`;
}

/** Whether an If-None-Match has this ETag (RFC 9110 §13.1.2). */
export function knows(header: string | undefined, etag: string): boolean {
  return (header ?? "").split(",").some((tag) => tag.trim() === "*" || tag.trim().replace(/^W\//u, "") === etag);
}
