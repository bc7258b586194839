import type { FileRef } from "../contract/ids.ts";
import { proxyOf } from "../lib/proxy.ts";
import { isPublic, isReachable, isWebPort } from "../lib/public-address.ts";
import { chunksOf, unlessAborted } from "./chunks.ts";
import type { Fetched } from "./fetch-url.ts";
import type { FileOrigin } from "./file-id.ts";
import type { FilesOptions } from "./options.ts";
import { type FileRefusal, tooLarge } from "./refusal.ts";

/** Where a file is that is not in the store. */
type Elsewhere = Exclude<FileOrigin, { is: "stored" }>;

/** What is to be known of where files come from. `limit`: bytes of one file. */
type SourceOptions = Pick<FilesOptions, "media" | "sources" | "test"> & { readonly limit: number };

/** Begins to fetch a file from its network or web server. Rejects when the signal is aborted. */
export async function openSource(
  origin: Elsewhere,
  options: SourceOptions,
  signal: AbortSignal,
): Promise<Fetched | FileRefusal> {
  return origin.is === "url" ? await askServer(origin, options, signal) : await askSession(origin, options, signal);
}

async function askServer(
  { url, account }: Extract<Elsewhere, { is: "url" }>,
  { media, sources, test, limit }: SourceOptions,
  signal: AbortSignal,
): Promise<Fetched | FileRefusal> {
  // Its TLS is loaded with the first file that needs it: it would take a good part of the start-up time.
  const { fetchUrl } = await import("./fetch-url.ts");
  const fetching = fetchUrl(url, {
    allowed: media.allowPrivate ? isReachable : isPublic,
    allowedPort: media.allowPrivate ? () => true : isWebPort,
    limit,
    signal,
    proxy: proxyOf(sources.proxyFor?.(account) ?? ""),
    ...(test?.resolve !== undefined && { resolve: test.resolve }),
  });
  return await unlessAborted(fetching, signal);
}

async function askSession(
  { account, ref }: { account: string; ref: FileRef },
  { sources, limit }: SourceOptions,
  signal: AbortSignal,
): Promise<Fetched | FileRefusal> {
  const opening = sources.open(account, ref, signal);
  // What comes when nobody waits any more is not left open.
  void opening
    .then(async (opened) => {
      if (signal.aborted && opened.ok && !opened.stream.locked) await opened.stream.cancel();
    })
    .catch(() => undefined);
  const opened = await unlessAborted(opening, signal);
  if (!opened.ok) return { ok: false, why: opened.why, retry: !FINAL.has(opened.why.code) };
  const chunks = chunksOf(opened.stream, signal);
  if (opened.bytes !== null && opened.bytes > limit) return tooLarge(limit);
  return { ok: true, mime: opened.mime, chunks };
}

const FINAL: ReadonlySet<string> = new Set([
  "forbidden",
  "not_found",
  "too_large",
  "unsupported",
  "bad_content",
  "bug",
]);
